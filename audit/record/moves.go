package record

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/internal/tails"
)

// samplingRate returns the chance, as an event says, that an example takes part.
func samplingRate(e accounting.Event) float64 {
	if sampled, ok := e.(accounting.PoissonSampled); ok {
		return sampled.SamplingRate * samplingRate(sampled.Event)
	}
	return 1
}

// checkMoves tests how many of the queries with a sampling rate q the neighbor moved at all:
// of n, at most Bin(n, q) of them, since an example that does not take part moves nothing.
// Fewer accuse nobody: an example may take part and have no effect. An example that was
// replaced may toss another coin, and the rate is then 1-(1-q)².
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
	f := newFamily(testMoves, s.moveLevel, len(counts))
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
