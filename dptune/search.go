package dptune

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Search releases the best of a random number of runs, each private by itself.
//
// That number K is drawn from Law and stays secret, as do the losers.
//
// # Which law
//
// Law has no default. Its mean decides the work and its shape the price, and neither may depend on
// the data. law.Logarithmic(10) costs less than law.Geometric(10), and draws few runs more often.
// law.Poisson varies less than both. Package accounting/advise and the command dpcost advise
// compare them for given runs.
//
// Reference: Papernot and Steinke (2022), arXiv:2110.03620v2, Algorithm 1 and Theorems 2
// and 6; package selection for the other bounds.
type Search[H, O any] struct {
	Law       law.Law         // of K, for instance law.Logarithmic(10). Required.
	Prior     Prior[H]        // of the hyper-parameters; must not depend on the data. Required.
	Candidate Candidate[H, O] // what is run. Required.
	Delta     float64         // δ of the guarantee, in (0, 1). Required.
	Unit      string          // what one record is, for the Statement: "one labelled image". Required.

	// Base is the cost of one run, its score included. It is required if Prior has no Support, and
	// every drawn hyper-parameter must then have this event or, if Base is a RenyiBound such as
	// [Line.Bound], an event whose Rényi curve is within it. With a Support it must be nil: Base is
	// then the worst case over the Support.
	Base accounting.Event

	// TruncationDelta is the part of δ that each run sets aside for its truncated noise, in [0, 1]. It
	// is needed only if the Candidate does not report it for every value of the prior (see
	// [NoiseTruncated]). It must be at least that of each drawn hyper-parameter.
	TruncationDelta float64

	Default     O                       // released if K = 0, which Poisson laws allow
	Accountants []accounting.Accountant // to ask about one run; the default is those of accounting/auto
	Assumptions []string                // further assumptions, for the Statement

	// Identity distinguishes the search from others that draw from one secret root. It is a hash of
	// the data, such as data.Dataset.Fingerprint, and of the code. If it is nil and Prior is a Grid,
	// the Candidate gives it (see [Identified]). Without an identity each Run draws from a new secret
	// root.
	//
	// Searches with equal identities, laws, priors and events of a run draw the same, and can be
	// resumed. All others draw independently, so their prices add up. Delta is not part of that: the
	// same search at another δ releases the same, and both guarantees hold. A Prior counts by its type,
	// its Support, and what package json writes of it, and your own law or event by type and String.
	Identity []byte

	// KeepUnsafeDiagnostics keeps K and the losers for Release.UnsafeDiagnostics.
	KeepUnsafeDiagnostics bool
}

// Validate returns every fault of the search, joined. It runs nothing.
func (s Search[H, O]) Validate() error {
	f := check.In("dptune: Search.")
	f.That(s.Law != nil, "Law", "is nil", "must be the law of K, for instance law.Logarithmic(10)")
	if s.Law != nil {
		f.Add(s.validateLaw())
	}
	f.That(s.Prior != nil, "Prior", "is nil", "must be a Grid or a Sampler")
	if s.Prior != nil {
		f.Add(s.Prior.Validate())
	}
	f.That(s.Candidate != nil, "Candidate", "is nil", "must be a Candidate")
	f.Number("TruncationDelta", s.TruncationDelta, check.Unit)
	validateRelease(f, s.Delta, s.Unit)
	return f.Err()
}

// maxRuns is the largest K that is run. A search that draws more ends in an error. The law that
// runs then differs from the priced one. By privacy profiles that law costs no more (its f' has
// smaller ratios, as that of law.Truncated has). By the sharpened Rényi bound it might cost more.
// So its chance must be negligible: at most tailShare of δ.
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
		return fmt.Errorf("dptune: Search.Law %v: P[K > %d] is up to %.2g: must be <= %g Delta; see law.Truncated", s.Law, maxRuns, tail, tailShare)
	}
	return nil
}

// Event returns the best of K runs, each of them RunEvent.
func (s Search[H, O]) Event() (accounting.Event, error) { return eventOf(s.terms()) }

// Price returns what the search costs, before anything runs.
func (s Search[H, O]) Price() (accounting.Price, error) { return priceOf(s.terms()) }

// Statement returns the guarantee of the search, before anything runs.
func (s Search[H, O]) Statement() (accounting.Statement, error) { return statementOf(s.terms()) }

func (s Search[H, O]) terms() (terms, error) {
	run, err := s.RunEvent()
	if err != nil {
		return terms{}, err
	}
	truncation, err := s.truncation()
	if err != nil {
		return terms{}, err
	}
	return terms{
		field: "Search.Delta", delta: s.Delta, truncation: truncation,
		event: selection.BestOf{Law: s.Law, Base: run}, accountants: s.Accountants,
		draws: "search", identity: s.identity,
		noted: func(stated accounting.Statement) accounting.Statement {
			return notePlaces(stated, s.Candidate, s.Prior.Support())
		},
		statement: accounting.Statement{
			Unit:    s.Unit,
			Subject: "the best of a random number of runs with its hyper-parameters",
			Assumptions: s.assuming(
				assumesCount, assumesHidden, assumesPriors, assumesRuns, assumesReals, assumesSecret,
			),
			NotCovered: notCovered("the number of runs, the losing runs, their scores and the running time: do not publish them"),
		},
	}, nil
}

// assuming returns assumptions with those of the candidate and of the caller.
func (s Search[H, O]) assuming(list ...string) []string {
	return append(append(list, assumptionsOf(s.Candidate, s.Prior.Support())...), s.Assumptions...)
}

// RunEvent returns the event of one run: the event that all values of the prior share, the worst of
// several, or Search.Base for a prior without a Support.
func (s Search[H, O]) RunEvent() (accounting.Event, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	support := s.Prior.Support()
	switch {
	case support == nil && s.Base == nil:
		return nil, errors.New("dptune: Search.Base is nil: must be the event of one run, since Prior lists no values")
	case support == nil:
		return s.Base, s.Base.Validate()
	case s.Base != nil:
		return nil, errors.New("dptune: Search.Base is set: must be nil, since Prior lists its values")
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
		event, err := eventOfRun(s.Candidate, h)
		if err != nil {
			return nil, err
		}
		if !contains(distinct, event) {
			distinct = append(distinct, event)
		}
	}
	return distinct, nil
}

func contains(events []accounting.Event, event accounting.Event) bool {
	for _, e := range events {
		if reflect.DeepEqual(e, event) {
			return true
		}
	}
	return false
}

// truncation returns the part of δ that all runs together set aside: the chance that at least one
// of K runs has its flag up (see accounting.WithDeltaReserve).
func (s Search[H, O]) truncation() (float64, error) {
	one, err := s.runTruncation()
	if err != nil {
		return 0, err
	}
	return anyTruncation(s.Law, one), nil
}

// runTruncation returns the part of δ that one run sets aside.
func (s Search[H, O]) runTruncation() (float64, error) {
	largest := s.TruncationDelta
	for _, h := range s.Prior.Support() {
		delta, err := truncationOf(s.Candidate, h)
		if err != nil {
			return 0, err
		}
		largest = max(largest, delta)
	}
	return largest, nil
}

// anyTruncation returns 1 - E[(1-p)^K], raised by more than its rounding. It is the chance that at
// least one of K runs is truncated, if each is with chance at most p.
func anyTruncation(k law.Law, p float64) float64 {
	if p == 0 {
		return 0
	}
	return min(1, k.Distribution().SuccessProbability(p)*(1+1e-9))
}

// identity returns the identity of the search among others of one root, or nil.
func (s Search[H, O]) identity() ([]byte, error) {
	if s.Identity != nil {
		run, err := s.RunEvent()
		if err != nil {
			return nil, err
		}
		return bound(s.Identity, selection.BestOf{Law: s.Law, Base: run}, s.Prior, s.Prior.Support())
	}
	candidate, identified := s.Candidate.(Identified[H])
	grid, listed := s.Prior.(Grid[H]) // another prior may draw by a law that has no hash
	if !identified || !listed {
		return nil, nil
	}
	runs, err := candidate.Identity(grid)
	if err != nil || runs == nil {
		return nil, err
	}
	run, err := s.RunEvent()
	if err != nil {
		return nil, err
	}
	event, err := eventjson.Marshal(selection.BestOf{Law: s.Law, Base: run})
	if err != nil {
		return nil, nil // the caller's law
	}
	text, err := json.Marshal([][]byte{event, runs})
	sum := sha256.Sum256(text)
	return sum[:], err
}
