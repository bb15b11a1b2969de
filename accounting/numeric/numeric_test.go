package numeric_test

import (
	_ "embed"
	"math"
	"math/big"
	"testing"

	"github.com/dplab/dplab/accounting/internal/reference"
	"github.com/dplab/dplab/accounting/numeric"
)

const eps = 0x1p-53

//go:embed testdata/logmath.csv
var normalCSV string

func TestNormal(t *testing.T) {
	source, rows := reference.Rows(t, normalCSV)
	for _, row := range rows {
		x, logCDF, mills, slope := row[0], row[1], row[2], row[3]
		check := func(name string, got, want, relative float64) {
			if want != 0 && !(math.Abs(got/want-1) <= relative) {
				t.Errorf("%s(%g) = %.17g, want %.17g to %g; %s", name, x, got, want, relative, source)
			}
		}
		// erfc of the library is good to some eps; e^{x²/2} multiplies by x² eps.
		square := math.Min(x*x, 1e4)
		check("log Φ", numeric.LogNormalCDF(x), logCDF, (20+square)*eps)
		check("MillsRatio", numeric.MillsRatio(x), mills, (20+square)*eps)
		check("MillsSlope", numeric.MillsSlope(x), slope, 300*eps)
	}
	for _, x := range []float64{38.5, math.Inf(1)} {
		if got := numeric.LogNormalCDF(x); !(got <= 0 && got > -1e-300) {
			t.Errorf("log Φ(%g) = %g, want 0 from below", x, got)
		}
	}
	if got := numeric.LogNormalCDF(math.Inf(-1)); !math.IsInf(got, -1) {
		t.Errorf("log Φ(-Inf) = %g, want -Inf", got)
	}
	// φ(0) = 1/√(2π)
	if got := numeric.LogNormalDensity(0); math.Abs(got+math.Log(2*math.Pi)/2) > eps {
		t.Errorf("log φ(0) = %.17g, want -log(2π)/2", got)
	}
	// Φ at 50 digits: mpmath.ncdf.
	for _, c := range [][2]float64{{-38, 2.8854283600687843e-316}, {-20, 2.7536241186062337e-89}, {-8, 6.2209605742717841e-16}, {-5, 2.8665157187919391e-7}, {-1, 0.15865525393145705}, {1, 0.84134474606854295}} {
		if got := numeric.NormalCDF(c[0]); math.Abs(got-c[1]) > 1e-12*c[1] {
			t.Errorf("Φ(%g) = %.17g, want %.17g", c[0], got, c[1])
		}
	}
}

func TestSum(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		terms []float64
		want  float64
	}{
		{"nothing", nil, -inf},
		{"zeros", []float64{-inf, -inf}, -inf},
		{"one", []float64{-3000}, -3000},
		{"doubling", []float64{2000, 2000}, 2000 + math.Ln2},
		{"rising", []float64{-1e4, 0, 1e4, 1e4, 1e4}, 1e4 + math.Log(3)},
		{"infinite", []float64{1, inf, 2, inf}, inf},
		// 1 + 2 + 3 + 4
		{"small numbers", []float64{math.Log(1), math.Log(4), math.Log(2), math.Log(3)}, math.Log(10)},
	} {
		sum := numeric.NewSum()
		for _, x := range c.terms {
			sum.Add(x)
		}
		if got := sum.Log(); got != c.want && !(math.Abs(got-c.want) <= 4*eps*math.Abs(c.want)) {
			t.Errorf("%s: %.17g, want %.17g", c.name, got, c.want)
		}
	}
	// A million equal terms: the relative error stays below (n+1) eps.
	sum := numeric.NewSum()
	const n = 1000000
	for range n {
		sum.Add(-0.1)
	}
	if got, want := sum.Log(), math.Log(n)-0.1; math.Abs(got-want) > n*eps {
		t.Errorf("a million terms: %.17g, want %.17g", got, want)
	}
}

func TestAddAndSub(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ x, y, sum, difference float64 }{
		{math.Log(5), math.Log(3), math.Log(8), math.Log(2)},
		{-1000, -1000 - math.Ln2, -1000 + math.Log(1.5), -1000 - math.Ln2},
		{700, -700, 700, 700},
		{0, 0, math.Ln2, -inf},
		{-inf, -inf, -inf, -inf},
		{3, -inf, 3, 3},
	} {
		for _, got := range []float64{numeric.Add(c.x, c.y), numeric.Add(c.y, c.x)} {
			if got != c.sum && !(math.Abs(got-c.sum) <= 4*eps*math.Max(1, math.Abs(c.sum))) {
				t.Errorf("Add(%g, %g) = %.17g, want %.17g", c.x, c.y, got, c.sum)
			}
		}
		// The rounding of the inputs, at most 1000.7 here, is all that may be lost.
		if got := numeric.Sub(c.x, c.y); got != c.difference && !(math.Abs(got-c.difference) <= 4*eps*(1+math.Abs(c.x))) {
			t.Errorf("Sub(%g, %g) = %.17g, want %.17g", c.x, c.y, got, c.difference)
		}
	}
	if got := numeric.Sub(1, 2); !math.IsNaN(got) {
		t.Errorf("Sub(1, 2) = %g, want NaN: the logarithm of a negative number", got)
	}
}

// log(1 ± e^x) and log(e^x - 1) against their series, where the naive forms are useless.
func TestSmallAndLarge(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Log1mExp(-1e-18)", numeric.Log1mExp(-1e-18), math.Log(1e-18)}, // 1-e^x = -x
		{"Log1mExp(-50)", numeric.Log1mExp(-50), -math.Exp(-50)},        // log(1-y) = -y
		{"Log1mExp(-ln 2)", numeric.Log1mExp(-math.Ln2), -math.Ln2},     // 1 - 1/2
		{"Log1pExp(-700)", numeric.Log1pExp(-700), math.Exp(-700)},      // log(1+y) = y
		{"Log1pExp(800)", numeric.Log1pExp(800), 800},
		{"Log1pExp(0)", numeric.Log1pExp(0), math.Ln2},
		{"LogExpm1(1e-20)", numeric.LogExpm1(1e-20), math.Log(1e-20)}, // e^x-1 = x
		{"LogExpm1(ln 3)", numeric.LogExpm1(math.Log(3)), math.Ln2},
		{"LogExpm1(1000)", numeric.LogExpm1(1000), 1000},
		{"LogExpm1(41)", numeric.LogExpm1(41), math.Log(expm1Of41())}, // above the switch
		{"Log1pExp(40.0001)", numeric.Log1pExp(40.0001), 40.0001 + math.Exp(-40)},
	} {
		if !(math.Abs(c.got-c.want) <= 8*eps*math.Abs(c.want)) {
			t.Errorf("%s = %.17g, want %.17g", c.name, c.got, c.want)
		}
	}
	if got := numeric.LogExpm1(0); !math.IsInf(got, -1) {
		t.Errorf("LogExpm1(0) = %g, want -Inf", got)
	}
	if got := numeric.Log1mExp(0); !math.IsInf(got, -1) {
		t.Errorf("Log1mExp(0) = %g, want -Inf", got)
	}
}

// expm1Of41 returns e^41 - 1 by its power series in 200-bit arithmetic.
func expm1Of41() float64 {
	sum, term := new(big.Float).SetPrec(200), big.NewFloat(1).SetPrec(200)
	for k := int64(1); k < 300; k++ {
		term.Mul(term, big.NewFloat(41)).Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	value, _ := sum.Float64()
	return value
}

// log 2^-k is -k log 2, of subnormals too.
func TestLogOfSubnormals(t *testing.T) {
	for k := 1000; k <= 1074; k++ {
		want := -float64(k) * math.Ln2
		if got := numeric.Log(math.Ldexp(1, -k)); math.Abs(got-want) > 1e-15*-want {
			t.Errorf("log 2^-%d = %.17g, want %.17g", k, got, want)
		}
	}
}

// The logarithm of n 2^k is log n + k log 2. Logarithms of numbers that are not subnormal are those
// of math, bit for bit.
func TestLog(t *testing.T) {
	for k := -1074; k <= -1022; k++ {
		for _, n := range []float64{1, 3, 5} {
			x := math.Ldexp(n, k)
			if got, want := numeric.Log(x), math.Log(n)+float64(k)*math.Ln2; math.Abs(got-want) > 1e-12 {
				t.Errorf("log of %g 2^%d = %.17g, want %.17g", n, k, got, want)
			}
		}
	}
	for _, x := range []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 0x1p-1022, 1e-300, 0.5, 1 - eps, 1, 1 + 2*eps, 2, 1e300, math.MaxFloat64, math.Inf(1), math.NaN()} {
		if got, want := numeric.Log(x), math.Log(x); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("log %g = %.17g, want %.17g", x, got, want)
		}
	}
}

// Expm1 is right up to 709.78, where math.Exp of amd64 is not.
func TestExpBelow(t *testing.T) {
	for x := -700.0; x <= 709.78; x += 0.37 {
		if got, want := numeric.ExpBelow(x), math.Expm1(x)+1; x > 40 && !(got <= want && got >= want*(1-1e-14)) {
			t.Errorf("e^%g from below = %.17g, want %.17g", x, got, want)
		}
		if got := numeric.ExpBelow(x); !(numeric.Log(got) <= x && numeric.Log(got) >= x-1e-12) {
			t.Errorf("e^%g from below = %.17g", x, got)
		}
	}
	for _, x := range []float64{709.4361, 709.44, 709.6, 709.78} {
		if got, want := numeric.ExpBelow(x), math.Expm1(x); !(got <= want && got >= want*(1-1e-14)) {
			t.Errorf("e^%g from below = %.17g, want %.17g", x, got, want)
		}
	}
	for _, x := range []float64{709.8, 1000, 1e300} {
		if got := numeric.ExpBelow(x); got != math.MaxFloat64 {
			t.Errorf("e^%g from below = %g, want the largest number", x, got)
		}
	}
}

// BenchmarkExp calls math.Exp in one loop, which no other instructions interrupt: .ci/bench builds.
func BenchmarkExp(b *testing.B) {
	v := 1.0
	for b.Loop() {
		v = math.Exp(-v)
	}
	if !(v > 0) {
		b.Fatal(v)
	}
}
