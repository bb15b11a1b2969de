package dptune

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Run draws K and the hyper-parameters, runs the candidates, and releases the best. The
// price is computed first: a search that cannot be priced does not touch the data.
//
// All draws come from root; take it from streams.Secret for a release, see Identity for several
// from one. A canceled context
// or a run that fails with an error ends the search, and nothing is released. A run whose
// result is bad is no error: it has the score NaN.
func (s Search[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O], error) {
	root, statement, err := begin(root, "search", s.identity, s.Statement)
	if err != nil {
		return noRelease[H, O](), err
	}
	return s.run(ctx, root, statement)
}

// run is Run after it has begun.
func (s Search[H, O]) run(ctx context.Context, root streams.Root, statement accounting.Statement) (Release[H, O], error) {
	hs, roots, err := s.draw(root)
	if err != nil {
		return noRelease[H, O](), err
	}
	outcomes, err := s.runAll(ctx, hs, roots)
	if err != nil {
		return noRelease[H, O](), err
	}
	release := Release[H, O]{Output: s.Default, Empty: true, Statement: statement, Seeded: root.Seeded()}
	if winner := best(outcomes, root.Rand("ties")); winner >= 0 {
		release.Output, release.Hyperparameters, release.Empty = outcomes[winner].Output, hs[winner], false
	}
	if s.KeepUnsafeDiagnostics {
		release.unsafe = diagnose(hs, outcomes)
	}
	return release, nil
}

// draw returns K hyper-parameters, and a root for each run. What was drawn must have been priced:
// a Prior may draw what its Support does not list.
func (s Search[H, O]) draw(root streams.Root) ([]H, []streams.Root, error) {
	k, err := s.Law.Distribution().Rand(root.Rand("number of runs"))
	if err != nil {
		return nil, nil, fmt.Errorf("dptune: %w", err)
	}
	if k > maxRuns {
		return nil, nil, errTooManyRuns
	}
	drawn, err := s.drawing(root)
	if err != nil {
		return nil, nil, err
	}
	return drawn.next(k)
}

// drawing draws the runs of a search, one after the other.
type drawing[H, O any] struct {
	search Search[H, O]
	root   streams.Root
	rng    *rand.Rand
	priced []accounting.Event
	tail   float64
	count  int // so far
}

func (s Search[H, O]) drawing(root streams.Root) (*drawing[H, O], error) {
	priced, tail, err := s.priced()
	return &drawing[H, O]{s, root, root.Rand("hyper-parameters"), priced, tail, 0}, err
}

// next returns the hyper-parameters and the roots of the next count runs.
func (d *drawing[H, O]) next(count int) ([]H, []streams.Root, error) {
	hs, roots := make([]H, count), make([]streams.Root, count)
	for i := range hs {
		hs[i] = d.search.Prior.Draw(d.rng)
		roots[i] = d.root.Child(fmt.Sprintf("run %d", d.count))
		d.count++
		if err := d.search.checkTail(hs[i], d.tail); err != nil {
			return nil, nil, err
		}
		event, err := d.search.eventOf(hs[i])
		if err != nil {
			return nil, nil, err
		}
		if !contains(d.priced, event) {
			return nil, nil, fmt.Errorf("dptune: hyper-parameters %v run %v: must be one of the priced %v", hs[i], event, d.priced)
		}
	}
	return hs, roots, nil
}

// priced returns the events that the price of one run covers, and what it sets aside of δ.
func (s Search[H, O]) priced() ([]accounting.Event, float64, error) {
	tail, err := s.runTail()
	if err != nil || s.Base != nil {
		return []accounting.Event{s.Base}, tail, err
	}
	events, err := s.eventsOf(s.Prior.Support())
	return events, tail, err
}

func (s Search[H, O]) runAll(ctx context.Context, hs []H, roots []streams.Root) ([]Outcome[O], error) {
	if len(hs) == 0 {
		return nil, nil
	}
	outcomes, err := s.Candidate.RunAll(ctx, hs, roots)
	if err != nil {
		return nil, err
	}
	if len(outcomes) != len(hs) {
		return nil, fmt.Errorf("dptune: Candidate.RunAll returned %d outcomes: must be %d, one for each run", len(outcomes), len(hs))
	}
	return outcomes, nil
}

// checkTail returns an error if a hyper-parameter's TruncationDelta is above the priced one.
func (s Search[H, O]) checkTail(h H, priced float64) error {
	tail, err := tailOf(s.Candidate, h)
	if err == nil && tail > priced {
		err = fmt.Errorf("dptune: hyper-parameters %v have truncation δ %g: must be at most the priced %g (see Search.TruncationDelta)", h, tail, priced)
	}
	return err
}
