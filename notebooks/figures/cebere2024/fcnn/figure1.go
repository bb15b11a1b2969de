package fcnn

import (
	"fmt"

	"github.com/dplab/dplab/notebooks/figures/cebere2024/hidden"
)

// Result has the bounds of each learning rate, adversary and repetition over the steps.
type Result struct {
	Config     Config
	Source     string    // where and when the models were trained
	Accountant []float64 // ε upper bound at each of Observe: as many Gaussian releases
	Rates      []Rate    // one for each learning rate
}

// Rate holds the audits at one learning rate.
type Rate struct {
	LearningRate float64
	Curves       []Curve // one for each adversary
}

// Curve holds the audits of one adversary.
type Curve struct {
	Adversary string
	Audits    []Audit // one for each repetition
}

// Audit holds lower bounds on ε at each of Observe.
type Audit struct {
	Paper        []float64 // as in the paper: best threshold on the same scores, Gaussian trade-off assumed, uncorrected
	GDP          []float64 // Gaussian trade-off assumed, by the area under the curve: no threshold to choose
	NoAssumption float64   // two-tail rank sum, at the last of Observe alone
}

// Figure1 takes the bounds of the panel's adversaries from their scores, those of [hidden.FCNN]. Of learning rates that are not
// equally far, it takes as many repetitions as all have.
func Figure1(a hidden.Audits) (Result, error) {
	r := Result{Config: configOf(a.Config), Source: a.Account}
	r.Config.LearningRates = nil
	for i, s := range a.Config.Settings {
		panel := Rate{LearningRate: s.LearningRate}
		for _, adversary := range adversaries {
			c, ok, err := a.Curve(i, adversary)
			if err != nil {
				return Result{}, fmt.Errorf("fcnn: learning rate %g, %s: %w", s.LearningRate, adversary, err)
			}
			if !ok {
				continue
			}
			curve, err := newCurve(c)
			if err != nil {
				return Result{}, fmt.Errorf("fcnn: learning rate %g, %s: %w", s.LearningRate, adversary, err)
			}
			panel.Curves, r.Accountant = append(panel.Curves, curve), c.Accountant
		}
		if len(panel.Curves) > 0 {
			r.Rates, r.Config.LearningRates = append(r.Rates, panel), append(r.Config.LearningRates, s.LearningRate)
		}
	}
	r.even()
	return r, nil
}

func newCurve(c hidden.Curve) (Curve, error) {
	none, err := c.NoAssumption()
	if err != nil {
		return Curve{}, err
	}
	curve := Curve{Adversary: c.Adversary}
	for i, b := range c.Bounds {
		curve.Audits = append(curve.Audits, Audit{b.Paper, b.GDP, none[i]})
	}
	return curve, nil
}

// even leaves as many repetitions as all curves have.
func (r *Result) even() {
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			r.Config.Repetitions = min(r.Config.Repetitions, len(c.Audits))
		}
	}
	for _, panel := range r.Rates {
		for i := range panel.Curves {
			panel.Curves[i].Audits = panel.Curves[i].Audits[:r.Config.Repetitions]
		}
	}
}
