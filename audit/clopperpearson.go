package audit

import (
	"container/heap"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

const clopperPearsonReference = "Clopper-Pearson bounds on both error rates, half of the significance each; Nasr et al. (2021), arXiv:2101.04535"

// ClopperPearson returns the lower bound on ε of a test whose threshold was fixed before
// the scores were seen.
//
//	ε = max( ln((1-δ-FNR⁺)/FPR⁺), ln((1-δ-FPR⁺)/FNR⁺), 0 )
//
// FNR⁺ and FPR⁺ are upper bounds at half of the significance each. Both inequalities of (ε, δ)-DP
// use the same two events. Taking the larger therefore costs nothing more. If the games are too few
// for a bound above 0, a warning has the number that is needed.
//
// Reference: Kairouz, Oh, Viswanath (2015), Theorem 2.1; Nasr et al. (2021), arXiv:2101.04535.
func ClopperPearson(c Counts, cfg Config) (Bound, error) {
	if err := errors.Join(c.Validate(), cfg.Validate()); err != nil {
		return Bound{}, err
	}
	return epsilonTest(cfg.Delta).fixed(c, cfg), nil
}

// rateTest is a bound from upper bounds on both error rates of a test.
type rateTest struct {
	name       string
	assumption Assumption // AssumeGDP if value is µ, otherwise it is ε
	reference  string
	value      func(fnr, fpr float64) float64 // the largest ε or µ that the bounds refute
}

func epsilonTest(delta float64) rateTest {
	return rateTest{"clopper-pearson", AssumeNothing, clopperPearsonReference, func(fnr, fpr float64) float64 { return epsilonOfRates(fnr, fpr, delta) }}
}

var muTest = rateTest{"gdp-clopper-pearson", AssumeGDP, gdpClopperPearsonReference, muOfRates}

// of spends significance each on the two error rates.
func (t rateTest) of(c Counts, significance float64) float64 {
	return t.value(RateUpper(c.FalseNegatives, c.Members, significance), RateUpper(c.FalsePositives, c.NonMembers, significance))
}

// bound returns a bound of these values, ε or µ.
func (t rateTest) bound(kind string, value, ceiling float64, cfg Config) Bound {
	b := NewBound(t.name+kind, t.assumption, cfg, t.reference)
	if b.Epsilon, b.Ceiling = value, ceiling; t.assumption == AssumeGDP {
		b.finishGDP(value, ceiling)
	}
	return b
}

// fixed is the bound at a threshold that was fixed before the scores were seen.
func (t rateTest) fixed(c Counts, cfg Config) Bound {
	half := cfg.Significance() / 2
	b := t.bound("", t.of(c, half), t.of(c.perfect(), half), cfg)
	b.ChosenBefore = "the threshold, stated as fixed beforehand"
	b.doubtCeiling(func(n int) bool {
		return t.bound("", 0, t.of(Counts{Members: n, NonMembers: n}, half), cfg).Ceiling > 0
	})
	return b
}

// epsilonOfRates returns the largest ε that upper bounds on the error rates refute, or 0.
func epsilonOfRates(fnr, fpr, delta float64) float64 {
	return math.Max(0, math.Max(logRatio(1-delta-fnr, fpr), logRatio(1-delta-fpr, fnr)))
}

func logRatio(num, den float64) float64 {
	if !(num > den) {
		return 0
	}
	return numeric.Log(num / den)
}

// Bonferroni over thresholds that were fixed before the scores. They are a grid of 2 log2 n ranks
// in both tails (see rankGrid), instead of the 2n thresholds that other tools pay for. The best of
// J bounds at significance/J each is a bound at significance.

func (t rateTest) bonferroni(s sample, cfg Config) Bound {
	tests, n1, n0 := s.gridTests(), len(s.member), len(s.nonMember)
	each, best := cfg.Significance()/float64(2*len(tests)), math.Inf(-1)
	for _, test := range tests {
		best = math.Max(best, t.of(test.counts(n1, n0), each))
	}
	b := t.bound("-bonferroni", best, t.of(Counts{Members: n1, NonMembers: n0}, each), cfg)
	b.ChosenBefore = fmt.Sprintf("%d thresholds, fixed beforehand by rank; Bonferroni", len(tests))
	return b
}

// gridTests are the tests at the ranks of the grid in both tails.
func (s sample) gridTests() []rankTest {
	var tests []rankTest
	for _, k := range rankGrid(len(s.nonMember)) {
		tests = append(tests, s.top(k))
	}
	for _, k := range rankGrid(len(s.member)) {
		tests = append(tests, s.bottom(k))
	}
	return tests
}

var errUncorrected = errors.New("the threshold is the best on the same scores, uncorrected as in the papers: no confidence is guaranteed, and more games make it wrong more often")

// uncorrected is the bound that papers report: the best over all thresholds.
func (t rateTest) uncorrected(s steps, cfg Config) Bound {
	half := cfg.Significance() / 2
	best, top := t.best(s, half)
	c, b := s.counts(best), t.bound("", top, t.of(s.counts(0).perfect(), half), cfg)
	b.Confidence = 0
	b.ChosenBefore = fmt.Sprintf("the threshold was chosen on these same scores, the best of %d, so this is not a valid bound (%d of %d members missed, %d of %d non-members accused)",
		s.len(), c.FalseNegatives, c.Members, c.FalsePositives, c.NonMembers)
	b.Warnings = append(b.Warnings, errUncorrected)
	return b
}

// best returns the step with the largest value, at significance for each rate.
func (t rateTest) best(s steps, significance float64) (step int, top float64) {
	fnr, fpr := newRateCache(s.n1, significance), newRateCache(s.n0, significance)
	return bestStep(s, func(c Counts) float64 { return t.value(fnr.upper(c.FalseNegatives), fpr.upper(c.FalsePositives)) })
}

// bestStep returns the step with the largest value, for a value that falls in both error counts. It
// is exact and looks at few steps. Over a run of steps, the value is at most that of the fewest
// false positives (first step) with the fewest false negatives (last step). Runs are split in the
// order of that ceiling until a single step leads.
func bestStep(s steps, value func(Counts) float64) (best int, top float64) {
	ceiling := func(i, j int) float64 {
		c := s.counts(j)
		c.FalsePositives = int(s.fp[i])
		return value(c)
	}
	queue := &runs{{0, s.len() - 1, ceiling(0, s.len()-1)}}
	for {
		r := heap.Pop(queue).(run)
		if r.first == r.last {
			return r.first, r.ceiling
		}
		mid := (r.first + r.last) / 2
		heap.Push(queue, run{r.first, mid, ceiling(r.first, mid)})
		heap.Push(queue, run{mid + 1, r.last, ceiling(mid+1, r.last)})
	}
}

type run struct {
	first, last int
	ceiling     float64
}

type runs []run

func (r runs) Len() int { return len(r) }
func (r runs) Less(i, j int) bool {
	if r[i].ceiling != r[j].ceiling {
		return r[i].ceiling > r[j].ceiling
	}
	return r[i].last-r[i].first < r[j].last-r[j].first // a single step first: it ends the search
}
func (r runs) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)   { *r = append(*r, x.(run)) }
func (r *runs) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}
