package interval

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// precision is enough for sums of the largest and the least float64.
const precision = 2400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// expression is an interval and a member, computed with 2,400 bits by the same operations.
type expression struct {
	i    I
	x    *big.Float
	text string
}

// grow applies a drawn operation of IEEE arithmetic to drawn expressions. ok is false where the
// member is out of the range of float64, or the operation is not defined.
func grow(rng *rand.Rand, from []expression) (e expression, ok bool) {
	a, b := from[rng.IntN(len(from))], from[rng.IntN(len(from))]
	x := new(big.Float).SetPrec(precision)
	switch rng.IntN(8) {
	case 0:
		e = expression{a.i.Add(b.i), x.Add(a.x, b.x), "+"}
	case 1:
		e = expression{a.i.Sub(b.i), x.Sub(a.x, b.x), "-"}
	case 2:
		e = expression{a.i.Mul(b.i), x.Mul(a.x, b.x), "*"}
	case 3:
		if !(b.i.Lo > 0) {
			return e, false
		}
		e = expression{a.i.Div(b.i), x.Quo(a.x, b.x), "/"}
	case 4:
		if !(a.i.Lo >= 0) {
			return e, false
		}
		e = expression{a.i.Sqrt(), x.Sqrt(a.x), "sqrt"}
	case 5:
		e = expression{a.i.Neg(), x.Neg(a.x), "neg"}
	case 6:
		n := rng.IntN(7)
		x.SetInt64(1)
		for range n {
			x.Mul(x, a.x)
		}
		e = expression{a.i.PowInt(n), x, fmt.Sprint("power ", n)}
	case 7:
		var sum Sum
		for range 5 {
			c := from[rng.IntN(len(from))]
			sum.Add(c.i)
			x.Add(x, c.x)
		}
		e = expression{sum.I(), x, "sum"}
	}
	return e, x.Sign() == 0 || x.MantExp(nil) < 1020 && x.MantExp(nil) > -1060
}

// included grows drawn expressions and returns the first whose interval misses its member.
func included(seed uint64, count int) (missed string) {
	rng := rand.New(rand.NewPCG(seed, 33))
	for range count {
		var all []expression
		for range 4 {
			x := math.Ldexp(rng.NormFloat64(), rng.IntN(40)-20)
			if rng.IntN(8) == 0 {
				x = math.Ldexp(rng.NormFloat64(), -1000-rng.IntN(70))
			}
			all = append(all, expression{Of(x), bigOf(x), fmt.Sprint(x)})
		}
		for range 12 {
			e, ok := grow(rng, all)
			if !ok {
				continue
			}
			if !holds(e.i, e.x) {
				return fmt.Sprintf("%s: [%g, %g] misses %g", e.text, e.i.Lo, e.i.Hi, e.x)
			}
			all = append(all, e)
		}
	}
	return ""
}

func TestInclusion(t *testing.T) {
	count := 10_000
	if testing.Short() {
		count = 1000
	}
	if missed := included(1, count); missed != "" {
		t.Error(missed)
	}
}

// The functions are monotone, so their values at two ends bound those in between.
func TestWideArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 33))
	for range 20_000 {
		a := I{rng.NormFloat64() * 3, 0}
		a.Hi = a.Lo + rng.ExpFloat64()*rng.Float64()
		x := a.Lo + rng.Float64()*(a.Hi-a.Lo)
		for name, f := range functions {
			if a.Lo < 0 && (name == "log" || name == "sqrt") || a.Lo < -1 && name == "log1p" {
				continue
			}
			if y, got := f.plain(x), f.interval(a); !(y >= Down(Down(Down(got.Lo)))-1e-14 && y <= got.Hi+1e-14) {
				t.Fatalf("%s[%g, %g] = [%g, %g], but %g at %g", name, a.Lo, a.Hi, got.Lo, got.Hi, y, x)
			}
		}
	}
}

// No operation returns NaN, and ends that are not known stay on their side.
func TestUnknownEnds(t *testing.T) {
	inf := math.Inf(1)
	ends := []I{{-inf, inf}, {0, inf}, {-inf, 0}, Of(0), Of(1), Of(-1), {-1, 1}, Of(math.MaxFloat64), Of(5e-324), {-math.MaxFloat64, math.MaxFloat64}, {700, 720}, {-760, 760}}
	for _, a := range ends {
		for name, f := range functions {
			if got := f.interval(a); !(got.Lo <= got.Hi) || got.Lo > math.MaxFloat64 || got.Hi < -math.MaxFloat64 {
				if !(a.Hi < 0 && (name == "log" || name == "log1p")) {
					t.Errorf("%s%v = %v", name, a, got)
				}
			}
		}
		for n := -3; n <= 4; n++ {
			if got := a.PowInt(n); !(got.Lo <= got.Hi) || got.Lo > math.MaxFloat64 {
				t.Errorf("%v^%d = %v", a, n, got)
			}
		}
		for _, b := range ends {
			var sum Sum
			sum.Add(a)
			sum.Add(b)
			for name, got := range map[string]I{"+": a.Add(b), "-": a.Sub(b), "*": a.Mul(b), "/": a.Div(b), "sum": sum.I()} {
				if !(got.Lo <= got.Hi) || got.Lo > math.MaxFloat64 || got.Hi < -math.MaxFloat64 {
					t.Errorf("%v %s %v = %v", a, name, b, got)
				}
			}
		}
	}
	if got := (I{0.1, 0.6}).Sin(); got != (I{-1, 1}) && !(got.Lo <= math.Sin(0.1) && got.Hi >= math.Sin(0.6)) {
		t.Errorf("sin[0.1, 0.6] = %v", got)
	}
	for _, a := range []I{{0, 3}, Of(3e7), {-inf, 1}} {
		if a.Sin() != (I{-1, 1}) || a.Cos() != (I{-1, 1}) {
			t.Errorf("%v: sin %v, cos %v", a, a.Sin(), a.Cos())
		}
	}
}

// A sum of many terms is as exact as its terms.
func TestSumIsTight(t *testing.T) {
	var sum Sum
	exact := new(big.Float).SetPrec(2000)
	rng := rand.New(rand.NewPCG(9, 33))
	for range 100_000 {
		x := rng.NormFloat64()
		sum.Add(Of(x))
		exact.Add(exact, bigOf(x))
	}
	got := sum.I()
	if !holds(got, exact) || got.Hi-got.Lo > 1e-13 {
		t.Errorf("[%.17g, %.17g], want %.20g inside", got.Lo, got.Hi, exact)
	}
}
