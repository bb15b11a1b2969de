package auto_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// Batches that need the number of examples have no price on a sample of hidden size, wherever the
// sample is. For instance, a tuning on a tenth of 1000 records reads about 100. With 20 steps on 10
// of 100, σ = 1 and K = 3 it costs 18.4; with the 1000 as PopulationSize it would cost 2.18.
func TestHiddenSizes(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 1}
	k := law.Fixed{Count: 3}
	on := func(e accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: 0.1, Event: e}
	}
	tuned := func(base, training accounting.Event, v subsample.Variant) accounting.Event {
		return subsample.Event{TuningRate: 0.1, Tuning: selection.BestOf{Law: k, Base: base}, Training: training, Variant: v}
	}
	for _, batches := range []accounting.Event{
		accounting.SelfComposed{Event: accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: sum}, Count: 20},
		accounting.SampledWithReplacement{SampleSize: 10, PopulationSize: 1000, Event: sum},
		accounting.Shuffled{Batches: 100, Epochs: 2, Event: sum},
	} {
		for _, event := range []accounting.Event{
			on(batches), on(selection.BestOf{Law: k, Base: batches}), on(firstabove.Event{Law: k, Base: batches}),
			accounting.Composed{Events: []accounting.Event{sum, selection.BestOf{Law: k, Base: on(accounting.Parallel{Events: []accounting.Event{batches, sum}})}}},
			tuned(batches, sum, subsample.AllData), tuned(sum, batches, subsample.RestOfData),
			tuned(selection.BestOf{Law: k, Base: batches}, sum, subsample.AllData),
			accounting.Composed{Events: []accounting.Event{sum, tuned(batches, batches, subsample.AllData)}},
		} {
			text, err := eventjson.Marshal(event)
			if err != nil {
				t.Fatal(err)
			}
			read, err := eventjson.Unmarshal(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []accounting.Event{event, read} {
				g, err := auto.NewAccountant().EpsilonAt(e, 1e-5)
				if !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), event.String()) || !strings.Contains(err.Error(), "on a Poisson sample: the number of examples must be public") {
					t.Errorf("%v: ε %v, %v, want an error that names the event and the rule", e, g.Epsilon, err)
				}
			}
		}
		all := tuned(sum, batches, subsample.AllData) // of public number
		if node, err := accounting.Flatten(all); err != nil || node.CheckRelation("auto", accounting.AddOrRemoveOne) != nil {
			t.Errorf("%v: %v", all, errors.Join(err, node.CheckRelation("auto", accounting.AddOrRemoveOne)))
		}
	}
}

// batchLaw is a law of the number of examples at 1 in a batch, as means with chances.
type batchLaw map[float64]float64

// cappedOn is the law of the sum of a capped Poisson sample of the values, at most limit of them.
func cappedOn(values []float64, rate float64, limit int) batchLaw {
	law := batchLaw{}
	for drawn := range 1 << len(values) {
		chance := 1.0
		var joined []float64
		for i, v := range values {
			if drawn>>i&1 == 1 {
				chance, joined = chance*rate, append(joined, v)
			} else {
				chance *= 1 - rate
			}
		}
		var kept []float64 // the sum of each subset that may be kept
		for subset := range 1 << len(joined) {
			size, sum := 0, 0.0
			for i, v := range joined {
				if subset>>i&1 == 1 {
					size, sum = size+1, sum+v
				}
			}
			if size == min(limit, len(joined)) {
				kept = append(kept, sum)
			}
		}
		for _, sum := range kept {
			law[sum] += chance / float64(len(kept))
		}
	}
	return law
}

// stick is ∫ (P - cQ)_+ of two laws with normal noise, by the midpoint rule.
func (m batchLaw) stick(other batchLaw, sigma, c float64) (sum float64) {
	const n = 4000
	density := func(law batchLaw, y float64) (d float64) {
		for mean, chance := range law {
			z := (y - mean) / sigma
			d += chance * math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi))
		}
		return d
	}
	lo, hi := -4-7*sigma, 4+7*sigma
	for i := range n {
		y := lo + (hi-lo)*(float64(i)+0.5)/n
		sum += math.Max(0, density(m, y)-c*density(other, y)) * (hi - lo) / n
	}
	return sum
}

// A capped Poisson sample of a Poisson sample, under add-or-remove-one: all coins and cuts are
// enumerated, for every number of examples up to the bound. No data exceed the price, and a
// single example attains its lower end.
func TestCappedBatchesOnAPoissonSample(t *testing.T) {
	const outer, rate, limit, most, sigma = 0.5, 0.3, 1, 3, 0.6
	event := accounting.PoissonSampled{SamplingRate: outer, Event: accounting.TruncatedPoisson{
		SamplingRate: rate, Cap: limit, PopulationSize: most, Event: accounting.ClippedSum{NoiseMultiplier: sigma},
	}}
	sampled := func(values []float64) batchLaw {
		law := batchLaw{}
		for drawn := range 1 << len(values) {
			chance := 1.0
			var inside []float64
			for i, v := range values {
				if drawn>>i&1 == 1 {
					chance, inside = chance*outer, append(inside, v)
				} else {
					chance *= 1 - outer
				}
			}
			for sum, c := range cappedOn(inside, rate, limit) {
				law[sum] += chance * c
			}
		}
		return law
	}
	for _, epsilon := range []float64{0, 0.1, 0.5, 1, 2} {
		price, err := auto.NewAccountant().DeltaAt(event, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		largest := 0.0
		for n := 1; n <= most; n++ {
			for _, others := range []float64{-1, 0, 1} {
				values := []float64{1}
				for range n - 1 {
					values = append(values, others)
				}
				with, without := sampled(values), sampled(values[1:])
				for _, delta := range []float64{with.stick(without, sigma, math.Exp(epsilon)), without.stick(with, sigma, math.Exp(epsilon))} {
					if largest = math.Max(largest, delta); delta > price.Upper+1e-5 { // the error of the rule at a kink is below that
						t.Errorf("ε %g, %d examples, others at %g: δ %.7f, above the price %v", epsilon, n, others, delta, price)
					}
				}
			}
		}
		if largest < price.Lower-1e-5 {
			t.Errorf("ε %g: the largest δ is %.7f, the price %v", epsilon, largest, price)
		}
	}
}
