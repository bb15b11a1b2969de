package dptune

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection"
)

// stated returns what the statements of searches over a random number of runs say alike: the guarantee, by which theorem, and what
// setting a part of δ aside did. price is asked with that part, and without one.
func stated(unit string, tail float64, price func(tail float64) (accounting.Price, error)) (accounting.Statement, error) {
	p, err := price(tail)
	if err != nil {
		return accounting.NoStatement(), err
	}
	counts, err := tailNote(tail, p.Guarantee, func() (accounting.Guarantee, error) {
		whole, err := price(0)
		return whole.Guarantee, err
	})
	if err != nil {
		return accounting.NoStatement(), err
	}
	p.Guarantee.Method = p.Least().Method // the law is in Mechanism
	return accounting.Statement{Guarantee: p.Guarantee, Unit: unit, Theorem: theorem(p), Included: counts}, nil
}

// Statement returns the guarantee of the search, before anything runs. Release.Statement
// is the same, with a warning if the draws were not secret.
func (s Search[H, O]) Statement() (accounting.Statement, error) {
	tail, err := s.noiseTail()
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement, err := stated(s.Unit, tail, s.price)
	if err != nil {
		return accounting.NoStatement(), err
	}
	base, err := s.BaseEvent()
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement.Subject = "the best of a random number of runs together with its hyper-parameters"
	statement.Mechanism = selection.Event{Law: s.Law, Base: base}.String()
	statement.Assumptions = slices.Concat([]string{
		"the number of runs was drawn without looking at the data and stays secret",
		"each run's hyper-parameters were drawn without looking at the data or at other runs",
		"each run, its score included, is as private as the mechanism says",
		"noise and samples come from real numbers and a secret seed",
	}, s.assumptionsOf(), s.Assumptions)
	statement.NotCovered = []string{
		"the number of runs, the runs that lost, their scores, and the running time, which must not be published",
		fmt.Sprintf("records other than %s (a person may have contributed several)", s.Unit),
		"rounding of the noise to floating-point numbers",
	}
	return statement, nil
}

// validateRelease adds what is wrong with the fields that every statement needs.
func validateRelease(f *check.Faults, delta float64, unit string) {
	f.Number("Delta", delta, check.OpenUnit)
	f.That(unit != "", "Unit", "is empty", `must say what one record is, for instance "one labelled image"`)
}

// validateTraining adds what is wrong with the training that follows a search, if there is one.
func validateTraining(f *check.Faults, training accounting.Event, trains bool, tail float64) {
	f.That((training != nil) == trains, "Training", "and Train", "must both be given, or both be nil")
	if training != nil {
		f.Below("Training", training.Validate())
	}
	f.Number("TrainingTruncationDelta", tail, check.BelowOne)
}

// theorem names the result behind the price, and, if part of its proof is ours, what the
// published results alone would give.
func theorem(price accounting.Price) string {
	least := price.Least()
	published, ok := price.LeastPublished()
	if least.Published || !ok {
		return least.Theorem
	}
	return fmt.Sprintf("%s (by published results alone ε <= %s: %s)", least.Theorem, accounting.FormatUpper(published.Epsilon), published.Theorem)
}

// Statement returns the guarantee of the whole, before anything runs.
func (t TuneThenTrain[H, O]) Statement() (accounting.Statement, error) {
	if err := t.Validate(); err != nil {
		return accounting.NoStatement(), err
	}
	event, err := t.event()
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement, err := stated(t.Search.Unit, t.noiseTail(), t.price)
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement.Subject = "the output of the last training, and the best of a random number of runs before it with its hyper-parameters"
	statement.Mechanism = event.String()
	statement.Assumptions = append([]string{
		"each record joined the tuning sample by a coin of its own, and who joined stays secret",
		"the number of runs was drawn without looking at the data and stays secret",
		"each run's hyper-parameters were drawn without looking at the data or at other runs",
		"each run, its score included, and the last training are as private as the mechanism says, whatever their hyper-parameters",
		"noise and samples come from real numbers and a secret seed",
	}, t.Search.Assumptions...)
	statement.NotCovered = []string{
		"the sample, the number of runs, the runs that lost, their scores, and the running time, which must not be published",
		fmt.Sprintf("records other than %s (a person may have contributed several)", t.Search.Unit),
		"rounding of the noise to floating-point numbers",
	}
	return statement, nil
}
