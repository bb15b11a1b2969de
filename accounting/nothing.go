package accounting

import "math"

// NoEpsilon is an ε that was not computed, for a result with an error: its Upper is +Inf. It
// also stands for another number that is the more private the smaller it is, such as a µ.
func NoEpsilon() Interval { return Interval{Upper: math.Inf(1)} }

// NoDelta is a δ, or another chance, that was not computed, for a result with an error: its
// Upper is 1.
func NoDelta() Interval { return Interval{Upper: 1} }

// NoGuarantee is the guarantee with an error: its ε has no bound, and its δ is 1.
func NoGuarantee() Guarantee { return Guarantee{Epsilon: NoEpsilon(), Delta: 1} }

// safe is an accountant's answer, NoGuarantee with an error.
func safe(g Guarantee, err error) (Guarantee, error) {
	if err != nil {
		return NoGuarantee(), err
	}
	return g, nil
}

// NoStatement is the statement with an error: that of [NoGuarantee].
func NoStatement() Statement { return Statement{Guarantee: NoGuarantee()} }
