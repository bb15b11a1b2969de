package accounting

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Statement is a guarantee with everything that a reader needs to judge it.
// String returns a paragraph that may be quoted. The zero Statement promises nothing, and says so.
type Statement struct {
	Guarantee   Guarantee
	Subject     string   // what is released, for instance "the best of K DP-SGD runs with its hyper-parameters"
	Unit        string   // what one record is, for instance "one labelled image"
	Theorem     string   // the result that gives the bound, with its source
	Mechanism   string   // what was run, from the event
	Included    []string // what ε accounts for next to the theorem, for instance that noise is truncated
	Assumptions []string // what must hold for the bound to be true
	NotCovered  []string // what the guarantee says nothing about
	Warnings    []error
}

// String returns the statement as a paragraph. ε is rounded up, and parameters by
// [RoundParameters]. Without a finite ε the paragraph says that there is no guarantee.
func (s Statement) String() string {
	var b strings.Builder
	b.WriteString(s.claim())
	writeList(&b, "Mechanism:", nonEmpty(RoundParameters(s.Mechanism)))
	writeList(&b, "Bound:", nonEmpty(s.Theorem, RoundParameters(s.Guarantee.Method)))
	writeList(&b, "It includes", s.Included)
	writeList(&b, "It assumes that", s.Assumptions)
	writeList(&b, "It does not cover", s.NotCovered)
	for _, w := range append(append([]error{}, s.Guarantee.Warnings...), s.Warnings...) {
		fmt.Fprintf(&b, " Warning: %v.", w)
	}
	return b.String()
}

func (s Statement) claim() string {
	g := s.Guarantee
	if !g.Epsilon.Computed() {
		return "No guarantee: nothing was computed."
	}
	if math.IsInf(g.Epsilon.Upper, 1) || math.IsNaN(g.Epsilon.Upper) {
		return fmt.Sprintf("Releasing %s has no differential privacy guarantee at δ = %g.", s.Subject, g.Delta)
	}
	return fmt.Sprintf("Releasing %s satisfies (ε, δ)-differential privacy with ε <= %s and δ = %g, where neighboring data sets are related by %v and one record is %s.",
		s.Subject, FormatUpper(g.Epsilon.Upper), g.Delta, g.Neighboring, s.Unit)
}

func nonEmpty(items ...string) []string {
	var kept []string
	for _, item := range items {
		if item != "" {
			kept = append(kept, item)
		}
	}
	return kept
}

func writeList(b *strings.Builder, lead string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(b, " %s %s.", lead, strings.Join(items, "; "))
	}
}

// statementJSON has the names of Statement's fields. Counts was once the name of Included.
type statementJSON struct {
	Guarantee               Guarantee
	Subject, Unit           string
	Theorem, Mechanism      string
	Included                []string `json:",omitempty"`
	Counts                  []string `json:",omitempty"`
	Assumptions, NotCovered []string
	Warnings                []any `json:",omitempty"`
}

// MarshalJSON writes the fields by their names, warnings as strings. Where nothing was computed it
// is an error.
func (s Statement) MarshalJSON() ([]byte, error) {
	out := statementJSON{Guarantee: s.Guarantee, Subject: s.Subject, Unit: s.Unit, Theorem: s.Theorem, Mechanism: s.Mechanism,
		Included: s.Included, Assumptions: s.Assumptions, NotCovered: s.NotCovered}
	for _, w := range s.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes, and Included under its earlier name Counts.
// Warnings come back as plain errors. One without its text, as they were written once, remains a
// warning.
func (s *Statement) UnmarshalJSON(text []byte) error {
	var in statementJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if !in.Guarantee.Epsilon.Computed() {
		return errors.New("accounting: Statement.Guarantee is missing: must be a guarantee")
	}
	*s = Statement{Guarantee: in.Guarantee, Subject: in.Subject, Unit: in.Unit, Theorem: in.Theorem, Mechanism: in.Mechanism,
		Included: append(in.Included, in.Counts...), Assumptions: in.Assumptions, NotCovered: in.NotCovered}
	for _, w := range in.Warnings {
		words, ok := w.(string)
		if !ok {
			words = "a warning that was stored without its text"
		}
		s.Warnings = append(s.Warnings, errors.New(words))
	}
	return nil
}

// NoStatement is the statement with an error: that of [NoGuarantee].
func NoStatement() Statement { return Statement{Guarantee: NoGuarantee()} }
