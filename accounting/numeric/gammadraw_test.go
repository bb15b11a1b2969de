package numeric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/numeric"
)

// Draws are those of gonum's distuv.Gamma from the same stream, and have the law: 20,000 are within
// 0.02 of its distribution function. By Massart (1990) the chance of more is at most
// 2 exp(-2·20000·0.02²) = 2.3e-7.
func TestDrawGamma(t *testing.T) {
	const draws = 20_000
	for _, alpha := range []float64{1e-3, 0.05, 0.199, 0.2, 0.7, 1, 1.5, 4, 1000} {
		ours, theirs := rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(5, 6))
		law := distuv.Gamma{Alpha: alpha, Beta: 1, Src: theirs}
		below := map[float64]int{0.01: 0, 0.1: 0, 0.3: 0, 0.5: 0, 0.7: 0, 0.9: 0, 0.99: 0} // the distribution function
		for i := range draws {
			x := numeric.DrawGamma(alpha, ours)
			if want := law.Rand(); x != want {
				t.Fatalf("shape %g, draw %d: %.17g, want %.17g", alpha, i, x, want)
			}
			for p := range below {
				if mathext.GammaIncReg(alpha, x) <= p {
					below[p]++
				}
			}
		}
		for p, count := range below {
			if share := float64(count) / draws; math.Abs(share-p) > 0.02 && alpha >= 0.05 { // at 1e-3 half of the draws underflow
				t.Errorf("shape %g: %.4f of the draws are below the quantile %g", alpha, share, p)
			}
		}
	}
}
