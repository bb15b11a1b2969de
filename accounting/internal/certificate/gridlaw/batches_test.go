package gridlaw

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/interval"
)

// oneStep has values of δ to 18 digits, by 60-digit arithmetic of other code.
var oneStep = []struct{ rate, sigma, epsilon, hole, pair, poisson, far float64 }{
	{0.01, 2, 0.05, 0.000124570685877156472, 1.39691146991258101e-6, 4.24279090522890625e-7, 0.000311065395443224704},
	{0.01, 1, 0.5, 0.000484365121989574776, 2.45564805848453291e-7, 2.21451901315306132e-7, 0.000719361831404335452},
	{0.1, 4, 0.02, 0.00484902412490606022, 0.0114689618903785182, 0.00366651183316670441, 0.0130548455308396836},
	{0.004, 1.1, 0.3, 0.000078365672865849957, 2.60343147933238636e-9, 2.39978844031168717e-9, 0.000108425754893279623},
	{0.5, 3, 0.25, 0.0140096121422794684, 0.0476192939640243037, 0.00846208828791455386, 0.0603350319258020999},
	{0.9, 1, 1, 0.11319013821161602, 0.408697843347881952, 0.103501865356350932, 0.44777159198429612},
	{0.02, 0.5, 6, 0.000199073054166482492, 2.5285456783965746e-7, 2.42018679480177127e-7, 0.00481036988815984785},
}

// TestBatchesOneStep: the bound of a step is the true δ, rounded up.
func TestBatchesOneStep(t *testing.T) {
	for _, c := range oneStep {
		n := 1000
		b := int(math.Round(c.rate * float64(n)))
		step := func(relation accounting.Neighboring) Mechanism {
			s, err := batchpairs.Of(accounting.SampledWithoutReplacement{SampleSize: b, PopulationSize: n, Event: accounting.ClippedSum{NoiseMultiplier: c.sigma}}, relation)
			if err != nil {
				t.Fatal(err)
			}
			return Mechanism{Kind: Batches, Profile: &s.Profile, Rate: 1}
		}
		pair := batchpairs.Term{Weight: 1, Zero: 1 - c.rate, First: []batchpairs.Component{{Chance: c.rate, Mean: 1}}, Second: []batchpairs.Component{{Chance: c.rate, Mean: -1}}}
		opposed := batchpairs.Profile{NoiseMultiplier: c.sigma, With: batchpairs.Side{Terms: []batchpairs.Term{pair}}}
		special, replaced := step(accounting.ReplaceSpecial), step(accounting.ReplaceOne)
		back := special
		back.Add = true
		for name, v := range map[string][2]float64{
			"(2, 1)":  {special.bound(interval.Of(c.epsilon)), c.hole},
			"(1, 0)":  {back.bound(interval.Of(c.epsilon)), c.poisson},
			"(2, 0)":  {replaced.bound(interval.Of(c.epsilon)), c.far},
			"(1, -1)": {Mechanism{Kind: Batches, Profile: &opposed, Rate: 1}.bound(interval.Of(c.epsilon)), c.pair},
		} {
			if !(v[0] >= v[1]*(1-1e-15) && v[0] <= v[1]*(1+1e-8)) {
				t.Errorf("%+v, %s: %.17g, want %.17g or slightly more", c, name, v[0], v[1])
			}
		}
	}
}

// TestBatchesFall: the bounds fall in ε, also where tails underflow, and are never below 0.
func TestBatchesFall(t *testing.T) {
	sum := accounting.ClippedSum{NoiseMultiplier: 0.7}
	for _, event := range []accounting.Event{
		accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 100_000, Event: sum},
		accounting.SampledWithReplacement{SampleSize: 20, PopulationSize: 100, Event: sum},
		accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 14, PopulationSize: 100, Event: sum},
	} {
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
			step, err := batchpairs.Of(event, relation)
			if err != nil {
				continue // a Poisson sample
			}
			for _, add := range []bool{false, true} {
				m := Mechanism{Kind: Batches, Profile: &step.Profile, Rate: 1, Add: add}
				last := 1.0
				for e := 0.0; e < 400; e += 0.3 + e/19 {
					d := m.bound(interval.Of(e))
					if !(d >= 0 && d <= last*(1+1e-9)) {
						t.Errorf("%v, %v, add %v: δ(%g) = %g after %g", event, relation, add, e, d, last)
					}
					last = d
				}
			}
		}
	}
}
