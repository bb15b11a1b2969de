package figures

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Comparison sets our numbers beside published ones. It may have the name of the figure that it belongs to: its
// files are called FileName.
type Comparison struct {
	Name  string          `json:"name"`
	Title string          `json:"title"`
	Rows  []ComparisonRow `json:"rows"`
}

// FileName returns the name with "-comparison" at its end, apart from the figure's of the same name.
func (c Comparison) FileName() string {
	return strings.TrimSuffix(c.Name, "-comparison") + "-comparison"
}

// ComparisonRow is one quantity, ours and the paper's.
type ComparisonRow struct {
	Quantity string // what is compared, with its parameters and unit
	Ours     float64
	OursErr  float64 // half-width of our own error (simulation, training); 0 for a closed form
	Paper    float64 // NaN where the paper gives no number
	AbsErr   float64 // how well the paper's number can be read, absolute: half a printed digit, or the pen's width
	Source   string  // paper with version, and where in it
	Note     string  // why a difference is there, if one is
}

// The verdicts of a comparison.
const (
	Agrees      = "agrees within the reading error"
	Differs     = "differs"
	NoPublished = "no published number"
	NoOurs      = "not computed"
)

// Difference returns ours minus the paper's. Two equal infinities differ by 0.
func (r ComparisonRow) Difference() float64 {
	if r.Ours == r.Paper {
		return 0
	}
	return r.Ours - r.Paper
}

// Verdict returns Agrees when the difference is at most AbsErr + OursErr, else Differs; NoPublished or
// NoOurs when one of the two numbers is NaN. The only other allowance is for rounding in the subtraction,
// 1e-12 of the larger number.
func (r ComparisonRow) Verdict() string {
	switch {
	case math.IsNaN(r.Ours):
		return NoOurs
	case math.IsNaN(r.Paper):
		return NoPublished
	}
	difference := math.Abs(r.Difference())
	if math.IsInf(difference, 0) {
		return Differs
	}
	rounding := 1e-12 * math.Max(math.Abs(r.Ours), math.Abs(r.Paper))
	if math.IsInf(rounding, 0) || difference <= r.AbsErr+r.OursErr+rounding {
		return Agrees
	}
	return Differs
}

// Count returns the number of rows that agree and that differ. Rows without a verdict count for neither.
func (c Comparison) Count() (agree, differ int) {
	for _, r := range c.Rows {
		switch r.Verdict() {
		case Agrees:
			agree++
		case Differs:
			differ++
		}
	}
	return agree, differ
}

// Validate reports a bad name, an unnamed quantity, a missing source and a bad error.
func (c Comparison) Validate() error {
	errs := []error{validateName("comparison", c.Name)}
	for i, r := range c.Rows {
		if r.Quantity == "" {
			errs = append(errs, fmt.Errorf("figures: comparison %s: row %d: quantity must not be empty", c.Name, i+1))
		}
		if r.Source == "" && !math.IsNaN(r.Paper) {
			errs = append(errs, fmt.Errorf("figures: comparison %s: row %q: a published number must have a source", c.Name, r.Quantity))
		}
		for _, e := range []float64{r.AbsErr, r.OursErr} {
			if !(e >= 0) || math.IsInf(e, 0) {
				errs = append(errs, fmt.Errorf("figures: comparison %s: row %q: error %g: must be finite and >= 0", c.Name, r.Quantity, e))
			}
		}
	}
	return errors.Join(errs...)
}
