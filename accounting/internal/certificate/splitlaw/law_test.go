package splitlaw

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/numeric"
)

// exact is a small law: values of Z >= 0 with their masses under Q.
type exact struct{ z, mass []float64 }

// drawn returns a law of n atoms with mass and mean 1.
func drawn(rng *rand.Rand, n int) exact {
	a := exact{make([]float64, n), make([]float64, n)}
	sum, mean := 0.0, 0.0
	for i := range n {
		a.z[i], a.mass[i] = math.Exp(2*rng.NormFloat64()), rng.Float64()
		sum += a.mass[i]
	}
	for i := range n {
		a.mass[i] /= sum
		mean += a.mass[i] * a.z[i]
	}
	for i := range n {
		a.z[i] /= mean
	}
	return a
}

// of returns the law of f of two independent values.
func (a exact) of(b exact, f func(x, y float64) float64) (out exact) {
	for i, x := range a.z {
		for j, y := range b.z {
			out.z, out.mass = append(out.z, f(x, y)), append(out.mass, a.mass[i]*b.mass[j])
		}
	}
	return out
}

// deltas are E(Z-e^ε)₊ and E(1-e^ε Z)₊.
func (a exact) deltas(epsilon float64) (remove, add float64) {
	c := math.Exp(epsilon)
	for i, z := range a.z {
		remove += a.mass[i] * math.Max(0, z-c)
		add += a.mass[i] * math.Max(0, 1-c*z)
	}
	return remove, add
}

// above returns the law split onto a grid.
func (a exact) above(step float64) law {
	const first = -2000
	l := law{step: step, first: first, mass: make([]float64, 4000)}
	for i, z := range a.z {
		k := math.Floor(numeric.Log(z) / step)
		p := placeOf(of(z).Log().Sub(of(step).Mul(of(k))), step)
		p.k += int(k)
		l.put(a.mass[i]*scale, p)
	}
	return l
}

// missing returns where a law is below the exact one, or above it by more than slack, or has less
// mass or mean; "" if nowhere.
func missing(l law, a exact, slack float64) string {
	if l.total() < 1-1e-14 || l.mean()+l.infinite/scale < 1-1e-13 || l.total() > 1+1e-9+l.zero/scale {
		return fmt.Sprintf("mass %.17g, mean %.17g, at 0 %g, at ∞ %g", l.total(), l.mean(), l.zero/scale, l.infinite/scale)
	}
	c := l.curve()
	for epsilon := 0.0; epsilon < 5; epsilon += 0.137 {
		remove, add := a.deltas(epsilon)
		if got := c.At(of(epsilon), false); got < remove*(1-1e-12)-1e-15 || got > remove+slack {
			return fmt.Sprintf("remove, ε %g: %.17g, want %.17g", epsilon, got, remove)
		}
		if got := c.At(of(epsilon), true); got < add*(1-1e-12)-1e-15 || got > add+slack {
			return fmt.Sprintf("add, ε %g: %.17g, want %.17g", epsilon, got, add)
		}
	}
	return ""
}

// tenth is ln of the mass of a tail.
var tenth = numeric.Log(0.1)

// operations are those of a law, with the same on exact laws and how far above they may be.
var operations = []struct {
	name  string
	law   func(a, b law) law
	exact func(x, y float64) float64
	slack float64
}{
	{"average", func(a, b law) law { return average(a, b, 3, 4, 1) }, func(x, y float64) float64 { return (3*x + 4*y) / 7 }, 0.01},
	{"finer", func(a, b law) law { return average(a, b, 1, 1, 2) }, func(x, y float64) float64 { return (x + y) / 2 }, 0.01},
	{"product", product, func(x, y float64) float64 { return x * y }, 0.01},
	{"trimmed", func(a, _ law) law { return a.trimmed(tenth) }, func(x, _ float64) float64 { return x }, math.Inf(1)},
	{"trimmed average", func(a, b law) law { return average(a.trimmed(tenth), b.trimmed(tenth), 1, 2, 1) }, func(x, y float64) float64 { return (x + 2*y) / 3 }, math.Inf(1)},
	{"trimmed product", func(a, b law) law { return product(a.trimmed(tenth), b.trimmed(tenth)) }, func(x, y float64) float64 { return x * y }, math.Inf(1)},
	{"coarser", func(a, _ law) law { return a.coarser() }, func(x, _ float64) float64 { return x }, 0.02},
	{"mixed", func(a, _ law) law { l, _ := a.trimmed(math.Inf(-1)).mixed(0.3, 500); return l }, func(x, _ float64) float64 { return 0.7 + 0.3*x }, 0.01},
	{"trimmed mixed", func(a, _ law) law { l, _ := a.trimmed(tenth).mixed(0.3, 500); return l }, func(x, _ float64) float64 { return 0.7 + 0.3*x }, math.Inf(1)},
}

// operationsHold returns the first operation whose law is not above the exact one.
func operationsHold(draws int) string {
	rng := rand.New(rand.NewPCG(1, 34))
	for _, op := range operations {
		for range draws {
			a, b := drawn(rng, 2+rng.IntN(4)), drawn(rng, 2+rng.IntN(4))
			if where := missing(op.law(a.above(0.02), b.above(0.02)), a.of(b, op.exact), op.slack); where != "" {
				return op.name + ": " + where
			}
		}
	}
	return ""
}

func TestOperations(t *testing.T) {
	if where := operationsHold(15); where != "" {
		t.Error(where)
	}
}

// periodsHold compares averages of up to 9 terms, and powers, with all their values.
func periodsHold() string {
	rng := rand.New(rand.NewPCG(2, 34))
	for t := 1; t <= 9; t++ {
		x := drawn(rng, 2)
		whole := exact{[]float64{0}, []float64{1}}
		power := exact{[]float64{1}, []float64{1}}
		for range t {
			whole = whole.of(x, func(s, y float64) float64 { return s + y })
			power = power.of(x, func(s, y float64) float64 { return s * y })
		}
		for i := range whole.z {
			whole.z[i] /= float64(t)
		}
		m := maker{cells: 1 << 12, logTau: -34}
		if where := missing(m.period(x.above(0.02).trimmed(-34), t), whole, 0.02); where != "" {
			return fmt.Sprintf("average of %d: %s", t, where)
		}
		if where := missing(m.power(x.above(0.01).trimmed(-34), t), power, 0.05); where != "" {
			return fmt.Sprintf("product of %d: %s", t, where)
		}
	}
	return ""
}

func TestPeriods(t *testing.T) {
	if where := periodsHold(); where != "" {
		t.Error(where)
	}
}

// stepsHold compares one Gaussian with its closed form, from tails to δ = 1e-60.
func stepsHold() string {
	for _, s := range []float64{1e-4, 0.05, 0.5, 1, 3} {
		l, err := oneStep(s, s*(40+s)/3000, 20)
		if err != nil {
			return err.Error()
		}
		if total := l.total(); total < 1 || total > 1+1e-11 {
			return fmt.Sprintf("distance %g: mass 1 + %g", s, total-1)
		}
		for _, x := range []float64{0, 0.5, 2, 6, 12} {
			epsilon := s * x
			want := closed.LogGaussian(of(s), of(epsilon)).Exp()
			for side, got := range map[string]float64{"remove": l.curve().At(of(epsilon), false), "add": l.curve().At(of(epsilon), true)} {
				if got < want.Lo || got > want.Hi*1.02 {
					return fmt.Sprintf("distance %g, ε %g, %s: δ %.17g, want %.17g", s, epsilon, side, got, want.Hi)
				}
			}
		}
	}
	// At δ from 1e-60 to 1e-290.
	for _, s := range []float64{0.05, 1, 10} {
		l, err := oneStep(s, s*(76+s)/3000, 38)
		if err != nil {
			return err.Error()
		}
		for _, x := range []float64{16, 30, 36} {
			epsilon := s * (x + s/2)
			want := closed.LogGaussian(of(s), of(epsilon))
			if got := l.curve().LogDelta(epsilon); got < want.Lo || got > want.Hi+0.1 {
				return fmt.Sprintf("distance %g, ε %g: ln δ %.17g, want %.17g", s, epsilon, got, want.Hi)
			}
		}
	}
	// The tails count with a short grid.
	l, err := oneStep(1, 0.01, 2)
	if err != nil {
		return err.Error()
	}
	least := closed.LogGaussian(one, of(2.6)).Exp().Lo
	if a, b := l.curve().At(of(2.6), false), l.curve().At(of(2.6), true); a < least || b < least {
		return fmt.Sprintf("short grid: %g and %g", a, b)
	}
	return ""
}

func TestOneStep(t *testing.T) {
	if where := stepsHold(); where != "" {
		t.Error(where)
	}
}

// roundingHolds compares sums of products with exact ones, and the split of drawn atoms. A product
// that underflows leaves a mass.
func roundingHolds() string {
	rng := rand.New(rand.NewPCG(3, 34))
	for range 50 {
		sum, precise := 0.0, new(big.Float).SetPrec(3000)
		for range 3000 {
			x, y := rng.Float64(), rng.Float64()
			sum += x * y
			precise.Add(precise, new(big.Float).SetPrec(200).Mul(big.NewFloat(x), big.NewFloat(y)))
		}
		if new(big.Float).SetFloat64(inflated(sum, 3000)).Cmp(precise) < 0 {
			return fmt.Sprintf("sum %g", sum)
		}
	}
	tiny := law{step: 0.1, mass: []float64{1e-200, 1e-200}}
	for _, l := range []law{product(tiny, tiny), average(tiny, tiny, 1, 2, 1)} {
		if !(l.zero > 4*0x1p-1072 && l.infinite > 4*0x1p-1072) {
			return "a product underflows and leaves nothing"
		}
	}
	return ""
}

func TestRounding(t *testing.T) {
	if where := roundingHolds(); where != "" {
		t.Error(where)
	}
	rng := rand.New(rand.NewPCG(4, 34))
	wide := 0
	for i := range 2000 {
		step := math.Exp(-1 - 8*rng.Float64())
		x := of(math.Expm1(10 * rng.Float64()))
		if i%2 == 0 { // next to a point
			x = of(step).Mul(of(float64(rng.IntN(50)))).Expm1()
		}
		p := placeOf(x.Log1p(), step)
		low, high := math.Exp(step*float64(p.k)), math.Exp(step*float64(p.k+p.wide))
		if p.low+p.high < 1 || p.low*low+p.high*high < (1+x.Lo)*(1-1e-14) || p.low+p.high > 1+1e-9 || low > (1+x.Hi)*(1+1e-13) || high < (1+x.Lo)*(1-1e-13) {
			t.Errorf("1+%v on a grid of step %g: %+v", x, step, p)
		}
		wide += p.wide - 1
	}
	if wide == 0 {
		t.Error("no atom was next to a point")
	}
}
