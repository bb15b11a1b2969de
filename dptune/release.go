package dptune

import "github.com/dplab/dplab/accounting"

// Release is what a private search lets out. Its exported fields may be published; the
// Statement says at what price.
type Release[H, O any] struct {
	Output          O
	Hyperparameters H
	Empty           bool // no run took place (K = 0): Output is Search.Default, Hyperparameters the zero value
	Statement       accounting.Statement
	Seeded          bool // the draws came from a fixed root: who knows its name has no guarantee to give

	unsafe *UnsafeDiagnostics[H]
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
