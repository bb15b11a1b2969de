package accounting

import "github.com/dplab/dplab/accounting/check"

// Quick is an Accountant that also knows an upper end of ε with less work, by some of the bounds
// that EpsilonAt takes the least of. A calibration searches with that, and asks EpsilonAt only at
// the end.
type Quick interface {
	Accountant
	// QuickEpsilonAt returns an upper end of ε, never below that of EpsilonAt, and whether bounds
	// were left out. If none were, it is EpsilonAt's.
	QuickEpsilonAt(event Event, delta float64) (upper float64, leftOut bool, err error)
}

// quickSearch is search by an accountant's quick answers. ok is false if they do not settle it: the
// search is then by EpsilonAt.
//
// The private end meets the target by EpsilonAt too, whose ε is not above the quick one. The public
// end is asked again, by EpsilonAt, and must miss: then the boundary by EpsilonAt lies between the
// two, as without quick answers.
func (c Calibration) quickSearch(accountant Quick, toPrivate float64) (x float64, ok bool) {
	left := map[float64]bool{} // where bounds were left out
	private, public, err := c.searchBy(func(x float64) (end, error) {
		upper, leftOut, err := accountant.QuickEpsilonAt(c.Event(x), c.Target.Delta)
		if err != nil {
			return end{}, check.Errorf("accounting: calibration at %g: %w", x, err)
		}
		left[x] = leftOut
		return c.end(x, upper), nil
	}, toPrivate)
	if err != nil {
		return 0, false // the search by EpsilonAt finds what it can, or says what is wrong
	}
	if left[public.x] && !public.meets() {
		if public, err = c.at(public.x); err != nil || public.meets() {
			return 0, false
		}
	}
	return private.x, true
}
