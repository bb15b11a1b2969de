package dptune

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/streams"
)

// Run draws K and the hyper-parameters, runs the candidates, and releases the best. The price is
// computed first: a search that cannot be priced does not touch the data.
//
// All draws come from root. Take it from streams.Secret for a release, and see Identity for several
// from one. A canceled context or a run that fails ends the search, and nothing is released. A bad
// result is not an error; its score is NaN.
func (s Search[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O, NoDetails], error) {
	return releasing(root, s.terms, func(root streams.Root, out *Release[H, O, NoDetails]) error { return s.run(ctx, root, out) })
}

// run is Run after it has begun.
func (s Search[H, O]) run(ctx context.Context, root streams.Root, out *Release[H, O, NoDetails]) error {
	hs, roots, err := s.draw(root)
	if err != nil {
		return err
	}
	outcomes, err := s.runAll(ctx, hs, roots)
	if err != nil {
		return err
	}
	out.Output, out.Empty = s.Default, true
	if winner := best(outcomes, root.Rand("ties")); winner >= 0 {
		out.Output, out.Hyperparameters, out.Empty = outcomes[winner].Output, hs[winner], false
	}
	if s.KeepUnsafeDiagnostics {
		out.unsafe = diagnose(hs, outcomes)
	}
	return nil
}

// draw returns K hyper-parameters, and a root for each run.
func (s Search[H, O]) draw(root streams.Root) ([]H, []streams.Root, error) {
	k, err := s.drawCount(root)
	if err != nil {
		return nil, nil, err
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

// drawCount returns K.
func (s Search[H, O]) drawCount(root streams.Root) (int, error) {
	k, err := s.Law.Distribution().Rand(root.Rand("number of runs"))
	if err != nil {
		return 0, fmt.Errorf("dptune: %w", err)
	}
	return k, nil
}

var errTooManyRuns = fmt.Errorf("dptune: Search.Law drew more than %d runs: must be a law that can be run", maxRuns)

// drawing draws the runs of a search, one after the other. Every drawn value must have been priced:
// a Prior may draw values that its Support does not list.
type drawing[H, O any] struct {
	search     Search[H, O]
	root       streams.Root
	rng        *rand.Rand
	priced     []accounting.Event
	truncation float64
	count      int // so far
}

func (s Search[H, O]) drawing(root streams.Root) (*drawing[H, O], error) {
	priced, err := []accounting.Event{s.Base}, error(nil)
	if s.Base == nil {
		if priced, err = s.eventsOf(s.Prior.Support()); err != nil {
			return nil, err
		}
	}
	truncation, err := s.runTruncation()
	return &drawing[H, O]{search: s, root: root, rng: root.Rand("hyper-parameters"), priced: priced, truncation: truncation}, err
}

// next returns the hyper-parameters and the roots of the next count runs.
func (d *drawing[H, O]) next(count int) ([]H, []streams.Root, error) {
	hs, roots := make([]H, count), make([]streams.Root, count)
	for i := range hs {
		hs[i] = d.search.Prior.Draw(d.rng)
		roots[i] = d.root.Child(fmt.Sprintf("run %d", d.count))
		d.count++
		if err := d.check(hs[i]); err != nil {
			return nil, nil, err
		}
	}
	return hs, roots, nil
}

// check returns an error unless a run with h was priced.
func (d *drawing[H, O]) check(h H) error {
	truncation, err := truncationOf(d.search.Candidate, h)
	if err != nil {
		return err
	}
	if truncation > d.truncation {
		return fmt.Errorf("dptune: truncation δ of hyper-parameters %v: %g: must be at most the priced %g", h, truncation, d.truncation)
	}
	event, err := eventOfRun(d.search.Candidate, h)
	if err == nil && !contains(d.priced, event) && !d.search.limits(event) {
		err = fmt.Errorf("dptune: hyper-parameters %v run %v: must be one of the priced %v", h, event, d.priced)
	}
	return err
}

// limits reports whether Base is a RenyiBound that the Rényi curve of an event obeys.
func (s Search[H, O]) limits(event accounting.Event) bool {
	bound, ok := s.Base.(accounting.RenyiBound)
	if !ok {
		return false
	}
	curve, err := rdp.FromEvent(event)
	return err == nil && under(curve, bound)
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
