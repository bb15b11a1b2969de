//go:build planted

package selection_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/internal/planted"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

// plantedQuestion is a price that some of the bugs lower.
type plantedQuestion struct {
	law   law.Law
	run   baserun.Run
	delta float64
	// leaks is the δ at ε of some order of the outputs; nil if not known.
	leaks func(epsilon float64) float64
}

func plantedQuestions(t *testing.T) []plantedQuestion {
	of := func(event accounting.Event) baserun.Run {
		run, err := baserun.New(event)
		if err != nil {
			t.Fatal(err)
		}
		return run.Prepared()
	}
	pair := func(l law.Law, p, q []float64, delta float64) plantedQuestion {
		exact := enumerate.Of(p, q)
		run := baserun.Run{Name: "pair", Profiles: []baserun.Profile{{Name: "pair", DeltaAt: func(e float64) float64 { return math.Min(1, exact.Delta(e)*(1+1e-12)) }}}}
		return plantedQuestion{l, run.Prepared(), delta, func(epsilon float64) float64 { return worstLeak(l, exact, epsilon) }}
	}
	gaussian := func(l law.Law, sigma, delta float64) plantedQuestion {
		cells := worstorder.Gaussian(1/sigma, 200)
		return plantedQuestion{l, of(accounting.Gaussian{NoiseMultiplier: sigma}), delta, func(epsilon float64) float64 {
			leak, err := worstorder.DeltaAt(l, cells, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			return leak
		}}
	}
	logarithmic, geometric := law.TNB{Eta: 0, Gamma: 0.0269183}, law.TNB{Eta: 1, Gamma: 0.1}
	rare, apart := 1e-9, 1e-6
	return []plantedQuestion{
		pair(law.Fixed{Count: 3}, []float64{0.6, 0.4}, []float64{0.4, 0.6}, 0.1),
		pair(law.Fixed{Count: 10}, []float64{0.182, 0.818}, []float64{0.9982, 0.0018}, 1e-5),
		pair(law.Poisson{MeanRepeats: 3000}, []float64{0.5, 0.5 - rare, rare}, []float64{0.5 * (1 + apart), 0.5*(1-apart) - 0.1*rare, 0.1 * rare}, 2e-10),
		// Products that underflow lower the prices of these two, which were found among 260 drawn ones.
		pair(law.Poisson{MeanRepeats: 682.8495913029701}, []float64{0.7458462138048838, 0.25407741050007054, 7.637569504562395e-05}, []float64{0.7458471669978375, 0.2541493911112644, 3.439790898060148e-06}, 0.0022647431605655227),
		pair(law.Poisson{MeanRepeats: 7855.394869683197}, []float64{0.6223864589870407, 0.3776130154176587, 5.255953006404535e-07}, []float64{0.6223922911304035, 0.37760767489539787, 3.3974198631501523e-08}, 0.0002807733568469742),
		pair(law.Poisson{MeanRepeats: 10}, []float64{0.7, 0.3}, []float64{0.3, 0.7}, 1e-5),
		gaussian(law.Poisson{MeanRepeats: 700}, 1, 1e-9),
		gaussian(law.Poisson{MeanRepeats: 100}, 10, 1e-5),
		gaussian(logarithmic, 1, 1e-5),
		gaussian(law.Fixed{Count: 10}, 1, 1e-5),
		{geometric, of(accounting.Laplace{NoiseMultiplier: 1}), 1e-5, nil},
		{law.TNB{Eta: -0.5, Gamma: 0.00174612}, of(accounting.Laplace{NoiseMultiplier: 2.5}), 1e-8, nil},
		{geometric, of(accounting.ApproxDP{Epsilon: 0.67, Delta: 1e-8}), 6e-7, nil},
	}
}

// A planted bug that lowers a price by more than 1e-6 is found, by a warning that wraps
// ErrUncertified, or the lower price is shown and no order leaks more. Every bug that lowers a
// price is found in some question.
func TestPlantedBugsOfPrices(t *testing.T) {
	questions := plantedQuestions(t)
	ask := func(q plantedQuestion) (epsilon float64, name string, shown, marked bool) {
		price, err := selection.PriceAt(q.law, q.run, q.delta)
		if err != nil { // a law that contradicts itself has no price
			return math.Inf(1), "", true, true
		}
		for _, w := range price.Guarantee.Warnings {
			marked = marked || errors.Is(w, accounting.ErrUncertified)
		}
		return price.Guarantee.Epsilon.Upper, price.Least().Name, price.Guarantee.Certificate != nil, marked
	}
	honest, names := make([]float64, len(questions)), make([]string, len(questions))
	for i, q := range questions {
		epsilon, name, shown, marked := ask(q)
		if honest[i], names[i] = epsilon, name; marked || !shown {
			t.Errorf("question %d: shown %t, marked %t without a bug", i, shown, marked)
		}
	}
	defer planted.Plant(planted.None)
	for _, bug := range planted.Bugs() {
		found, lower := 0, 0
		for i, q := range questions {
			planted.Plant(bug)
			epsilon, name, shown, marked := ask(q)
			planted.Plant(planted.None)
			if marked || name != names[i] { // or the next bound is the price
				found++
			}
			if epsilon < honest[i]*(1-1e-6) {
				lower++
				if !marked && !shown {
					t.Errorf("%s: question %d costs %.9g, without the bug %.9g, and the price is not marked", bug, i, epsilon, honest[i])
				}
			}
			if shown && q.leaks != nil {
				if leak := q.leaks(epsilon); leak > q.delta*(1+1e-6) {
					t.Errorf("%s: question %d is shown to cost %.9g at δ %g, but an order leaks %g there", bug, i, epsilon, q.delta, leak)
				}
			}
		}
		t.Logf("%-55s found in %d of %d questions, lower in %d", bug, found, len(questions), lower)
		if found == 0 && lower > 0 {
			t.Errorf("%s: not found", bug)
		}
	}
}
