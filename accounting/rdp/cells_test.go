package rdp

import (
	"math"
	"sync"
	"testing"
)

// What orders share does not change their values: a curve that was asked for other orders before,
// or by others at the same time, returns the same bits as a new one.
func TestOrdersShareCells(t *testing.T) {
	for _, c := range []struct{ q, sigma float64 }{{0.25, 4}, {0.01, 1}, {1e-6, 0.5}, {0.9, 1e-3}, {1e-300, 30}} {
		orders := []float64{1e9, 1.5, 1 + 1e-9, 3.25, 1000.5, 40.5, 17.25, 2.75, 1e5 + 0.5}
		shared := sampledOrders(c.q, c.sigma)
		got := make([]float64, len(orders))
		var wait sync.WaitGroup
		for i, order := range orders {
			wait.Go(func() { got[i] = shared(order) })
		}
		wait.Wait()
		for i, order := range orders {
			want := sampledOrders(c.q, c.sigma)(order)
			if again := shared(order); got[i] != want || again != want {
				t.Errorf("q = %g, σ = %g, order %g: %v at once with others and %v after them: want %v", c.q, c.sigma, order, got[i], again, want)
			}
		}
	}
}

// Sums of values as they are, and of their logarithms, agree.
func TestRuleInBothForms(t *testing.T) {
	sums := 0
	for _, order := range []float64{1.25, 2.5, 30.5} {
		cells := newSampledCells(0.1, 2)
		s := sampledIntegral{sampledCells: cells, f: sampledIntegrand{cells.sampledMixture, order}}
		near, _, _ := cells.halves(cells.rising(cells.top(order) + tailWidth*2))
		for _, c := range []*sampledCell{near, cells.falling()} {
			n := cells.nodes(c)
			asTheyAre := s.rule(n)
			n.spread = math.Inf(1)
			if logs := s.rule(n); !(math.Abs(asTheyAre-logs) < 1e-13) {
				t.Errorf("order %g, [%g, %g] σ: %v, by logarithms %v", order, c.from, c.to, asTheyAre, logs)
			}
			sums++
		}
	}
	if sums != 6 {
		t.Errorf("%d sums", sums)
	}
}
