package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Repetition is private selection by repetition. Candidates have utilities of sensitivity 1. A run
// draws a candidate with equal chances, and adds Laplace noise of scale 1/Epsilon to its utility.
// The best of K runs is released. A run is (Epsilon, 0)-private; see [PureDP] for the whole.
//
// Reference: Papernot and Steinke (ICLR 2022), Appendix D.4.
type Repetition struct {
	Law        law.Law // of K
	Candidates int     // m >= 1
	Epsilon    float64 // of one run, > 0
}

// Validate returns every fault, joined.
func (r Repetition) Validate() error {
	f := check.In("selection: Repetition.")
	_, err := law.Of(r.Law)
	f.Add(err)
	f.Count("Candidates", r.Candidates, 1)
	f.Number("Epsilon", r.Epsilon, check.Positive)
	return f.Err()
}

// FailureAt returns an upper bound on the chance that the utility of what is released is at least
// distance d below that of the best candidate:
//
//	1 - f(1 - e^(-εd/2)) + f(1 - 1/m)
//
// The first term bounds the chance that some noise is above d/2 in size. The second is the chance
// that no run draws the best candidate, which counts K = 0. Otherwise the winner's noisy utility is
// at least that of the best candidate, and each is at most d/2 off.
func (r Repetition) FailureAt(distance float64) (float64, error) {
	if err := r.Validate(); err != nil {
		return 1, err
	}
	if err := check.AtLeast(0).Of("selection: distance", distance); err != nil {
		return 1, err
	}
	return r.failureAt(distance), nil
}

func (r Repetition) failureAt(distance float64) float64 {
	k := r.Law.Distribution()
	return math.Min(1, (k.SuccessProbability(math.Exp(-r.Epsilon*distance/2))+r.missed())*(1+1e-9))
}

// missed returns f(1-1/m).
func (r Repetition) missed() float64 {
	return r.Law.Distribution().PGF(float64(r.Candidates-1) / float64(r.Candidates))
}

// DistanceAt returns the least distance that FailureAt allows at a chance in (0, 1), rounded up. No
// distance has a chance below that of missing the best candidate, f(1-1/m): this is an error.
func (r Repetition) DistanceAt(failure float64) (float64, error) {
	if err := r.Validate(); err != nil {
		return math.Inf(1), err
	}
	if err := check.OpenUnit.Of("selection: failure", failure); err != nil {
		return math.Inf(1), err
	}
	unit := 2 / r.Epsilon // of distances
	x := numeric.LeastTrue(1e-9, func(x float64) bool { return r.failureAt(x*unit) <= failure })
	if math.IsInf(x, 1) {
		return x, fmt.Errorf("selection: failure %g: must be above %g, the chance that no run draws the best of %d candidates", failure, r.missed(), r.Candidates)
	}
	return x * unit, nil
}
