package lastiterate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// Heuristic is an estimate of what the last model costs. It is not a bound: some losses cost more,
// and no statement can be made of it.
type Heuristic struct {
	Epsilon float64 // +Inf if nothing was computed
	Delta   float64
}

// String describes the estimate.
func (h Heuristic) String() string {
	if !(h.Epsilon > 0) || math.IsInf(h.Epsilon, 1) {
		return "no estimate"
	}
	return fmt.Sprintf("ε about %.4g at δ = %g by a heuristic, not a bound: as if all losses were linear", h.Epsilon, h.Delta)
}

// Heuristic prices the last model at delta, in (0, 1), as if all losses were linear and models were
// not projected. For these the price is exact: the example moves the sum of all steps by the number
// of its steps, and the noise of all steps hides it (The Last Iterate Advantage, 2024,
// arXiv:2410.06186). For a fixed order of batches the example is in the first of each epoch.
// StrongConvexity, Smoothness and Diameter do not matter. With an error the estimate is +Inf.
func (t Training) Heuristic(delta float64) (Heuristic, error) {
	h := Heuristic{Epsilon: math.Inf(1), Delta: delta}
	t.StrongConvexity, t.Diameter = 0, 0
	if err := t.Validate(); err != nil {
		return h, err
	}
	event := accounting.MixtureOfGaussians{NoiseMultiplier: t.NoiseMultiplier * math.Sqrt(float64(t.Steps))}
	if t.Batches > 0 {
		event.Chances, event.Distances = []float64{1}, []float64{math.Ceil(float64(t.Steps) / float64(t.Batches))}
	} else {
		law, sum := distuv.Binomial{N: float64(t.Steps), P: t.SamplingRate}, 0.0
		for k := range t.Steps + 1 {
			if p := law.Prob(float64(k)); p > 1e-18 {
				event.Chances, event.Distances = append(event.Chances, p), append(event.Distances, float64(k))
				sum += p
			}
		}
		for k := range event.Chances {
			event.Chances[k] /= sum
		}
	}
	g, err := auto.NewAccountant().EpsilonAt(event, delta)
	if err != nil {
		return h, err
	}
	h.Epsilon = g.Epsilon.Upper
	return h, nil
}
