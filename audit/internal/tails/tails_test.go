package tails

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// Values of both tails by 40-digit sums of binomial terms: ../../testdata/tails.py, mpmath.
var betaCases = []struct{ a, b, x, lower, upper float64 }{
	{6, 995, 0.0116, 0.97453715403630146, 0.025462845963698537},
	{6, 995, 0.0001, 1.2565235119430197e-9, 0.99999999874347649},
	{931, 70, 0.9, 0.00037810164160924943, 0.99962189835839075},
	{931, 70, 0.95, 0.99652564130115393, 0.0034743586988460745},
	{1, 1000, 0.5, 1.0, 9.3326361850321888e-302},
	{1000, 1, 0.5, 9.3326361850321888e-302, 1.0},
	{3, 500000, 0.00001, 0.87535092835476369, 0.12464907164523631},
	{500000, 500001, 0.4995, 0.15889722453496058, 0.84110277546503942},
	{500000, 500001, 0.501, 0.97730393977541991, 0.022696060224580087},
	{250000, 4, 0.9999, 4.0816984301438309e-8, 0.9999999591830157},
}

func relativelyNear(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g within %g relative (mpmath, testdata/tails.py)", what, got, want, tol)
	}
}

func TestBeta(t *testing.T) {
	for _, c := range betaCases {
		// 4e-11: the literal x itself is rounded, which moves the tail by up to
		// 1e-16 x density/tail; the largest such factor here is 1e5.
		lower, upper := Beta(c.x, c.a, c.b)
		relativelyNear(t, "lower tail", lower, c.lower, 4e-11)
		relativelyNear(t, "upper tail", upper, c.upper, 4e-11)
	}
}

func TestBetaSeams(t *testing.T) {
	if lo, up := Beta(0, 2, 3); lo != 0 || up != 1 {
		t.Errorf("Beta(0) = %g, %g, want 0, 1", lo, up)
	}
	if lo, up := Beta(1, 2, 3); lo != 1 || up != 0 {
		t.Errorf("Beta(1) = %g, %g, want 1, 0", lo, up)
	}
	// Closed form: the k = 0 tail is a power.
	relativelyNear(t, "BinomialUpper(1, 1000, 1e-6)", BinomialUpper(1, 1000, 1e-6), -math.Expm1(1000*math.Log1p(-1e-6)), 1e-13)
	for _, n := range []int{1, 7, 30} {
		for k := 0; k <= n; k++ {
			var lower float64 // second method: the sum
			for j := 0; j <= k; j++ {
				lower += BinomialPMF(j, n, 0.37)
			}
			relativelyNear(t, "BinomialLower", BinomialLower(k, n, 0.37), lower, 1e-13)
			if sum := BinomialUpper(k+1, n, 0.37) + BinomialLower(k, n, 0.37); math.Abs(sum-1) > 1e-14 {
				t.Errorf("tails of Bin(%d, 0.37) at %d add up to 1%+g", n, k, sum-1)
			}
		}
	}
}

func TestBetaQuantilesLandOnTheirSide(t *testing.T) {
	for _, ab := range [][2]float64{{1, 1}, {6, 995}, {931, 70}, {1, 1e6}, {1e6, 1}, {5e5, 5e5}, {3, 2e6}} {
		for _, q := range []float64{1e-12, 1e-3, 0.025, 0.5, 0.99} {
			x := BetaUpperQuantile(q, ab[0], ab[1])
			if _, up := Beta(x, ab[0], ab[1]); up > q {
				t.Errorf("BetaUpperQuantile(%g, %v) = %g has tail %g above q", q, ab, x, up)
			}
			if _, up := Beta(x*(1-1e-9), ab[0], ab[1]); up < q && x < 1-1e-8 {
				t.Errorf("BetaUpperQuantile(%g, %v) = %g is not tight: tail %g", q, ab, x, up)
			}
			y := BetaLowerQuantile(q, ab[0], ab[1])
			if lo, _ := Beta(y, ab[0], ab[1]); lo > q {
				t.Errorf("BetaLowerQuantile(%g, %v) = %g has tail %g above q", q, ab, y, lo)
			}
			if lo, _ := Beta(y+(1-y)*1e-9+y*1e-9, ab[0], ab[1]); lo < q && y < 1-1e-8 {
				t.Errorf("BetaLowerQuantile(%g, %v) = %g is not tight: tail %g", q, ab, y, lo)
			}
		}
	}
}

func TestNormalQuantile(t *testing.T) {
	for _, c := range [][2]float64{{1e-300, -37.047096299361199}, {1e-15, -7.9413453261709968}, {1e-5, -4.2648907939228246}, {0.025, -1.9599639845400542}, {0.3, -0.52440051270804078}, {0.9, 1.2815515655446005}} {
		relativelyNear(t, "NormalQuantile", NormalQuantile(c[0]), c[1], 1e-14)
	}
}

func TestQuadratureRuleIsExactForPolynomials(t *testing.T) {
	for degree := range 24 {
		want := (math.Pow(2, float64(degree+1)) - math.Pow(-1, float64(degree+1))) / float64(degree+1) // ∫ x^degree on [-1, 2]
		var kronrod, gauss float64
		for _, n := range Rule(nil, -1, 2) {
			kronrod += n.Kronrod * math.Pow(n.X, float64(degree))
			gauss += n.Gauss * math.Pow(n.X, float64(degree))
		}
		if degree <= 22 && math.Abs(kronrod-want) > 1e-13*(1+math.Abs(want)) {
			t.Errorf("Kronrod on x^%d = %.17g, want %.17g (closed form)", degree, kronrod, want)
		}
		if degree <= 13 && math.Abs(gauss-want) > 1e-13*(1+math.Abs(want)) {
			t.Errorf("Gauss on x^%d = %.17g, want %.17g (closed form)", degree, gauss, want)
		}
	}
}

func TestIntegrateMeetsItsError(t *testing.T) {
	kink := func(x float64) float64 { return math.Abs(x - 0.3) }
	for _, breaks := range [][]float64{{0, 0.3, 1}, {0, 1}} {
		got, err := Integrate(kink, breaks, 1e-9, 500)
		if want := (0.09 + 0.49) / 2; math.Abs(got-want) > err+1e-15 || err > 1e-9 {
			t.Errorf("Integrate |x-0.3| with breaks %v = %.15g ± %g, want %.15g (closed form)", breaks, got, err, want)
		}
	}
}

func TestLastBelowKeepsItsSide(t *testing.T) {
	for _, level := range []float64{1e-9, 0.05, 0.5, 26.9} {
		cube := func(x float64) float64 { return x * x * x }
		x, ok := LastBelow(cube, level, 0, 3, 1e-12)
		if want := math.Cbrt(level); !ok || cube(x) > level || want-x > 2e-12 {
			t.Errorf("LastBelow(x³ <= %g) = %.15g, %v, want %.15g from below", level, x, ok, want)
		}
	}
	if x, ok := LastBelow(math.Exp, 0.5, 0, 1, 1e-9); x != 0 || !ok {
		t.Errorf("LastBelow with f(lo) above the level = %g, %v, want 0, true", x, ok)
	}
	for _, root := range []float64{0.01, 0.9, 1, 1.5, 77, 99.9} { // the steps from 0.5 on end at 1.5, 3.5, ..., 100
		tried := map[float64]bool{}
		f := func(x float64) float64 {
			if tried[x] {
				t.Errorf("root %g: f is evaluated twice at %g", root, x)
			}
			tried[x] = true
			return x*x - root*root
		}
		if x, ok := LastBelowFrom(f, 0, 0.005, 0.5, 100, 1e-12); !ok || x > root || x < root-2e-12*root-1e-12 {
			t.Errorf("LastBelowFrom(x² <= %g²) = %.15g, %v, want %g from below", root, x, ok, root)
		}
	}
	if x, ok := LastBelowFrom(math.Exp, 0.5, 0, 1, 10, 1e-9); x != 0 || !ok {
		t.Errorf("LastBelowFrom with f(lo) above the level = %g, %v, want 0, true", x, ok)
	}
	if x, ok := LastBelowFrom(math.Exp, 1e9, 0, 1, 10, 1e-9); x != 10 || ok {
		t.Errorf("LastBelowFrom with f(limit) below the level = %g, %v, want 10, false", x, ok)
	}
	if x, ok := LastBelow(math.Exp, 99, 0, 1, 1e-9); x != 1 || ok {
		t.Errorf("LastBelow with f(hi) below the level = %g, %v, want 1, false", x, ok)
	}
}

func BenchmarkBeta(b *testing.B) {
	for _, n := range []float64{1e3, 1e6} {
		b.Run(map[bool]string{true: "thousand", false: "million"}[n == 1e3], func(b *testing.B) {
			for b.Loop() {
				Beta(0.501, n/2, n/2)
			}
		})
	}
}

// The density in the logit is the Beta density with the factor x(1-x).
func TestLogDensity(t *testing.T) {
	for _, ab := range [][2]float64{{1, 1}, {3, 500}, {0.5, 2}, {2500, 17}, {1e6, 1e6}} {
		law := NewBetaLaw(ab[0], ab[1])
		for _, y := range []float64{law.lo, law.mode, law.mode + law.sd, law.hi} {
			x := Logistic(y)
			want := LogBetaDensity(x, ab[0], ab[1]) + numeric.Log(x) + math.Log1p(-x)
			if got := law.logDensity(y); math.Abs(got-want) > 1e-11*math.Max(1, math.Abs(want)) {
				t.Errorf("Beta(%g, %g) at logit %g: %.15g, want %.15g", ab[0], ab[1], y, got, want)
			}
		}
	}
}
