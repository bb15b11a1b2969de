package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	count := 2_000_000
	if testing.Short() {
		count = 200_000
	}
	for range count {
		x := math.Float64frombits(rng.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		next := math.Nextafter(x, math.Inf(1))
		if u := Up(x); u < next || u > math.Nextafter(math.Nextafter(next, math.Inf(1)), math.Inf(1)) {
			t.Fatalf("Up(%g) = %g, next is %g", x, u, next)
		}
	}
	for _, x := range []float64{0, 5e-324, -5e-324, 1, -1, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022} {
		if u := Up(x); !(u > x) {
			t.Errorf("Up(%g) = %g", x, u)
		}
	}
}
