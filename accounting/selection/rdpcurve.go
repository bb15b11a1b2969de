package selection

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
)

// RDP returns the Rényi curve, in nats, of the best of K runs: the least of all Rényi
// bounds that apply. It is what composes with the curves of other mechanisms.
//
//	truncated negative binomial    Sharpened (never above Theorem 2)
//	Poisson                        Sharpened (never above Theorem 6)
//	fixed                          composition of Count runs
//	all others                     Lemma7
func RDP(law Law, base Base) (rdp.Curve, error) {
	if err := validatePair(law, base); err != nil {
		return nil, err
	}
	if fixed, ok := law.(Fixed); ok {
		composed, err := base.composed(fixed.Count)
		if err != nil {
			return nil, err
		}
		if composed.Curve == nil {
			return nil, errNilCurve
		}
		return composed.Curve, nil
	}
	if !isLogConvex(law.Distribution()) {
		return Lemma7(law, base)
	}
	return Sharpened(law, base)
}

func validatePair(law Law, base Base) error {
	if law == nil {
		return errors.New("selection: law is nil: must be a law")
	}
	return errors.Join(law.Validate(), base.Validate())
}

// conversion is the ε of a curve at δ, with the order that gave it.
func conversion(curve rdp.Curve, delta float64) rdp.Best {
	return rdp.OverOrders(func(order float64) float64 {
		epsilon := rdp.CanonneKamathSteinke.Epsilon(order, curve(order), delta)
		if math.IsNaN(epsilon) {
			return math.Inf(1)
		}
		return epsilon
	})
}
