package auto_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
)

func trained(rate, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}
}

func inOrder(events ...accounting.Event) accounting.Event { return accounting.Composed{Events: events} }

// A choice and then a training, against its definition: the choice among two outputs with the
// losses t and t-ε, in a composition on the grid. The price is above the lower end of every t, and
// near the largest. It is below pure differential privacy (2.7895 and 4.8247), which was said
// before there was an event, and below the pair that a choice at another place needs.
func TestChoiceThenTraining(t *testing.T) {
	run := trained(0.01, 1, 1000)
	for _, epsilon := range []float64{1, 3} {
		if testing.Short() && epsilon > 1 {
			continue
		}
		choice := accounting.ExponentialMechanism{Epsilon: epsilon}
		first, err := auto.NewAccountant().EpsilonAt(inOrder(choice, run), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		const steps = 20
		for i := 1; i < steps; i++ {
			at := epsilon * float64(i) / steps
			q := -math.Expm1(at-epsilon) / (math.Exp(at) - math.Exp(at-epsilon))
			pair := pld.DiscretePair{With: []float64{q * math.Exp(at), 1 - q*math.Exp(at)}, Without: []float64{q, 1 - q}}
			g, err := pld.NewAccountant().EpsilonAt(inOrder(pair, run), 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			if first.Epsilon.Upper < g.Epsilon.Lower {
				t.Errorf("ε = %g: %g, but t = %g costs %v", epsilon, first.Epsilon.Upper, at, g.Epsilon)
			}
			worst = math.Max(worst, g.Epsilon.Lower)
		}
		last, err := auto.NewAccountant().EpsilonAt(inOrder(run, choice), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		pure, err := auto.NewAccountant().EpsilonAt(inOrder(accounting.PureDP{Epsilon: epsilon}, run), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("ε = %g: first %.5f, worst t %.5f, last %.5f, pure %.5f", epsilon, first.Epsilon.Upper, worst, last.Epsilon.Upper, pure.Epsilon.Upper)
		if first.Epsilon.Upper > worst+0.01 || first.Epsilon.HasLower || !(first.Epsilon.Upper < last.Epsilon.Upper && last.Epsilon.Upper < pure.Epsilon.Lower) {
			t.Errorf("ε = %g: first %v, want some 0.005 above %g; last %v, pure %v", epsilon, first.Epsilon, worst, last.Epsilon, pure.Epsilon)
		}
		delta, err := auto.NewAccountant().DeltaAt(inOrder(choice, run), first.Epsilon.Upper)
		if err != nil || delta.HasLower || delta.Upper > 1e-5*(1+1e-6) || delta.Upper < 0.9e-5 {
			t.Errorf("ε = %g: δ %v, %v, want 1e-5 as asked", epsilon, delta, err)
		}
	}
}

// A choice of next to nothing costs what the rest costs; the rest of next to nothing what the
// choice costs.
func TestChoiceOfNothing(t *testing.T) {
	run := trained(0.01, 1, 1000)
	alone, err := auto.NewAccountant().EpsilonAt(run, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{1e-300, 1e-9} {
		got, err := auto.NewAccountant().EpsilonAt(inOrder(accounting.ExponentialMechanism{Epsilon: epsilon}, run), 1e-5)
		if err != nil || got.Epsilon.Upper < alone.Epsilon.Lower || got.Epsilon.Upper > alone.Epsilon.Upper+0.01 {
			t.Errorf("a choice of ε = %g, then a training: %v, %v, want %v", epsilon, got.Epsilon, err, alone.Epsilon)
		}
	}
	one, err := auto.NewAccountant().EpsilonAt(accounting.ExponentialMechanism{Epsilon: 1}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := auto.NewAccountant().EpsilonAt(inOrder(accounting.ExponentialMechanism{Epsilon: 1}, accounting.Gaussian{NoiseMultiplier: 1e6}), 1e-5)
	if err != nil || got.Epsilon.Upper < one.Epsilon.Lower || got.Epsilon.Upper > one.Epsilon.Upper+0.01 {
		t.Errorf("a choice, then next to nothing: %v, %v, want %v", got.Epsilon, err, one.Epsilon)
	}
}

// A choice is priced wherever pure differential privacy is, and is nowhere dearer: on samples,
// repeated, beside tunings, under all relations.
func TestChoiceIsNeverDearerThanPure(t *testing.T) {
	run := trained(0.05, 2, 100)
	shapes := map[string]func(choice accounting.Event) accounting.Event{
		"alone": func(c accounting.Event) accounting.Event { return c },
		"sampled": func(c accounting.Event) accounting.Event {
			return accounting.PoissonSampled{SamplingRate: 0.1, Event: c}
		},
		"20 times":  func(c accounting.Event) accounting.Event { return accounting.SelfComposed{Count: 20, Event: c} },
		"400 times": func(c accounting.Event) accounting.Event { return accounting.SelfComposed{Count: 400, Event: c} },
		"first":     func(c accounting.Event) accounting.Event { return inOrder(c, run) },
		"last":      func(c accounting.Event) accounting.Event { return inOrder(run, c) },
		"two":       func(c accounting.Event) accounting.Event { return inOrder(c, run, c) },
		"worst": func(c accounting.Event) accounting.Event {
			return accounting.WorstCase{Events: []accounting.Event{c, run}}
		},
	}
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceOne, accounting.ReplaceSpecial} {
		a, err := auto.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		for name, shape := range shapes {
			for _, epsilon := range []float64{0.1, 2} {
				if testing.Short() && epsilon < 1 {
					continue
				}
				bounded, err := a.EpsilonAt(shape(accounting.ExponentialMechanism{Epsilon: epsilon}), 1e-6)
				pure, pureErr := a.EpsilonAt(shape(accounting.PureDP{Epsilon: epsilon}), 1e-6)
				flip, flipErr := a.EpsilonAt(shape(accounting.PermuteAndFlip{Epsilon: epsilon}), 1e-6)
				if err != nil || pureErr != nil || flipErr != nil {
					t.Fatal(name, err, pureErr, flipErr)
				}
				at := fmt.Sprintf("%v, %s, ε = %g", relation, name, epsilon)
				if bounded.Epsilon.Upper > pure.Epsilon.Upper+0.01 { // the width of a grid
					t.Errorf("%s: a choice costs %v, pure differential privacy %v", at, bounded.Epsilon, pure.Epsilon)
				}
				if flip.Epsilon.Upper < pure.Epsilon.Lower || flip.Epsilon.Upper > pure.Epsilon.Upper+0.011 {
					t.Errorf("%s: permute and flip costs %v, pure differential privacy %v", at, flip.Epsilon, pure.Epsilon)
				}
			}
		}
	}
}

// Nothing, or next to nothing, costs nothing, however it is written: by itself, next to other events,
// repeated, sampled and selected from.
func TestEventsThatLookAtNothing(t *testing.T) {
	gaussian := accounting.Gaussian{NoiseMultiplier: 2}
	alone, err := auto.NewAccountant().EpsilonAt(gaussian, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	const little = 1e-300
	for i, nothing := range []accounting.Event{
		accounting.PureDP{Epsilon: little}, accounting.ApproxDP{Epsilon: little}, accounting.ZCDP{Rho: little}, accounting.ExponentialMechanism{Epsilon: little},
		accounting.PermuteAndFlip{Epsilon: little}, accounting.RandomizedResponse{Truth: 0.5},
	} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		for name, event := range map[string]accounting.Event{
			"alone": nothing, "repeated": accounting.SelfComposed{Event: nothing, Count: 1000}, "sampled": accounting.PoissonSampled{SamplingRate: 0.1, Event: nothing},
			"selected": selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: nothing}, "first": firstabove.Event{Law: law.Fixed{Count: 3}, Base: nothing},
		} {
			if got, err := auto.NewAccountant().EpsilonAt(event, 1e-5); err != nil || got.Epsilon.Upper > 1e-9 {
				t.Errorf("%s, %v: %v, %v, want 0", name, event, got.Epsilon, err)
			}
		}
		got, err := auto.NewAccountant().EpsilonAt(inOrder(nothing, gaussian), 1e-5)
		if err != nil || got.Epsilon.Upper < alone.Epsilon.Lower || got.Epsilon.Upper > alone.Epsilon.Upper+0.3 {
			t.Errorf("%v beside a Gaussian: %v, %v, want %v", nothing, got.Epsilon, err, alone.Epsilon)
		}
	}
}

// Far out, where e^ε is no float64, a choice and what runs then cost no less than what runs then
// alone: every bound is held to the certified lower end of that.
func TestChoiceFirstFarOut(t *testing.T) {
	for i, rest := range []accounting.Event{accounting.Laplace{NoiseMultiplier: 0.00138}, accounting.Gaussian{NoiseMultiplier: 0.028}} {
		if testing.Short() && i > 0 {
			break
		}
		alone, err := auto.NewAccountant().EpsilonAt(rest, 1e-9)
		if err != nil || !(alone.Epsilon.Lower > 709.8) {
			t.Fatalf("%v: %v, %v, want ε above 709.8", rest, alone, err)
		}
		for _, e := range []float64{1, 140} {
			price, err := auto.NewAccountant().PriceAt(accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: e}, rest}}, 1e-9)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range price.Bounds {
				if b.Epsilon < alone.Epsilon.Lower {
					t.Errorf("a choice of %g, then %v: %g by %s, want at least %g", e, rest, b.Epsilon, b.Name, alone.Epsilon.Lower)
				}
			}
		}
	}
}
