package dptune

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/dptune/streams"
)

// FirstAbove releases the first of a random number of runs whose score is at least a public
// threshold.
//
// There are at most K runs, K drawn from Search.Law and kept secret. Search.Default is released if
// none was good. If a good score is known beforehand, it costs less than the best of as many runs,
// and makes fewer runs. With the geometric law it is the search with random stopping of Liu and
// Talwar: after a run that is not good it ends with chance γ.
//
// Reference: Liu and Talwar (2019), "Private Selection from Private Candidates", Algorithm 1; the
// price is that of package firstabove.
type FirstAbove[H, O any] struct {
	// Search gives the runs and δ. Its KeepUnsafeDiagnostics must be false. Required.
	Search Search[H, O]

	Threshold float64 // finite, chosen without looking at the data
	AtOnce    int     // how many runs are made at a time, >= 0; 0 is 1. It changes only the time.
}

// Validate returns every fault, joined. It runs nothing.
func (s FirstAbove[H, O]) Validate() error {
	f := check.In("dptune: FirstAbove.")
	f.Add(s.Search.Validate())
	f.That(!s.Search.KeepUnsafeDiagnostics, "Search.KeepUnsafeDiagnostics", "is set", "must be false: losers are not kept")
	f.That(!math.IsNaN(s.Threshold) && !math.IsInf(s.Threshold, 0), "Threshold", s.Threshold, "must be finite")
	f.Count("AtOnce", s.AtOnce, 0)
	return f.Err()
}

// Event returns the first good one of at most K runs, each of them Search.RunEvent.
func (s FirstAbove[H, O]) Event() (accounting.Event, error) { return eventOf(s.terms()) }

// Price returns what the search costs, before anything runs.
func (s FirstAbove[H, O]) Price() (accounting.Price, error) { return priceOf(s.terms()) }

// Statement returns the guarantee of the search, before anything runs.
func (s FirstAbove[H, O]) Statement() (accounting.Statement, error) { return statementOf(s.terms()) }

// terms are those of the search with another event and other words.
func (s FirstAbove[H, O]) terms() (terms, error) {
	if err := s.Validate(); err != nil {
		return terms{}, err
	}
	run, err := s.Search.RunEvent()
	if err != nil {
		return terms{}, err
	}
	t, err := s.Search.terms()
	t.field = "FirstAbove." + t.field
	t.event = firstabove.Event{Law: s.Search.Law, Base: run}
	t.draws, t.identity = "first above", s.identity
	t.statement.Subject = fmt.Sprintf("the first of a random number of runs that scores at least %g with its hyper-parameters (or that none does)", s.Threshold)
	t.statement.Assumptions = s.Search.assuming(
		"the threshold was chosen without looking at the data",
		"the limit on the number of runs was drawn without looking at the data", assumesHidden,
		assumesPriors, assumesRuns, assumesReals, assumesSecret,
	)
	t.statement.NotCovered = notCovered("the number of runs, the runs before the released one, their scores and the running time: do not publish them")
	return t, err
}

// identity is that of the search, and the threshold.
func (s FirstAbove[H, O]) identity() ([]byte, error) {
	what, err := s.Search.identity()
	if what == nil || err != nil {
		return nil, err
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(what), math.Float64bits(s.Threshold)))
	return sum[:], nil
}

// Run draws K, then hyper-parameters and runs until one is good or there were K. The price is
// computed first: a search that cannot be priced does not touch the data. All draws come from root;
// see Search.Run. A score NaN is not good. On an error nothing is released.
func (s FirstAbove[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O, NoDetails], error) {
	return releasing(root, s.terms, func(root streams.Root, out *Release[H, O, NoDetails]) error { return s.run(ctx, root, out) })
}

// run is Run after it has begun. Sharing a call changes no run, and no run after the first good one
// is looked at.
func (s FirstAbove[H, O]) run(ctx context.Context, root streams.Root, out *Release[H, O, NoDetails]) error {
	out.Output, out.Empty = s.Search.Default, true
	left, err := s.Search.drawCount(root)
	if err != nil {
		return err
	}
	drawn, err := s.Search.drawing(root)
	if err != nil {
		return err
	}
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(left, max(1, s.AtOnce))
		left -= count
		hs, roots, err := drawn.next(count)
		if err != nil {
			return err
		}
		outcomes, err := s.Search.runAll(ctx, hs, roots)
		if err != nil {
			return err
		}
		for i, o := range outcomes {
			if o.Score >= s.Threshold {
				out.Output, out.Hyperparameters, out.Empty = o.Output, hs[i], false
				return nil
			}
		}
	}
	return nil
}
