package dptune

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// terms are the price, the statement and the draws of one protocol. Each protocol makes its own
// terms. Everything else about prices, statements and roots is here, once.
type terms struct {
	field       string // of Delta, for errors: "Search.Delta"
	delta       float64
	truncation  float64 // of δ, set aside for all runs together
	event       accounting.Event
	accountants []accounting.Accountant
	statement   accounting.Statement // without its guarantee; a given Theorem or Mechanism is kept

	noted func(accounting.Statement) accounting.Statement // adds the candidate's note on places; nil for none

	draws    string                 // name of the protocol's draws
	identity func() ([]byte, error) // identity of its draws among others of one secret root; nil bytes are unknown
}

// eventOf, priceOf and statementOf return the Event, Price and Statement of a protocol.
func eventOf(t terms, err error) (accounting.Event, error) {
	if err != nil {
		return nil, err
	}
	return t.event, nil
}

func priceOf(t terms, err error) (accounting.Price, error) {
	if err != nil {
		return accounting.NoPrice(), err
	}
	return t.price(t.truncation)
}

func statementOf(t terms, err error) (accounting.Statement, error) {
	if err != nil {
		return accounting.NoStatement(), err
	}
	return t.stated()
}

// price returns the cost of the event, with so much of δ set aside.
func (t terms) price(truncation float64) (accounting.Price, error) {
	left, err := t.deltaLeft(truncation)
	if err != nil {
		return accounting.NoPrice(), err
	}
	p, err := auto.NewAccountant(t.accountants...).PriceAt(t.event, left)
	if err != nil {
		return accounting.NoPrice(), fmt.Errorf("dptune: %w", err)
	}
	p.Guarantee.Delta = t.delta
	if p.OneRun.Epsilon.Computed() {
		p.OneRun.Delta = t.delta
	}
	if truncation > 0 { // a lower end at less δ is not one at δ
		p.Guarantee.Epsilon = accounting.UpperBound(p.Guarantee.Epsilon.Upper)
	}
	return p, nil
}

// deltaLeft returns δ without the part that is set aside, or an error if nothing is left.
func (t terms) deltaLeft(truncation float64) (float64, error) {
	left := accounting.WithDeltaReserve{Delta: truncation}.Left(t.delta)
	if left == 0 {
		return 0, noDeltaLeft{t.field, t.delta, truncation}
	}
	return left, nil
}

// noDeltaLeft is the error where nothing is left of δ.
type noDeltaLeft struct {
	field             string
	delta, truncation float64
}

func (e noDeltaLeft) Error() string {
	return fmt.Sprintf("dptune: %s %g: must be above %.2g, which truncated noise takes", e.field, e.delta, e.truncation)
}

// stated returns the statement with its guarantee, theorem, and the part of δ that is set aside.
func (t terms) stated() (accounting.Statement, error) {
	p, err := t.price(t.truncation)
	if err != nil {
		return accounting.NoStatement(), err
	}
	s := t.statement
	s.Assumptions = append([]string{s.Unit + " is exactly one row of the data"}, s.Assumptions...)
	s.Guarantee = p.Guarantee
	s.Guarantee.Method = p.Least().Method // Mechanism has what was run
	if s.Mechanism == "" {
		s.Mechanism = t.event.String()
	}
	if s.Theorem == "" {
		s.Theorem, s.Published = p.Least().Theorem, published(p)
	}
	if t.truncation > 0 {
		whole, err := t.price(0)
		if err != nil {
			return accounting.NoStatement(), err
		}
		s.Included = []string{accounting.WithDeltaReserve{Delta: t.truncation}.Note("truncated noise", whole.Guarantee.Epsilon.Upper, s.Guarantee.Epsilon.Upper)}
	}
	if t.noted != nil {
		s = t.noted(s)
	}
	return s, nil
}

// validateRelease adds the faults of the fields that every protocol has.
func validateRelease(f *check.Faults, delta float64, unit string) {
	f.Number("Delta", delta, check.OpenUnit)
	f.That(unit != "", "Unit", "is empty", `must name one record, for instance "one labelled image"`)
}

// The assumptions of several statements.
const (
	assumesCount  = "the number of runs was drawn without looking at the data"
	assumesHidden = "the number of runs stays secret"
	assumesPriors = "each run's hyper-parameters were drawn without looking at the data or at other runs, and it starts from no model of another run"
	assumesRuns   = "each run, including its score, is as private as the mechanism states"
	assumesReals  = "noise and samples are drawn without rounding errors"
	assumesSecret = "the seed of all random draws is secret"

	assumesTraining = "the last training is as private as the mechanism states, whatever its hyper-parameters"
)

// notCovered returns the limits of every statement, after those of this one.
func notCovered(own ...string) []string {
	return append(own, "several rows together: anyone who contributed several is protected less", "rounding of the noise to floating-point numbers")
}

// published returns the price by published results only, if part of the proof of the least bound is
// ours; else the empty string.
func published(p accounting.Price) string {
	b, ok := p.LeastPublished()
	if p.Least().Published || !ok {
		return ""
	}
	return fmt.Sprintf("ε ≤ %s, %s", accounting.FormatUpper(b.Epsilon), b.Theorem)
}

// begin starts every Run. It computes the price, before any data is read, and the root that the run
// draws from. The statement warns if that root is not secret.
func begin(root streams.Root, of func() (terms, error)) (streams.Root, accounting.Statement, error) {
	if err := root.Validate(); err != nil {
		return root, accounting.NoStatement(), fmt.Errorf("dptune: %w", err)
	}
	t, err := of()
	statement, err := statementOf(t, err)
	if err != nil {
		return root, statement, err
	}
	if root, err = t.rootFor(root); err != nil {
		return root, accounting.NoStatement(), err
	}
	if root.Seeded() {
		statement.Warnings = append(statement.Warnings, streams.ErrSeeded)
	}
	return root, statement, nil
}

// rootFor returns the root of one Run: a fixed one unchanged, and a secret one bound to the
// identity. Without an identity it is a new one.
//
// Two runs of a protocol that share their draws cost more than both prices. They share their
// secrets: the sample, the number of runs, the noise of scores. Then only the data cause a
// difference of their outputs.
func (t terms) rootFor(root streams.Root) (streams.Root, error) {
	if root.Seeded() {
		return root, nil
	}
	what, err := t.identity()
	if err != nil {
		return root, err
	}
	if what != nil {
		return root.Bound(append([]byte(t.draws+"\x00"), what...)), nil
	}
	if root, err = streams.Secret(); err != nil {
		return root, fmt.Errorf("dptune: %w", err)
	}
	return root, nil
}

// releasing runs a protocol. Its price comes first: without one the data are not touched. run fills
// in the release from the root of the draws. With an error nothing is released.
func releasing[H, O, D any](root streams.Root, of func() (terms, error), run func(root streams.Root, out *Release[H, O, D]) error) (Release[H, O, D], error) {
	root, statement, err := begin(root, of)
	if err != nil {
		return noRelease[H, O, D](), err
	}
	out := Release[H, O, D]{Statement: statement, Seeded: root.Seeded()}
	if err := run(root, &out); err != nil {
		return noRelease[H, O, D](), err
	}
	return out, nil
}
