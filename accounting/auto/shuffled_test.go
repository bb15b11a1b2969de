package auto_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// The interval of each setting has the ends of another program, up to 1 % of the lower end. Upper
// ends are roots of the closed form of a Gaussian's δ at distance √E, 2√E and √(5E). Lower ends
// are those of a prototype in Python. Under replace-one the lower end is at most that of random
// allocation with half the noise. With one order kept, it is nearly the upper end.
func TestShuffled(t *testing.T) {
	for i, c := range []struct {
		relation     accounting.Neighboring
		sigma        float64
		batches      int
		epochs       int
		kept         bool
		delta        float64
		lower, upper float64
	}{
		{accounting.ReplaceSpecial, 0.8, 1000, 1, false, 1e-6, 6.044590526197946, 6.312060185801292},
		{accounting.ReplaceSpecial, 1, 100, 10, false, 1e-5, 9.399041371149108, 17.85658683010824},
		{accounting.ReplaceSpecial, 1.1, 234, 60, false, 1e-5, 11.373945659782736, 54.04581807672976},
		{accounting.ReplaceSpecial, 1, 100, 10, true, 1e-5, 17.85658404078516, 17.85658683010824},
		{accounting.ReplaceSpecial, 4, 100, 20, true, 1e-5, 4.837131909693437, 4.983306405970632},
		{accounting.ReplaceOne, 1, 100, 10, false, 1e-5, 11.9, 46.211210191217376},
		{accounting.AddOrRemoveOne, 1, 100, 10, false, 1e-5, 17, 54.376639014984406},
		{accounting.AddOrRemoveOne, 4, 100, 20, false, 1e-5, 4.9, 13.206712240452015},
	} {
		if testing.Short() && i%2 == 0 { // half of them, under each relation
			continue
		}
		a, err := auto.NewAccountantFor(c.relation)
		if err != nil {
			t.Fatal(err)
		}
		event := accounting.Shuffled{Batches: c.batches, Epochs: c.epochs, Kept: c.kept, Event: accounting.ClippedSum{NoiseMultiplier: c.sigma}}
		g, err := a.EpsilonAt(event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if e := g.Epsilon; e.Lower < 0.99*c.lower || e.Lower > e.Upper || math.Abs(e.Upper/c.upper-1) > 1e-9 {
			t.Errorf("%v, %v: %v, want about [%g, %g]", event, c.relation, e, c.lower, c.upper)
		}
		if w := g.Warnings; len(w) != 1 || !errors.Is(w[0], accounting.ErrUnknownAmplification) || g.Certificate == nil {
			t.Errorf("%v, %v: warnings %v, certificate %v", event, c.relation, w, g.Certificate)
		}
		delta, err := a.DeltaAt(event, g.Epsilon.Lower)
		if err != nil || delta.Lower > c.delta*(1+1e-3) || delta.Lower < 0.8*c.delta || delta.Upper < c.delta {
			t.Errorf("%v, %v: δ %v at the lower end of ε for %g, %v", event, c.relation, delta, c.delta, err)
		}
	}
}

// Batches that are shuffled cost no more than the same releases in a known order, and an answer
// about them next to other events has no lower end.
func TestShuffledNextToOthers(t *testing.T) {
	shuffled := accounting.Shuffled{Batches: 10, Epochs: 2, Event: accounting.ClippedSum{NoiseMultiplier: 2}}
	a, err := auto.NewAccountantFor(accounting.ReplaceSpecial)
	if err != nil {
		t.Fatal(err)
	}
	other := accounting.Laplace{NoiseMultiplier: 3}
	event := accounting.Composed{Events: []accounting.Event{shuffled, other}}
	g, err := a.EpsilonAt(event, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.EpsilonAt(accounting.Composed{Events: []accounting.Event{accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 2}, Count: 2}, other}}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	if g.Epsilon.HasLower || g.Epsilon.Upper != want.Epsilon.Upper || len(g.Warnings) != 1 || !errors.Is(g.Warnings[0], accounting.ErrUnknownAmplification) {
		t.Errorf("%v, %v, want at most %v", g, g.Warnings, want.Epsilon)
	}
	if delta, err := a.DeltaAt(event, 1); err != nil || delta.HasLower {
		t.Errorf("δ %v, %v, want no lower end", delta, err)
	}
	// As one run of a tuning.
	tuning, err := auto.NewAccountant().EpsilonAt(tuningOf(shuffled), 1e-5)
	if err != nil || tuning.Epsilon.HasLower || len(tuning.Warnings) == 0 || !errors.Is(tuning.Warnings[len(tuning.Warnings)-1], accounting.ErrUnknownAmplification) {
		t.Errorf("tuning: %v, %v, %v", tuning, tuning.Warnings, err)
	}
	known, err := auto.NewAccountant().EpsilonAt(tuningOf(accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: math.Nextafter(2/math.Sqrt(5), 0)}, Count: 2}), 1e-5)
	if err != nil || tuning.Epsilon.Upper != known.Epsilon.Upper {
		t.Errorf("tuning: %v, in a known order %v, %v", tuning, known, err)
	}
}

// The table of schemes in accounting/README has the ends that are computed now, rounded outward.
func TestWhichBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the README's table has 24 prices")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := accounting.ClippedSum{NoiseMultiplier: 1.1}
	for scheme, event := range map[string]accounting.Event{
		"poisson":             accounting.SelfComposed{Count: 2344, Event: accounting.PoissonSampled{SamplingRate: 256. / 60000, Event: sum}},
		"capped -cap 320":     accounting.SelfComposed{Count: 2344, Event: accounting.TruncatedPoisson{SamplingRate: 256. / 60000, Cap: 320, PopulationSize: 60000, Event: sum}},
		"without-replacement": accounting.SelfComposed{Count: 2344, Event: accounting.SampledWithoutReplacement{SampleSize: 256, PopulationSize: 60000, Event: sum}},
		"with-replacement":    accounting.SelfComposed{Count: 2344, Event: accounting.SampledWithReplacement{SampleSize: 256, PopulationSize: 60000, Event: sum}},
		"allocation":          accounting.RandomAllocation{Period: 234, Steps: 2340, Participations: 1, Event: sum},
		"fixed":               accounting.SelfComposed{Count: 10, Event: sum},
		"shuffled-once":       accounting.Shuffled{Batches: 234, Epochs: 10, Kept: true, Event: sum},
		"shuffled":            accounting.Shuffled{Batches: 234, Epochs: 10, Event: sum},
	} {
		var want strings.Builder
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
			a, err := auto.NewAccountantFor(relation)
			if err != nil {
				t.Fatal(err)
			}
			g, err := a.EpsilonAt(event, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&want, " %.4f to %s |", math.Floor(g.Epsilon.Lower*1e4)/1e4, accounting.FormatUpper(g.Epsilon.Upper))
		}
		found := false
		for _, row := range strings.Split(string(readme), "\n") {
			found = found || strings.HasPrefix(row, "| `"+scheme+"`:") && strings.HasSuffix(row, want.String())
		}
		if !found {
			t.Errorf("README: no row of %s with%s", scheme, want.String())
		}
	}
}

// A calibration asks for upper ends, and then once for the interval.
func TestCalibrateShuffled(t *testing.T) {
	a, err := auto.NewAccountantFor(accounting.ReplaceSpecial)
	if err != nil {
		t.Fatal(err)
	}
	sigma, err := auto.CalibrateNoiseMultiplier(func(sigma float64) accounting.Event {
		return accounting.Shuffled{Batches: 100, Epochs: 10, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}
	}, accounting.Target{Epsilon: 17.85658683010824, Delta: 1e-5}, a)
	if err != nil || math.Abs(sigma-1) > 1e-6 {
		t.Errorf("σ %g, %v, want 1", sigma, err)
	}
}

// Without a proof there is no price.
func TestShuffledIsRefused(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 2}
	for _, event := range []accounting.Event{
		accounting.PoissonSampled{SamplingRate: 0.5, Event: accounting.Shuffled{Batches: 4, Epochs: 2, Event: sum}},
		accounting.Shuffled{Batches: 4, Epochs: 2, Event: accounting.Laplace{NoiseMultiplier: 1}},
	} {
		if g, err := auto.NewAccountant().EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%v: %v, %v, want an unsupported event", event, g, err)
		}
	}
}

// What shuffled batches cost, from both sides.
func ExampleAccountant_shuffled() {
	a, err := auto.NewAccountantFor(accounting.ReplaceSpecial)
	if err != nil {
		panic(err)
	}
	g, err := a.EpsilonAt(accounting.Shuffled{Batches: 100, Epochs: 10, Event: accounting.ClippedSum{NoiseMultiplier: 1}}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("ε from %.1f to %.1f\n", g.Epsilon.Lower, g.Epsilon.Upper)
	fmt.Println(errors.Is(g.Warnings[0], accounting.ErrUnknownAmplification))
	// Output:
	// ε from 9.4 to 17.9
	// true
}
