package accounting_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

var clippedSum = accounting.ClippedSum{NoiseMultiplier: 2}

func gaussian(noiseMultiplier float64) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: noiseMultiplier}
}

func sgd(rate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: gaussian(noiseMultiplier)},
		Count: steps,
	}
}

func TestEventString(t *testing.T) {
	for _, c := range []struct {
		event accounting.Event
		want  string
	}{
		{gaussian(1.5), "Gaussian(σ=1.5)"},
		{sgd(0.01, 2, 5000), "5000 x PoissonSampled(q=0.01, Gaussian(σ=2))"},
		{accounting.Composed{Events: []accounting.Event{gaussian(1), accounting.NonPrivate{}}}, "Composed(Gaussian(σ=1), NonPrivate)"},
		{accounting.Parallel{Events: []accounting.Event{gaussian(1), gaussian(2)}}, "Parallel(Gaussian(σ=1), Gaussian(σ=2))"},
		{accounting.WorstCase{Events: []accounting.Event{gaussian(1)}}, "WorstCase(Gaussian(σ=1))"},
		{clippedSum, "ClippedSum(σ=2)"},
		{accounting.RandomAllocation{Period: 100, Steps: 1030, Participations: 2, Event: clippedSum},
			"RandomAllocation(2 of each 100, 1030 steps, ClippedSum(σ=2))"},
		{accounting.Shuffled{Batches: 100, Epochs: 10, Event: clippedSum}, "Shuffled(100 batches, 10 epochs, a new order each, ClippedSum(σ=2))"},
		{accounting.Shuffled{Batches: 100, Epochs: 10, Kept: true, Event: clippedSum}, "Shuffled(100 batches, 10 epochs, one order, ClippedSum(σ=2))"},
		{accounting.TruncatedPoisson{SamplingRate: 0.01, Cap: 130, PopulationSize: 10000, Event: clippedSum},
			"TruncatedPoisson(q=0.01, at most 130 of 10000, ClippedSum(σ=2))"},
		{accounting.SampledWithReplacement{SampleSize: 10, PopulationSize: 100, Event: clippedSum}, "SampledWithReplacement(10 draws from 100, ClippedSum(σ=2))"},
		{accounting.MixtureOfGaussians{Chances: []float64{0.75, 0.25}, Distances: []float64{0, 1}, NoiseMultiplier: 2}, "MixtureOfGaussians(2 distances, σ=2)"},
	} {
		if err := c.event.Validate(); err != nil {
			t.Errorf("%v: %v, want it valid", c.event, err)
		}
		if got := c.event.String(); got != c.want {
			t.Errorf("String() = %q, want %q", got, c.want)
		}
	}
}

// An error names the field, its value and the rule; all faults are told at once.
func TestEventValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	list := func(events ...accounting.Event) []accounting.Event { return events }
	for _, c := range []struct {
		event accounting.Event
		wants []string
	}{
		{gaussian(0), []string{"Gaussian.NoiseMultiplier 0", "> 0"}},
		{gaussian(-2), []string{"Gaussian.NoiseMultiplier -2"}},
		{gaussian(nan), []string{"Gaussian.NoiseMultiplier NaN"}},
		{gaussian(inf), []string{"Gaussian.NoiseMultiplier +Inf", "finite"}},
		{sgd(0, 1, 1), []string{"PoissonSampled.SamplingRate 0", "(0, 1]"}},
		{sgd(1.01, 1, 1), []string{"PoissonSampled.SamplingRate 1.01"}},
		{sgd(nan, 1, 1), []string{"PoissonSampled.SamplingRate NaN"}},
		{sgd(0.5, 1, 0), []string{"SelfComposed.Count 0", ">= 1"}},
		{sgd(2, 0, -1), []string{"SelfComposed.Count -1", "PoissonSampled.SamplingRate 2", "Gaussian.NoiseMultiplier 0"}},
		{accounting.PoissonSampled{SamplingRate: 1}, []string{"PoissonSampled.Event is nil"}},
		{accounting.SelfComposed{Count: 1}, []string{"SelfComposed.Event is nil"}},
		{accounting.Composed{}, []string{"Composed.Events is empty"}},
		{accounting.Parallel{}, []string{"Parallel.Events is empty"}},
		{accounting.WorstCase{}, []string{"WorstCase.Events is empty"}},
		{accounting.Composed{Events: list(gaussian(1), nil, gaussian(0))}, []string{"Composed.Events[1] is nil", "NoiseMultiplier 0"}},
		{accounting.Parallel{Events: list(nil)}, []string{"Parallel.Events[0] is nil"}},
		{accounting.WorstCase{Events: list(gaussian(0))}, []string{"NoiseMultiplier 0"}},
		{accounting.ClippedSum{}, []string{"ClippedSum.NoiseMultiplier 0", "> 0"}},
		{accounting.RandomAllocation{Period: 1, Participations: 2}, []string{"RandomAllocation.Period 1", ">= 2", "Steps 0", "Participations 2, Period 1", "Event is nil"}},
		{accounting.RandomAllocation{Period: 2, Steps: 1, Event: clippedSum}, []string{"Participations 0, Period 2"}},
		{accounting.Shuffled{}, []string{"Shuffled.Batches 0", "Epochs 0", "Event is nil"}},
		{accounting.TruncatedPoisson{SamplingRate: 2}, []string{"TruncatedPoisson.SamplingRate 2", "Cap 0", "PopulationSize 0", "Event is nil"}},
		{accounting.SampledWithReplacement{}, []string{"SampledWithReplacement.SampleSize 0", "PopulationSize 0", "Event is nil"}},
		{accounting.MixtureOfGaussians{}, []string{"MixtureOfGaussians.Chances, Distances", "NoiseMultiplier 0"}},
		{accounting.MixtureOfGaussians{Chances: []float64{0.5, 0.4}, Distances: []float64{0, -1}, NoiseMultiplier: 1}, []string{"Chances sums to 0.9", "Distances[1] -1"}},
	} {
		err := c.event.Validate()
		if err == nil {
			t.Errorf("%v: no error", c.event)
			continue
		}
		for _, want := range append(c.wants, "accounting: ", "must") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: error %q lacks %q", c.event, err, want)
			}
		}
	}
}

func FuzzEventValidate(f *testing.F) {
	f.Add(0.01, 1.1, 100)
	f.Fuzz(func(t *testing.T, rate, noiseMultiplier float64, steps int) {
		valid := rate > 0 && rate <= 1 && noiseMultiplier > 0 && noiseMultiplier <= math.MaxFloat64 && steps >= 1
		if err := sgd(rate, noiseMultiplier, steps).Validate(); (err == nil) != valid {
			t.Errorf("Validate of %v: %v, want valid %t", sgd(rate, noiseMultiplier, steps), err, valid)
		}
	})
}

func TestNeighboring(t *testing.T) {
	for _, c := range []struct {
		relation accounting.Neighboring
		text     string
	}{
		{accounting.AddOrRemoveOne, "add-or-remove-one"},
		{accounting.ReplaceOne, "replace-one"},
		{accounting.ReplaceSpecial, "replace-special"},
	} {
		text, err := c.relation.MarshalText()
		if err != nil || string(text) != c.text || c.relation.String() != c.text || c.relation.Validate() != nil {
			t.Errorf("%d is written %q, %v, want %q", int(c.relation), text, err, c.text)
		}
		var back accounting.Neighboring
		if err := back.UnmarshalText(text); err != nil || back != c.relation {
			t.Errorf("%q reads as %v, %v", text, back, err)
		}
	}
	for _, bad := range []accounting.Neighboring{0, -1, 4} {
		if _, err := bad.MarshalText(); err == nil || bad.Validate() == nil {
			t.Errorf("relation %d: no error", int(bad))
		}
	}
	var n accounting.Neighboring
	for _, text := range []string{"", "add", "Add-or-remove-one"} {
		if err := n.UnmarshalText([]byte(text)); err == nil || n != 0 {
			t.Errorf("%q reads as %v, %v, want an error", text, n, err)
		}
	}
}

func TestValidateArguments(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x              float64
		delta, epsilon bool // whether it is a valid one
	}{
		{0, false, true}, {1e-300, true, true}, {0.5, true, true}, {1, false, true}, {2, false, true},
		{-1e-9, false, false}, {nan, false, false}, {inf, false, false}, {-inf, false, false},
	} {
		if err := accounting.ValidateDelta(c.x); (err == nil) != c.delta {
			t.Errorf("ValidateDelta(%g) = %v, want valid %t", c.x, err, c.delta)
		}
		if err := accounting.ValidateEpsilon(c.x); (err == nil) != c.epsilon {
			t.Errorf("ValidateEpsilon(%g) = %v, want valid %t", c.x, err, c.epsilon)
		}
	}
}

func TestPureEventsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, event := range map[string]accounting.Event{
		"Laplace.NoiseMultiplier 0":         accounting.Laplace{},
		"Laplace.NoiseMultiplier NaN":       accounting.Laplace{NoiseMultiplier: nan},
		"RandomizedResponse.Truth 0.4":      accounting.RandomizedResponse{Truth: 0.4},
		"RandomizedResponse.Truth 1":        accounting.RandomizedResponse{Truth: 1},
		"RandomizedResponse.Truth NaN":      accounting.RandomizedResponse{Truth: nan},
		"PureDP.Epsilon -1":                 accounting.PureDP{Epsilon: -1},
		"PureDP.Epsilon +Inf":               accounting.PureDP{Epsilon: inf},
		"ExponentialMechanism.Epsilon -1":   accounting.ExponentialMechanism{Epsilon: -1},
		"ExponentialMechanism.Epsilon +Inf": accounting.ExponentialMechanism{Epsilon: inf},
		"PermuteAndFlip.Epsilon NaN":        accounting.PermuteAndFlip{Epsilon: nan},
		"ApproxDP.Epsilon -1":               accounting.ApproxDP{Epsilon: -1, Delta: 1e-5},
		"ApproxDP.Delta -1":                 accounting.ApproxDP{Epsilon: 1, Delta: -1},
		"ApproxDP.Delta 1":                  accounting.ApproxDP{Epsilon: 1, Delta: 1},
		"ZCDP.Rho -1":                       accounting.ZCDP{Rho: -1},
		"ZCDP.Rho NaN":                      accounting.ZCDP{Rho: nan},
	} {
		if err := event.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", event, err, want)
		}
	}
}

func TestRandomizedResponseEpsilon(t *testing.T) {
	if got := (accounting.RandomizedResponse{Truth: 0.75}).Epsilon(); math.Abs(got-numeric.Log(3)) > 1e-15 {
		t.Errorf("ε of truth 3/4 = %.17g, want log 3", got)
	}
	// Near 1/2 the two logarithms cancel: ε = 2 artanh(2p-1) = 2(x + x³/3 + ...), x = 2p-1.
	for _, x := range []float64{0x1p-52, 0x1p-40, 2.229030623412953e-06} {
		if got, want := (accounting.RandomizedResponse{Truth: 0.5 + x/2}).Epsilon(), 2*(x+x*x*x/3); math.Abs(got-want) > 1e-15*want {
			t.Errorf("ε of a truth of 1/2 + %g: %.17g, want %.17g", x/2, got, want)
		}
	}
}

func TestValidateEpsilons(t *testing.T) {
	for _, good := range [][]float64{nil, {0}, {0, 0, 1, 1, 5}} {
		if err := accounting.ValidateEpsilons(good); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for want, evil := range map[string][]float64{
		"epsilons[0] -1: must be >= 0 and finite":          {-1, 2},
		"epsilons[1] NaN: must be >= 0":                    {1, math.NaN()},
		"epsilons[1] +Inf: must be >= 0":                   {1, math.Inf(1)},
		"epsilons[2] 1: must be >= 3 as the one before it": {0, 3, 1},
	} {
		if err := accounting.ValidateEpsilons(evil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", evil, err, want)
		}
	}
}

// A parameter that is subnormal is refused by the name of its field: what is multiplied with it has
// no digits. δ, which is a chance, may have any size.
func TestSubnormalParametersOfEvents(t *testing.T) {
	for _, x := range []float64{5e-324, 1e-310, math.Nextafter(0x1p-1022, 0)} {
		for field, event := range map[string]accounting.Event{
			"Gaussian.NoiseMultiplier":    gaussian(x),
			"PoissonSampled.SamplingRate": accounting.PoissonSampled{SamplingRate: x, Event: gaussian(1)},
			"Laplace.NoiseMultiplier":     accounting.Laplace{NoiseMultiplier: x},
			"PureDP.Epsilon":              accounting.PureDP{Epsilon: x},
			"ApproxDP.Epsilon":            accounting.ApproxDP{Epsilon: x, Delta: 0.5},
			"ZCDP.Rho":                    accounting.ZCDP{Rho: x},
		} {
			for _, e := range []accounting.Event{event, accounting.Composed{Events: []accounting.Event{gaussian(1), event}}} {
				if err := e.Validate(); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "must not be subnormal") {
					t.Errorf("%v: error %v, want one that names %s and the rule", e, err, field)
				}
			}
		}
		if err := (accounting.ApproxDP{Epsilon: 1, Delta: x}).Validate(); err != nil {
			t.Errorf("δ = %g: %v", x, err)
		}
	}
}

// The zero value of an event is what an ignored error leaves. It is refused by field and rule, as it
// would cost nothing. A mechanism with only a δ, and one that reveals nothing, have a spelling.
func TestZeroEventsAreRefused(t *testing.T) {
	for want, e := range map[string]accounting.Event{
		"accounting: Gaussian.NoiseMultiplier 0: must be > 0":        accounting.Gaussian{},
		"accounting: Laplace.NoiseMultiplier 0: must be > 0":         accounting.Laplace{},
		"accounting: ClippedSum.NoiseMultiplier 0: must be > 0":      accounting.ClippedSum{},
		"accounting: RandomizedResponse.Truth 0: must be in":         accounting.RandomizedResponse{},
		"accounting: PureDP.Epsilon 0: must be > 0 and finite (for ": accounting.PureDP{},
		"accounting: ApproxDP.Epsilon 0: must be > 0 and finite":     accounting.ApproxDP{},
		"accounting: ZCDP.Rho 0: must be > 0 and finite":             accounting.ZCDP{},
		"accounting: ExponentialMechanism.Epsilon 0: must be > 0":    accounting.ExponentialMechanism{},
		"accounting: PermuteAndFlip.Epsilon 0: must be > 0":          accounting.PermuteAndFlip{},
		"accounting: Composed.Events is empty":                       accounting.Composed{},
		"accounting: Parallel.Events is empty":                       accounting.Parallel{},
		"accounting: WorstCase.Events is empty":                      accounting.WorstCase{},
		"accounting: SelfComposed.Count 0":                           accounting.SelfComposed{},
		"accounting: PoissonSampled.SamplingRate 0":                  accounting.PoissonSampled{},
		"accounting: SampledWithoutReplacement.":                     accounting.SampledWithoutReplacement{},
		"accounting: SampledWithReplacement.":                        accounting.SampledWithReplacement{},
		"accounting: TruncatedPoisson.":                              accounting.TruncatedPoisson{},
		"accounting: RandomAllocation.":                              accounting.RandomAllocation{},
		"accounting: Shuffled.":                                      accounting.Shuffled{},
		"accounting: MixtureOfGaussians.":                            accounting.MixtureOfGaussians{},
		"accounting: ProfileBound.":                                  accounting.ProfileBound{},
		"accounting: RenyiBound.":                                    accounting.RenyiBound{},
	} {
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T{}: error %v, want %q", e, err, want)
		}
	}
	for _, e := range []accounting.Event{accounting.ApproxDP{Delta: 1e-5}, accounting.ApproxDP{Epsilon: 1}, accounting.RandomizedResponse{Truth: 0.5}, accounting.NonPrivate{}} {
		if err := e.Validate(); err != nil {
			t.Errorf("%v: %v", e, err)
		}
	}
}
