package dptune

// Test is one threshold test of a ThresholdSearch, with its answer. The price of the search
// covers it: it may be published.
type Test[H any] struct {
	Threshold  float64 // without its noise
	Candidates []H     // compared in this order, up to the winner
	Winner     int     // index of the first candidate that was above, or -1
}

// Passed reports whether a candidate was above the threshold.
func (t Test[H]) Passed() bool { return t.Winner >= 0 }

// Proposer says which candidates the next test compares, in their order. It sees the
// answers of the tests so far and nothing else of the data.
type Proposer[H any] interface {
	// Propose returns the candidates of the next test. None end the search.
	Propose(tests []Test[H]) []H
	// Validate returns an error that names field, value and rule.
	Validate() error
}

// ProposerFunc is a Proposer given by a function.
type ProposerFunc[H any] func(tests []Test[H]) []H

// Propose calls the function.
func (f ProposerFunc[H]) Propose(tests []Test[H]) []H { return f(tests) }

// Validate returns an error if the function is nil.
func (f ProposerFunc[H]) Validate() error {
	if f == nil {
		return errNilProposer
	}
	return nil
}

// Propose returns all values: a search over the whole grid in each test.
func (g Grid[H]) Propose([]Test[H]) []H { return g }
