package answer

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
)

// At has the points at which a price is asked for too, and the records of one person. TPR is the
// largest true positive rate at FPR, if noise is to be found for it.
type At struct{ Epsilon, FPR, Records, TPR flags.Number }

// DeltaAt is the δ of an event at an ε.
type DeltaAt struct {
	Epsilon     float64                 `json:"epsilon"`
	Delta       accounting.Interval     `json:"delta"`
	Certificate *accounting.Certificate `json:"certificate,omitempty"` // at the upper end
}

// Checked reports whether the upper end was checked, or claims nothing.
func (d DeltaAt) Checked() bool { return d.Certificate != nil || d.Delta.Upper >= 1 }

// Attack bounds the tests for one example.
type Attack struct {
	FPR     float64             `json:"fpr"`
	TPR     accounting.Interval `json:"tpr"`     // the largest true positive rate at FPR
	From    float64             `json:"from"`    // Mu holds for false positive rates from here
	To      float64             `json:"to"`      // to here
	Mu      accounting.Interval `json:"mu"`      // the least µ: µ-GDP does not protect more
	Checked bool                `json:"checked"` // whether TPR follows from a bound with a certificate

	MuChecked bool `json:"mu_checked,omitempty"` // whether Mu was checked: that of Gaussians is
}

// answer fills in what is asked for: δ at the ε, the price of a person, and the attack at the false
// positive rate.
func (at At) answer(r *Report, event accounting.Event, ends func(accounting.Interval) accounting.Interval) error {
	accountant := auto.NewAccountant()
	if at.Epsilon.Given {
		delta, g, err := accountant.CheckedDeltaAt(event, at.Epsilon.Value)
		if err != nil {
			return fmt.Errorf("-at-epsilon %v: %w", at.Epsilon.String(), err)
		}
		r.DeltaAt = &DeltaAt{at.Epsilon.Value, ends(delta), g.Certificate}
		for _, w := range g.Warnings {
			if errors.Is(w, accounting.ErrUncertified) {
				r.Warnings = append(r.Warnings, fmt.Sprintf("delta at epsilon %v: %v", at.Epsilon.String(), w))
			}
		}
	}
	if at.Records.Given {
		person, err := personAt(event, at.Records.Value, r.Guarantee.Delta, accountant)
		if err != nil {
			return fmt.Errorf("-records-per-person %v: %w", at.Records.String(), err)
		}
		r.Person = person
	}
	if !at.FPR.Given {
		return nil
	}
	test, exact, err := newTradeOff(event, accountant)
	if err != nil {
		return fmt.Errorf("-at-fpr %v: %w", at.FPR.String(), err)
	}
	a := Attack{FPR: at.FPR.Value, From: math.Min(at.FPR.Value, 1-at.FPR.Value)}
	a.To = math.Max(a.From, math.Min(1-a.From, math.Nextafter(1, 0)))
	if a.TPR, err = test.TPRAt(a.FPR); err != nil {
		return fmt.Errorf("-at-fpr %v: %w", at.FPR.String(), err)
	}
	if a.Mu, err = test.MuOnTypeI(a.From, a.To); err != nil {
		return fmt.Errorf("-at-fpr %v: %w", at.FPR.String(), err)
	}
	a.Checked, a.MuChecked = test.Uncertified() == nil && (!exact || a.TPR.LowerChecked), exact && a.Mu.LowerChecked
	a.TPR, a.Mu = ends(a.TPR), ends(a.Mu)
	r.Attack = &a
	return nil
}

// truePositives answers with the largest true positive rate at a false positive rate, where
// [accounting.Calibration] searches for an ε at a δ.
type truePositives struct{ auto.Accountant }

func (a truePositives) EpsilonAt(event accounting.Event, fpr float64) (accounting.Guarantee, error) {
	test, _, err := newTradeOff(event, a.Accountant)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	tpr, err := test.TPRAt(fpr)
	return accounting.Guarantee{Epsilon: tpr}, err
}

// leastNoise returns the least noise multiplier, rounded up, at which no test for one example has a
// true positive rate above TPR at FPR.
func (at At) leastNoise(event func(noise float64) accounting.Event) (float64, error) {
	noise, err := accounting.Calibration{
		Accountant: truePositives{auto.NewAccountant()}, Event: event, Target: accounting.Target{Epsilon: at.TPR.Value, Delta: at.FPR.Value},
		Low: leastNoiseSearched, High: mostNoiseSearched,
	}.Least()
	if err == nil && noise == leastNoiseSearched || errors.Is(err, accounting.ErrNoBracket) {
		return 0, fmt.Errorf("noise multipliers from %g to %g: must have a true positive rate above and one below -target-tpr %v at -at-fpr %v",
			leastNoiseSearched, float64(mostNoiseSearched), at.TPR.String(), at.FPR.String())
	}
	if err != nil {
		return 0, fmt.Errorf("-target-tpr %v: %w", at.TPR.String(), err)
	}
	return noise, nil
}

// bothEnds keeps an interval.
func bothEnds(i accounting.Interval) accounting.Interval { return i }

// upperEnd drops the lower end of an interval.
func upperEnd(i accounting.Interval) accounting.Interval { return accounting.UpperBound(i.Upper) }
