package ranks

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

// gaussianLines are what is known of a Gaussian run of this µ around the ε of delta.
func gaussianLines(t *testing.T, mu, delta float64) (known []baserun.Point, scale float64) {
	t.Helper()
	run, err := baserun.New(accounting.Gaussian{NoiseMultiplier: 1 / mu})
	if err != nil {
		t.Fatal(err)
	}
	known, scale, ok := run.Prepared().ProfileSources()[0].Around(delta)
	if !ok {
		t.Fatalf("µ = %g: nothing is known", mu)
	}
	return known, scale
}

// At no ε is the bound below what an order leaks, be it made for that ε or for another, whether or not the ranks matter.
func TestInterleavedIsAboveEveryOrder(t *testing.T) {
	laws := []law.Law{law.Fixed{Count: 2}, law.Fixed{Count: 3}, law.Fixed{Count: 30}, law.Poisson{MeanRepeats: 3}, law.Poisson{MeanRepeats: 100}, law.PMF{Weights: []float64{0, 0, 0.2, 0.3, 0.5}}}
	cells, mus := 80, []float64{0.4, 1.5}
	if !testing.Short() {
		laws = append(laws, enumerate.Laws...)
	} else {
		mus = mus[:1]
	}
	closest := 0.0
	for _, l := range laws {
		for _, mu := range mus {
			k := l.Distribution()
			known, _ := gaussianLines(t, mu, 1e-5/math.Max(1, k.Mean()))
			whole := curveHull(k, newRankLines(known))
			epsilons, limits := []float64{0, 0.2, 1, 3, 6, 9}, []float64{}
			for _, epsilon := range epsilons {
				limit, err := worstorder.DeltaAt(l, worstorder.Gaussian(mu, cells), epsilon)
				if err != nil {
					t.Fatal(err)
				}
				limits = append(limits, limit)
			}
			for _, madeFor := range []struct{ epsilon, delta float64 }{{0.2, 0.3}, {3, 1e-3}, {9, 1e-6}} {
				b, _ := newInterleaved(k, known, whole, madeFor.epsilon, madeFor.delta)
				if b == nil {
					t.Fatalf("%v: no bound", l)
				}
				for i, epsilon := range epsilons {
					limit := limits[i]
					bound := b.deltaAt(epsilon)
					if !(bound >= limit*(1-1e-9)-1e-15) {
						t.Errorf("%v, µ = %g, made for %v: δ(%g) <= %g, where an order leaks %g", l, mu, madeFor, epsilon, bound, limit)
					}
					if epsilon == madeFor.epsilon && limit > madeFor.delta/100 {
						closest = math.Max(closest, limit/bound)
					}
				}
			}
		}
	}
	if closest < 0.97 {
		t.Errorf("the nearest order leaks %.3f of the bound: the test says little", closest)
	}
}

// In the range that is asked, hulls that are fine only where they decide give the bound of hulls
// that are fine for all ε. They are smaller.
func TestWindowsChangeNothing(t *testing.T) {
	tried := 0
	defer func() {
		if tried < 5 {
			t.Errorf("ranks matter in %d cases", tried)
		}
	}()
	for _, l := range []law.Law{law.Fixed{Count: 10}, law.Poisson{MeanRepeats: 100}, law.TNB{Eta: 0, Gamma: 0.003}, law.PMF{Weights: []float64{0, 0.2, 0.3, 0.5}}} {
		for _, mu := range []float64{0.05, 1} {
			k, delta := l.Distribution(), 1e-5
			known, _ := gaussianLines(t, mu, delta/k.Mean())
			whole := curveHull(k, newRankLines(known))
			most := whole.binned(binFor(mu)).epsilonAt(delta, baserun.NewHockeyStick(known))
			b, ok := newInterleaved(k, known, whole, most, delta)
			if !ok {
				continue
			}
			tried++
			corners := func() (n int) {
				for _, p := range b.places {
					n += len(p.hull.hull)
				}
				return n
			}
			at := b.epsilonAt(most)
			if b.everywhere {
				t.Errorf("%v, µ = %g: all ε are asked", l, mu)
			}
			b.ask(at, most)
			got, few := b.deltaAt(at), corners()
			b.askAll(most)
			want, many := b.deltaAt(at), corners()
			if math.Abs(got/want-1) > 3e-5 || 3*few > many {
				t.Errorf("%v, µ = %g: δ(%g) <= %.9g by %d corners, want %.9g by %d", l, mu, at, got, few, want, many)
			}
			// Beyond the range the bound still holds.
			for _, far := range []float64{0.7 * at, 1.2 * at} {
				b.ask(at, most)
				got := b.deltaAt(far)
				b.askAll(most)
				if want := b.deltaAt(far); got < want*(1-1e-4) {
					t.Errorf("%v, µ = %g: δ(%g) <= %.9g, which is below %.9g", l, mu, far, got, want)
				}
			}
		}
	}
}

// g is below Φ(Φ⁻¹(s) - µ), which is the least mass that the other law of a Gaussian run gives to outputs of mass s, and near it; a list of
// lines of which some say nothing is no reason to be above.
func TestRisesAreBelowTheTruth(t *testing.T) {
	normal := distuv.UnitNormal
	for _, mu := range []float64{0.3, 1, 3} {
		known, _ := gaussianLines(t, mu, 1e-6)
		silly := append([]baserun.Point{pointAt(0, 1)}, known[3:]...)
		for _, lines := range [][]baserun.Point{known, silly, known[:1], known[len(known)/2:]} {
			end := 0.0
			for _, r := range risesOf(lines) {
				if r.from != end {
					t.Errorf("µ = %g: a part begins at %g, the last one ended at %g", mu, r.from, end)
				}
				end = r.to
				for _, s := range []float64{r.from, (r.from + r.to) / 2, r.to} {
					truth := normal.CDF(normal.Quantile(s) - mu)
					g := r.g + r.slope*(s-r.from)
					if g > truth*(1+1e-9)+1e-14 {
						t.Errorf("µ = %g, %d lines: g(%g) = %g, above %g", mu, len(lines), s, g, truth)
					}
					if len(lines) == len(known) && &lines[0] == &known[0] && truth > 1e-6 && g < 0.999*truth {
						t.Errorf("µ = %g: g(%g) = %g, far below %g", mu, s, g, truth)
					}
				}
			}
			if end != 1 {
				t.Errorf("µ = %g: g ends at %g", mu, end)
			}
		}
	}
}

// The support function of a hull is the largest value over all its points, also where f' is below 1e-154, so that products of two values underflow.
func TestHullSupport(t *testing.T) {
	var known []baserun.Point
	for e := 0.0; e < 30; e += 0.25 { // a run of a public half, whose rest tells much
		known = append(known, pointAt(e, math.Max(0, 1e-4-math.Exp(e)*1e-10)))
	}
	for name, h := range map[string]lowerHull{
		"plain": {{0, 0}, {1, 0}, {2, 0.5}, {3, 2}, {3.5, 9}},
		"tiny":  curveHull(law.Poisson{MeanRepeats: 1300}.Distribution(), newRankLines(known)),
	} {
		for i := 1; i+1 < len(h); i++ {
			if u, v, w := h[i-1], h[i], h[i+1]; (v.b-u.b)/(v.a-u.a) > (w.b-v.b)/(w.a-v.a)*(1+1e-6) {
				t.Errorf("%s: %v between %v and %v is no corner", name, v, u, w)
				break
			}
		}
		for _, c := range []float64{0, 1e-9, 0.07, 0.5, 0.7, 1.9, 2.1, 100, 1e4, 1e6, math.MaxFloat64} {
			want := 0.0
			for _, p := range h {
				want = math.Max(want, p.a-c*p.b)
			}
			if got := h.supported().support(c); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s, c = %g: %g, want %g", name, c, got, want)
			}
		}
	}
}
