package accounting_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
)

func TestBoundsValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	profile := func(epsilons, deltas []float64) accounting.Event {
		return accounting.ProfileBound{Name: "mine", Epsilons: epsilons, Deltas: deltas}
	}
	curve := func(orders, divergences []float64) accounting.Event {
		return accounting.RenyiBound{Orders: orders, Divergences: divergences}
	}
	for _, c := range []struct {
		event accounting.Event
		want  string // empty if it is valid
	}{
		{profile([]float64{0, 1, 2}, []float64{0.5, 0.5 * (1 + 1e-12), 0}), ""},
		{profile([]float64{1}, []float64{1e-320}), ""},
		{profile(nil, nil), "Epsilons, Deltas have 0 and 0 entries: must have equally many"},
		{profile([]float64{0, 1}, []float64{0.5}), "have 2 and 1 entries"},
		{profile([]float64{0, 1}, []float64{0.1, 0.2}), "ProfileBound.Deltas[1] 0.2 at ε 1: must be at most 0.1, the one before it: a privacy profile does not rise"},
		{profile([]float64{0, 1}, []float64{1.5, 0.2}), "Deltas[0] 1.5 at ε 0: must be in [0, 1]"},
		{profile([]float64{0, 1}, []float64{0.5, -0.1}), "Deltas[1] -0.1 at ε 1: must be in [0, 1]"},
		{profile([]float64{0, 1}, []float64{0.5, nan}), "Deltas[1] NaN"},
		{profile([]float64{0, 0}, []float64{0.5, 0.5}), "Epsilons[1] 0: must be above 0, the one before it"},
		{profile([]float64{-1, 0}, []float64{0.5, 0.5}), "Epsilons[0] -1: must be >= 0 and finite"},
		{profile([]float64{0, inf}, []float64{0.5, 0.5}), "Epsilons[1] +Inf: must be >= 0 and finite"},
		{profile([]float64{nan}, []float64{0.5}), "Epsilons[0] NaN"},
		{curve([]float64{2, 3}, []float64{0.5, 0.5 * (1 - 1e-12)}), ""},
		{curve([]float64{1.5}, []float64{0}), ""},
		{curve(nil, nil), "Orders, Divergences have 0 and 0 entries"},
		{curve([]float64{2, 3}, []float64{0.5, 0.4}), "RenyiBound.Divergences[1] 0.4 at order 3: must be at least 0.5, the one before it: a Rényi divergence does not fall"},
		{curve([]float64{2}, []float64{-0.5}), "Divergences[0] -0.5 at order 2: must be >= 0 and finite"},
		{curve([]float64{2}, []float64{nan}), "Divergences[0] NaN"},
		{curve([]float64{2}, []float64{inf}), "Divergences[0] +Inf"},
		{curve([]float64{1}, []float64{0.5}), "Orders[0] 1: must be > 1 and finite"},
		{curve([]float64{3, 2}, []float64{0.5, 0.5}), "Orders[1] 2: must be above 3"},
		{curve([]float64{inf}, []float64{0.5}), "Orders[0] +Inf"},
	} {
		err := c.event.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want an error with %q", c.event, err, c.want)
		}
	}
	for want, event := range map[string]accounting.Event{
		`ProfileBound("mine", 2 entries)`: profile([]float64{0, 1}, []float64{1, 0}), "RenyiBound(1 entries)": curve([]float64{2}, []float64{1}),
	} {
		if got := event.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A listed profile has the function's values, and chords in e^ε that are above it by little.
func TestNewProfileBound(t *testing.T) {
	gaussian := func(mu float64) func(float64) float64 {
		return func(epsilon float64) float64 {
			d, err := gdp.DeltaAt(mu, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			return d.Upper
		}
	}
	pure := func(epsilon float64) float64 {
		return math.Max(0, (math.Exp(1.3)-math.Exp(epsilon))/(1+math.Exp(1.3)))
	}
	for name, f := range map[string]func(float64) float64{
		"µ = 0.01": gaussian(0.01), "µ = 1": gaussian(1), "µ = 20": gaussian(20), "pure": pure,
		"shown": func(epsilon float64) float64 { return math.Max(1e-7, gaussian(1)(epsilon)) },
		"step":  func(epsilon float64) float64 { return map[bool]float64{true: 1, false: 1e-5}[epsilon < 1.3] },
		"flat":  func(float64) float64 { return 1e-5 },
	} {
		e, err := accounting.NewProfileBound(name, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(e.Epsilons) > 6000 || e.Name != name || e.Epsilons[0] != 0 {
			t.Errorf("%s: %v, from %g", name, e, e.Epsilons[0])
		}
		for i, epsilon := range e.Epsilons {
			if e.Deltas[i] != f(epsilon) {
				t.Errorf("%s: δ(%g) %g, want %g", name, epsilon, e.Deltas[i], f(epsilon))
			}
			if i == 0 || strings.Contains("pure step", name) {
				continue
			}
			before, middle := e.Epsilons[i-1], (epsilon+e.Epsilons[i-1])/2
			share := math.Expm1(middle-before) / math.Expm1(epsilon-before)
			chord, want := e.Deltas[i-1]+share*(e.Deltas[i]-e.Deltas[i-1]), f(middle)
			if !(chord >= want*(1-1e-9)) || want > 1e-10 && chord > want*1.001 {
				t.Errorf("%s: the chord at %g is %g, want %g or little more", name, middle, chord, want)
			}
		}
	}
	for want, f := range map[string]func(float64) float64{
		"must be at most 0, the one before it": func(epsilon float64) float64 { return math.Min(1, epsilon) },
		"Deltas[0] 2 at ε 0":                   func(float64) float64 { return 2 },
		"Deltas[0] -0.1 at ε 0":                func(float64) float64 { return -0.1 },
		"Deltas[0] NaN":                        func(float64) float64 { return math.NaN() },
		"is 1 up to ε = 512":                   func(float64) float64 { return 1 },
		"must be a function":                   nil,
	} {
		e, err := accounting.NewProfileBound("mine", f)
		if err == nil || !strings.Contains(err.Error(), want) || e.Validate() == nil {
			t.Errorf("%v, %v, want an error with %q", e, err, want)
		}
	}
}

// A listed curve is above the function, by little, and equal at whole orders.
func TestNewRenyiBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 4))
	for name, f := range map[string]func(float64) float64{
		"Gaussian": rdp.Gaussian(1), "small": rdp.ZCDP(1e-8), "pure": rdp.PureDP(1), "Laplace": rdp.Laplace(0.5), "range": rdp.BoundedRange(3), "nothing": rdp.ZCDP(0),
	} {
		e, err := accounting.NewRenyiBound(name, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, whole := range []float64{2, 3, 17, 64} {
			if got := e.DivergenceAt(whole); got != f(whole) {
				t.Errorf("%s at order %g: %g, want %g", name, whole, got, f(whole))
			}
		}
		for range 2000 {
			order := 1 + math.Pow(10, -8+17*rng.Float64())
			got, want := e.DivergenceAt(order), f(order)
			most := 1.01
			switch {
			case order < 1+1e-6:
				most = math.Inf(1)
			case order > 1.1 && order < 1000:
				most = 1.0002
			}
			if !(got >= want*(1-1e-12)) || got > want*most {
				t.Errorf("%s at order %g: %g, want %g or little more", name, order, got, want)
			}
		}
	}
	whole, err := accounting.NewRenyiBound("whole orders", func(order float64) float64 {
		if order != math.Trunc(order) {
			return math.Inf(1)
		}
		return order / 2
	})
	if err != nil || whole.DivergenceAt(2.5) < 1.25 || whole.DivergenceAt(2.5) > 1.35 {
		t.Errorf("%v, %v, at order 2.5 %g", whole, err, whole.DivergenceAt(2.5))
	}
	for want, f := range map[string]func(float64) float64{
		"Divergences[0] -1 at order 1.000001":   func(float64) float64 { return -1 },
		"Divergences[0] NaN":                    func(float64) float64 { return math.NaN() },
		"does not fall with its order":          func(order float64) float64 { return 1 / order },
		"has no finite divergence at any order": func(float64) float64 { return math.Inf(1) },
		"must be a function":                    nil,
	} {
		e, err := accounting.NewRenyiBound("mine", f)
		if err == nil || !strings.Contains(err.Error(), want) || e.Validate() == nil {
			t.Errorf("%v, %v, want an error with %q", e, err, want)
		}
	}
}

func TestDivergenceAt(t *testing.T) {
	e := accounting.RenyiBound{Orders: []float64{2, 4}, Divergences: []float64{0.5, 1}}
	for order, want := range map[float64]float64{
		1: math.Inf(1), math.NaN(): math.Inf(1), 1 + 1e-9: 0.5, 2: 0.5, 4: 1, 4.001: math.Inf(1),
		3: (0.5 + 3) / 2 / 2, // the mean of (α-1) D_α at both ends, over α-1
	} {
		if got := e.DivergenceAt(order); !(got >= want) || got > want*(1+1e-14) {
			t.Errorf("at order %g: %.17g, want %.17g", order, got, want)
		}
	}
}
