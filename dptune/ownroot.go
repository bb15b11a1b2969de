package dptune

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/dptune/streams"
)

// Identified is a Candidate that can tell its runs from others. A Search from a secret root then
// draws the same again if it is the same search, so that it can be resumed, and independently if
// its data or anything else differ.
type Identified[H any] interface {
	// Identity returns a hash of all that runs with any of hs follow from beside their roots:
	// data, models, settings. Nil says that they cannot be told apart, as code that is given as a
	// function cannot.
	Identity(hs []H) ([]byte, error)
}

// begin is what every Run begins with: the price, before any data is looked at, and the root that the run draws from. The
// statement says if that is not secret.
func begin(root streams.Root, protocol string, identity func() ([]byte, error), priced func() (accounting.Statement, error)) (streams.Root, accounting.Statement, error) {
	if err := root.Validate(); err != nil {
		return root, accounting.NoStatement(), fmt.Errorf("dptune: %w", err)
	}
	statement, err := priced()
	if err != nil {
		return root, statement, err
	}
	if root, err = ownRoot(root, protocol, identity); err != nil {
		return root, statement, err
	}
	if root.Seeded() {
		statement.Warnings = append(statement.Warnings, streams.ErrSeeded)
	}
	return root, statement, nil
}

// ownRoot returns the root that one Run of a protocol draws from: a fixed one as it is, and a
// secret one bound to an identity. Without an identity it is a new one.
//
// Two runs of a protocol that share their draws cost more than both prices: what is secret to each
// (the sample, the number of runs, the noise of scores) is the same, and a difference of their
// outputs is due to the data alone.
func ownRoot(root streams.Root, protocol string, identity func() ([]byte, error)) (streams.Root, error) {
	if root.Seeded() {
		return root, nil
	}
	what, err := identity()
	if err != nil {
		return root, err
	}
	if what != nil {
		return root.Bound(append([]byte(protocol+"\x00"), what...)), nil
	}
	if root, err = streams.Secret(); err != nil {
		return root, fmt.Errorf("dptune: %w", err)
	}
	return root, nil
}

// given is an identity that is known.
func given(identity []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return identity, nil }
}

// identity returns what tells the search from others of one root, or nil.
func (s Search[H, O]) identity() ([]byte, error) {
	if s.Identity != nil {
		return s.Identity, nil
	}
	candidate, identified := s.Candidate.(Identified[H])
	grid, listed := s.Prior.(Grid[H]) // another prior may draw by a law that has no hash
	if !identified || !listed {
		return nil, nil
	}
	runs, err := candidate.Identity(grid)
	if err != nil || runs == nil {
		return nil, err
	}
	base, err := s.BaseEvent()
	if err != nil {
		return nil, err
	}
	event, err := eventjson.Marshal(selection.Event{Law: s.Law, Base: base})
	if err != nil {
		return nil, nil // a law of the caller's own
	}
	text, err := json.Marshal([][]byte{event, runs})
	sum := sha256.Sum256(text)
	return sum[:], err
}
