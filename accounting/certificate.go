package accounting

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

// ErrUncertified marks an upper bound that was computed but not checked in outward-rounded
// arithmetic, or whose check failed. The bound rests on the rounding model of its package.
var ErrUncertified = errors.New("not checked in outward-rounded arithmetic")

// Certificate records the check of an upper bound. The check is a second computation, in intervals
// whose ends are rounded outward (package interval). It shares no code with the search that found
// the bound, apart from what Given names.
//
// It claims that δ at Epsilon is at most DeltaUpper, if everything in Given is true.
type Certificate struct {
	Claim      string   `json:"claim"`           // what was shown, with its theorem
	Epsilon    float64  `json:"epsilon"`         // in nats; the ε that was checked
	DeltaUpper float64  `json:"delta_upper"`     // the upper end of δ at Epsilon that the check found
	Given      []string `json:"given,omitempty"` // what the check took from elsewhere, such as the profile of one run
	Work       int      `json:"work"`            // interval steps: terms, parts or grid points

	// Proof is what package verify needs to check all of this once more. It is nil if the check
	// cannot be written down, as that of an event with a function.
	Proof *Proof `json:"proof,omitempty"`
}

var certificateShape = shape{"certificate", []string{"claim", "epsilon", "delta_upper", "work"}, []string{"given", "proof"}}

// UnmarshalJSON reads the JSON of a certificate. It returns an error if a field is unknown or
// missing, or a number is out of its range.
func (c *Certificate) UnmarshalJSON(text []byte) error {
	type plain Certificate // without this method
	var in plain
	if err := certificateShape.read(text, &in); err != nil {
		return err
	}
	f := check.In("accounting: certificate.")
	f.Number("epsilon", in.Epsilon, check.NotNegative.OfAnySize())
	f.Number("delta_upper", in.DeltaUpper, check.AtLeast(0))
	f.Count("work", in.Work, 0)
	if err := f.Err(); err != nil {
		return err
	}
	*c = Certificate(in)
	return nil
}

// String returns the certificate in one line.
func (c *Certificate) String() string {
	if !c.made() {
		return "no certificate: the bound was not checked in outward-rounded arithmetic"
	}
	return fmt.Sprintf("checked: δ <= %.9g at ε = %.9g, by %s", c.DeltaUpper, c.Epsilon, c.by())
}

// Summary returns what was checked, without numbers, or that nothing was.
func (c *Certificate) Summary() string {
	if !c.made() {
		return "not checked in outward-rounded arithmetic"
	}
	return "checked in outward-rounded arithmetic, by " + c.by()
}

// made reports whether a check made c. The zero value has checked nothing.
func (c *Certificate) made() bool { return c != nil && c.Claim != "" }

// by returns the claim and what it is given.
func (c *Certificate) by() string {
	text := c.Claim
	for i, given := range c.Given {
		if i == 0 {
			text += ", given "
		} else {
			text += " and "
		}
		text += given
	}
	return text
}
