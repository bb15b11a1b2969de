package accounting

import (
	"fmt"
	"strings"
)

// Statement is a guarantee with everything that a reader needs to judge it.
// String returns a paragraph that may be quoted.
type Statement struct {
	Guarantee   Guarantee
	Subject     string   // what is released, for instance "the best of K DP-SGD runs with its hyper-parameters"
	Unit        string   // what one record is, for instance "one labelled image"
	Theorem     string   // the result that gives the bound, with its source
	Mechanism   string   // what was run, from the event
	Assumptions []string // what must hold for the bound to be true
	NotCovered  []string // what the guarantee says nothing about
	Warnings    []error
}

// String returns the statement as a paragraph.
func (s Statement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Releasing %s satisfies (ε, δ)-differential privacy with ε <= %s and δ = %g, where neighboring data sets are related by %v and one record is %s.",
		s.Subject, roundUp(s.Guarantee.Epsilon.Upper), s.Guarantee.Delta, s.Guarantee.Neighboring, s.Unit)
	fmt.Fprintf(&b, " Mechanism: %s.", s.Mechanism)
	fmt.Fprintf(&b, " Bound: %s; %s.", s.Theorem, s.Guarantee.Method)
	writeList(&b, "It assumes that", s.Assumptions)
	writeList(&b, "It does not cover", s.NotCovered)
	for _, w := range append(append([]error{}, s.Guarantee.Warnings...), s.Warnings...) {
		fmt.Fprintf(&b, " Warning: %v.", w)
	}
	return b.String()
}

func writeList(b *strings.Builder, lead string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(b, " %s %s.", lead, strings.Join(items, "; "))
	}
}
