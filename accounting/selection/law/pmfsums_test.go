package law

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// TestSumsInBlocks compares f, f' and the chance of success with sums of 200 bits, term by term.
func TestSumsInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for degree := 1; degree <= 140; degree++ {
		w := make(weights, degree+1)
		for k := range w {
			w[k] = math.Exp(-30 * rng.Float64())
		}
		if degree > 20 {
			clear(w[:rng.IntN(degree)])
		}
		w = w.normalized()
		for _, p := range []float64{1e-12, 1e-3, 0.3, 0.999} {
			x := 1 - p
			f, derivative := exactSums(w, x)
			if got := w.pgf(x); !near(got, f, 1e-14) {
				t.Errorf("degree %d, p = %g: f = %g, want %g", degree, p, got, f)
			}
			if got := math.Exp(w.logDerivative(numeric.Log(x))); !near(got, derivative, 1e-12) {
				t.Errorf("degree %d, p = %g: f' = %g, want %g", degree, p, got, derivative)
			}
			success := 0.0
			for k, weight := range w {
				success -= weight * math.Expm1(float64(k)*math.Log1p(-p))
			}
			if got := w.success(p); !near(got, success, 1e-13) {
				t.Errorf("degree %d, p = %g: success %g, want %g", degree, p, got, success)
			}
		}
	}
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// exactSums returns Σ w_k x^k and Σ k w_k x^(k-1).
func exactSums(w weights, x float64) (f, derivative float64) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	sum, slope, power := number(0), number(0), number(1)
	for k, weight := range w {
		term := number(weight)
		sum.Add(sum, term.Mul(term, power))
		if k+1 < len(w) {
			next := number(float64(k+1) * w[k+1])
			slope.Add(slope, next.Mul(next, power))
		}
		power.Mul(power, number(x))
	}
	f, _ = sum.Float64()
	derivative, _ = slope.Float64()
	return f, derivative
}

// BenchmarkLargestList sums a Poisson law of mean 30,000 that is truncated at the largest Max.
func BenchmarkLargestList(b *testing.B) {
	d := Truncated{Law: Poisson{MeanRepeats: 30000}, Max: maxTerms}.Distribution()
	derivatives := d.Derivatives()
	for name, at := range map[string]func(p float64) float64{
		"derivative": derivatives.First,
		"PGF":        func(p float64) float64 { return d.PGF(1 - p) },
		"success":    d.SuccessProbability,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				at(1e-5)
			}
		})
	}
}
