package selection_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

func gaussianRun(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }

// The optimum against the least noise over a grid of laws, each calibrated by bisection.
func TestOptimizeAgainstGrid(t *testing.T) {
	for i, target := range []selection.Target{
		{Event: gaussianRun, Epsilon: 4, Delta: 1e-5, MeanRepeats: 10},
		{Event: gaussianRun, Epsilon: 4, Delta: 1e-5, Success: 0.3},
		{Event: gaussianRun, Epsilon: 0.5, Delta: 1e-6, Success: 0.9, Top: 0.1},
	} {
		if testing.Short() && i != 1 {
			continue
		}
		got, err := target.Optimize()
		if err != nil {
			t.Fatal(err)
		}
		if p, err := selection.EventAt(selection.BestOf{Law: got.Law, Base: gaussianRun(got.NoiseMultiplier)}, target.Delta); err != nil || !(p.Least().Epsilon <= target.Epsilon && p.Least().Epsilon > target.Epsilon*(1-1e-4)) {
			t.Errorf("%v, σ = %g: ε %g, %v: want the target %g, and hardly less", got.Law, got.NoiseMultiplier, p.Least().Epsilon, err, target.Epsilon)
		}
		least, best := math.Inf(1), law.Law(nil)
		for _, law := range gridOfLaws(t, target) {
			sigma, err := auto.CalibrateNoiseMultiplier(func(sigma float64) accounting.Event {
				return selection.BestOf{Law: law, Base: gaussianRun(sigma)}
			}, accounting.Target{Epsilon: target.Epsilon, Delta: target.Delta})
			if err != nil {
				t.Fatal(err)
			}
			if sigma < least {
				least, best = sigma, law
			}
		}
		if !(got.NoiseMultiplier <= least*(1+1e-5) && got.NoiseMultiplier >= least*0.98) {
			t.Errorf("ε %g, mean %g, success %g: σ = %.8g with the %v, want at most the grid's %.8g with the %v, and not much less", target.Epsilon, target.MeanRepeats, target.Success, got.NoiseMultiplier, got.Law, least, best)
		}
		if target.MeanRepeats != 0 && !near(got.Law.Distribution().Mean(), target.MeanRepeats, 1e-9) {
			t.Errorf("%v: mean %g, want %g", got.Law, got.Law.Distribution().Mean(), target.MeanRepeats)
		}
		if target.Success != 0 && !near(got.Law.Distribution().SuccessProbability(math.Max(target.Top, 0.01)), target.Success, 1e-9) {
			t.Errorf("%v: success %g, want %g", got.Law, got.Law.Distribution().SuccessProbability(math.Max(target.Top, 0.01)), target.Success)
		}
	}
}

// gridOfLaws returns laws that meet the wish, found by bisection over the mean.
func gridOfLaws(t *testing.T, target selection.Target) []law.Law {
	t.Helper()
	var laws []law.Law
	etas := []float64{0, 0.5, 1, 2.5, 5}
	if target.MeanRepeats != 0 {
		for _, eta := range etas {
			laws = append(laws, tnb(t, eta, target.MeanRepeats))
		}
		return append(laws, law.Poisson{MeanRepeats: target.MeanRepeats})
	}
	top := math.Max(target.Top, 0.01)
	solve := func(of func(mean float64) law.Law) law.Law {
		lo, hi := 1+1e-9, 1e8
		for range 80 {
			if mid := math.Sqrt(lo * hi); of(mid).Distribution().SuccessProbability(top) < target.Success {
				lo = mid
			} else {
				hi = mid
			}
		}
		return of(hi)
	}
	for _, eta := range append([]float64{-0.2}, etas...) {
		laws = append(laws, solve(func(mean float64) law.Law { return tnb(t, eta, mean) }))
	}
	return append(laws, solve(func(mean float64) law.Law { return law.Poisson{MeanRepeats: mean} }))
}

func TestTargetRefuses(t *testing.T) {
	good := selection.Target{Event: gaussianRun, Epsilon: 1, Delta: 1e-5, MeanRepeats: 5}
	for want, spoil := range map[string]func(*selection.Target){
		"Event is nil":  func(c *selection.Target) { c.Event = nil },
		"Epsilon 0":     func(c *selection.Target) { c.Epsilon = 0 },
		"Delta":         func(c *selection.Target) { c.Delta = 1 },
		"exactly one":   func(c *selection.Target) { c.Success = 0.5 },
		"MeanRepeats 1": func(c *selection.Target) { c.MeanRepeats = 1 },
		"Success 0.005": func(c *selection.Target) { c.MeanRepeats, c.Success = 0, 0.005 },
		"Top 2":         func(c *selection.Target) { c.Top = 2 },
		"EtaRange":      func(c *selection.Target) { c.EtaRange = [2]float64{-1, 2} },
	} {
		bad := good
		spoil(&bad)
		if _, err := bad.Optimize(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	hopeless := good
	hopeless.Event = func(float64) accounting.Event { return accounting.NonPrivate{} }
	if o, err := hopeless.Optimize(); err == nil {
		t.Errorf("runs without noise: %+v, no error", o)
	}
}

// How much noise does a Gaussian release need if every second tuning finds one of the best
// hundredth of all settings?
func ExampleTarget_Optimize() {
	target := selection.Target{
		Event:   func(noise float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: noise} },
		Epsilon: 3, Delta: 1e-5,
		Success: 0.5,
	}
	best, err := target.Optimize()
	if err != nil {
		panic(err)
	}
	fmt.Printf("σ = %.3f, η = %.1f, %.0f runs on average\n", best.NoiseMultiplier, best.Law.(law.TNB).Eta, best.Law.Distribution().Mean())
	fmt.Printf("ε = %.3f: %s\n", best.Price.Least().Epsilon, best.Price.Least().Name)
	// Output:
	// σ = 2.523, η = 0.4, 163 runs on average
	// ε = 3.000: interleaved, exact Gaussian
}

// With published bounds alone more noise is needed, and the published price meets the target.
func TestOptimizeWithPublishedBounds(t *testing.T) {
	target := selection.Target{Event: gaussianRun, Epsilon: 4, Delta: 1e-5, Success: 0.9, Top: 0.1}
	ours, err := target.Optimize()
	if err != nil {
		t.Fatal(err)
	}
	target.Published = true
	theirs, err := target.Optimize()
	if err != nil {
		t.Fatal(err)
	}
	published, ok := theirs.Price.LeastPublished()
	if !ok || !(published.Epsilon <= 4 && published.Epsilon > 4*(1-1e-4)) {
		t.Errorf("published: %v, want ε = 4 and hardly less", published)
	}
	if ours.NoiseMultiplier >= 0.99*theirs.NoiseMultiplier {
		t.Errorf("σ = %g with our bounds, %g with published ones: want less", ours.NoiseMultiplier, theirs.NoiseMultiplier)
	}
}

// The optimum for a training by DP-SGD. It is the full size of ExampleTarget_Optimize.
func TestOptimizeOfDPSGD(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: TestOptimizeAgainstGrid and the example optimize for a Gaussian release")
	}
	best, err := selection.Target{
		Event:   func(noise float64) accounting.Event { return sgd(0.01, noise, 1000) },
		Epsilon: 3, Delta: 1e-5,
		Success:     0.5,
		Accountants: []accounting.Accountant{contour.NewAccountant()},
	}.Optimize()
	if err != nil {
		t.Fatal(err)
	}
	l, least := best.Law.(law.TNB), best.Price.Least()
	got := fmt.Sprintf("σ = %.3f, η = %.1f, %.0f runs, ε = %.3f: %s", best.NoiseMultiplier, l.Eta, l.Distribution().Mean(), least.Epsilon, least.Name)
	if want := "σ = 1.092, η = 0.4, 160 runs, ε = 3.000: pointwise, contour"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
