// Package paperaudit is the audit of cebere2024: the best threshold on the same scores,
// Clopper-Pearson bounds on both error rates, a Gaussian trade-off curve. It is the bound
// "gdp-clopper-pearson" of audit.Bounds, which nothing corrects for the choice of the threshold. A
// figure takes it of thousands of samples of one size, so the bounds of all counts are computed
// once.
package paperaudit

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/audit"
)

// Audit is the audit of games of one number.
type Audit struct {
	delta    float64
	quantile []float64 // Φ⁻¹ of the upper bound on an error rate, by the number of errors
}

// known has the quantiles of audits, by level. Figures ask for few sizes at one level many times.
var known sync.Map

type level struct {
	games      int
	confidence float64
}

// New returns the audit of so many games in each world.
func New(games int, cfg audit.Config) Audit {
	at := level{games, cmp.Or(cfg.Confidence, audit.DefaultConfidence)}
	if quantile, ok := known.Load(at); ok {
		return Audit{cfg.Delta, quantile.([]float64)}
	}
	var quantile []float64
	for errors := range games + 1 {
		quantile = append(quantile, distuv.UnitNormal.Quantile(audit.RateUpper(errors, games, (1-at.confidence)/2)))
	}
	known.Store(at, quantile)
	return Audit{cfg.Delta, quantile}
}

// bins is how many bins Mu counts scores in. Some hundred leave a few scores in each.
const bins = 512

// Mu returns the µ that the paper would report, at least 0. Both classes of scores have as many
// games as the audit.
//
// It is the largest over thresholds just below a member. Scores are counted in bins. In a bin, a
// threshold misses at least the members of the bins before, and at most the non-members of all bins
// up to it are below. Only the scores of bins that may thus have more than is known are sorted.
func (a Audit) Mu(scores audit.Scores) (mu float64) {
	low := min(slices.Min(scores.Member), slices.Min(scores.NonMember))
	scale := bins / (max(slices.Max(scores.Member), slices.Max(scores.NonMember)) - low)
	if !(scale > 0) || math.IsInf(scale, 1) {
		return a.largest(sorted(scores.Member), sorted(scores.NonMember), 0, 0)
	}
	bin := func(x float64) int { return min(int((x-low)*scale), bins-1) }
	var members, nonMembers [bins + 1]int // in the bins before
	for i, x := range scores.Member {
		members[bin(x)+1]++
		nonMembers[bin(scores.NonMember[i])+1]++
	}
	for b := range bins {
		members[b+1] += members[b]
		nonMembers[b+1] += nonMembers[b]
		if members[b+1] > members[b] { // the first member of the bin has at least those below
			mu = math.Max(mu, a.mu(members[b], nonMembers[b]))
		}
	}
	var more [bins]bool
	for b := range bins {
		more[b] = members[b+1] > members[b] && a.mu(members[b], nonMembers[b+1]) > mu
	}
	inMore := func(xs []float64) (out []float64) {
		for _, x := range xs {
			if more[bin(x)] {
				out = append(out, x)
			}
		}
		slices.Sort(out)
		return out
	}
	ins, outs := inMore(scores.Member), inMore(scores.NonMember)
	for b := range bins {
		if more[b] {
			in, out := members[b+1]-members[b], nonMembers[b+1]-nonMembers[b]
			mu = math.Max(mu, a.largest(ins[:in], outs[:out], members[b], nonMembers[b]))
			ins, outs = ins[in:], outs[out:]
		}
	}
	return mu
}

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }

// mu returns the µ of a threshold that misses so many members, with so many non-members below it.
func (a Audit) mu(missed, below int) float64 {
	return -a.quantile[missed] - a.quantile[len(a.quantile)-1-below]
}

// largest returns the largest µ of thresholds just below one of the members, at least 0. Both are
// ascending. Others are missed, or below, already.
func (a Audit) largest(members, nonMembers []float64, missed, below int) (mu float64) {
	at := 0
	for i, x := range members {
		for at < len(nonMembers) && nonMembers[at] < x {
			at++
		}
		mu = math.Max(mu, a.mu(missed+i, below+at))
	}
	return mu
}

// Epsilon returns the ε that the paper would report, as Mu.
func (a Audit) Epsilon(scores audit.Scores) (float64, error) {
	return audit.EpsilonOfMu(a.Mu(scores), a.delta)
}
