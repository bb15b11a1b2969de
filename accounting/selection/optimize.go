package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// Target says what a tuning should reach. [Target.Optimize] finds the law of K and the noise for it.
type Target struct {
	Event   func(noiseMultiplier float64) accounting.Event // one run at σ
	Epsilon float64                                        // of the whole tuning, in nats, > 0
	Delta   float64                                        // in (0, 1)

	// One of the two must be given: the mean number of runs, or the chance that the best of
	// K runs is among the Top share of all runs that could have happened.
	MeanRepeats float64 // E[K] > 1
	Success     float64 // 1 - f(1-Top), in (0, 1)
	Top         float64 // in (0, 1); 0 is 0.01

	// EtaRange is where η of the truncated negative binomial laws is searched, within
	// (-1, 100]. The zero value is [0, 5] with MeanRepeats, and [-0.75, 5] with Success.
	// For one mean the least η is always the cheapest, because its runs are mostly few and
	// rarely very many: there the range is a choice of the tail, not a formality.
	EtaRange [2]float64

	// Accountants give tighter profiles of the runs.
	Accountants []accounting.Accountant
}

// Optimum is the law and the least noise with which a tuning meets its Target.
type Optimum struct {
	Law             Law
	NoiseMultiplier float64
	Price           Price     // at most the target; Price.Least() is the bound that won
	Tried           []Attempt // other laws at the same noise, by η; the Poisson law last
}

// Attempt is what a law that meets the same wish costs at the noise of the Optimum.
type Attempt struct {
	Law         Law
	Epsilon     float64 // in nats
	MeanRepeats float64
	Success     float64 // 1 - f(1-Top)
}

// Validate returns every fault, joined.
func (t Target) Validate() error {
	var errs []error
	if t.Event == nil {
		errs = append(errs, errors.New("selection: Target.Event is nil: must be a function"))
	}
	if !(t.Epsilon > 0) || math.IsInf(t.Epsilon, 1) {
		errs = append(errs, fmt.Errorf("selection: Target.Epsilon %g: must be > 0 and finite", t.Epsilon))
	}
	if err := accounting.ValidateDelta(t.Delta); err != nil {
		errs = append(errs, fmt.Errorf("selection: Target.Delta: %w", err))
	}
	switch {
	case (t.MeanRepeats != 0) == (t.Success != 0):
		errs = append(errs, fmt.Errorf("selection: Target.MeanRepeats %g, Success %g: just one of them must be given", t.MeanRepeats, t.Success))
	case t.MeanRepeats != 0 && !(t.MeanRepeats > 1 && t.MeanRepeats <= 1e9):
		errs = append(errs, fmt.Errorf("selection: Target.MeanRepeats %g: must be in (1, 1e9]", t.MeanRepeats))
	case t.Success != 0 && !(t.Success > t.top() && t.Success < 1):
		errs = append(errs, fmt.Errorf("selection: Target.Success %g: must be in (Top, 1) = (%g, 1): one run reaches Top", t.Success, t.top()))
	}
	if !(t.top() > 0 && t.top() < 1) {
		errs = append(errs, fmt.Errorf("selection: Target.Top %g: must be in (0, 1), or 0 for 0.01", t.Top))
	}
	if r := t.etas(); !(r[0] > -1 && r[0] <= r[1] && r[1] <= 100) {
		errs = append(errs, fmt.Errorf("selection: Target.EtaRange %v: must be increasing, within (-1, 100]", t.EtaRange))
	}
	return errors.Join(errs...)
}

func (t Target) top() float64 {
	if t.Top == 0 {
		return 0.01
	}
	return t.Top
}

func (t Target) etas() [2]float64 {
	switch {
	case t.EtaRange != [2]float64{}:
		return t.EtaRange
	case t.MeanRepeats != 0:
		return [2]float64{0, 5}
	}
	return [2]float64{-0.75, 5}
}

// tnb returns the law with this η that meets the wish, and whether there is one.
func (t Target) tnb(eta float64) (Law, bool) {
	if t.MeanRepeats != 0 {
		law, err := TNBFromMean(eta, t.MeanRepeats)
		return law, err == nil
	}
	const deepest = 700 // of ln(1/γ); success grows with it
	at := func(depth float64) TNB { return TNB{Eta: eta, Gamma: math.Exp(-depth)} }
	if at(deepest).SuccessProbability(t.top()) < t.Success {
		return nil, false // below Top^-η for η < 0, whatever γ
	}
	lo, hi := 0.0, float64(deepest)
	for range 100 {
		if mid := lo + (hi-lo)/2; at(mid).SuccessProbability(t.top()) < t.Success {
			lo = mid
		} else {
			hi = mid
		}
	}
	law := at(hi)
	return law, law.Validate() == nil
}

// poisson returns the Poisson law that meets the wish.
func (t Target) poisson() Poisson {
	if t.MeanRepeats != 0 {
		return Poisson{MeanRepeats: t.MeanRepeats}
	}
	return Poisson{MeanRepeats: -math.Log1p(-t.Success) / t.top()}
}
