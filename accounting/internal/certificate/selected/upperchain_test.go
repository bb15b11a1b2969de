package selected

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The chain's largest a - c b is that of all pairs, to rounding, and never below it by more than
// the rounding that Up adds: for pairs along a falling curve, with noise, and in no order.
func TestUpperChain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kept := 0
	for range 300 {
		noise := math.Pow(10, -rng.Float64()*17)
		pairs := make([]pair, 1+rng.IntN(200))
		for i := range pairs {
			w := float64(i) / float64(len(pairs))
			pairs[i] = pair{math.Exp(-3 * w), math.Exp(-5*w) * (1 + noise*(rng.Float64()-0.5))}
			switch rng.IntN(40) {
			case 0:
				pairs[i] = pair{rng.Float64(), rng.Float64()}
			case 1:
				pairs[i].b = 0
			case 2:
				pairs[i] = pairs[rng.IntN(i+1)]
			}
		}
		var chain upperChain
		chain.of(pairs)
		kept += len(chain.pairs)
		for c := 1e-6; c < 1e6; c *= 1 + 3*rng.Float64() {
			want, got := largest(pairs, c), chain.largest(c)
			if unit := 4 * 0x1p-53 * (math.Abs(want) + c + 1); math.Abs(got-want) > unit {
				t.Fatalf("%d pairs, c = %g: largest %v, by the chain %v", len(pairs), c, want, got)
			}
		}
	}
	if kept > 300*100 {
		t.Errorf("the chains keep %d pairs: nearly all", kept)
	}
	var chain upperChain
	if chain.of([]pair{{3, 2}, {2, math.NaN()}, {1, 1}}); !math.IsNaN(chain.largest(1)) {
		t.Error("a pair that is not a number is lost")
	}
}
