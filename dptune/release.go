package dptune

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Release is what a protocol lets out. Its exported fields may be published; the
// Statement says at what price.
type Release[H, O any] struct {
	Output          O    // of the best run, or of the last training; the zero value if there was none
	Hyperparameters H    // that it was given
	Empty           bool // nothing won: no run took place (K = 0), or no candidate was above any threshold; the default is released
	Statement       accounting.Statement
	Seeded          bool // the draws came from a fixed root: who knows its name has no guarantee to give

	unsafe *UnsafeDiagnostics[H]
}

// noRelease is what stands beside an error: nothing, with no guarantee.
func noRelease[H, O any]() Release[H, O] {
	return Release[H, O]{Statement: accounting.NoStatement()}
}

// train returns the release with the output of a last training, if there is one.
func (r Release[H, O]) train(ctx context.Context, train func(ctx context.Context, h H, root streams.Root) (O, error), root streams.Root) (Release[H, O], error) {
	if train == nil {
		return r, nil
	}
	var err error
	if r.Output, err = train(ctx, r.Hyperparameters, root.Child("training")); err != nil {
		return noRelease[H, O](), fmt.Errorf("dptune: training with %v: %w", r.Hyperparameters, err)
	}
	return r, nil
}

// UnsafeDiagnostics is what a search must hide. Publishing any of it breaks the guarantee
// of the Statement: the price of best-of-K rests on K and on the losers staying hidden.
type UnsafeDiagnostics[H any] struct {
	Repeats         int       // K
	Hyperparameters []H       // of each run
	Scores          []float64 // of each run
}

// UnsafeDiagnostics returns the number of runs and their scores, for research on the search
// itself. It returns false unless Search.KeepUnsafeDiagnostics was set. Publishing them
// breaks the guarantee.
func (r Release[H, O]) UnsafeDiagnostics() (UnsafeDiagnostics[H], bool) {
	if r.unsafe == nil {
		return UnsafeDiagnostics[H]{}, false
	}
	return *r.unsafe, true
}

// hidden is an error whose cause may tell what a search must hide.
type hidden struct {
	text  string
	cause error
}

// Hidden returns an error that says text, for a Candidate whose run failed in a way that could tell
// how many runs there are, or with which hyper-parameters. errors.Is sees cause, and [UnsafeCause]
// returns it.
func Hidden(text string, cause error) error { return hidden{text, cause} }

func (h hidden) Error() string { return h.text }

// Is reports whether the cause is target.
func (h hidden) Is(target error) bool { return errors.Is(h.cause, target) }

// UnsafeCause returns what an error hides, or the error itself if it hides nothing. It may tell how
// many runs a search had, and of runs that lost: to publish it breaks the guarantee of whatever is
// released from the same draws.
func UnsafeCause(err error) error {
	var h hidden
	if errors.As(err, &h) {
		return h.cause
	}
	return err
}

func diagnose[H, O any](hs []H, outcomes []Outcome[O]) *UnsafeDiagnostics[H] {
	d := &UnsafeDiagnostics[H]{Repeats: len(hs), Hyperparameters: hs, Scores: make([]float64, len(hs))}
	for i, o := range outcomes {
		d.Scores[i] = o.Score
	}
	return d
}
