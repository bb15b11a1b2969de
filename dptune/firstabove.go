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

// FirstAbove is a private tuning that stops at the first run whose score is at least a public Threshold: at most K runs, K drawn from
// Search.Law and kept secret. It releases that run, or Search.Default if there was none. Where a good score is known beforehand it costs
// less than the best of as many runs, and runs less.
//
// With the geometric law it is the search with random stopping of Liu and Talwar: after a run that is not good it ends with chance γ.
//
// Reference: Liu and Talwar (2019), "Private Selection from Private Candidates", Algorithm 1; the price is that of firstabove.Search.
type FirstAbove[H, O any] struct {
	// Search says what is run, and at which δ. Its Default is released if no run was good. KeepUnsafeDiagnostics must be
	// false.
	Search Search[H, O]

	Threshold float64 // finite, chosen without looking at the data
	AtOnce    int     // how many runs are made at a time, >= 0; 0 is 1. It changes the time alone.
}

// Validate returns every fault, joined. It runs nothing.
func (s FirstAbove[H, O]) Validate() error {
	f := check.In("dptune: FirstAbove.")
	f.Add(s.Search.Validate())
	f.That(!s.Search.KeepUnsafeDiagnostics, "Search.KeepUnsafeDiagnostics", "is set", "must be false: runs that lost are not kept")
	f.That(!math.IsNaN(s.Threshold) && !math.IsInf(s.Threshold, 0), "Threshold", s.Threshold, "must be finite")
	f.Count("AtOnce", s.AtOnce, 0)
	return f.Err()
}

// Price returns what the search costs, before anything runs, with the [NoiseTruncated] of all runs set aside. It does not depend
// on the data.
func (s FirstAbove[H, O]) Price() (accounting.Price, error) {
	tail, err := s.noiseTail()
	if err != nil {
		return accounting.NoPrice(), err
	}
	return s.price(tail)
}

func (s FirstAbove[H, O]) noiseTail() (float64, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	return s.Search.noiseTail()
}

// price is Price with so much of δ set aside.
func (s FirstAbove[H, O]) price(tail float64) (accounting.Price, error) {
	base, err := s.Search.BaseEvent()
	if err != nil {
		return accounting.NoPrice(), err
	}
	left, err := deltaLeft("FirstAbove.Search", s.Search.Delta, tail)
	if err != nil {
		return accounting.NoPrice(), err
	}
	price, err := firstabove.PriceAt(firstabove.Search{Law: s.Search.Law, Base: base}, left, s.Search.Accountants...)
	if err != nil {
		return accounting.NoPrice(), fmt.Errorf("dptune: %w", err)
	}
	price.Guarantee.Delta, price.OneRun.Delta = s.Search.Delta, s.Search.Delta
	return price, nil
}

// Statement returns the guarantee of the search, before anything runs.
func (s FirstAbove[H, O]) Statement() (accounting.Statement, error) {
	tail, err := s.noiseTail()
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement, err := stated(s.Search.Unit, tail, s.price)
	if err != nil {
		return accounting.NoStatement(), err
	}
	base, err := s.Search.BaseEvent()
	if err != nil {
		return accounting.NoStatement(), err
	}
	statement.Subject = fmt.Sprintf("the first of a random number of runs whose score is at least %g, together with its hyper-parameters, or that there was none", s.Threshold)
	statement.Mechanism = firstabove.Search{Law: s.Search.Law, Base: base}.String()
	statement.Assumptions = slices.Concat([]string{
		"the threshold was chosen without looking at the data",
		"the most runs there may be were drawn without looking at the data, and how many there were stays secret",
		"each run's hyper-parameters were drawn without looking at the data or at other runs",
		"each run, its score included, is as private as the mechanism says",
		"noise and samples come from real numbers and a secret seed",
	}, s.Search.assumptionsOf(), s.Search.Assumptions)
	statement.NotCovered = []string{
		"how many runs there were, those before the released one, their scores, and the running time, which must not be published",
		fmt.Sprintf("records other than %s (a person may have contributed several)", s.Search.Unit),
		"rounding of the noise to floating-point numbers",
	}
	return statement, nil
}

// Run draws K, then hyper-parameters and runs until one is good or there were K. The price is computed first: a search that cannot be
// priced does not touch the data. All draws come from root; see Search.Run. A score NaN is not good. On an error nothing is released.
func (s FirstAbove[H, O]) Run(ctx context.Context, root streams.Root) (Release[H, O], error) {
	root, statement, err := begin(root, "first above", s.identity, s.Statement)
	if err != nil {
		return noRelease[H, O](), err
	}
	return s.run(ctx, root, statement)
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

// run is Run after it has begun. Which runs share a call changes none of them, and no run after the first good one is looked at.
func (s FirstAbove[H, O]) run(ctx context.Context, root streams.Root, statement accounting.Statement) (Release[H, O], error) {
	release := Release[H, O]{Output: s.Search.Default, Empty: true, Statement: statement, Seeded: root.Seeded()}
	left, err := s.Search.Law.Distribution().Rand(root.Rand("number of runs"))
	if err != nil {
		return noRelease[H, O](), fmt.Errorf("dptune: %w", err)
	}
	drawn, err := s.Search.drawing(root)
	if err != nil {
		return noRelease[H, O](), err
	}
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return noRelease[H, O](), err
		}
		count := min(left, max(1, s.AtOnce))
		left -= count
		hs, roots, err := drawn.next(count)
		if err != nil {
			return noRelease[H, O](), err
		}
		outcomes, err := s.Search.runAll(ctx, hs, roots)
		if err != nil {
			return noRelease[H, O](), err
		}
		for i, o := range outcomes {
			if o.Score >= s.Threshold {
				release.Output, release.Hyperparameters, release.Empty = o.Output, hs[i], false
				return release, nil
			}
		}
	}
	return release, nil
}
