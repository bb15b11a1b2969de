package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/rdp"
)

var errNilCurve = errors.New("selection: curve is nil: must be a function")

// Theorem2 returns the Rényi curve, in nats, of the best of K runs with K from a
// truncated negative binomial law, as the theorem states it:
//
//	ε'(λ) = ε(λ) + (1+η)(1-1/λ̂) ε(λ̂) + (1+η) ln(1/γ)/λ̂ + ln(E[K])/(λ-1)
//
// λ̂ >= 1 is free. It does not depend on λ, so it is minimized once, over all real orders.
// As the bound grows without limit for λ -> 1, a low order takes the least bound of the
// orders above it (divergences do not fall with the order).
//
// Reference: Papernot and Steinke (ICLR 2022), Theorem 2 and Remark 5.
func Theorem2(law TNB, curve rdp.Curve) (rdp.Curve, error) {
	if err := law.Validate(); err != nil {
		return nil, err
	}
	if curve == nil {
		return nil, errNilCurve
	}
	extra := (1 + law.Eta) * freeOrder(law, curve)
	logMean := math.Log(law.Mean())
	return monotone(func(order float64) float64 {
		return curve(order) + extra + logMean/(order-1)
	}), nil
}

// freeOrder returns the least over λ̂ of (1-1/λ̂) ε(λ̂) + ln(1/γ)/λ̂. At λ̂ = 1 that is
// ln(1/γ), whatever the curve.
func freeOrder(law TNB, curve rdp.Curve) float64 {
	depth := law.depth()
	best := rdp.OverOrders(func(order float64) float64 {
		return (1-1/order)*curve(order) + depth/order
	})
	return math.Min(best.Value, depth)
}

// monotone returns the curve λ -> min over λ' >= λ of raw(λ'), for a raw that falls up to
// one minimum: below it, the minimum is the value.
func monotone(raw rdp.Curve) rdp.Curve {
	best := rdp.OverOrders(raw)
	return func(order float64) float64 {
		value := raw(order)
		if order <= best.Order {
			value = math.Min(value, best.Value)
		}
		if math.IsNaN(value) {
			return math.Inf(1)
		}
		return value
	}
}

// PureDP returns the ε of pure differential privacy of the best of K runs that are each
// ε-differentially private: (2+η) ε.
//
// Reference: Papernot and Steinke (ICLR 2022), Corollary 3. η = 1 is Theorem 1.3 of Liu
// and Talwar (STOC 2019).
func PureDP(law TNB, epsilon float64) (float64, error) {
	if err := law.Validate(); err != nil {
		return 0, err
	}
	if !(epsilon >= 0) {
		return 0, fmt.Errorf("selection: epsilon %g: must be >= 0", epsilon)
	}
	return (2 + law.Eta) * epsilon, nil
}

// ZCDP returns the Rényi curve of the best of K runs that are each ρ-zCDP, ε(λ) = ρλ, in
// closed form. It needs ρ <= ln(1/γ).
//
//	ε'(λ) = 2√(ρ ln E[K]) + 2(1+η)√(ρ ln(1/γ)) - ηρ                 λ <= 1 + √(ln(E[K])/ρ)
//	ε'(λ) = ρ(λ-1) + ln(E[K])/(λ-1) + 2(1+η)√(ρ ln(1/γ)) - ηρ       otherwise
//
// Reference: Papernot and Steinke (ICLR 2022), Corollary 4.
func ZCDP(law TNB, rho float64) (rdp.Curve, error) {
	if err := law.Validate(); err != nil {
		return nil, err
	}
	if !(rho > 0 && rho <= law.depth()) {
		return nil, fmt.Errorf("selection: rho %g: must be in (0, ln(1/γ)] = (0, %g]", rho, law.depth())
	}
	logMean := math.Log(law.Mean())
	extra := 2*(1+law.Eta)*math.Sqrt(rho*law.depth()) - law.Eta*rho
	knee := 1 + math.Sqrt(logMean/rho)
	return func(order float64) float64 {
		if order <= knee {
			return 2*math.Sqrt(rho*logMean) + extra
		}
		return rho*(order-1) + logMean/(order-1) + extra
	}, nil
}
