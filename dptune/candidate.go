package dptune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// Outcome is the result of one run: what may be released, and how good it is.
type Outcome[O any] struct {
	Output O
	Score  float64 // higher is better; NaN (a run that failed) counts as the worst
}

// Candidate is a private training procedure over its own data, with hyper-parameters of type H and
// outputs of type O.
type Candidate[H, O any] interface {
	// Event returns the event of one run with h on the data, its score included. It must not depend on
	// the data.
	Event(h H) (accounting.Event, error)

	// RunAll runs the procedure once for each of hs and returns the outcomes in the same order. Runs
	// are independent: run i draws only from roots[i], and its outcome does not depend on which other
	// runs share the call.
	RunAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error)
}

// Assuming is a Candidate whose event holds under its own assumptions, which the Statement of a
// search then lists.
type Assuming interface {
	// Assumptions lists what must hold, each as a clause: "each record is in only one part".
	Assumptions() []string
}

// AssumingOf is a Candidate with further assumptions that depend on the hyper-parameters of its
// runs.
type AssumingOf[H any] interface {
	// AssumptionsOf lists what must hold of runs with any of hs, or with any value if hs is nil.
	AssumptionsOf(hs []H) []string
}

// NotingPlaces is a Candidate. Some of its runs select examples by their places. Its guarantee is
// then about an example whose place stays empty, and the Statement of a search adds that to its
// unit.
type NotingPlaces[H any] interface {
	// PlaceNote returns a clause about the unit, such as "whose place stays empty", for runs with any
	// of hs, or with any value if hs is nil. It is empty if places do not matter.
	PlaceNote(hs []H) string
}

// NoiseTruncated is a Candidate whose noise is truncated, as that of dpsgd is, and so differs a
// little from that of its event. If the event is (ε, δ)-private, then a run is (ε, δ +
// TruncationDelta)-private, in the sense of accounting.WithDeltaReserve. A search sets that much of
// its δ aside for each run, and its Statement reports the sum.
type NoiseTruncated[H any] interface {
	// TruncationDelta returns that part of δ for a run with h, in [0, 1]. It must not depend on the
	// data.
	TruncationDelta(h H) (float64, error)
}

// Identified is a Candidate whose runs have an identity. From a secret root, the same Search then
// draws the same again, and can be resumed. A Search with other data or settings draws
// independently.
type Identified[H any] interface {
	// Identity returns a hash of everything, except the roots, that decides runs with any of hs: data,
	// models, settings. Nil means unknown: functions have no hash.
	Identity(hs []H) ([]byte, error)
}

// eventOfRun returns the event of one run with h.
func eventOfRun[H, O any](candidate Candidate[H, O], h H) (accounting.Event, error) {
	event, err := candidate.Event(h)
	if err == nil && event == nil {
		err = errors.New("is nil: must be an event")
	}
	if err != nil {
		return nil, fmt.Errorf("dptune: event of hyper-parameters %v: %w", h, err)
	}
	return event, nil
}

// truncationOf returns the truncation δ of a run with h; 0 if the candidate has none.
func truncationOf[H, O any](candidate Candidate[H, O], h H) (float64, error) {
	truncated, ok := candidate.(NoiseTruncated[H])
	if !ok {
		return 0, nil
	}
	delta, err := truncated.TruncationDelta(h)
	if err != nil {
		return 0, fmt.Errorf("dptune: truncation δ of hyper-parameters %v: %w", h, err)
	}
	return delta, check.Unit.Of(fmt.Sprintf("dptune: truncation δ of hyper-parameters %v:", h), delta)
}

// assumptionsOf returns the assumptions of a candidate about runs with any of hs.
func assumptionsOf[H, O any](candidate Candidate[H, O], hs []H) (list []string) {
	if c, ok := candidate.(Assuming); ok {
		list = c.Assumptions()
	}
	if c, ok := candidate.(AssumingOf[H]); ok {
		list = append(list, c.AssumptionsOf(hs)...)
	}
	return list
}

// notePlaces adds the candidate's note on places to the unit of a statement.
func notePlaces[H, O any](s accounting.Statement, candidate Candidate[H, O], hs []H) accounting.Statement {
	c, ok := candidate.(NotingPlaces[H])
	if !ok || s.Guarantee.Neighboring != accounting.AddOrRemoveOne {
		return s
	}
	if note := c.PlaceNote(hs); note != "" {
		s.Unit += ", " + note
	}
	return s
}

// best returns the index of the outcome with the highest score, or -1 if there is none. NaN counts
// below every number. Ties go to the highest of one uniform draw per outcome. Outcomes with their
// draws are totally ordered by a rule that knows no data, as Theorem 2 of papernot2022
// (arXiv:2110.03620v2) asks.
func best[O any](outcomes []Outcome[O], rng *rand.Rand) int {
	winner, winnerTie := -1, 0.0
	for i, o := range outcomes {
		tie := rng.Float64()
		if winner < 0 || above(o.Score, outcomes[winner].Score) ||
			(!above(outcomes[winner].Score, o.Score) && tie > winnerTie) {
			winner, winnerTie = i, tie
		}
	}
	return winner
}

// above reports whether score a ranks strictly above b.
func above(a, b float64) bool {
	return a > b || (math.IsNaN(b) && !math.IsNaN(a))
}
