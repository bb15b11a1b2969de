package record

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// checkSpends compares the spends of all queries with the claim, part by part. A spend that the
// claim lacks, or holds less often, is a fault. A claim of more than was spent is not a fault.
func (s *Session) checkSpends(claim accounting.Event) {
	claimed, spent := map[string]int{}, map[string]int{}
	count(claim, 1, claimed)
	for _, q := range s.queries {
		if a, is := q.Spend.(accounting.RandomAllocation); is {
			spent[fmt.Sprintf("%#v", a)]++ // one step of it
			continue
		}
		count(q.Spend, 1, spent)
	}
	var parts []string
	for part := range spent {
		parts = append(parts, part)
	}
	slices.Sort(parts)
	for _, part := range parts {
		if spent[part] > claimed[part] {
			s.fault(Spend, -1, "", fmt.Sprintf("%s is spent %d times: the claim %v holds it %d times", part, spent[part], claim, claimed[part]))
		}
	}
}

// count adds the events that compose e to parts.
func count(e accounting.Event, times int, parts map[string]int) {
	switch e := e.(type) {
	case accounting.SelfComposed:
		count(e.Event, times*e.Count, parts)
	case accounting.Composed:
		for _, part := range e.Events {
			count(part, times, parts)
		}
	case accounting.RandomAllocation:
		parts[fmt.Sprintf("%#v", e)] += times * e.Steps
	default:
		parts[fmt.Sprintf("%#v", e)] += times
	}
}

// samplingRate returns an event's chance that an example takes part.
func samplingRate(e accounting.Event) float64 {
	if sampled, ok := e.(accounting.PoissonSampled); ok {
		return sampled.SamplingRate * samplingRate(sampled.Event)
	}
	return 1
}

// checkMoves tests how many of the queries with a sampling rate q the neighbor moved at all. Of n
// queries, at most Bin(n, q) move, since an example that does not take part moves nothing. Fewer
// accuse nobody: an example may take part and have no effect. An example that was replaced may toss
// another coin, and the rate is then 1-(1-q)². The family also has the tests of random allocations.
func (s *Session) checkMoves() {
	type count struct{ queries, moved int }
	counts := map[float64]count{}
	for t, q := range s.queries {
		if rate := samplingRate(q.Spend); rate < 1 {
			c := counts[rate]
			c.queries++
			if s.moved[t] {
				c.moved++
			}
			counts[rate] = c
		}
	}
	allocations, steps := s.allocations()
	tests := len(counts)
	for i, a := range allocations {
		tests += min(a.Period, len(steps[i]))
	}
	f := newFamily(testMoves, s.moveLevel, tests)
	for i, a := range allocations {
		s.checkPeriods(&f, a, steps[i])
	}
	for _, rate := range slices.Sorted(maps.Keys(counts)) {
		c, q := counts[rate], rate
		if s.allowed == 2 {
			q = 1 - (1-rate)*(1-rate)
		}
		if chance := tails.BinomialUpper(c.moved, c.queries, q); chance < f.limit {
			f.found = append(f.found, accusation{fmt.Sprintf("sampling rate %g", rate),
				fmt.Sprintf("%d of %d answers moved where at most %.3g are expected", c.moved, c.queries, q*float64(c.queries)), chance})
		}
	}
	s.accuse(f)
}

// checkDeclaredNoise returns how the noise of a query differs from its spend, or "" if it does not.
func checkDeclaredNoise(q Query) string {
	const tolerance = 1e-9 // relative: products of the same numbers in another order
	sigma, ok := noiseMultiplier(q.Spend)
	if !ok {
		return fmt.Sprintf("Spend %v: not an event whose noise can be checked: must be Gaussian, or sampled and Gaussian", q.Spend)
	}
	if want := sigma * q.Sensitivity; math.Abs(q.NoiseStdDev-want) > tolerance*want {
		return fmt.Sprintf("NoiseStdDev %.6g: must be %.6g = %g x Sensitivity %g, from Spend", q.NoiseStdDev, want, sigma, q.Sensitivity)
	}
	return ""
}

// noiseMultiplier returns σ of a Gaussian event, sampled or not.
func noiseMultiplier(e accounting.Event) (float64, bool) {
	switch e := e.(type) {
	case accounting.Gaussian:
		return e.NoiseMultiplier, true
	case accounting.ClippedSum:
		return e.NoiseMultiplier, true
	case accounting.PoissonSampled:
		return noiseMultiplier(e.Event)
	case accounting.RandomAllocation:
		return noiseMultiplier(e.Event)
	}
	return 0, false
}
