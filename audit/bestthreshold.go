package audit

import (
	"container/heap"
	"errors"
	"fmt"
)

var errUncorrected = errors.New("the threshold is the best on the same scores, uncorrected as in the papers: no confidence is guaranteed, and it is wrong more often the more games there are")

// clopperPearsonBest is the bound that papers report: the best over all thresholds.
func clopperPearsonBest(s steps, level Level) Bound {
	b := NewBound("clopper-pearson", AssumeNothing, level, clopperPearsonReference)
	half := level.Significance() / 2
	fnr, fpr := newRateCache(s.n1, half), newRateCache(s.n0, half)
	best, top := bestStep(s, func(c Counts) float64 {
		return epsilonOfRates(fnr.upper(c.FalseNegatives), fpr.upper(c.FalsePositives), level.Delta)
	})
	b.Epsilon = top
	b.Ceiling = clopperPearson(s.counts(0).perfect(), level.Delta, half)
	b.uncorrected(s, best)
	return b
}

// gdpClopperPearsonBest is the same for the bound under a Gaussian trade-off.
func gdpClopperPearsonBest(s steps, level Level) Bound {
	b := NewBound("gdp-clopper-pearson", AssumeGDP, level, gdpClopperPearsonReference)
	half := level.Significance() / 2
	fnr, fpr := newRateCache(s.n1, half), newRateCache(s.n0, half)
	best, top := bestStep(s, func(c Counts) float64 {
		return muOfRates(fnr.upper(c.FalseNegatives), fpr.upper(c.FalsePositives))
	})
	b.finishGDP(top, gdpClopperPearson(s.counts(0).perfect(), half))
	b.uncorrected(s, best)
	return b
}

func (b *Bound) uncorrected(s steps, step int) {
	c := s.counts(step)
	b.Confidence = 0
	b.Fixed = fmt.Sprintf("nothing: the best of %d thresholds on the same scores (%d of %d members missed, %d of %d non-members accused)",
		s.len(), c.FalseNegatives, c.Members, c.FalsePositives, c.NonMembers)
	b.Warnings = append(b.Warnings, errUncorrected)
}

// bestStep returns the step with the largest value, for a value that falls in both error
// counts. It is exact and looks at few steps: over a run of steps, the value is at most
// that of the fewest false positives (first step) with the fewest false negatives (last
// step), so runs are split in the order of that ceiling until a single step leads.
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

// rateCache remembers Clopper-Pearson upper bounds by count.
type rateCache struct {
	n            int
	significance float64
	known        map[int]float64
}

func newRateCache(n int, significance float64) *rateCache {
	return &rateCache{n, significance, map[int]float64{}}
}

func (c *rateCache) upper(count int) float64 {
	if p, ok := c.known[count]; ok {
		return p
	}
	p := RateUpper(count, c.n, c.significance)
	c.known[count] = p
	return p
}
