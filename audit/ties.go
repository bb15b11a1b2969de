package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// BreakTies returns the scores with ties between the classes broken at random, as [Config.Seed]
// does: every bound by rank is then as strong as for scores without ties. Where a member ties with
// a non-member all scores are replaced by their ranks, ascending in each class. Scores that are
// all equal stay so. Equal scores in equal order and equal seeds give equal ranks. Functions
// without a Config break ties with seed 0.
func (s Scores) BreakTies(seed uint64) (Scores, error) {
	ranked, err := newRanked(s, seed)
	return Scores{ranked.member, ranked.nonMember}, err
}

// Why random ties are valid.
//
// Give every score x a number τ, uniform on [0, 1] and independent of all else, and order the
// pairs (x, τ) by x, then by τ. That is the score of another attack on the same mechanism, one
// that looks at its output and then tosses τ by itself. By post-processing (Dwork and Roth
// 2014, Proposition 2.1; Dong, Roth, Su 2022, arXiv:1905.02383v3, Proposition 1) its ROC lies
// below the same ceiling, and its law has no atoms. So every bound that holds for the scores of
// independent games without ties holds for the pairs. Of the pairs the rank statistics see the
// order alone, and given the scores, all orders of a group of equal ones have the same chance:
// that is what untied draws.
//
// A member that wins a tie by chance lies above where ties counted against the audit would put
// it, so that no statistic that grows with members moving up gets less.
//
// The numbers come from the seed and the scores in the order of the games, through SHA-256 and
// ChaCha8. Without the scores one seed, the same for most users, would break the ties of like
// audits alike: where nearly all scores are equal the same claim would always be refuted, or
// never. The games' order given the scores of each class is itself random and says nothing of
// the mechanism. So the stated confidence holds exactly on average over seeds, and for one
// seed as far as SHA-256 is as good as random.

// newRanked returns the sample that the rank statistics work on.
func newRanked(scores Scores, seed uint64) (sample, error) {
	s, err := newSample(scores)
	if err != nil {
		return s, err
	}
	return s.untied(scores, seed), nil
}

// untied breaks the ties of the sorted scores. Equal scores alone carry no evidence, and are left to
// count against the audit.
func (s sample) untied(scores Scores, seed uint64) sample {
	if s.tied() == 0 || s.constant() {
		return s
	}
	rng := rand.New(rand.NewChaCha8(scores.tieSeed(seed)))
	out := sample{make([]float64, 0, len(s.member)), make([]float64, 0, len(s.nonMember))}
	rank := 0.0
	for i, j := 0, 0; i < len(s.member) || j < len(s.nonMember); {
		a, b := s.group(i, j)
		i, j = i+a, j+b
		for ; a+b > 0; rank++ {
			if b == 0 || a > 0 && rng.IntN(a+b) < a {
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

// doubtTies warns of a bound under a Gaussian trade-off where at least 1 % of the scores are tied:
// the law of a discrete output is not Gaussian, and no number of games shows it in the AUC.
func (b *Bound) doubtTies(share float64) {
	if share >= 0.01 && (b.Assumption == AssumeGDP || b.Assumption == AssumeOneRunGDP) {
		b.Warnings = append(b.Warnings, fmt.Errorf("%.3g %% of the scores are tied: if the mechanism's output is discrete its trade-off is not Gaussian, and this is no bound", 100*share))
	}
}

// tieSeed hashes the seed with the scores in the order of the games.
func (s Scores) tieSeed(seed uint64) (key [32]byte) {
	hash := sha256.New()
	out := bufio.NewWriter(hash)
	fmt.Fprintf(out, "audit %d ties %d %d ", seed, len(s.Member), len(s.NonMember))
	for _, class := range [][]float64{s.Member, s.NonMember} {
		for _, x := range class {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(x))
			out.Write(word[:])
		}
	}
	out.Flush()
	return [32]byte(hash.Sum(nil))
}
