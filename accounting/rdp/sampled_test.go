package rdp_test

import (
	_ "embed"
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

//go:embed testdata/sampled.csv
var sampledCSV string

// The curve is an upper bound to the last digit, and no looser than its rounding margin,
// 2e-12, plus the same again, plus what logarithms of the size of α log(1/q) may lose.
func TestSampledGaussianReference(t *testing.T) {
	source, rows := reference.Rows(t, sampledCSV)
	for _, row := range rows {
		q, sigma, order, want, wantAdd := row[0], row[1], row[2], row[3], row[4]
		got := rdp.SampledGaussian(q, sigma)(order)
		if cancels := 8 * 0x1p-53 * order * math.Abs(numeric.Log(q)); !(got >= want) || got > want*(1+4e-12+cancels) {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %.17g, want %.17g, from above, relative difference %g; %s",
				q, sigma, order, got, want, got/want-1, source)
		}
		if got < wantAdd {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %.17g, below that of adding an example, %.17g; %s", q, sigma, order, got, wantAdd, source)
		}
	}
}

func TestSampledGaussianPublished(t *testing.T) {
	const (
		digits40 = "mpmath, 40 digits of A(α)"
		library  = "dp_accounting b5b0286, rdp test, 50 steps / 50"
	)
	for _, c := range []struct {
		q, sigma, alpha, want, tolerance float64
		src                              string
	}{
		{0.001, 1, 2, 1.7182803522145153e-06, 1e-10, digits40},
		{0.01, 10, 20, 1.0068263112022611e-05, 1e-10, digits40},
		{0.01, 1, 4, 0.0003631540489107567, 1e-10, digits40},
		{0.004266666666666667, 1.1, 8, 9.834106177992601e-05, 1e-10, digits40},
		{0.1, 2, 16, 0.045291839083621964, 1e-10, digits40},
		{0.04, 1.5, 5, 0.0024239246923765914, 1e-10, digits40},
		{0.01, 2.5, 50, 0.0004769207507741234, 1e-10, digits40},
		{0.01, 2.5, 100, 3.348326150968365, 1e-10, digits40},
		{1e-6, 1, 27, 3.372888963403269e-11, 1e-10, digits40},
		{0.001, 1, 1.5, 1.2869849517397269e-06, 1e-8, digits40},
		{0.01, 1, 1.1, 9.241471084686958e-05, 1e-8, digits40},
		{0.01, 0.7, 3.8, 0.002133738501791125, 1e-8, digits40},
		{0.1, 1, 1.25, 0.009408440725993634, 1e-8, digits40},
		{0.1, 1, 2.5, 0.023503727261003082, 1e-8, digits40},
		{0.4, 12, 58.75, 0.03620214918119259, 1e-8, digits40},
		{0.01, 2.5, 1.5, 1.3001417943760795e-05, 1e-8, digits40},
		{0.01, 2.5, 5, 4.36151312e-05, 1e-4, library},
		{0.01, 2.5, 50, 0.00047692075, 1e-4, library},
		{0.01, 2.5, 100, 3.34832616, 1e-4, library},
	} {
		got := rdp.SampledGaussian(c.q, c.sigma)(c.alpha)
		if !(math.Abs(got/c.want-1) <= c.tolerance) {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %.16g, want %.16g to %g; %s", c.q, c.sigma, c.alpha, got, c.want, c.tolerance, c.src)
		}
	}
}

// At α = 2 the sum has one term: RDP = log(1 + q²(e^{1/σ²} - 1)).
func TestSampledGaussianOrderTwo(t *testing.T) {
	for _, q := range []float64{1e-9, 1e-3, 0.3, 0.999} {
		for _, sigma := range []float64{0.3, 1, 20, 1e5} {
			want := math.Log1p(q * q * math.Expm1(1/sigma/sigma))
			if got := rdp.SampledGaussian(q, sigma)(2); math.Abs(got/want-1) > 1e-11 {
				t.Errorf("RDP(q=%g, σ=%g, α=2) = %.15g, want log(1+q²(e^{1/σ²}-1)) = %.15g", q, sigma, got, want)
			}
		}
	}
}

// (α-1)RDP(α) is convex in α, so the value of an order between two others lies under
// their chord. Between integers this pits the quadrature against the binomial sum.
func TestSampledGaussianConvex(t *testing.T) {
	for _, q := range []float64{1e-6, 0.01, 0.3, 0.95} {
		for _, sigma := range []float64{0.15, 0.8, 3, 50} {
			curve := rdp.SampledGaussian(q, sigma)
			logA := func(order float64) float64 { return (order - 1) * curve(order) }
			for _, n := range []float64{2, 5, 63, 255, 400} {
				below, middle, above := logA(n), logA(n+0.5), logA(n+1)
				if chord := (below + above) / 2; middle > chord*(1+1e-11) {
					t.Errorf("q=%g, σ=%g: (α-1)RDP(α) at %g is %.15g, above the chord, %.15g", q, sigma, n+0.5, middle, chord)
				}
				// Divergences do not fall with the order.
				if a, b := curve(n), curve(n+0.5); a > b*(1+1e-11) {
					t.Errorf("q=%g, σ=%g: RDP(%g) = %.15g is above RDP(%g) = %.15g", q, sigma, n, a, n+0.5, b)
				}
			}
		}
	}
}

// A higher rate never costs less, and the curve goes to the plain Gaussian's at rate 1.
func TestSampledGaussianRate(t *testing.T) {
	for _, sigma := range []float64{0.4, 1, 9} {
		for _, order := range []float64{1.2, 2, 7.7, 64, 300} {
			last := 0.0
			for _, q := range []float64{0, 1e-9, 1e-4, 0.1, 0.9, 1 - 1e-12, 1} {
				got := rdp.SampledGaussian(q, sigma)(order)
				if !(got >= last) || q > 0 && got == 0 {
					t.Errorf("RDP(q=%g, σ=%g, α=%g) = %g, after %g at a smaller rate", q, sigma, order, got, last)
				}
				last = got
			}
			if want := order / (2 * sigma * sigma); math.Abs(last/want-1) > 1e-15 {
				t.Errorf("RDP(q=1, σ=%g, α=%g) = %g, want α/(2σ²) = %g", sigma, order, last, want)
			}
		}
	}
}

// What is not a mechanism bounds nothing, and nothing is NaN at any size.
func TestSampledGaussianEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ q, sigma, order, want float64 }{
		{0, 1, 2, 0}, {0.5, 0, 2, inf}, {0.5, inf, 2, 0}, {0.5, 1, inf, inf},
		{nan, 1, 2, inf}, {0.5, nan, 2, inf}, {0.5, 1, nan, inf},
		{-0.1, 1, 2, inf}, {1.1, 1, 2, inf}, {0.5, -1, 2, inf}, {0.5, 1, 1, inf}, {0.5, 1, 0.5, inf},
	} {
		if got := rdp.SampledGaussian(c.q, c.sigma)(c.order); got != c.want {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %g, want %g", c.q, c.sigma, c.order, got, c.want)
		}
	}
	for _, q := range []float64{1e-300, 1e-17, 0.5, 1 - 1e-16} {
		for _, sigma := range []float64{1e-200, 1e-3, 1, 1e8, 1e200} {
			for _, order := range []float64{1 + 1e-15, 1.5, 2, 1e3 + 0.5, 1e9, 1e300} {
				got := rdp.SampledGaussian(q, sigma)(order)
				if plain := rdp.Gaussian(sigma)(order); !(got >= 0 && got <= plain) {
					t.Errorf("RDP(q=%g, σ=%g, α=%g) = %g, want in [0, %g]", q, sigma, order, got, plain)
				}
			}
		}
	}
}

func FuzzSampledGaussian(f *testing.F) {
	f.Add(0.01, 1.1, 8.1)
	f.Add(1e-8, 1e-3, 1e6)
	f.Add(0.999, 50.0, 1.0001)
	f.Fuzz(func(t *testing.T, q, sigma, order float64) {
		got := rdp.SampledGaussian(q, sigma)(order)
		if !(got >= 0) || (q > 0 && q <= 1 && sigma > 0 && order > 1 && got > rdp.Gaussian(sigma)(order)) {
			t.Errorf("RDP(q=%g, σ=%g, α=%g) = %g", q, sigma, order, got)
		}
	})
}

func BenchmarkSampledGaussian(b *testing.B) {
	curve := rdp.SampledGaussian(0.01, 1.1)
	for _, order := range []float64{2, 16, 256, 1.5, 8.1, 1000.5} {
		b.Run(fmt.Sprintf("order=%g", order), func(b *testing.B) {
			for b.Loop() {
				curve(order)
			}
		})
	}
}
