package law_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// price compares every bound on the best of K runs with the exact δ of small runs, in all orders of
// their outputs and in both directions. K = 0 is a separate output.
func price(l law.Law, s size) (faults []error) {
	rng := rand.New(rand.NewPCG(2, 7))
	for range s.pairs {
		run := enumerate.DrawnPair(rng, 3, 0.7)
		for _, delta := range []float64{1e-6, 0.03} {
			p, err := selection.EventAt(selection.BestOf{Law: l, Base: pld.DiscretePair{With: run.P, Without: run.Q}}, delta)
			if err != nil {
				return append(faults, err)
			}
			for _, b := range p.Bounds {
				if leak := worst(l, run, b.Epsilon); leak > delta*(1+1e-9) { // sums of three differences of f
					faults = append(faults, fmt.Errorf("%s: ε %.9g at δ %g for runs %v and %v: an order of their outputs leaks δ %.9g", b.Name, b.Epsilon, delta, run.P, run.Q, leak))
				}
			}
		}
	}
	return faults
}

// worst returns the largest δ at ε over all orders of the outputs of a run.
func worst(l law.Law, run enumerate.Pair, epsilon float64) (delta float64) {
	for _, order := range combin.Permutations(len(run.P), len(run.P)) {
		ordered := enumerate.Of(make([]float64, len(order)), make([]float64, len(order)))
		for i, from := range order {
			ordered.P[i], ordered.Q[i] = run.P[from], run.Q[from]
		}
		delta = max(delta, ordered.Best(l).Delta(epsilon))
	}
	return delta
}
