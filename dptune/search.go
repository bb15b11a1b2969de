package dptune

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Search is a private tuning: the best of K runs, K drawn from Law and kept secret.
//
// Reference: Papernot and Steinke (2022), arXiv:2110.03620v2, Algorithm 1 and Theorems 2
// and 6; package selection for the other bounds.
type Search[H, O any] struct {
	Law       law.Law         // of K. Required.
	Prior     Prior[H]        // of the hyper-parameters; must not depend on the data. Required.
	Candidate Candidate[H, O] // what is run. Required.
	Delta     float64         // δ of the guarantee, in (0, 1). Required.
	Unit      string          // what one record is, for the Statement: "one labelled image". Required.

	// Base is what one run costs, its score included. It is required if Prior has no
	// Support, and every hyper-parameter that is drawn must then have this event. With a
	// Support it must be nil: Base is then the worst case over the Support.
	Base accounting.Event

	// TruncationDelta is how much of δ each run sets aside since its noise is truncated, in
	// [0, 1). It is needed only where the Candidate does not tell for every value of the prior
	// (see [NoiseTruncated]), and must be at least what it tells of each hyper-parameter that is drawn.
	TruncationDelta float64

	Default     O                       // released if K = 0, which Poisson laws allow
	Accountants []accounting.Accountant // to ask about one run; none is those of accounting/auto, the least certified bound
	Assumptions []string                // what else must hold, for the Statement

	// Identity tells the search from others that draw from one secret root: a hash of the data, such
	// as data.Dataset.Fingerprint, and of all else that differs. Equal ones draw the same, so
	// that the search can be resumed, and others independently. Nil asks the Candidate if its
	// Prior is a Grid (see [Identified]); without an answer each Run draws from a new secret root.
	Identity []byte

	// KeepUnsafeDiagnostics keeps K and the losers for Release.UnsafeDiagnostics.
	KeepUnsafeDiagnostics bool
}

// Validate returns every fault of the search, joined. It runs nothing.
func (s Search[H, O]) Validate() error {
	f := check.In("dptune: Search.")
	f.That(s.Law != nil, "Law", "is nil", "must be a law of the number of runs")
	if s.Law != nil {
		f.Add(s.validateLaw())
	}
	f.That(s.Prior != nil, "Prior", "is nil", "must be a Grid or a Sampler")
	if s.Prior != nil {
		f.Add(s.Prior.Validate())
	}
	f.That(s.Candidate != nil, "Candidate", "is nil", "must be a Candidate")
	f.Number("TruncationDelta", s.TruncationDelta, check.BelowOne)
	validateRelease(f, s.Delta, s.Unit)
	return f.Err()
}

// BaseEvent returns what one run costs: the event that all values of the prior share, the
// worst of several, or Search.Base for a prior without a Support.
func (s Search[H, O]) BaseEvent() (accounting.Event, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	support := s.Prior.Support()
	switch {
	case support == nil && s.Base == nil:
		return nil, errors.New("dptune: Search.Base is nil: must be the event of one run, since the prior's values cannot be listed")
	case support == nil:
		return s.Base, s.Base.Validate()
	case s.Base != nil:
		return nil, errors.New("dptune: Search.Base is set: must be nil, since it follows from the values of the prior")
	}
	distinct, err := s.eventsOf(support)
	if err != nil {
		return nil, err
	}
	if len(distinct) == 1 {
		return distinct[0], nil
	}
	return accounting.WorstCase{Events: distinct}, nil
}

// eventsOf returns the events of hyper-parameters, each once.
func (s Search[H, O]) eventsOf(hs []H) ([]accounting.Event, error) {
	var distinct []accounting.Event
	for _, h := range hs {
		event, err := s.eventOf(h)
		if err != nil {
			return nil, err
		}
		if !contains(distinct, event) {
			distinct = append(distinct, event)
		}
	}
	return distinct, nil
}

// Price returns what the search costs, before anything runs, with the [NoiseTruncated] of all runs
// set aside. It does not depend on the data.
func (s Search[H, O]) Price() (accounting.Price, error) {
	tail, err := s.noiseTail()
	if err != nil {
		return accounting.NoPrice(), err
	}
	return s.price(tail)
}

// price is Price with so much of δ set aside.
func (s Search[H, O]) price(tail float64) (accounting.Price, error) {
	base, err := s.BaseEvent()
	if err != nil {
		return accounting.NoPrice(), err
	}
	left, err := deltaLeft("Search", s.Delta, tail)
	if err != nil {
		return accounting.NoPrice(), err
	}
	price, err := selection.EventAt(selection.Event{Law: s.Law, Base: base}, left, s.Accountants...)
	if err != nil {
		return accounting.NoPrice(), fmt.Errorf("dptune: %w", err)
	}
	price.Guarantee.Delta, price.OneRun.Delta = s.Delta, s.Delta
	return price, nil
}

// noiseTail returns what all runs together set aside of δ: the chance that at least one of K
// runs has its flag up (see accounting.Reserve).
func (s Search[H, O]) noiseTail() (float64, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	one, err := s.runTail()
	if err != nil {
		return 0, err
	}
	return anyTail(s.Law, one), nil
}

// runTail returns what one run sets aside of δ.
func (s Search[H, O]) runTail() (float64, error) {
	one, err := largestTail(s.Candidate, s.Prior.Support())
	return max(one, s.TruncationDelta), err
}

// maxRuns is the largest K that is run. A search that draws more ends in an error, so that what is
// run is another law than the priced one. By privacy profiles that law costs no more (its f' has
// smaller ratios, as that of law.Truncated has); by the sharpened Rényi bound it might. So the
// chance of it must be out of sight: at most tailShare of δ.
const (
	maxRuns   = 1 << 24
	tailShare = 1e-9
)

// validateLaw returns an error unless the law is valid, and can be run.
func (s Search[H, O]) validateLaw() error {
	runs, err := law.Of(s.Law)
	if err != nil {
		return err
	}
	if tail := runs.TailBound(maxRuns); s.Delta > 0 && tail > tailShare*s.Delta {
		return fmt.Errorf("dptune: Search.Law, the %v, draws more than %d runs with a chance of up to %.2g: must be at most %g of Delta; see law.Capped and law.Truncated", s.Law, maxRuns, tail, tailShare)
	}
	return nil
}

var errTooManyRuns = fmt.Errorf("dptune: the law drew more than %d runs: must be a law that can be run; see law.Capped and law.Truncated", maxRuns)

func (s Search[H, O]) eventOf(h H) (accounting.Event, error) {
	event, err := s.Candidate.Event(h)
	if err != nil {
		return nil, fmt.Errorf("dptune: event of hyper-parameters %v: %w", h, err)
	}
	if event == nil {
		return nil, fmt.Errorf("dptune: event of hyper-parameters %v is nil: must be an event", h)
	}
	return event, nil
}

func contains(events []accounting.Event, event accounting.Event) bool {
	for _, e := range events {
		if reflect.DeepEqual(e, event) {
			return true
		}
	}
	return false
}
