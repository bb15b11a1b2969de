package baserun

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Near gives the values of At, for points that rise, fall and jump, at the list's own points and
// beyond its ends.
func TestNearIsAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, count := range []int{1, 2, 40} {
		var known []Point
		for i := range count {
			e := 0.1 * float64(i)
			known = append(known, Point{e, math.Exp(e), math.Exp(-3 * e)})
		}
		h := NewHockeyStick(known)
		near := h.Near()
		for i := range 3000 {
			at := 1.5 * math.Exp(rng.NormFloat64()) * known[count-1].X // also beyond the last point
			switch i % 3 {
			case 1:
				at = h.t[rng.IntN(len(h.t))]
			case 2:
				at = float64(i%90) / 90
			}
			if got, want := near(at), h.At(at); got != want {
				t.Fatalf("%d points: %g at t = %g, want %g", count, got, at, want)
			}
		}
	}
}
