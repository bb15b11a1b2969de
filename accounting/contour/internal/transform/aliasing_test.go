package transform

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAliasing compares the chosen terms with the least: they are never below, and at most twice as
// large.
func TestAliasing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var table []Point
		for range 20 {
			table = append(table, Point{3 * rng.Float64(), 30 * rng.NormFloat64()})
		}
		c, omega, epsilon := 3*rng.Float64(), math.Exp(4*rng.NormFloat64()), 10*rng.Float64()
		above, below := math.Inf(1), math.Inf(1)
		for _, q := range table {
			v := q.Value - q.A*epsilon
			if q.A > c {
				above = math.Min(above, expm1Over(v, (q.A-c)*omega))
			} else {
				below = math.Min(below, expm1Over(v, (c-q.A)*omega))
			}
		}
		if got := aliasing(table, c, omega, epsilon, 0); got < above+below || got > 2*(above+below) {
			t.Fatalf("c %g, Ω %g, ε %g: %g, want from %g to twice that", c, omega, epsilon, got, above+below)
		}
	}
}
