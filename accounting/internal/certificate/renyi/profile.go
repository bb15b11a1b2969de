package renyi

import (
	"math"

	"github.com/dplab/dplab/accounting"
)

// RuleProfile is the rule of a proof of a privacy profile. It has a list of orders.
const RuleProfile = "Rényi divergences of a profile"

// Profile returns an upper bound of δ of an event at any ε >= 0, the least over orders. An order
// without a divergence shows nothing.
func Profile(event accounting.Node, relation accounting.Neighboring, orders []float64) func(epsilon float64) float64 {
	var known []part
	var alphas []I
	for _, order := range orders {
		c := curves{relation: relation, alpha: of(order)}
		if p, err := c.of(event); err == nil && order > 1 {
			known, alphas = append(known, p), append(alphas, of(order))
		}
	}
	return func(epsilon float64) float64 {
		least := 1.0
		for i, p := range known {
			least = min(least, p.withFailures(Convert(p.exponent, alphas[i], epsilon)).Exp().Hi)
		}
		return least
	}
}

// Divergence bounds the divergence of an event at an order above 1. An event with parts that are
// only (ε, δ)-private has none.
func Divergence(event accounting.Node, relation accounting.Neighboring, order float64) (float64, error) {
	c := curves{relation: relation, alpha: of(order)}
	p, err := c.of(event)
	if err != nil || !(order > 1) || p.logKeep.Lo < 0 {
		return math.Inf(1), unsupported(event)
	}
	return p.exponent.Div(c.alpha.Sub(one)).Hi, nil
}

// withFailures returns ln δ of an event from that of its parts that have a divergence: 1-k + kδ.
func (p part) withFailures(whole I) I {
	if p.logKeep.Lo < 0 {
		return p.logKeep.Expm1().Neg().Add(p.logKeep.Exp().Mul(whole.Exp())).Log()
	}
	return whole
}
