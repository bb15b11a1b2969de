package lratio

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// atoms is an exact small law: values of Z, with +Inf for mass of P where Q has none.
type atoms struct{ z, mass []float64 }

// drawn returns a law of n atoms with mean 1.
func drawn(rng *rand.Rand, n int) atoms {
	a := atoms{make([]float64, n), make([]float64, n)}
	sum, mean := 0.0, 0.0
	for i := range n {
		a.z[i], a.mass[i] = math.Exp(3*rng.NormFloat64()), rng.Float64()
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

// combined is the law of f of two independent laws.
func combined(a, b atoms, f func(x, y float64) float64) (out atoms) {
	for i, x := range a.z {
		for j, y := range b.z {
			out.z, out.mass = append(out.z, f(x, y)), append(out.mass, a.mass[i]*b.mass[j])
		}
	}
	return out
}

func (a atoms) delta(to direction, epsilon float64) (sum float64) {
	for i, z := range a.z {
		if to == remove {
			sum += a.mass[i] * math.Max(0, z-math.Exp(epsilon))
		} else {
			sum += a.mass[i] * math.Max(0, 1-math.Exp(epsilon)*z)
		}
	}
	return sum
}

// gridded merges the atoms onto the grid of step h.
func (a atoms) gridded(h float64) law {
	const first, n = -600, 1200
	l := law{h: h, first: first, q: make([]float64, n), r: make([]float64, n), eta: 1e-14, kappa: 1e-14}
	for i, z := range a.z {
		k := int(math.Floor(numeric.Log(z)/h)) - first
		l.q[k] += a.mass[i] * scale
		l.r[k] += a.mass[i] * scale * z / math.Exp(l.at(k))
	}
	return l
}

// holds reports whether a law is below the exact one at many ε in both directions.
func holds(l law, exact atoms) bool {
	f := l.profile()
	for _, to := range []direction{remove, add} {
		for epsilon := 0.0; epsilon < 8; epsilon += 0.0937 {
			want, got := numeric.Log(exact.delta(to, epsilon)), f.logDelta(to, epsilon)
			if want < -30 { // the exact sum is rounded too
				continue
			}
			if got > want+1e-12 {
				return false
			}
		}
	}
	return true
}

// operations are those of the package, on laws of step h, with the exact ones.
var operations = map[string]struct {
	law   func(a, b law) law
	exact func(x, y float64) float64
}{
	"average":   {func(a, b law) law { return average(a, b, 0.3, 0.7, 1) }, func(x, y float64) float64 { return 0.3*x + 0.7*y }},
	"finer":     {func(a, b law) law { return average(a, b, 0.5, 0.5, 2) }, func(x, y float64) float64 { return (x + y) / 2 }},
	"product":   {product, func(x, y float64) float64 { return x * y }},
	"trim":      {func(a, _ law) law { return a.trim(numeric.Log(0.05)) }, func(x, _ float64) float64 { return x }},
	"double":    {func(a, _ law) law { return a.regrid(2 * a.h) }, func(x, _ float64) float64 { return x }},
	"other":     {func(a, _ law) law { return a.regrid(1.37 * a.h) }, func(x, _ float64) float64 { return x }},
	"mixed":     {func(a, _ law) law { return a.mixed(0.2, 200) }, func(x, _ float64) float64 { return 0.8 + 0.2*x }},
	"trim, avg": {func(a, b law) law { return average(a.trim(-3), b.trim(-2), 0.3, 0.7, 1) }, func(x, y float64) float64 { return 0.3*x + 0.7*y }},
	"trim, mul": {func(a, b law) law { return product(a.trim(-3), b.trim(-2)) }, func(x, y float64) float64 { return x * y }},
	"trim, mix": {func(a, _ law) law { return a.trim(-2).mixed(0.5, 100) }, func(x, _ float64) float64 { return 0.5 + 0.5*x }},
}

// After each operation the law is below the exact one, and its masses under P and Q
// have sum 1.
func TestOrderOfOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 34))
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		op := operations[name]
		for range 20 {
			a, b := drawn(rng, 2+rng.IntN(5)), drawn(rng, 2+rng.IntN(5))
			got := op.law(a.gridded(0.05), b.gridded(0.05))
			if err := got.check(1e-12); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !holds(got, combined(a, b, op.exact)) {
				t.Fatalf("%s: is not below the exact law of %v and %v", name, a, b)
			}
		}
	}
}

// Mistakes that TestOrderOfOperations must find: a split where atoms must merge, and mass that a
// cell gains or loses.
func TestPlantedMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 34))
	split := func(l law) law { // each atom split between the edges of its cell, with its mean
		out := law{h: l.h, first: l.first, q: make([]float64, len(l.q)+1), r: make([]float64, len(l.q)+1), kappa: l.kappa, eta: l.eta}
		for k, m := range l.q {
			if m == 0 {
				continue
			}
			up := (l.r[k] - m) / math.Expm1(l.h)
			out.q[k], out.r[k] = out.q[k]+m-up, out.r[k]+m-up
			out.q[k+1], out.r[k+1] = out.q[k+1]+up, out.r[k+1]+up
		}
		return out
	}
	lost := func(l law) law { l = l.trim(numeric.Log(0.4)); l.q[0], l.r[0] = 0, 0; return l }
	raised := func(l law) law { // the means of all cells at their right edges
		for k, m := range l.q {
			l.r[k] = m * math.Exp(l.h)
		}
		return l
	}
	for name, mistake := range map[string]func(l law) law{"split": split, "lost tail": lost, "raised": raised} {
		found := 0
		for range 20 {
			a := drawn(rng, 5)
			l := mistake(a.gridded(0.05))
			if !holds(l, a) || errors.Is(l.check(1e-12), errInvariant) {
				found++
			}
		}
		if found < 15 {
			t.Errorf("%s: found in %d of 20 laws", name, found)
		}
	}
}

// One Gaussian: δ by its closed form, from below, at δ from 1e-1 to 1e-300.
func TestOneStep(t *testing.T) {
	for _, s := range []float64{1e-6, 0.01, 0.3, 1, 4, 10} {
		for _, logDelta := range []float64{-2, -12, -100, -690} {
			l, err := oneStep(s, 2000, logDelta+logCut)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.check(math.Exp(logDelta)); err != nil {
				t.Error(err)
			}
			for _, to := range []direction{remove, add} {
				epsilon := l.profile().epsilon(to, logDelta)
				if epsilon == 0 {
					continue
				}
				// log δ = log φ(a) + log(R(a) - R(a+s)), a = ε/s - s/2.
				a := epsilon/s - s/2
				want := numeric.LogNormalDensity(a) + numeric.Log(gap(a, s))
				if got := want - logDelta; got < -1e-9 || got > 0.05+math.Abs(logDelta)/1000 {
					t.Errorf("s %g, ln δ %g, %v: ε = %.12g has ln δ %.12g", s, logDelta, to, epsilon, want)
				}
			}
		}
	}
}

// gap returns R(a) - R(a+s) with R the Mills ratio, the integral of -R'.
func gap(a, s float64) float64 {
	if s > 0.1 {
		return numeric.MillsRatio(a) - numeric.MillsRatio(a+s)
	}
	sum := 0.0
	for i, x := range legendreNodes {
		sum += legendreWeights[i] * numeric.MillsSlope(a+s/2*(1+x))
	}
	return sum * s / 2
}

// The rule is exact for powers up to 15.
func TestLegendre(t *testing.T) {
	for power := 0; power <= 15; power++ {
		sum := 0.0
		for i, x := range legendreNodes {
			sum += legendreWeights[i] * math.Pow(x, float64(power))
		}
		want := 0.0
		if power%2 == 0 {
			want = 2 / float64(power+1)
		}
		if math.Abs(sum-want) > 1e-15 {
			t.Errorf("integral of x^%d = %.17g, want %.17g", power, sum, want)
		}
	}
}
