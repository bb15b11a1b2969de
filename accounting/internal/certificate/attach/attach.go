// Package attach attaches certificates to the guarantees of accountants, and makes those of several
// events and of samples from theirs. Verifiers do not need it.
package attach

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
)

// raises are added to 1. The products with an upper end are checked in turn.
// 1e-13 covers the rounding of closed forms, and changes no digit that is printed.
var raises = []float64{0, 1e-13, 1e-9, 1e-6, 1e-4, aboutAsLow}

// Of returns the guarantee with the certificate of its upper end. If the check fails there, the
// upper end is raised by a factor of 1 + 1e-13, then by 1e-9, 1e-6, 1e-4 and 1e-3. If it still
// fails, the guarantee keeps its upper end and has a warning that wraps
// [accounting.ErrUncertified]. One that was raised by 1e-3 has a warning too: other accountants may
// have a lower one.
//
// Some guarantees stay as they are. They have a certificate, an ε of +Inf or none, a δ of 0, or an
// event that the check does not support.
func Of(g accounting.Guarantee, check certificate.Check) accounting.Guarantee {
	upper := g.Epsilon.Upper
	if g.Certificate != nil || !g.Epsilon.Computed() || math.IsInf(upper, 1) || !(g.Delta > 0) {
		return g
	}
	var failed error
	for _, raise := range raises {
		epsilon := upper
		if raise > 0 {
			epsilon = math.Max(upper*(1+raise), math.SmallestNonzeroFloat64)
		}
		c, err := check(epsilon, g.Delta)
		switch {
		case errors.Is(err, accounting.ErrUnsupportedEvent):
			return g
		case err != nil:
			failed = err
		case c.Epsilon != epsilon || !(c.DeltaUpper <= g.Delta):
			failed = exceeds(c)
		default:
			g.Epsilon, g.Certificate = g.Epsilon.WithUpper(epsilon), &c
			if raise == aboutAsLow {
				g.Warnings = append(append([]error{}, g.Warnings...), fmt.Errorf("ε <= %.9g at δ %g: %w: %w", upper, g.Delta, errRaised, failed))
			}
			return g
		}
	}
	g.Warnings = append(append([]error{}, g.Warnings...), fmt.Errorf("ε <= %.9g at δ %g: %w: %w", upper, g.Delta, accounting.ErrUncertified, failed))
	return g
}

// Worst returns the check of an event that runs one of several: all of their checks must hold.
func Worst(checks []certificate.Check) certificate.Check {
	if len(checks) == 1 {
		return checks[0]
	}
	return func(epsilon, delta float64) (all accounting.Certificate, err error) {
		var proofs []*accounting.Proof
		for i, check := range checks {
			one, err := check(epsilon, delta)
			if err != nil {
				return accounting.Certificate{}, err
			}
			work := all.Work + one.Work
			proofs = append(proofs, one.Proof)
			if i == 0 || one.DeltaUpper > all.DeltaUpper {
				all = one
			}
			all.Work = work
		}
		all.Proof = certificate.Proof(certificate.RuleWorst, nil, proofs...)
		return all, nil
	}
}

// lowerings are taken from 1, as raises are added.
var lowerings = []float64{0, 1e-13, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}

// Lower returns the guarantee with a lower end that was checked: δ is above g.Delta there. If it is
// not, the lower end is lowered by up to a share of 1e-4. If that does not help, or below is nil,
// the guarantee keeps its lower end as one that was not checked.
func Lower(g accounting.Guarantee, below certificate.Below) accounting.Guarantee {
	e := g.Epsilon
	if !e.HasLower || e.LowerChecked || below == nil || math.IsInf(e.Lower, 1) || !(g.Delta > 0) {
		return g
	}
	for _, share := range lowerings {
		if at := math.Max(0, e.Lower*(1-share)); at == 0 || below(at) > g.Delta {
			g.Epsilon = e.WithLower(at)
			break
		}
	}
	return g
}

func exceeds(c accounting.Certificate) error {
	return fmt.Errorf("δ is at most %.12g there", c.DeltaUpper)
}

// Given returns the guarantee with a certificate that takes one more thing from elsewhere. Its
// proof was about something else, and is gone.
func Given(g accounting.Guarantee, what string) accounting.Guarantee {
	if g.Certificate != nil {
		c := *g.Certificate
		c.Given, c.Proof = append(append([]string{}, c.Given...), what), nil
		g.Certificate = &c
	}
	return g
}

// Largest returns the certificate of the worst of several mechanisms, at the largest of their ε. It
// is nil if one of them has none.
func Largest(all ...*accounting.Certificate) *accounting.Certificate {
	if slices.Contains(all, nil) {
		return nil
	}
	out := accounting.Certificate{}
	var claims []string
	var proofs []*accounting.Proof
	for _, c := range all {
		out.Epsilon, out.DeltaUpper, out.Work = max(out.Epsilon, c.Epsilon), max(out.DeltaUpper, c.DeltaUpper), out.Work+c.Work
		claims, out.Given = joined(claims, c.Claim), joined(out.Given, c.Given...)
		proofs = append(proofs, certificate.Proof(certificate.RuleFalls, certificate.At{Epsilon: c.Epsilon}, c.Proof))
	}
	out.Claim, out.Proof = strings.Join(claims, "; "), certificate.Proof(certificate.RuleWorst, nil, proofs...)
	return &out
}

// joined returns a list with more texts, each once.
func joined(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Sum returns the check of a composition of events with the given certificates, by the sums of
// their ε and δ. It is not supported if one of them has none.
func Sum(parts []*accounting.Certificate) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		all := Largest(parts...)
		if all == nil {
			return accounting.Certificate{}, accounting.ErrUnsupportedEvent
		}
		var epsilons, deltas interval.Sum
		var each certificate.Parts
		var proofs []*accounting.Proof
		for _, c := range parts {
			each.Epsilons, proofs = append(each.Epsilons, c.Epsilon), append(proofs, c.Proof)
			epsilons.Add(interval.Of(c.Epsilon))
			deltas.Add(interval.Of(c.DeltaUpper))
		}
		out := *all
		if out.Epsilon, out.DeltaUpper, out.Proof = epsilon, deltas.I().Hi, certificate.Proof(certificate.RuleSum, each, proofs...); !(epsilons.I().Hi <= epsilon) {
			return out, errors.New("ε is below the sum of its parts")
		}
		out.Claim = "basic composition of: " + out.Claim
		return out, nil
	}
}

// Failed reports whether a guarantee has an upper end whose check failed.
func Failed(g accounting.Guarantee) bool {
	return slices.ContainsFunc(g.Warnings, func(warning error) bool { return errors.Is(warning, accounting.ErrUncertified) })
}

// A certified upper end may be above one whose check failed by the share aboutAsLow, and above one
// that has no check by the share detour, to be printed instead. Farther ones would change the
// answer and not its certainty.
const aboutAsLow, detour = 1e-3, 1e-4

// Replaces reports whether an answer with a certificate is to be printed instead of one without.
func Replaces(certified, other accounting.Guarantee) bool {
	above := detour
	if Failed(other) {
		above = aboutAsLow
	}
	return certified.Certificate != nil && other.Certificate == nil && certified.Epsilon.Upper <= other.Epsilon.Upper*(1+above)
}

// errRaised marks an upper end that was raised by the share aboutAsLow.
var errRaised = errors.New("raised by 0.1 %, as it could not be checked")

// Raised reports whether a guarantee has an upper end that was raised so far.
func Raised(g accounting.Guarantee) bool {
	return slices.ContainsFunc(g.Warnings, func(warning error) bool { return errors.Is(warning, errRaised) })
}

// IsFailure reports whether a warning is that of a failed check, also if a raised end has one.
func IsFailure(warning error) bool {
	return errors.Is(warning, accounting.ErrUncertified) || errors.Is(warning, errRaised)
}

// Wanted reports whether checks are wanted by a function that takes these accountants. They are
// not if one of them is unchecked.
func Wanted(accountants ...accounting.Accountant) bool {
	for _, a := range accountants {
		if accounting.OptionsOf(a).Unchecked {
			return false
		}
	}
	return true
}

// OfPair returns ∫ (P - e^ε Q)₊ of a pair of laws on finitely many outcomes, rounded up.
func OfPair(with, without []float64, epsilon float64) float64 {
	x, delta := interval.Of(epsilon).Exp(), interval.Sum{}
	for i, p := range with {
		delta.Add(interval.Of(p).Sub(x.Mul(interval.Of(without[i]))).Positive())
	}
	return min(1, delta.I().Hi)
}
