package threshold

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

// The dominating pair of a positive, summed directly: failures before the first success.
// The Rényi curve and the profile must be those of the pair.
func TestFirstPositiveIsTheGeometricPair(t *testing.T) {
	for _, epsilon := range []float64{1e-4, 0.1, 1, 3} {
		s := math.Exp(-epsilon)
		p, q := 1/(1+s), s/(1+s)
		for _, order := range []float64{1.001, 1.5, 2, 7, 40} {
			moment, term := 0.0, math.Pow(p, order)*math.Pow(q, 1-order)
			for range 20000 {
				moment += term
				term *= math.Pow(1-p, order) * math.Pow(1-q, 1-order)
			}
			want := numeric.Log(moment) / (order - 1)
			if got := firstPositive(epsilon)(order); math.Abs(got-want) > 1e-9*want+1e-12/(order-1) {
				t.Errorf("ε %g order %g: got %.15g, want %.15g", epsilon, order, got, want)
			}
		}
		if got := firstPositive(epsilon)(math.Inf(1)); got != epsilon {
			t.Errorf("ε %g: order +Inf gives %g: must be ε", epsilon, got)
		}
	}
}

// With ε1 so small that thresholds do not count, δ is that of c geometric pairs; with ε2 so
// small that positives do not, of m randomized responses, whose best composition is known
// (Kairouz, Oh and Viswanath 2015), and certified by another package.
func TestSearchProfileAgreesWithTheGrid(t *testing.T) {
	e := Event{Sensitivity: 1, ThresholdNoise: 4, ScoreNoise: 1e9, MaxTests: 20, MaxPositives: 1, Refresh: EachTest}
	for _, delta := range []float64{1e-2, 1e-5, 1e-8} {
		grid, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: accounting.PureDP{Epsilon: 0.25}, Count: 20}, delta)
		if err != nil {
			t.Fatal(err)
		}
		got := numeric.LeastTrue(1e-10, func(epsilon float64) bool { return e.DeltaAt(epsilon) <= delta })
		if got < grid.Epsilon.Lower-1e-6 || got > grid.Epsilon.Upper+1e-6 {
			t.Errorf("δ %g: ε %.9g outside the certified [%.9g, %.9g]", delta, got, grid.Epsilon.Lower, grid.Epsilon.Upper)
		}
	}
}

// bounds is one price with a training after the search.
func TestPrice(t *testing.T) {
	training := accounting.SelfComposed{Count: 300, Event: accounting.PoissonSampled{SamplingRate: 0.02, Event: accounting.Gaussian{NoiseMultiplier: 1.2}}}
	for _, refresh := range []Refresh{EachTest, EachPositive, Once} {
		e := Event{Sensitivity: 0.01, ThresholdNoise: 0.2, ScoreNoise: 0.4, MaxTests: 21, MaxPositives: DoublingPositives(21), Refresh: refresh}
		alone, err := PriceAt(e, nil, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		price, err := PriceAt(e, training, 1e-5, contour.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		if len(alone.Bounds) < 6 || len(price.Bounds) < 6 {
			t.Errorf("%v: %d and %d bounds: want at least 6", refresh, len(alone.Bounds), len(price.Bounds))
		}
		least := price.Guarantee.Epsilon.Upper
		if sum := alone.Guarantee.Epsilon.Upper + price.OneRun.Epsilon.Upper; least > sum || least < price.OneRun.Epsilon.Upper {
			t.Errorf("%v: ε %g of the whole: must be from %g (training) to %g (the sum)", refresh, least, price.OneRun.Epsilon.Upper, sum)
		}
		if b, ok := price.Find("basic"); !ok || b.Epsilon < least {
			t.Errorf("%v: basic bound %g below the least %g", refresh, b.Epsilon, least)
		}
		// The exact composition with one profile is never below a certified lower bound of a part.
		if math.IsNaN(price.Overhead()) || price.Overhead() <= 0 {
			t.Errorf("%v: overhead %g: must be > 0", refresh, price.Overhead())
		}
	}
}

// A Gaussian training, and a search of ε1 only: pure responses and a Gaussian, which the
// grid certifies from both sides. The bound must lie above the certified lower end, and
// within the chords' error above the upper one.
func TestSearchBesideTraining(t *testing.T) {
	e := Event{Sensitivity: 1, ThresholdNoise: 4, ScoreNoise: 1e9, MaxTests: 8, MaxPositives: 1, Refresh: EachTest}
	training := accounting.Gaussian{NoiseMultiplier: 2}
	price, err := PriceAt(e, training, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := pld.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{
		accounting.SelfComposed{Event: accounting.PureDP{Epsilon: 0.25}, Count: 8}, training}}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := price.Find("PLD, exact Gaussian")
	if !ok {
		t.Fatalf("no bound from the exact Gaussian profile among %v", price.Bounds)
	}
	if b.Epsilon < grid.Epsilon.Lower || b.Epsilon > grid.Epsilon.Upper+0.01 {
		t.Errorf("ε %g: want in [%g, %g + 0.01]", b.Epsilon, grid.Epsilon.Lower, grid.Epsilon.Upper)
	}
}

func TestSearchValidate(t *testing.T) {
	for name, change := range map[string]func(*Event){
		"sensitivity": func(e *Event) { e.Sensitivity = 0 },
		"NaN":         func(e *Event) { e.ThresholdNoise = math.NaN() },
		"infinite":    func(e *Event) { e.ScoreNoise = math.Inf(1) },
		"tests":       func(e *Event) { e.MaxTests = 0 },
		"positives":   func(e *Event) { e.MaxPositives = 4 },
		"none":        func(e *Event) { e.MaxPositives = 0 },
		"refresh":     func(e *Event) { e.Refresh = 0 },
		"noise":       func(e *Event) { e.Noise = 2 },
		"no noise":    func(e *Event) { e.Noise = -1 },
		"huge":        func(e *Event) { e.ScoreNoise = 1e-300 },
	} {
		e := with(exampleSearch(Once), change)
		if e.Validate() == nil {
			t.Errorf("%s: must be refused", name)
		}
		if _, err := PriceAt(e, nil, 1e-5); err == nil {
			t.Errorf("%s: price must be refused", name)
		}
		if d := e.DeltaAt(1); d != 1 {
			t.Errorf("%s: δ %g: must be 1", name, d)
		}
	}
	if _, err := PriceAt(exampleSearch(Once), nil, 0); err == nil {
		t.Error("δ = 0: must be refused")
	}
	if _, err := PriceAt(exampleSearch(Once), pld.DiscretePair{With: []float64{1}, Without: []float64{1}}, 1e-5, rdp.NewAccountant()); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("a training that the Rényi accountant does not know, the only one named: got %v, want ErrUnsupportedEvent", err)
	}
}

// A doubling search that ended made 2P+1 tests; at positive (T+1)/2 it can no longer end.
func TestDoublingPositives(t *testing.T) {
	for tests := 1; tests < 12; tests++ {
		ended := map[int]bool{} // numbers of positives of searches that ended within tests
		var walk func(step, done, positives int)
		walk = func(step, done, positives int) {
			if step == 0 {
				ended[positives] = true
				return
			}
			if done < tests {
				walk(2*step, done+1, positives+1)
				walk(step/2, done+1, positives)
			}
		}
		walk(1, 0, 0)
		c := DoublingPositives(tests)
		if ended[c] || !ended[c-1] {
			t.Errorf("%d tests: searches that ended had %v positives: want all below %d and none from it", tests, ended, c)
		}
	}
}

func BenchmarkPriceAt(b *testing.B) {
	training := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	for _, refresh := range []Refresh{EachTest, Once} {
		e := Event{Sensitivity: 0.01, ThresholdNoise: 0.2, ScoreNoise: 0.4, MaxTests: 21, MaxPositives: 11, Refresh: refresh}
		b.Run(fmt.Sprintf("new %v", refresh), func(b *testing.B) {
			for b.Loop() {
				if _, err := PriceAt(e, training, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The calibrated search costs what was asked for, from below, and the split is the one of
// Lyu, Su and Li where they give it.
func TestCalibrate(t *testing.T) {
	for i := range 6 {
		refresh, noise := []Refresh{EachTest, EachPositive, Once}[i%3], []Noise{Laplace, Exponential}[i/3]
		for _, epsilon := range []float64{0.05, 1, 8} {
			e, err := Calibrate(accounting.Target{Epsilon: epsilon, Delta: 1e-5}, 0.01, 21, refresh, noise)
			if err != nil {
				t.Fatal(err)
			}
			price, err := PriceAt(e, nil, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			if got := price.Guarantee.Epsilon.Upper; got > epsilon*(1+2e-9) || got < 0.999*epsilon {
				t.Errorf("%v noise, new %v: calibrated to %g, costs %g", noise, refresh, epsilon, got)
			}
			if refresh == Once {
				c := float64(e.MaxPositives)
				if got, want := c*e.PositiveEpsilon()/e.ThresholdEpsilon(), math.Pow(2*c, 2.0/3); math.Abs(got/want-1) > 1e-9 {
					t.Errorf("positives over threshold %g: want (2c)^(2/3) = %g", got, want)
				}
			}
		}
	}
	for name, call := range map[string]func() (Event, error){
		"epsilon": func() (Event, error) {
			return Calibrate(accounting.Target{Epsilon: 0, Delta: 1e-5}, 1, 3, Once, Laplace)
		},
		"delta": func() (Event, error) { return Calibrate(accounting.Target{Epsilon: 1, Delta: 1}, 1, 3, Once, Laplace) },
		"sensitivity": func() (Event, error) {
			return Calibrate(accounting.Target{Epsilon: 1, Delta: 1e-5}, 0, 3, Once, Laplace)
		},
		"tests": func() (Event, error) {
			return Calibrate(accounting.Target{Epsilon: 1, Delta: 1e-5}, 1, 0, Once, Laplace)
		},
		"refresh": func() (Event, error) { return Calibrate(accounting.Target{Epsilon: 1, Delta: 1e-5}, 1, 3, 0, Laplace) },
		"noise":   func() (Event, error) { return Calibrate(accounting.Target{Epsilon: 1, Delta: 1e-5}, 1, 3, Once, 2) },
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}

// The event is written and read.
func TestSearchIsAnEvent(t *testing.T) {
	for _, refresh := range []Refresh{EachTest, EachPositive, Once} {
		e := exampleSearch(refresh)
		text, err := eventjson.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := eventjson.Unmarshal(text)
		if err != nil || back != accounting.Event(e) {
			t.Errorf("%s came back as %v, %v", text, back, err)
		}
		if strings.Contains(string(text), `"noise"`) {
			t.Errorf("%s: Laplace noise must be left out, as it was in events written before", text)
		}
		one := with(e, exponential)
		if text, err := eventjson.Marshal(one); err != nil || !strings.Contains(string(text), `"noise":"exponential"`) {
			t.Errorf("%s, %v: must have the noise", text, err)
		} else if back, err := eventjson.Unmarshal(text); err != nil || back != accounting.Event(one) {
			t.Errorf("%s came back as %v, %v", text, back, err)
		}
		bad := strings.Replace(string(text), refresh.String(), "daily", 1)
		if _, err := eventjson.Unmarshal([]byte(bad)); err == nil || !strings.Contains(err.Error(), "daily") {
			t.Errorf("refresh %q: got %v", "daily", err)
		}
	}
}

// A fault in JSON says the field's own name.
func TestSearchJSONFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"above_threshold","sensitivity":1,"threshold_noise":-1,"score_noise":1,"max_tests":3,"max_positives":9,"refresh":"once"}`:                 "threshold_noise: -1: must be > 0 and finite\neventjson: max_positives: 9: must be 1 to max_tests",
		`{"type":"above_threshold","sensitivity":1,"threshold_noise":1e-9,"score_noise":1,"max_tests":3,"max_positives":1,"refresh":"once"}`:               "the search has a pure ε of 1.0",
		`{"type":"above_threshold","sensitivity":1,"threshold_noise":1,"score_noise":1,"max_tests":3,"max_positives":1,"refresh":"once","noise":"gumbel"}`: `noise: "gumbel": must be "laplace" or "exponential"`,
	} {
		if event, err := eventjson.Unmarshal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, event, err, want)
		}
	}
}

// The chances of a law add up to 1, so that the sum of what was computed shows its rounding:
// with thousands of noises ln Γ loses more digits than with few.
func TestRoundingOfThresholdWeightsIsCovered(t *testing.T) {
	for _, tests := range []int{1, 10, 100, 900} {
		e := Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 40, MaxTests: tests, MaxPositives: 1, Refresh: EachTest}
		law, ok := e.losses(1e-15)
		if !ok {
			t.Fatalf("%d tests: too many losses", tests)
		}
		sum := law.tail
		for _, w := range law.weight {
			sum += w
		}
		if off := math.Abs(sum - 1); !(off <= law.rounding+law.tail) {
			t.Errorf("%d tests: chances add up to 1 %+.3g (they must to 1, being all), more than the rounding %.3g that is stated", tests, sum-1, law.rounding)
		}
	}
	if one, many := numeric.ChanceRounding(1), numeric.ChanceRounding(30_000); !(many > 1e-10 && many < 1e-8 && one < 2e-11) {
		t.Errorf("roundings %g and %g of 1 and 30,000: ln 30,000! is 2.8e5, whose last place is 5.8e-11, so that the second must be above 1e-10", one, many)
	}
}

// A training of which an accountant knows a profile and no Rényi curve.
func TestSearchBeforeProfile(t *testing.T) {
	search := Event{Sensitivity: 1, ThresholdNoise: 10, ScoreNoise: 20, MaxTests: 3, MaxPositives: 1, Refresh: EachTest}
	training := accounting.ApproxDP{Epsilon: 1, Delta: 1e-7}
	p, err := PriceAt(search, training, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	// (1, 1e-7) and pure 0.4: between the training alone and the sum.
	if e := p.Least().Epsilon; !(e > 1 && e <= 1.4*(1+1e-12)) {
		t.Errorf("ε %g, want above 1 and at most 1.4", e)
	}
	if _, err := PriceAt(search, training, 1e-5, contour.NewAccountant()); err == nil {
		t.Error("no accountant that is named knows the training: want an error")
	}
}

// What a calibration returns is valid, or there is an error.
func TestCalibrateExtremes(t *testing.T) {
	for _, epsilon := range []float64{1e-310, 1e-300, 1e-9, 1e4, 1e7, 1e300} {
		search, err := Calibrate(accounting.Target{Epsilon: epsilon, Delta: 1e-5}, 1, 5, Once, Laplace)
		if invalid := search.Validate(); (err == nil) != (invalid == nil) {
			t.Errorf("ε %g: %v and error %v, but the search says %v", epsilon, search, err, invalid)
		}
	}
}

// An event that was never validated costs everything, not NaN or less than nothing.
func TestInvalidSearchCostsEverything(t *testing.T) {
	nan := math.NaN()
	for _, e := range []Event{
		{}, {Sensitivity: nan, ThresholdNoise: 1, ScoreNoise: 1, MaxTests: 2, MaxPositives: 1, Refresh: Once},
		{Sensitivity: -1, ThresholdNoise: 1, ScoreNoise: 1, MaxTests: 2, MaxPositives: 1, Refresh: Once},
		{Sensitivity: math.Inf(1), ThresholdNoise: math.Inf(1), ScoreNoise: 1, MaxTests: 2, MaxPositives: 1, Refresh: Once},
		{Sensitivity: 1, ThresholdNoise: 1, ScoreNoise: nan, MaxTests: 2, MaxPositives: 1, Refresh: Once},
	} {
		if pure, curve, delta := e.PureEpsilon(), e.Curve()(2), e.DeltaAt(1); !math.IsInf(pure, 1) || !(curve > 0) || delta != 1 {
			t.Errorf("%v: pure ε %g, Rényi %g, δ %g, want +Inf, a number or +Inf, 1", e, pure, curve, delta)
		}
	}
}
