package dptune_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// planned is a search of a Gaussian mechanism, whose runs must not take place.
func planned(t *testing.T, sigma float64, l law.Law) dptune.Search[float64, int] {
	return dptune.Search[float64, int]{
		Law: l, Prior: dptune.LogGrid(1, 2, 7), Delta: 1e-5, Unit: "one record",
		Candidate: dptune.CandidateFunc(accounting.Gaussian{NoiseMultiplier: sigma}, func(context.Context, float64, streams.Root) (dptune.Outcome[int], error) {
			t.Error("a run took place")
			return dptune.Outcome[int]{}, nil
		}),
	}
}

// The geometric law has P[K > m] = (1-γ)^m: with γ 0.1 the least m with at most 0.001 is ⌈ln
// 0.001/ln 0.9⌉ = ⌈65.56⌉ = 66.
func TestPlan(t *testing.T) {
	p, err := planned(t, 5, law.TNB{Eta: 1, Gamma: 0.1}).Plan(dptune.Budget{RunTime: 2 * time.Second, MaxRuns: 66})
	if err != nil {
		t.Fatal(err)
	}
	if p.MaxRuns != 66 || math.Abs(p.MeanRuns-10) > 1e-12 || p.Choices != 7 || p.NoRun != 0 {
		t.Errorf("planned %+v, want 66 runs at most, 10 on average, of 7 choices", p)
	}
	if p.MaxTime != 132*time.Second || (p.MeanTime-20*time.Second).Abs() > time.Microsecond {
		t.Errorf("planned %v, %v at most, want 20s and 132s", p.MeanTime, p.MaxTime)
	}
	const want = "10 runs on average, more than 66 with a chance of at most 0.001; 20s on average and 2m12s for 66 runs, one after the other; ε <= "
	if text := p.String(); !strings.HasPrefix(text, want) {
		t.Errorf("%q, want one that begins %q", text, want)
	}
	if p, err = planned(t, 5, law.Poisson{MeanRepeats: 1}).Plan(dptune.Budget{TailChance: 0.9}); err != nil || math.Abs(p.NoRun-math.Exp(-1)) > 1e-12 || p.MeanTime != 0 {
		t.Errorf("planned %+v, error %v, want no run with a chance of 1/e", p, err)
	}
	if p.MaxRuns != 0 { // P[K > 0] = 0.63
		t.Errorf("%d runs at most but for a chance of 0.9, want 0", p.MaxRuns)
	}
	if p, err = planned(t, 5, law.Fixed{Count: 4}).Plan(dptune.Budget{MaxRuns: 4, RunTime: math.MaxInt64}); err != nil || p.MaxRuns != 4 || p.MaxTime != math.MaxInt64 {
		t.Errorf("planned %+v, error %v, want 4 runs", p, err)
	}
}

// A law that draws more than there is time for is an error, which has the price of each law with
// that limit: that of a search by it.
func TestPlanBeyondTheBudget(t *testing.T) {
	l := law.TNB{Eta: 1, Gamma: 0.1}
	price := func(k law.Law) float64 {
		p, err := planned(t, 5, k).Price()
		if err != nil {
			t.Fatal(err)
		}
		return p.Guarantee.Epsilon.Upper
	}
	_, err := planned(t, 5, l).Plan(dptune.Budget{MaxRuns: 20})
	var over *dptune.OverBudget
	const want = "dptune: Budget.MaxRuns 20: P[K > 20] is 0.12: must be at most 0.001; see law.Truncated" // 0.9^20
	if !errors.As(err, &over) || err.Error() != want {
		t.Fatalf("error %v, want %q", err, want)
	}
	limited := []law.Law{law.Truncated{Law: l, Max: 20}, law.Capped{Law: l, Max: 20}, law.Withheld{Law: l, Max: 20}}
	if over.Law != l || over.Epsilon != price(l) || len(over.Limited) != len(limited) || math.Abs(over.Chance-math.Pow(0.9, 20)) > 1e-9 {
		t.Errorf("%v, chance %g, ε %g, %d laws, want ε %g", over.Law, over.Chance, over.Epsilon, len(over.Limited), price(l))
	}
	for i, k := range limited {
		if got := over.Limited[i]; got.Law != k || got.Epsilon != price(k) {
			t.Errorf("%v: %+v, want ε %g", k, got, price(k))
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	good := planned(t, 5, law.Fixed{Count: 4})
	for want, b := range map[string]dptune.Budget{
		"dptune: Budget.RunTime -1ns: must be >= 0":        {RunTime: -1},
		"dptune: Budget.MaxRuns -1: must be >= 0":          {MaxRuns: -1},
		"dptune: Budget.TailChance NaN: must be in (0, 1)": {TailChance: math.NaN()},
		"dptune: Budget.TailChance 1: must be in (0, 1)":   {TailChance: 1},
	} {
		if _, err := good.Plan(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	bad := good
	bad.Prior = dptune.LogGrid(2, 1, 7) // ends exchanged
	if _, err := bad.Plan(dptune.Budget{}); err == nil || !strings.Contains(err.Error(), "Grid is empty: must hold at least one value; LogGrid needs 0 < low <= high") {
		t.Errorf("a grid with its ends exchanged: error %v", err)
	}
}

// The noise is the least whose price is at most epsilon: it costs epsilon up to the tolerance, and
// a little less noise costs more.
func TestCalibrate(t *testing.T) {
	with := func(sigma float64) dptune.Search[float64, int] { return planned(t, sigma, law.TNB{Eta: 1, Gamma: 0.1}) }
	search, sigma, err := dptune.Calibrate(with, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	price := func(s dptune.Search[float64, int]) float64 {
		p, err := s.Price()
		if err != nil {
			t.Fatal(err)
		}
		return p.Guarantee.Epsilon.Upper
	}
	if got := price(search); got > 1.5 || got < 1.5*(1-1e-4) {
		t.Errorf("σ %g costs ε %g, want just 1.5", sigma, got)
	}
	if got := price(with(sigma * (1 - 1e-4))); got <= 1.5 {
		t.Errorf("less noise than σ %g costs ε %g, want more than 1.5", sigma, got)
	}
	// A single run: no selection, so the noise is that of the Gaussian mechanism itself.
	_, one, err := dptune.Calibrate(func(sigma float64) dptune.Search[float64, int] { return planned(t, sigma, law.Fixed{Count: 1}) }, 1.5)
	if err != nil || !(one < sigma) {
		t.Errorf("one run needs σ %g, error %v, and ten on average %g", one, err, sigma)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	fixed := func(float64) dptune.Search[float64, int] { return planned(t, 0.1, law.Fixed{Count: 4}) }
	if _, _, err := dptune.Calibrate(fixed, 1); !errors.Is(err, accounting.ErrNoBracket) {
		t.Errorf("noise that stays as it is: error %v, want ErrNoBracket", err)
	}
	enough := func(float64) dptune.Search[float64, int] { return planned(t, 100, law.Fixed{Count: 4}) }
	if _, noise, err := dptune.Calibrate(enough, 1); !errors.Is(err, accounting.ErrNoBracket) || !math.IsInf(noise, 1) || !strings.Contains(err.Error(), "dptune: Calibrate: ") || !strings.Contains(err.Error(), "noise multiplier in [1e-06, 1e+12]: must change the cost") {
		t.Errorf("noise that stays as it is, and is enough: noise %g, error %v, want ErrNoBracket", noise, err)
	}
	if _, _, err := dptune.Calibrate[dptune.Search[float64, int]](nil, 1); err == nil || !strings.Contains(err.Error(), "with is nil") {
		t.Errorf("no function: error %v", err)
	}
	with := func(sigma float64) dptune.Search[float64, int] { return planned(t, sigma, law.Fixed{Count: 4}) }
	if _, _, err := dptune.Calibrate(with, -1); err == nil || !strings.Contains(err.Error(), "accounting: Target.Epsilon -1: must be >= 0") {
		t.Errorf("ε -1: error %v", err)
	}
	moving := func(sigma float64) dptune.Search[float64, int] {
		s := with(sigma)
		s.Delta = math.Min(0.5, 1e-5*sigma)
		return s
	}
	if _, _, err := dptune.Calibrate(moving, 1); err == nil || !strings.Contains(err.Error(), "the same at all noise multipliers") {
		t.Errorf("another δ at each noise: error %v", err)
	}
	if _, _, err := dptune.Calibrate(func(float64) dptune.Search[float64, int] { return dptune.Search[float64, int]{Delta: 1e-5} }, 1); err == nil || !strings.Contains(err.Error(), "Search.Law is nil") {
		t.Errorf("no law: error %v", err)
	}
}

// Where the ends of less noise leave nothing of δ, a target is met, or refused with the ε that can
// be; it is never met with less privacy asked for than is had by more than 1 %. The ends are those
// of a normal that ends at 9.42 standard deviations, and is moved by 1/σ.
func TestCalibrateWhereNoiseEnds(t *testing.T) {
	with := func(sigma float64) dptune.Search[float64, int] {
		s := planned(t, sigma, law.Fixed{Count: 2})
		s.TruncationDelta = math.Exp(-math.Pow(math.Max(0, 9.42-1/sigma), 2) / 2)
		return s
	}
	refused := false
	for i, epsilon := range []float64{1, 10, 30, 60, 1000} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		s, sigma, err := dptune.Calibrate(with, epsilon)
		if err != nil {
			if refused = true; !strings.Contains(err.Error(), "must be at most ") || !strings.Contains(err.Error(), "leaves nothing of δ") {
				t.Errorf("ε %g: %v", epsilon, err)
			}
			continue
		}
		price, err := s.Price()
		if refused || err != nil || price.Guarantee.Epsilon.Upper > epsilon || price.Guarantee.Epsilon.Upper < 0.99*epsilon {
			t.Errorf("ε %g: σ %g costs %v, %v; a smaller target was refused: %t", epsilon, sigma, price.Guarantee, err, refused)
		}
	}
	if !refused {
		t.Error("no target was refused: the cases do not try where δ ends")
	}
	always := func(sigma float64) dptune.Search[float64, int] {
		s := planned(t, sigma, law.Fixed{Count: 2})
		s.TruncationDelta = 0.5
		return s
	}
	if _, _, err := dptune.Calibrate(always, 1); err == nil || !strings.Contains(err.Error(), "which truncated noise takes") {
		t.Errorf("ends that take all of δ at any noise: %v", err)
	}
}
