package expost_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/expost"
	"github.com/dplab/dplab/accounting/selection/law"
)

// No order of the outputs leaks more than the prices of the released candidates allow, in either direction: two candidates of two or three
// outputs each, random laws, chances and orders. The whole leaves at most δ, and each candidate its share.
func TestAgainstEnumeration(t *testing.T) {
	n := 15
	if testing.Short() {
		n = 5
	}
	rng := rand.New(rand.NewPCG(3, 14))
	laws := []law.Law{law.TNB{Eta: 0, Gamma: 0.05}, law.TNB{Eta: 1, Gamma: 0.1}, law.Poisson{MeanRepeats: 4}, law.Binomial{Trials: 8, P: 0.5}, law.Fixed{Count: 5}}
	closest := 0.0
	for i := range n {
		l, delta := laws[i%len(laws)], math.Exp(-12*rng.Float64())
		weak, strong := enumerate.DrawnPair(rng, 2, 0.3), enumerate.DrawnPair(rng, 3, 1.2)
		chance := rng.Float64()
		tuning := expost.Event{Law: l, Candidates: []expost.Candidate{{Event: pairOf(weak), Weight: chance}, {Event: pairOf(strong), Weight: 1 - chance}}}
		prices, err := expost.PriceAt(tuning, delta, pld.NewAccountant())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range prices {
			if c := p.Certificate; !math.IsInf(p.Epsilon, 1) && (c == nil || c.Epsilon != p.Epsilon || !(c.DeltaUpper <= delta)) {
				t.Errorf("%v: ε %g is not shown: %+v", tuning, p.Epsilon, c)
			}
		}
		run := enumerate.Of(append(scaled(weak.P, chance), scaled(strong.P, 1-chance)...), append(scaled(weak.Q, chance), scaled(strong.Q, 1-chance)...))
		for range 60 {
			order := rng.Perm(len(run.P))
			ranked := enumerate.Of(make([]float64, len(order)), make([]float64, len(order)))
			for at, output := range order {
				ranked.P[at], ranked.Q[at] = run.P[output], run.Q[output]
			}
			best := ranked.Best(l) // no run, then from the best rank on
			for _, d := range []enumerate.Pair{best, {P: best.Q, Q: best.P}} {
				var left [2]float64
				for at, output := range order {
					candidate := min(1, output/2)
					place := len(order) - at
					left[candidate] += math.Max(0, d.P[place]-math.Exp(prices[candidate].Epsilon)*d.Q[place])
				}
				for candidate, share := range []float64{chance, 1 - chance} {
					if left[candidate] > share*delta*(1+1e-8)+1e-14 {
						t.Errorf("%v, weak %v and strong %v with chance %g: candidate %d at ε = %g leaves %g, above %g", l, weak, strong, chance, candidate, prices[candidate].Epsilon, left[candidate], share*delta)
					}
					closest = math.Max(closest, left[candidate]/(share*delta))
				}
			}
		}
	}
	t.Logf("nearest: %.3f of δ", closest)
	if closest < 0.8 {
		t.Errorf("the nearest case leaves %.3g of δ: the cases do not try it", closest)
	}
}

func pairOf(d enumerate.Pair) accounting.Event { return pld.DiscretePair{With: d.P, Without: d.Q} }

func scaled(p []float64, by float64) []float64 {
	out := make([]float64, len(p))
	for i := range p {
		out[i] = by * p[i]
	}
	return out
}

// A cheap winner costs less than a dear one, and no winner more than if all candidates were as dear as the dearest; equal candidates cost
// what the best of K costs, up to the coarser list of ε.
func TestBetweenThePrices(t *testing.T) {
	geometric := law.TNB{Eta: 1, Gamma: 0.1}
	gaussian := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	worst, err := selection.EventAt(selection.BestOf{Law: geometric, Base: gaussian(1)}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	whole := worst.Guarantee.Epsilon.Upper
	for _, weight := range []float64{0, 0.5} {
		prices, err := expost.PriceAt(expost.Event{Law: geometric, Candidates: []expost.Candidate{{gaussian(4), weight}, {gaussian(1), weight}}}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if weak, strong := prices[0].Epsilon, prices[1].Epsilon; !(weak < strong-2 && strong <= whole*1.005 && weak > prices[0].One) {
			t.Errorf("weight %g: released weak %g, strong %g; all strong %g", weight, weak, strong, whole)
		}
	}
	equal, err := expost.PriceAt(expost.Event{Law: geometric, Candidates: []expost.Candidate{{Event: gaussian(1)}, {Event: gaussian(1)}}}, 1e-5)
	if err != nil || math.Abs(equal[0].Epsilon/whole-1) > 0.005 || equal[0].Epsilon != equal[1].Epsilon {
		t.Errorf("equal candidates: %v, %v, want ε = %g", equal, err, whole)
	}
}

func TestErrors(t *testing.T) {
	one := expost.Candidate{Event: accounting.Gaussian{NoiseMultiplier: 1}}
	good := law.TNB{Eta: 1, Gamma: 0.1}
	for want, tuning := range map[string]expost.Event{
		"Law is nil":          {Candidates: []expost.Candidate{one}},
		"Candidates is empty": {Law: good},
		"Event is nil":        {Law: good, Candidates: []expost.Candidate{{}}},
		"[1].Weight 0":        {Law: good, Candidates: []expost.Candidate{{one.Event, 0.5}, {one.Event, 0}}},
		"add up to 0.7":       {Law: good, Candidates: []expost.Candidate{{one.Event, 0.5}, {one.Event, 0.2}}},
	} {
		if _, err := expost.PriceAt(tuning, 1e-5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if _, err := expost.PriceAt(expost.Event{Law: good, Candidates: []expost.Candidate{one}}, 1); err == nil {
		t.Error("δ = 1 is priced")
	}
	prices, err := expost.PriceAt(expost.Event{Law: good, Candidates: []expost.Candidate{one, {Event: accounting.NonPrivate{}}}}, 1e-5)
	if err != nil || !math.IsInf(prices[1].Epsilon, 1) {
		t.Errorf("a candidate without noise: %v, %v", prices, err)
	}
}

// Half of the runs have four times the noise of the others.
func ExamplePriceAt() {
	gaussian := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	tuning := expost.Event{Law: law.TNB{Eta: 1, Gamma: 0.1}, Candidates: []expost.Candidate{{gaussian(4), 0.5}, {gaussian(1), 0.5}}}
	prices, err := expost.PriceAt(tuning, 1e-5)
	if err != nil {
		panic(err)
	}
	for _, p := range prices {
		fmt.Printf("one run %.2f, released after the search %.2f\n", p.One, p.Epsilon)
	}
	// Output:
	// one run 0.93, released after the search 2.31
	// one run 4.38, released after the search 6.03
}
