package dptune

import (
	"errors"

	"github.com/dplab/dplab/accounting"
)

// Release is the output of a protocol. Its exported fields may be published; the Statement reports
// the price. Details are what one protocol adds.
type Release[H, O, D any] struct {
	Output          O    // of the best run, or of the last training; the zero value if there was none
	Hyperparameters H    // that Output was made with
	Empty           bool // nothing won (no run took place, or none was good enough): the default is released
	Details         D
	Statement       accounting.Statement
	Seeded          bool // the draws came from a fixed root: no guarantee against anyone who knows its name

	unsafe *UnsafeDiagnostics[H]
}

// String returns the sentence of the Statement, with its warnings.
func (r Release[H, O, D]) String() string { return r.Statement.String() }

// NoDetails are the Details of a protocol that adds nothing.
type NoDetails struct{}

// noRelease is the release with an error: nothing, with no guarantee.
func noRelease[H, O, D any]() Release[H, O, D] {
	return Release[H, O, D]{Statement: accounting.NoStatement()}
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
func (r Release[H, O, D]) UnsafeDiagnostics() (UnsafeDiagnostics[H], bool) {
	if r.unsafe == nil {
		return UnsafeDiagnostics[H]{}, false
	}
	return *r.unsafe, true
}

// hidden is an error whose cause may reveal what a search must hide.
type hidden struct {
	text  string
	cause error
}

// Hidden returns an error with this text, for a Candidate whose run failed. Use it if the cause
// could reveal the number of runs, or hyper-parameters. errors.Is sees cause, and [UnsafeCause]
// returns it.
func Hidden(text string, cause error) error { return hidden{text, cause} }

func (h hidden) Error() string { return h.text }

// Is reports whether the cause is target.
func (h hidden) Is(target error) bool { return errors.Is(h.cause, target) }

// UnsafeCause returns what an error hides, or the error itself if it hides nothing. It may reveal
// the number of runs, and runs that lost. Publishing it breaks the guarantee of any release from
// the same draws.
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
