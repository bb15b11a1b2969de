package rdp

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// The rule's sum is that of logarithms, where it adds values as they are.
func TestRuleInBothForms(t *testing.T) {
	for _, order := range []float64{1.25, 2.5, 30.5} {
		const sigma = 2.
		s := sampledIntegral{sampledIntegrand: sampledIntegrand{q: 0.1, sigma: sigma, inv: 1 / sigma / sigma, order: order}}
		for _, ends := range [][2]float64{{0, 8}, {-13, 0}} {
			c := sampledCell{from: ends[0], to: ends[1], lo: s.end(ends[0]), hi: s.end(ends[1])}
			logs, half := numeric.NewSum(), (c.hi.x-c.lo.x)/2
			for i, at := range gaussNodes {
				logs.Add(s.logAt(s.point(c.lo.x+half+at*half)) + gaussLogWeights[i])
			}
			if got, want := s.rule(c), logs.Log(); !(math.Abs(got-want) < 1e-13) {
				t.Errorf("order %g, [%g, %g] σ: %v, by logarithms %v", order, c.from, c.to, got, want)
			}
		}
	}
}
