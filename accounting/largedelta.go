package accounting

import "fmt"

// leastLarge is the least δ that leads to a warning. A δ below 1/n, for n records, is usual.
const leastLarge = 1e-3

// LargeDelta is a warning about a δ that permits too much. If a [Statement] has one among its
// warnings, it adds no other.
type LargeDelta string

// Error returns the warning.
func (w LargeDelta) Error() string { return string(w) }

// WarnOfDelta returns the [LargeDelta] about a δ of 0.001 or more, and nil for a smaller one.
//
// A mechanism that publishes a record with chance δ, and nothing otherwise, is (0, δ)-private. So
// an ε next to a large δ promises little.
func WarnOfDelta(delta float64) error {
	if delta < leastLarge {
		return nil
	}
	return LargeDelta(fmt.Sprintf("δ = %s is large: with this chance, anything about a record may be revealed; choose δ well below 1/n for n records", quotedDelta(delta)))
}
