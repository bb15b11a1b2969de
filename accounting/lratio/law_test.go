package lratio

import (
	"errors"
	"math"
	"math/rand/v2"
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

// gridded splits or merges the atoms onto the grid of step h.
func (a atoms) gridded(h float64, upper bool) law {
	const first, n = -600, 1200
	l := law{h: h, first: first, q: make([]float64, n), eta: 1e-14, kappa: 1e-14}
	if !upper {
		l.r = make([]float64, n)
	}
	for i, z := range a.z {
		if upper {
			l = l.withAtom(a.mass[i]*scale, numeric.Log(z))
			continue
		}
		k := int(math.Floor(numeric.Log(z)/h)) - first
		l.q[k] += a.mass[i] * scale
		l.r[k] += a.mass[i] * scale * z / math.Exp(l.at(k))
	}
	return l
}

// holds reports whether a law bounds the exact one at many ε in both directions.
func holds(l law, exact atoms) bool {
	f := l.profile()
	for _, to := range []direction{remove, add} {
		for epsilon := 0.0; epsilon < 8; epsilon += 0.0937 {
			want, got := numeric.Log(exact.delta(to, epsilon)), f.logDelta(to, epsilon)
			if want < -30 { // the exact sum is rounded too
				continue
			}
			if l.upper() && got < want-1e-12 || !l.upper() && got > want+1e-12 {
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

// After each operation the law bounds the exact one from its side, and its masses under P and Q
// have sum 1.
func TestOrderOfOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 34))
	for name, op := range operations {
		for range 20 {
			a, b := drawn(rng, 2+rng.IntN(5)), drawn(rng, 2+rng.IntN(5))
			for _, upper := range []bool{false, true} {
				got := op.law(a.gridded(0.05, upper), b.gridded(0.05, upper))
				if err := got.check(1e-12); err != nil {
					t.Fatalf("%s, upper %t: %v", name, upper, err)
				}
				if !holds(got, combined(a, b, op.exact)) {
					t.Fatalf("%s, upper %t: does not bound the exact law of %v and %v", name, upper, a, b)
				}
			}
		}
	}
}

// Mistakes that TestOrderOfOperations must find: a merge in an upper law, a split in a lower one,
// rounding to the nearest point, a lost tail, a forgotten mass at 0.
func TestPlantedMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 34))
	nearest := func(l law) law {
		out := law{h: l.h, first: l.first, q: make([]float64, len(l.q)+1), kappa: l.kappa, eta: l.eta}
		for k := 0; k < len(l.q); k += 2 {
			both := l.q[k] + l.q[k+1]
			if both == 0 {
				continue
			}
			out.q[k] += both // the pair merged, at its left point
		}
		return out
	}
	merged := func(l law) law { // two neighbors merged into one lower cell, read as an upper law
		low := law{h: l.h, first: l.first, q: l.q, r: l.q, kappa: l.kappa, eta: l.eta}.regrid(4 * l.h)
		mean := make([]float64, len(low.q))
		for k := range mean {
			mean[k] = low.q[k]
		}
		return law{h: low.h, first: low.first, q: mean, kappa: low.kappa, eta: low.eta}
	}
	lost := func(l law) law { l = l.trim(numeric.Log(0.4)); l.zero, l.infinite = 0, 0; return l }
	for name, mistake := range map[string]func(l law) law{"nearest": nearest, "merged": merged, "lost tail": lost} {
		found := 0
		for range 20 {
			a := drawn(rng, 5)
			l := mistake(a.gridded(0.05, true))
			if !holds(l, a) || errors.Is(l.check(1e-12), errInvariant) {
				found++
			}
		}
		if found < 18 {
			t.Errorf("%s: found in %d of 20 laws", name, found)
		}
	}
	split := 0
	for range 20 { // an upper law read as a lower one
		a := drawn(rng, 5)
		l := a.gridded(0.05, true)
		l.r = l.q
		if !holds(l, a) {
			split++
		}
	}
	if split < 15 {
		t.Errorf("a split in a lower law: found in %d of 20", split)
	}
}

// One Gaussian: δ by its closed form, from both sides, at δ from 1e-1 to 1e-300.
func TestOneStep(t *testing.T) {
	for _, s := range []float64{1e-6, 0.01, 0.3, 1, 4, 10} {
		for _, logDelta := range []float64{-2, -12, -100, -690} {
			for _, upper := range []bool{false, true} {
				l, err := oneStep(s, 2000, logDelta+logCut, upper)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.check(math.Exp(logDelta)); err != nil {
					t.Error(err)
				}
				for _, to := range []direction{remove, add} {
					below, above := l.profile().epsilon(to, logDelta)
					for end, epsilon := range []float64{below, above} {
						if epsilon == 0 || upper == (end == 0) {
							continue
						}
						// log δ = log φ(a) + log(R(a) - R(a+s)), a = ε/s - s/2.
						a := epsilon/s - s/2
						want := numeric.LogNormalDensity(a) + numeric.Log(gap(a, s))
						got := want - logDelta
						if upper && got > 1e-9 || !upper && got < -1e-9 || math.Abs(got) > 0.05+math.Abs(logDelta)/1000 {
							t.Errorf("s %g, ln δ %g, upper %t, %v: ε = %.12g has ln δ %.12g", s, logDelta, upper, to, epsilon, want)
						}
					}
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
