package exact

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
)

func lawsOf(t testing.TB, p Process, steps int) []Law {
	t.Helper()
	laws, err := p.Laws(steps)
	if err != nil {
		t.Fatal(err)
	}
	return laws
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func meet(a, b accounting.Interval) bool { return a.Lower <= b.Upper && b.Lower <= a.Upper }

// Without drift the law is Gaussian: µ = 1/√(σ² + (t-1)σ²/B²), or 1/(σ√t) if the first step
// is averaged as well. gdp has the closed form of ε and δ.
func TestConstantDriftIsGaussian(t *testing.T) {
	for _, p := range []Process{
		{NoiseMultiplier: 1, BatchSize: 1, Drift: Constant},
		{NoiseMultiplier: 2, BatchSize: 8, Drift: Constant},
		{NoiseMultiplier: 3, BatchSize: 4, Drift: Constant, AverageFirst: true},
	} {
		for _, law := range lawsOf(t, p, 12) {
			stdDev, shift := p.first()
			mu := shift / math.Hypot(stdDev, p.later()*math.Sqrt(float64(law.Steps()-1)))
			want := must[accounting.Interval](t)(gdp.EpsilonAt(mu, 1e-5))
			got := must[accounting.Interval](t)(law.EpsilonAt(1e-5))
			if !meet(got, want) || got.Width() > 1e-7 {
				t.Errorf("%+v, step %d: ε %v: want %v (gdp.EpsilonAt(%g))", p, law.Steps(), got, want, mu)
			}
			tpr := must[accounting.Interval](t)(law.TPRAt(0.01))
			if want := math.Erfc((2.3263478740408408-mu)/math.Sqrt2) / 2; !(tpr.Lower <= want+1e-12 && want-1e-12 <= tpr.Upper && tpr.Width() < 1e-9) {
				t.Errorf("%+v, step %d: TPR at 0.01 %v: want %.12g (Φ(µ - z_0.01))", p, law.Steps(), tpr, want)
			}
		}
	}
}

// At large ε the tails decide, where a component must not be lost. The means of a half grow, as its
// search needs.
func TestConstantDriftAtLargeEpsilon(t *testing.T) {
	for _, p := range []Process{
		{NoiseMultiplier: 0.2, BatchSize: 1, Drift: Constant}, {NoiseMultiplier: 0.3, BatchSize: 1, Drift: Constant}, {NoiseMultiplier: 0.5, BatchSize: 1, Drift: Constant},
	} {
		for _, law := range lawsOf(t, p, 4) {
			for _, h := range law.halves {
				if !slices.IsSorted(h.means) {
					t.Errorf("%+v, step %d: the means do not grow", p, law.Steps())
				}
			}
			stdDev, _ := p.first()
			mu := 1 / math.Hypot(stdDev, p.later()*math.Sqrt(float64(law.Steps()-1)))
			for _, epsilon := range []float64{5, 10, 15, 20, 30} {
				got, want := must[accounting.Interval](t)(law.DeltaAt(epsilon)), must[accounting.Interval](t)(gdp.DeltaAt(mu, epsilon))
				if !meet(got, want) {
					t.Errorf("%+v, step %d: δ(%g) %v: want %v (gdp.DeltaAt(%g))", p, law.Steps(), epsilon, got, want, mu)
				}
			}
		}
	}
}

// One step is N(0, σ²) against N(1, σ²) for every drift.
func TestOneStep(t *testing.T) {
	for _, drift := range []Drift{Away, Toward, Constant} {
		law := lawsOf(t, Process{NoiseMultiplier: 2, BatchSize: 3, Drift: drift}, 1)[0]
		tv, want := law.TotalVariation(), math.Erf(0.25/math.Sqrt2)
		if !(tv.Lower <= want && want <= tv.Upper && tv.Width() < 1e-9) {
			t.Errorf("%v: total variation %v: want %.15g (2Φ(1/(2σ)) - 1)", drift, tv, want)
		}
		got, closed := must[accounting.Interval](t)(law.EpsilonAt(1e-5)), must[accounting.Interval](t)(gdp.EpsilonAt(0.5, 1e-5))
		if !meet(got, closed) {
			t.Errorf("%v: ε %v: want %v (gdp.EpsilonAt)", drift, got, closed)
		}
	}
}

// A histogram on equal cells, moved by normal distribution functions: another quadrature,
// accurate to the square of the cell.
func histogram(p Process, steps int, cell, reach float64) []float64 {
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	n := int(math.Round(2 * reach / cell))
	stdDev, shift := p.first()
	at := func(i int) float64 { return -reach + float64(i)*cell }
	mass := make([]float64, n)
	for i := range mass {
		mass[i] = cdf((at(i+1)+shift/2)/stdDev) - cdf((at(i)+shift/2)/stdDev)
	}
	for range steps - 1 {
		next := make([]float64, n)
		for i, m := range mass {
			if m < 1e-14 {
				continue
			}
			center := at(i) + cell/2
			center += math.Copysign(1, center) * p.push()
			for j := range next {
				if math.Abs(at(j)-center) < 7*p.later() {
					next[j] += m * (cdf((at(j+1)-center)/p.later()) - cdf((at(j)-center)/p.later()))
				}
			}
		}
		mass = next
	}
	return mass
}

func TestAgainstHistogram(t *testing.T) {
	for _, p := range []Process{
		{NoiseMultiplier: 1.5, BatchSize: 2, Drift: Away},
		{NoiseMultiplier: 1.5, BatchSize: 2, Drift: Toward},
		{NoiseMultiplier: 2, BatchSize: 2, Drift: Toward, AverageFirst: true},
	} {
		mass := histogram(p, 4, 0.04, 16)
		law := lawsOf(t, p, 4)[3]
		for _, epsilon := range []float64{0, 0.3, 1} {
			want := 0.0
			for i, m := range mass {
				want += math.Max(0, mass[len(mass)-1-i]-math.Exp(epsilon)*m)
			}
			got := must[accounting.Interval](t)(law.DeltaAt(epsilon))
			if math.Abs(got.Estimate-want) > 1e-4 || got.Width() > 1e-6 {
				t.Errorf("%+v: δ(%g) %v: want %.6f ± 0.0001 (histogram)", p, epsilon, got, want)
			}
		}
	}
}

// The search for sign changes knows nothing of monotone likelihood ratios.
func TestThresholdAgainstSignSearch(t *testing.T) {
	for _, p := range []Process{{NoiseMultiplier: 1, BatchSize: 1}, {NoiseMultiplier: 2, BatchSize: 8}, {NoiseMultiplier: 8, BatchSize: 2, AverageFirst: true}} {
		law := lawsOf(t, p, 6)[5]
		for _, epsilon := range []float64{0, 0.2, 1, 2} {
			lower, upper := law.monotoneDelta(epsilon)
			otherLower, otherUpper := law.signedDelta(epsilon)
			if !(lower <= otherUpper && otherLower <= upper) || otherUpper-otherLower > 1e-6 || upper-lower > 1e-8 {
				t.Errorf("%+v: δ(%g) in [%.12g, %.12g] by the threshold, [%.12g, %.12g] by sign changes", p, epsilon, lower, upper, otherLower, otherUpper)
			}
		}
	}
}

// Paths drawn by Simulate against the rates of the law, five standard errors.
func TestAgainstSimulation(t *testing.T) {
	const paths, steps = 40_000, 6
	for _, p := range []Process{{NoiseMultiplier: 1, BatchSize: 1}, {NoiseMultiplier: 2, BatchSize: 4, Drift: Toward}} {
		law := lawsOf(t, p, steps)[steps-1]
		rng := rand.New(rand.NewChaCha8([32]byte{7}))
		for _, threshold := range []float64{0.5, 1.3} {
			fpr, tpr := law.Rates(threshold)
			for canary, rate := range map[bool][2]float64{false: fpr, true: tpr} {
				hits := 0
				for range paths {
					if path := must[[]float64](t)(p.Simulate(steps, canary, rng)); path[steps-1] > threshold {
						hits++
					}
				}
				got, tolerance := float64(hits)/paths, 5*math.Sqrt(rate[1]*(1-rate[1])/paths)
				if math.Abs(got-rate[0]) > tolerance {
					t.Errorf("%+v, canary %v, threshold %g: %g of the paths: want %g ± %g (law)", p, canary, threshold, got, rate[0], tolerance)
				}
			}
		}
	}
}

// What the two signs of equation (3) do to the total variation at σ = 1 in 25 steps, from a
// trial on a plain grid: pushed away it stays in 0.355 to 0.383, pushed together it falls
// from 0.38 to 0.00.
func TestSignOfEquation3(t *testing.T) {
	for _, batch := range []int{1, 4, 16} {
		for _, law := range lawsOf(t, Process{NoiseMultiplier: 1, BatchSize: batch}, 25) {
			if tv := law.TotalVariation(); !(tv.Lower >= 0.3545 && tv.Upper <= 0.3835) {
				t.Errorf("B = %d, step %d: total variation %v: want 0.355 to 0.383 (trial on a grid)", batch, law.Steps(), tv)
			}
		}
	}
	laws := lawsOf(t, Process{NoiseMultiplier: 1, BatchSize: 1, Drift: Toward}, 25)
	if first, last := laws[0].TotalVariation(), laws[24].TotalVariation(); math.Abs(first.Estimate-0.38) > 0.005 || last.Upper > 0.005 {
		t.Errorf("toward: total variation %v to %v: want 0.38 to 0.00 (trial on a grid)", first, last)
	}
}

// The error terms that the comment of Laws states, on the finest grids that it accepts.
func TestStatedErrors(t *testing.T) {
	for _, p := range []Process{{NoiseMultiplier: 0.1, BatchSize: 800}, {NoiseMultiplier: 8, BatchSize: 2200}, {NoiseMultiplier: 1, BatchSize: 1}} {
		laws := lawsOf(t, p, 2)
		g := grid{half: len(laws[1].halves[0].means) / nodesPerPanel, s: p.later()}
		if e := g.quadratureError(); !(e < 1e-16) {
			t.Errorf("%+v: quadrature error %g with %d panels: want below 1e-16 (comment of Laws)", p, e, g.panels())
		}
		if mass := laws[1].above(-laws[1].reach); math.Abs(mass-1) > laws[1].relErr+laws[1].absErr {
			t.Errorf("%+v: mass %.17g: want 1 within %g", p, mass, laws[1].relErr+laws[1].absErr)
		}
	}
}

// What a step does to both worlds alike cannot help the adversary.
func TestProcessingNeverAdds(t *testing.T) {
	for _, drift := range []Drift{Away, Toward} {
		before := math.Inf(1)
		for _, law := range lawsOf(t, Process{NoiseMultiplier: 2, BatchSize: 1, Drift: drift}, 4) {
			e := must[accounting.Interval](t)(law.EpsilonAt(1e-3))
			if e.Lower > before {
				t.Errorf("%v, step %d: ε %v: want at most %g (a step is post-processing)", drift, law.Steps(), e, before)
			}
			before = e.Upper
		}
	}
}

func TestBadInput(t *testing.T) {
	for field, p := range map[string]Process{
		"NoiseMultiplier": {NoiseMultiplier: 0, BatchSize: 1},
		"BatchSize":       {NoiseMultiplier: 1},
		"Drift":           {NoiseMultiplier: 1, BatchSize: 1, Drift: 7},
	} {
		if _, err := p.Laws(2); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v: error %v: must name %s", p, err, field)
		}
		if _, err := p.Simulate(2, true, rand.New(rand.NewPCG(1, 2))); err == nil {
			t.Errorf("%+v: Simulate has no error", p)
		}
	}
	p := Process{NoiseMultiplier: 1, BatchSize: 1, Drift: Toward}
	for _, steps := range []int{0, 10_001} {
		if _, err := p.Laws(steps); err == nil {
			t.Errorf("steps %d: no error", steps)
		}
	}
	if _, err := (Process{NoiseMultiplier: 0.01, BatchSize: 1000}).Laws(2); err == nil {
		t.Error("a grid of millions of nodes: no error")
	}
	law := lawsOf(t, p, 2)[1]
	for _, bad := range []float64{math.NaN(), -1, 2} {
		if _, err := law.EpsilonAt(bad); err == nil {
			t.Errorf("delta %g: no error", bad)
		}
		if _, err := law.TPRAt(bad); err == nil {
			t.Errorf("false positive rate %g: no error", bad)
		}
	}
	if _, err := law.TPRAt(0.1); !errors.Is(err, ErrNotMonotone) {
		t.Errorf("TPR of the drift toward the threshold: error %v: want ErrNotMonotone", err)
	}
	if _, err := law.DeltaAt(math.NaN()); err == nil {
		t.Error("epsilon NaN: no error")
	}
}
