package dptune_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

func upTo(order int) (orders []float64) {
	for a := 2; a <= order; a++ {
		orders = append(orders, float64(a))
	}
	return orders
}

// sampledGaussian is the Rényi divergence of a step at an integer order by its binomial sum (Mironov, Talwar and Zhang 2019, Section 3.3).
func sampledGaussian(q, sigma float64, order int) float64 {
	sum := 0.0
	for k := range order + 1 {
		sum += float64(combin.Binomial(order, k)) * math.Pow(q, float64(k)) * math.Pow(1-q, float64(order-k)) * math.Exp(float64(k*k-k)/(2*sigma*sigma))
	}
	return math.Log(sum) / float64(order-1)
}

// The noise is the least under the line: at one order it is met, and a little less noise is above. At γ = 1 it is √(T/(2c)).
func TestLineSetting(t *testing.T) {
	line := dptune.Line{Slope: 0.05, Orders: upTo(24)}
	for _, c := range []struct {
		rate  float64
		steps int
	}{{0.01, 1000}, {0.02, 300}, {0.3, 7}, {1, 50}} {
		got, err := line.Setting(c.rate, c.steps)
		if err != nil {
			t.Fatal(err)
		}
		worst := func(sigma float64) (share float64) { // of the line
			for order := 2; order <= 24; order++ {
				share = math.Max(share, float64(c.steps)*sampledGaussian(c.rate, sigma, order)/(0.05*float64(order)))
			}
			return share
		}
		if worst(got.NoiseMultiplier) > 1+1e-9 || worst(got.NoiseMultiplier*(1-1e-6)) < 1 {
			t.Errorf("%+v: σ %g uses %.9g of the line, want nearly all", c, got.NoiseMultiplier, worst(got.NoiseMultiplier))
		}
		if want := math.Sqrt(float64(c.steps) / 0.1); c.rate == 1 && math.Abs(got.NoiseMultiplier/want-1) > 2e-7 {
			t.Errorf("γ = 1: σ %g, want √(T/(2c)) = %g", got.NoiseMultiplier, want)
		}
		// Turned around, this noise allows as many steps, and no more.
		most, err := line.MostSteps(c.rate, got.NoiseMultiplier)
		if err != nil || most.Steps != c.steps {
			t.Errorf("%+v: %+v steps, %v", c, most, err)
		}
	}
	if most, err := line.MostSteps(1, 10); err != nil || most.Steps != 10 { // 2σ²c
		t.Errorf("γ = 1, σ = 10: %+v, %v, want 10 steps", most, err)
	}
}

func TestLineGrid(t *testing.T) {
	line := dptune.Line{Slope: 0.05, Orders: upTo(24)}
	rates, steps := []float64{0.01, 0.02}, []int{100, 1000, 10_000}
	grid, err := line.Grid(rates, steps, 5)
	if err != nil || len(grid) == 0 || len(grid) == 6 {
		t.Fatalf("%d settings, %v: want some of 6", len(grid), err)
	}
	for _, s := range grid {
		if s.NoiseMultiplier > 5 {
			t.Errorf("%+v needs more noise than 5", s)
		}
	}
	_, empty := line.Grid(rates, steps, 0.1)
	_, steep := line.MostSteps(1, 1)
	_, noRate := line.Setting(0, 10)
	_, noSteps := line.Grid(rates, []int{0}, 5)
	_, noLine := dptune.Line{}.Setting(0.1, 10)
	_, noOrders := dptune.Line{Slope: 1}.Setting(0.1, 10)
	_, notOrder := dptune.Line{Slope: 1, Orders: []float64{2, math.NaN()}}.Setting(0.1, 10)
	_, falling := dptune.Line{Slope: 1, Orders: []float64{3, 2}}.Setting(0.1, 10)
	for text, err := range map[string]error{
		"must have a pair under the line 0.05 α at a noise multiplier of at most 0.1": empty,
		"one step must be under the line 0.05 α":                                      steep,
		"sampling rate 0": noRate, "steps 0": noSteps, "Line.Slope 0": noLine, "dptune: Line.Orders is empty": noOrders,
		"dptune: Line.Orders[1] NaN": notOrder, "dptune: Line.Orders: accounting: RenyiBound.Orders[1] 2: must be above 3": falling,
	} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: want an error with %q", err, text)
		}
	}
}

// settings is a candidate whose runs differ in γ, σ and T. Its score is the sampling rate.
type settings struct{}

func (settings) Event(s dptune.SGDSetting) (accounting.Event, error) { return s.Event(), nil }

func (settings) RunAll(_ context.Context, hs []dptune.SGDSetting, _ []streams.Root) (out []dptune.Outcome[float64], err error) {
	for _, h := range hs {
		out = append(out, dptune.Outcome[float64]{Output: h.SamplingRate, Score: h.SamplingRate})
	}
	return out, nil
}

func lineSearch(line dptune.Line, draw func(rng *rand.Rand) dptune.SGDSetting) dptune.Search[dptune.SGDSetting, float64] {
	return dptune.Search[dptune.SGDSetting, float64]{
		Law: law.Fixed{Count: 20}, Prior: dptune.Sampler[dptune.SGDSetting](draw), Base: line.Bound(), Candidate: settings{}, Delta: 1e-5, Unit: "one example",
	}
}

// A search over random (γ, T) is priced by the line, and refuses a setting above it, or one whose curve is not known.
func TestSearchUnderALine(t *testing.T) {
	line := dptune.Line{Slope: 0.05, Orders: upTo(32)}
	draw := func(rng *rand.Rand) dptune.SGDSetting {
		s, err := line.Setting(math.Exp(-4-rng.Float64()), 100+rng.IntN(900))
		if err != nil {
			t.Error(err)
		}
		return s
	}
	search := lineSearch(line, draw)
	release, err := search.Run(context.Background(), streams.Fixed("line"))
	if err != nil {
		t.Fatal(err)
	}
	if r := release.Hyperparameters.SamplingRate; r != release.Output || r < math.Exp(-5) || r > math.Exp(-4) {
		t.Errorf("released %+v with output %g", release.Hyperparameters, release.Output)
	}
	price, err := search.Price()
	want, other := selection.EventAt(selection.BestOf{Law: law.Fixed{Count: 20}, Base: line.Bound()}, 1e-5, rdp.NewAccountant())
	if err != nil || other != nil || price.Guarantee.Epsilon.Upper > want.Guarantee.Epsilon.Upper*(1+1e-12) {
		t.Errorf("%v, %v: want at most the best of 20 runs on the line, %v, %v", price.Guarantee, err, want.Guarantee, other)
	}
	for text, spoil := range map[string]func(s *dptune.SGDSetting){
		"must be one of the priced": func(s *dptune.SGDSetting) { s.NoiseMultiplier *= 1 - 1e-6 },
		"one of the priced":         func(s *dptune.SGDSetting) { s.Steps++ },
	} {
		bad := lineSearch(line, func(rng *rand.Rand) dptune.SGDSetting {
			s := draw(rng)
			spoil(&s)
			return s
		})
		if _, err := bad.Run(context.Background(), streams.Fixed("line")); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("a run above the line: %v, want an error with %q", err, text)
		}
	}
	unknown := search
	unknown.Prior = dptune.Sampler[dptune.SGDSetting](func(*rand.Rand) dptune.SGDSetting { return dptune.SGDSetting{} })
	if _, err := unknown.Run(context.Background(), streams.Fixed("line")); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a run without a curve: %v", err)
	}
}

// Sampling rate and number of steps are drawn at random, and the noise follows from the line.
func ExampleLine() {
	line := dptune.Line{Slope: 0.05, Orders: upTo(32)}
	for _, draw := range []struct {
		rate  float64
		steps int
	}{{0.01, 500}, {0.01, 5000}, {0.02, 500}} {
		s, err := line.Setting(draw.rate, draw.steps)
		if err != nil {
			panic(err)
		}
		fmt.Printf("γ = %g, T = %d: σ = %.4f\n", s.SamplingRate, s.Steps, s.NoiseMultiplier)
	}
	// Output:
	// γ = 0.01, T = 500: σ = 1.8527
	// γ = 0.01, T = 5000: σ = 2.4101
	// γ = 0.02, T = 500: σ = 2.0257
}
