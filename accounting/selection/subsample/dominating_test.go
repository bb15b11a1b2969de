package subsample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// The pair costs what the bound by likelihood ratios says, up to what its lists and the grid add; two of them cost less than one twice.
func TestDominatingPairIsTheProfile(t *testing.T) {
	for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
		if testing.Short() && variant == subsample.AllData {
			continue
		}
		run := sgd(0.01, 2, 5000)
		event := subsample.Event{TuningRate: 0.1, Variant: variant, Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 15}, Base: run}, Training: run}
		price, err := subsample.PriceAt(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := subsample.DominatingPair(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		grid := pld.Accountant{Width: 1e-3}
		alone, err := grid.EpsilonAt(pair, 1e-5)
		if want := price.Least().Epsilon; err != nil || alone.Epsilon.Upper < want*(1-1e-3) || alone.Epsilon.Lower > want+5e-3 {
			t.Errorf("%v: the pair costs %v, %v: want %g", variant, alone.Epsilon, err, want)
		}
		twice, err := grid.EpsilonAt(accounting.SelfComposed{Event: pair, Count: 2}, 1e-5)
		if err != nil || twice.Epsilon.Upper > 1.7*alone.Epsilon.Upper || twice.Epsilon.Upper < alone.Epsilon.Upper {
			t.Errorf("%v: two cost %v, %v, one %v", variant, twice.Epsilon, err, alone.Epsilon)
		}
	}
}

// A tuning of runs with three outputs, and a training of two outputs given what was tuned, enumerated over the sample: two of them leak no
// more than two pairs.
func TestDominatingPairAgainstEnumeratedComposition(t *testing.T) {
	const delta = 1e-3
	rng := rand.New(rand.NewPCG(20, 23))
	laws := []law.Law{law.Poisson{MeanRepeats: 4}, law.TNB{Eta: 0, Gamma: 0.1}, law.Fixed{Count: 2}}
	closest := 0.0
	cases := 6
	if testing.Short() {
		cases = 3
	}
	for i := range cases {
		l, rate := laws[i%len(laws)], []float64{0.05, 0.5, 0.9}[(i+i/3)%3]
		run, training := enumerate.DrawnPair(rng, 3, 0.5), enumerate.DrawnPair(rng, 2, 0.5)
		of := func(d enumerate.Pair) accounting.Event { return pld.DiscretePair{With: d.P, Without: d.Q} }
		best := run.Best(l)
		for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
			event := subsample.Event{TuningRate: rate, Variant: variant, Tuning: selection.BestOf{Law: l, Base: of(run)}, Training: of(training)}
			pair, err := subsample.DominatingPair(event, delta, pld.NewAccountant())
			if err != nil {
				t.Fatal(err)
			}
			g, err := pld.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: pair, Count: 2}, delta)
			if err != nil {
				t.Fatal(err)
			}
			exact := squared(sampledOnce(best, training, rate, variant)).Delta(g.Epsilon.Upper)
			if exact > delta*(1+1e-9) {
				t.Errorf("case %d, %v, %v, rate %g: δ(%g) = %g, above %g", i, l, variant, rate, g.Epsilon.Upper, exact, delta)
			}
			closest = math.Max(closest, exact/delta)
		}
	}
	t.Logf("nearest: %.3f of δ", closest)
	if closest < 0.3 {
		t.Errorf("the nearest exact δ is %.3g of the bound's: the cases do not try it", closest)
	}
}

// sampledOnce is the release of the record's two fates: P with the record, Q without.
func sampledOnce(tuning, training enumerate.Pair, rate float64, variant subsample.Variant) (both enumerate.Pair) {
	for i, without := range tuning.Q {
		for j, trained := range training.Q {
			seen := training.P[j]
			inside := trained
			if variant == subsample.AllData {
				inside = seen
			}
			both.P = append(both.P, rate*tuning.P[i]*inside+(1-rate)*without*seen)
			both.Q = append(both.Q, without*trained)
		}
	}
	return both
}

// squared releases it twice.
func squared(d enumerate.Pair) (both enumerate.Pair) {
	for i := range d.P {
		for j := range d.P {
			both.P, both.Q = append(both.P, d.P[i]*d.P[j]), append(both.Q, d.Q[i]*d.Q[j])
		}
	}
	return both
}

func TestDominatingPairErrors(t *testing.T) {
	run := accounting.Gaussian{NoiseMultiplier: 1}
	good := subsample.Event{TuningRate: 0.1, Variant: subsample.AllData, Tuning: selection.BestOf{Law: law.Fixed{Count: 2}, Base: run}, Training: run}
	for name, c := range map[string]struct {
		change func(*subsample.Event)
		delta  float64
	}{
		"no rate":                  {func(e *subsample.Event) { e.TuningRate = 0 }, 1e-5},
		"δ = 0":                    {func(*subsample.Event) {}, 0},
		"a training without noise": {func(e *subsample.Event) { e.Training = accounting.NonPrivate{} }, 1e-5},
		"runs almost without":      {func(e *subsample.Event) { e.Tuning.Base = accounting.Gaussian{NoiseMultiplier: 1e-3} }, 1e-5},
	} {
		e := good
		c.change(&e)
		if _, err := subsample.DominatingPair(e, c.delta); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}
