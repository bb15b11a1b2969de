package dptune

import (
	"context"
	"fmt"

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
		return Release[H, O]{}, err
	}
	return s.run(ctx, root, statement)
}

// run is Run after it has begun.
func (s Search[H, O]) run(ctx context.Context, root streams.Root, statement accounting.Statement) (Release[H, O], error) {
	hs, roots, err := s.draw(root)
	if err != nil {
		return Release[H, O]{}, err
	}
	outcomes, err := s.runAll(ctx, hs, roots)
	if err != nil {
		return Release[H, O]{}, err
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
	priced, tail, err := s.priced()
	if err != nil {
		return nil, nil, err
	}
	rng := root.Rand("hyper-parameters")
	hs, roots := make([]H, k), make([]streams.Root, k)
	for i := range hs {
		hs[i] = s.Prior.Draw(rng)
		roots[i] = root.Child(fmt.Sprintf("run %d", i))
		if err := s.checkTail(hs[i], tail); err != nil {
			return nil, nil, err
		}
		event, err := s.eventOf(hs[i])
		if err != nil {
			return nil, nil, err
		}
		if !contains(priced, event) {
			return nil, nil, fmt.Errorf("dptune: hyper-parameters %v run %v: must be one of the priced %v", hs[i], event, priced)
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

// checkTail returns an error if a hyper-parameter's NoiseTail is above the priced one.
func (s Search[H, O]) checkTail(h H, priced float64) error {
	tail, err := tailOf(s.Candidate, h)
	if err == nil && tail > priced {
		err = fmt.Errorf("dptune: hyper-parameters %v have noise tail %g: must be at most the priced %g (see Search.NoiseTail)", h, tail, priced)
	}
	return err
}
