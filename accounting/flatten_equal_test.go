package accounting_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// TestEqualEvents: events that are one mechanism in other words become one event. Each wanted
// event is the mechanism by the definition of the first. Neighbors of the last ones are described
// too loosely, or another mechanism is near.
func TestEqualEvents(t *testing.T) {
	type of = accounting.Event
	sum, laplace := accounting.ClippedSum{NoiseMultiplier: 3}, accounting.Laplace{NoiseMultiplier: 2}
	gaussian := func(sigma float64) of { return accounting.Gaussian{NoiseMultiplier: sigma} }
	poisson := func(q float64, e of) of { return accounting.PoissonSampled{SamplingRate: q, Event: e} }
	allocation := func(t, steps, k int, e of) of {
		return accounting.RandomAllocation{Period: t, Steps: steps, Participations: k, Event: e}
	}
	mixture := func(chances, distances []float64) of {
		return accounting.MixtureOfGaussians{Chances: chances, Distances: distances, NoiseMultiplier: 3}
	}
	times := func(n int, e of) of { return accounting.SelfComposed{Event: e, Count: n} }
	half := 1.5 // of the noise of sum
	drawn := accounting.SampledWithReplacement{SampleSize: 1, PopulationSize: 4, Event: sum}
	subset := accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 4, Event: sum}
	capped := accounting.TruncatedPoisson{SamplingRate: 0.25, Cap: 9, PopulationSize: 9, Event: sum}
	larger := capped
	larger.PopulationSize = 10
	three := mixture([]float64{0.5, 0.25, 0.25}, []float64{0, 1, 2})
	none := mixture([]float64{1}, []float64{0})
	two := mixture([]float64{0.75, 0.25}, []float64{0, 1})
	for _, c := range []struct{ event, removed, special, replaced of }{
		{allocation(8, 1, 2, sum), poisson(0.25, gaussian(3)), poisson(0.25, gaussian(3)), poisson(0.25, sum)},
		{allocation(8, 1, 2, laplace), poisson(0.25, laplace), poisson(0.25, laplace), poisson(0.25, laplace)},
		{poisson(0.5, allocation(8, 1, 4, sum)), poisson(0.25, gaussian(3)), poisson(0.25, gaussian(3)), poisson(0.25, sum)},
		{allocation(2, 5, 2, sum), times(5, gaussian(3)), times(5, gaussian(3)), times(5, gaussian(half))},
		{drawn, poisson(0.25, gaussian(half)), subset, subset},
		{accounting.SampledWithReplacement{SampleSize: 4, PopulationSize: 1, Event: sum}, nil, gaussian(0.75), gaussian(0.375)},
		{accounting.SampledWithoutReplacement{SampleSize: 4, PopulationSize: 4, Event: sum}, nil, gaussian(3), gaussian(half)},
		{accounting.SampledWithoutReplacement{SampleSize: 4, PopulationSize: 4, Event: laplace}, nil, nil, laplace},
		{times(3, capped), times(3, poisson(0.25, gaussian(3))), times(3, poisson(0.25, gaussian(3))), times(3, poisson(0.25, sum))},
		{two, poisson(0.25, gaussian(3)), poisson(0.25, gaussian(3)), two},
		{mixture([]float64{0.125, 0, 0.75, 0.125}, []float64{1, 5, 0, 1}), poisson(0.25+0x1p-54, gaussian(3)), poisson(0.25+0x1p-54, gaussian(3)), nil},
		{mixture([]float64{0.75, 0.25 - 1e-13}, []float64{0, 1}), poisson(0.25+0x1p-54, gaussian(3)), poisson(0.25+0x1p-54, gaussian(3)), nil},
		{mixture([]float64{1 - 1e-9, 1e-9}, []float64{0, 1}), poisson(1e-9, gaussian(3)), poisson(1e-9, gaussian(3)), nil},
		{mixture([]float64{1 - 1e-13}, []float64{1}), gaussian(3), gaussian(3), nil},
		{mixture([]float64{0, 1}, []float64{0, 1.7e308}), accounting.NonPrivate{}, accounting.NonPrivate{}, nil},
		{times(2, mixture([]float64{0.75, 0.25}, []float64{0, 2})), times(2, poisson(0.25, gaussian(1.5))), times(2, poisson(0.25, gaussian(1.5))), nil},
		{allocation(8, 2, 2, laplace), allocation(8, 2, 2, laplace), allocation(8, 2, 2, laplace), allocation(8, 2, 2, laplace)},
		{allocation(8, 1, 2, drawn), allocation(8, 1, 2, drawn), allocation(8, 1, 2, drawn), allocation(8, 1, 2, drawn)},
		{poisson(0.5, capped), poisson(0.125, gaussian(3)), poisson(0.5, capped), poisson(0.5, capped)},
		{larger, larger, larger, larger},
		{three, three, three, three},
		{none, none, none, none},
	} {
		node, err := accounting.Flatten(c.event)
		if err != nil {
			t.Fatal(err)
		}
		for relation, want := range map[accounting.Neighboring]of{
			accounting.AddOrRemoveOne: c.removed, accounting.ReplaceSpecial: c.special, accounting.ReplaceOne: c.replaced,
		} {
			if want == nil {
				want = c.event
			}
			if got := node.Lowered(relation).Event; !reflect.DeepEqual(got, want) {
				t.Errorf("%v under %v: %v, want %v", c.event, relation, got, want)
			}
		}
		if _, mixed := c.event.(accounting.MixtureOfGaussians); mixed {
			if err := node.CheckRelation("test", accounting.ReplaceOne); err == nil {
				t.Errorf("%v has a price under replace-one", c.event)
			}
		}
	}
}

// TestDrawsFromOneRecordRoundDown: all b draws from one record hold it, which is a Gaussian of
// distance b. Its noise multiplier σ/b is rounded down, by exact arithmetic.
func TestDrawsFromOneRecordRoundDown(t *testing.T) {
	for b := 1; b <= 100; b++ {
		node, err := accounting.Flatten(accounting.SampledWithReplacement{SampleSize: b, PopulationSize: 1, Event: accounting.ClippedSum{NoiseMultiplier: 0.7}})
		if err != nil {
			t.Fatal(err)
		}
		got := node.Lowered(accounting.ReplaceSpecial).Event.(accounting.Gaussian).NoiseMultiplier
		product := new(big.Float).Mul(big.NewFloat(got).SetPrec(200), big.NewFloat(float64(b)).SetPrec(200))
		if product.Cmp(big.NewFloat(0.7)) > 0 || got < 0.7/float64(b)*(1-1e-15) {
			t.Errorf("%d draws: noise multiplier %.20g, want 0.7/%d rounded down", b, got, b)
		}
	}
}
