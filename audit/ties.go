package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// BreakTies returns the scores with ties between the classes broken at random. Every bound by rank
// is then as strong as for scores without ties. If a member ties with a non-member, all scores are
// replaced by their ranks, ascending in each class. Scores that are all equal stay so.
//
// The seed must be independent of the scores: drawn at random, or fixed before they were seen. See
// [Config.Seed] for how a report draws it. The order of the scores within a class does not matter.
// Equal scores and seeds give equal ranks.
func (s Scores) BreakTies(seed uint64) (Scores, error) {
	sorted, err := newSample(s)
	if err != nil {
		return Scores{}, err
	}
	ranked := sorted.untied(seed)
	return Scores{ranked.member, ranked.nonMember}, nil
}

// Why random ties are valid.
//
// Give every score x a number τ, uniform on [0, 1] and independent of all else. Order the pairs (x,
// τ) by x, then by τ. That is the score of another attack on the same mechanism. It looks at the
// output and then tosses τ by itself. By post-processing (Dwork and Roth 2014, Proposition 2.1;
// Dong, Roth, Su 2022, arXiv:1905.02383v3, Proposition 1) its ROC lies below the same ceiling, and
// its law has no atoms. So every bound that holds for the scores of independent games without ties
// holds for the pairs. The rank statistics see only the order of the pairs. Given the scores, all
// orders of a group of equal ones have the same chance: that is what untied draws.
//
// The proof needs coins that are independent of the scores. No function of a file can be
// independent. A file that is sorted by score holds only the counts, and a hash of them is a fixed
// order for each. With such a hash, a mechanism that leaks nothing was accused at confidence 0.95
// in 30 % of audits of 16 + 16 games; its score was 1 with chance 0.05. So the system draws the
// seed of a report, and the report has it. A given seed must have been fixed before the scores were
// seen.
//
// The sorted scores are hashed with the seed. That changes nothing for a drawn seed. Audits that
// share a given seed then break their ties in different ways.
//
// Functions without a Config count ties against the audit: a member must be strictly above, a
// non-member strictly below. A member then lies below its place after a tie won by chance. Every
// statistic here grows when members move up. So the statistic is at most its value after random
// ties, and so is the bound. It is valid, the same each time, and weak where ties are many.

// untied breaks the ties of the sorted scores. Scores that are all equal carry no evidence, and
// still count against the audit.
func (s sample) untied(seed uint64) sample {
	if s.tied() == 0 || s.constant() {
		return s
	}
	return s.ordered(rand.New(rand.NewChaCha8(s.tieSeed(seed))).IntN)
}

// ordered replaces scores by ranks. draw decides the order of equal scores: draw(n) is uniform on
// [0, n).
func (s sample) ordered(draw func(n int) int) sample {
	out := sample{make([]float64, 0, len(s.member)), make([]float64, 0, len(s.nonMember))}
	rank := 0.0
	for i, j := 0, 0; i < len(s.member) || j < len(s.nonMember); {
		a, b := s.group(i, j)
		i, j = i+a, j+b
		for ; a+b > 0; rank++ {
			if b == 0 || a > 0 && draw(a+b) < a {
				out.member = append(out.member, rank)
				a--
			} else {
				out.nonMember = append(out.nonMember, rank)
				b--
			}
		}
	}
	return out
}

// group returns how many members from the i-th on, and non-members from the j-th on, have the
// least of their scores.
func (s sample) group(i, j int) (members, nonMembers int) {
	least := math.Inf(1)
	if i < len(s.member) {
		least = s.member[i]
	}
	if j < len(s.nonMember) {
		least = math.Min(least, s.nonMember[j])
	}
	for i+members < len(s.member) && s.member[i+members] == least {
		members++
	}
	for j+nonMembers < len(s.nonMember) && s.nonMember[j+nonMembers] == least {
		nonMembers++
	}
	return members, nonMembers
}

// tied counts the scores that equal one of the other class.
func (s sample) tied() (count int) {
	for i, j := 0, 0; i < len(s.member) || j < len(s.nonMember); {
		a, b := s.group(i, j)
		i, j = i+a, j+b
		if a > 0 && b > 0 {
			count += a + b
		}
	}
	return count
}

// tiedShare is the share of all scores that equal one of the other class.
func (s sample) tiedShare() float64 {
	return float64(s.tied()) / float64(len(s.member)+len(s.nonMember))
}

// doubtTies warns about a bound under a Gaussian trade-off if at least 1 % of the scores are tied.
// The law of a discrete output is not Gaussian, and no number of games shows it in the AUC.
func (b *Bound) doubtTies(share float64) {
	if share >= 0.01 && (b.Assumption == AssumeGDP || b.Assumption == AssumeOneRunGDP) {
		b.Warnings = append(b.Warnings, fmt.Errorf("%.3g %% of the scores are tied: if the mechanism's output is discrete its trade-off is not Gaussian, and the bound is invalid", 100*share))
	}
}

// tieSeed hashes the seed with the sorted scores.
func (s sample) tieSeed(seed uint64) (key [32]byte) {
	hash := sha256.New()
	out := bufio.NewWriter(hash)
	fmt.Fprintf(out, "audit %d ties %d %d ", seed, len(s.member), len(s.nonMember))
	for _, class := range [][]float64{s.member, s.nonMember} {
		for _, x := range class {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(x+0)) // -0 equals 0
			out.Write(word[:])
		}
	}
	out.Flush()
	return [32]byte(hash.Sum(nil))
}
