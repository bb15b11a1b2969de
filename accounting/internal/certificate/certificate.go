// Package certificate has what checks of upper ends of ε share. The packages below it check in
// intervals that are rounded outward (package interval). Only they make an
// [accounting.Certificate]. They share no code with the searches that find the ends, with two
// exceptions that certificates name. The law of splitlaw that shows an end is the one that it was
// found by. The pairs of batchpairs are the input of both.
package certificate

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// Check checks that δ at epsilon is at most delta. Its certificate has that epsilon, and a
// DeltaUpper of at most delta. An error that wraps accounting.ErrUnsupportedEvent means that it has
// no method for the event.
type Check func(epsilon, delta float64) (accounting.Certificate, error)

// Below returns a lower bound of δ at epsilon, or 0 if it knows none.
type Below func(epsilon float64) float64

// Within returns the upper end of δ that goes into a certificate, from an interval of ln δ. It is
// delta if the logarithms show that δ is at most that, and e^logDelta rounds above it.
func Within(logDelta interval.I, delta float64) float64 {
	upper := logDelta.Exp().Hi
	if upper > delta && logDelta.Hi <= interval.Of(delta).Log().Lo {
		return delta
	}
	return upper
}

// Made returns the certificate of a bound that the caller computed in intervals.
func Made(claim string, epsilon, delta float64) accounting.Certificate {
	return accounting.Certificate{Claim: claim, Epsilon: epsilon, DeltaUpper: delta, Work: 1}
}
