package accounting

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Statement is a guarantee with everything that a reader needs to judge it. String returns one
// sentence that may be quoted, Full the whole as text, and Markdown the whole for a page. The zero
// Statement reads as no guarantee.
//
// Each item of a list is one fact: a few words without a capital letter and without a full stop.
// The texts and the JSON of a δ of 0.001 or more also have the warning of [WarnOfDelta].
type Statement struct {
	Guarantee   Guarantee
	Subject     string   // what is released, for instance "the best of K DP-SGD runs with its hyper-parameters"
	Unit        string   // what one record is, for instance "one labelled image"
	Theorem     string   // the result that gives the bound, with its source
	Published   string   // a larger bound from published results only; empty if Theorem is published
	Mechanism   string   // what was run, from the event
	Included    []string // what ε includes beyond the theorem, for instance truncated noise
	Assumptions []string // what must hold for the bound to be true
	NotCovered  []string // what the guarantee does not protect
	Warnings    []error  // see Voiding for those that leave no guarantee, and LargeDelta
}

// Voiding is implemented by a warning that leaves no guarantee at all: streams.ErrSeeded, if the
// random draws can be repeated. A Statement with such a warning, wrapped or not, begins with
// "No guarantee".
type Voiding interface {
	error
	VoidsGuarantee()
}

// ownWarnings returns Warnings, and the one about a large δ unless it is there.
func (s Statement) ownWarnings() []error {
	large := WarnOfDelta(s.Guarantee.Delta)
	if large == nil || !s.bounds() || slices.ContainsFunc(slices.Concat(s.Guarantee.Warnings, s.Warnings), isLargeDelta) {
		return s.Warnings
	}
	return append(slices.Clone(s.Warnings), large)
}

func isLargeDelta(w error) bool { return errors.As(w, new(LargeDelta)) }

// divided returns the texts of all warnings, those that leave no guarantee apart.
func (s Statement) divided() (voiding, others []string) {
	for _, w := range slices.Concat(s.Guarantee.Warnings, s.ownWarnings()) {
		var v Voiding
		if errors.As(w, &v) {
			voiding = append(voiding, w.Error())
		} else {
			others = append(others, w.Error())
		}
	}
	return voiding, others
}

// statementJSON has the names of Statement's fields. Counts is an earlier name of Included. Void
// repeats those of Warnings that are Voiding.
type statementJSON struct {
	Guarantee               Guarantee
	Subject, Unit           string
	Theorem                 string
	Published               string `json:",omitempty"`
	Mechanism               string
	Included                []string `json:",omitempty"`
	Counts                  []string `json:",omitempty"`
	Assumptions, NotCovered []string
	Warnings                []any    `json:",omitempty"`
	Void                    []string `json:",omitempty"`
}

// MarshalJSON writes the fields by their names, and warnings as strings. If nothing was computed it
// is an error.
func (s Statement) MarshalJSON() ([]byte, error) {
	out := statementJSON{
		Guarantee: s.Guarantee, Subject: s.Subject, Unit: s.Unit, Theorem: s.Theorem, Published: s.Published, Mechanism: s.Mechanism,
		Included: s.Included, Assumptions: s.Assumptions, NotCovered: s.NotCovered,
	}
	for _, w := range s.ownWarnings() {
		out.Warnings = append(out.Warnings, w.Error())
	}
	out.Void, _ = s.divided()
	return json.Marshal(out)
}

var statementShape = shape{
	"Statement", []string{"Guarantee", "Subject", "Unit", "Theorem", "Mechanism"},
	[]string{"Published", "Included", "Counts", "Assumptions", "NotCovered", "Warnings", "Void"},
}

// UnmarshalJSON reads what MarshalJSON writes, and what earlier versions wrote: Included under the
// name Counts, warnings without their texts, and seeded statements without Void. Warnings come
// back as plain errors, and those that void the guarantee still do.
//
// It returns an error if a field is unknown or missing, or if an entry of Void is not a warning.
func (s *Statement) UnmarshalJSON(text []byte) error {
	var in statementJSON
	if err := statementShape.read(text, &in); err != nil {
		return err
	}
	for _, void := range in.Void {
		isVoid := func(w error) bool { return w.Error() == void }
		if !slices.ContainsFunc(in.Guarantee.Warnings, isVoid) && !slices.Contains(in.Warnings, any(void)) {
			return fmt.Errorf("accounting: Statement.Void %q: must be one of Warnings or Guarantee.warnings", void)
		}
	}
	*s = Statement{
		Guarantee: in.Guarantee, Subject: in.Subject, Unit: in.Unit, Theorem: in.Theorem, Published: in.Published, Mechanism: in.Mechanism,
		Included: append(in.Included, in.Counts...), Assumptions: in.Assumptions, NotCovered: in.NotCovered,
	}
	warning := func(words string) error {
		if slices.Contains(in.Void, words) || strings.HasPrefix(words, earlierSeeded) {
			return readVoid(words)
		}
		if large := WarnOfDelta(in.Guarantee.Delta); large != nil && large.Error() == words {
			return large
		}
		return errors.New(words)
	}
	for i, w := range s.Guarantee.Warnings {
		s.Guarantee.Warnings[i] = warning(w.Error())
	}
	for _, w := range in.Warnings {
		words, ok := w.(string)
		if !ok {
			words = "a warning that was stored without its text"
		}
		s.Warnings = append(s.Warnings, warning(words))
	}
	return nil
}

// earlierSeeded begins the warning about a fixed root in statements without Void.
const earlierSeeded = "the random draws came from a fixed, named root"

// readVoid is a Voiding warning that was read from JSON.
type readVoid string

func (v readVoid) Error() string { return string(v) }

func (readVoid) VoidsGuarantee() {}

// NoStatement is the statement with an error: that of [NoGuarantee].
func NoStatement() Statement { return Statement{Guarantee: NoGuarantee()} }
