// Package renyi checks upper ends of ε by the Rényi divergence at one order, in intervals that are
// rounded outward. The divergence of a sampled Gaussian comes from an integral with a proved error
// (lineintegral.LogMoment), at every real order.
package renyi

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
)

// I is an interval that is rounded outward.
type I = interval.I

func of(x float64) I { return interval.Of(x) }

var one, two, half = of(1), of(2), of(0.5)

// Rule is the rule of a proof by this package.
const Rule = "Rényi divergence"

// Witness is what a proof takes: an order, and whether the bound is by the total variation
// distance.
type Witness struct {
	Order          accounting.Number `json:"order"`
	TotalVariation bool              `json:"total_variation,omitempty"`
}

// Check returns the check of an event under a relation, by its divergence at an order above 1.
//
//	δ <= exp((α-1)(D-ε)) (1-1/α)^α / (α-1)
//
// (Canonne, Kamath and Steinke 2020, arXiv:2004.00010v4, Proposition 12). The parts of the event
// that are (ε, δ)-private are run with chance 1 - δ as (ε, 0)-private ones.
//
// The total variation distance is at most √(1-e^-D) at every order, and bounds δ at every ε
// (Bretagnolle and Huber 1979, as in Canonne 2022, arXiv:2202.07198v1).
func Check(event accounting.Node, relation accounting.Neighboring, w Witness) certificate.Check {
	c := curves{relation: relation, alpha: of(float64(w.Order))}
	known, err := c.of(event)
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		if err != nil {
			return accounting.Certificate{}, err
		}
		claim := fmt.Sprintf("the Rényi divergence at order %.6g and its conversion (Canonne, Kamath and Steinke 2020, Proposition 12)", float64(w.Order))
		shown := Convert(known.exponent, c.alpha, epsilon)
		if w.TotalVariation {
			claim = "the total variation distance (Bretagnolle and Huber 1979) from a Rényi divergence"
			shown = known.exponent.Div(c.alpha.Sub(one)).Neg().Expm1().Neg().Positive().Log().Mul(half)
		}
		delta = certificate.Within(known.withFailures(shown), delta)
		return accounting.Certificate{Claim: claim, Epsilon: epsilon, DeltaUpper: delta, Work: c.work, Proof: certificate.Proof(Rule, w)}, nil
	}
}

// Convert returns ln δ at ε from exponent, which is (α-1) D at order alpha > 1.
func Convert(exponent, alpha I, epsilon float64) I {
	a := alpha.Sub(one)
	// ln((1-1/α)^α/(α-1)) = -(α-1) ln(1+1/(α-1)) - ln α
	factor := a.Mul(one.Div(a).Log1p()).Add(alpha.Log())
	out := exponent.Sub(a.Mul(of(epsilon))).Sub(factor)
	return I{Lo: min(0, out.Lo), Hi: min(0, out.Hi)}
}

func unsupported(event accounting.Node) error {
	return fmt.Errorf("renyi: %v: %w", event.Event, accounting.ErrUnsupportedEvent)
}
