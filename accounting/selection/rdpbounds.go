package selection

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// RDP returns the Rényi curve, in nats, of the best of K runs: the least of all Rényi bounds that
// apply. It composes with the curves of other mechanisms.
//
//	truncated negative binomial    Sharpened (never above Theorem 2)
//	Poisson                        Sharpened (never above Theorem 6)
//	fixed                          composition of Count runs
//	all others                     Lemma7
func RDP(l law.Law, base baserun.Run) (rdp.Curve, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return nil, err
	}
	if fixed, ok := k.Law().(law.Fixed); ok {
		composed, err := base.Composition(fixed.Count)
		if err != nil {
			return nil, err
		}
		if composed.Curve == nil {
			return nil, fmt.Errorf("selection: Rényi curve of %s: %w", composed.Name, accounting.ErrUnsupportedEvent)
		}
		return composed.Curve, nil
	}
	if base.Curve == nil {
		return nil, fmt.Errorf("selection: Rényi curve of %s: %w", base.Name, accounting.ErrUnsupportedEvent)
	}
	if !k.LogConvex() {
		return lemma7(k, base.Prepared()), nil
	}
	return sharpened(k, base.Prepared()), nil
}

// CurveOf returns the Rényi curve, in nats, of an event. The accountants price one run: see
// baserun.New.
func CurveOf(event BestOf, accountants ...accounting.Accountant) (rdp.Curve, error) {
	if err := event.Validate(); err != nil {
		return nil, err
	}
	base, err := baserun.New(event.Base, accountants...)
	if err != nil {
		return nil, err
	}
	return RDP(event.Law, base)
}

// validatePair returns the distribution of a valid law, or every fault, joined.
func validatePair(l law.Law, base baserun.Run) (law.Distribution, error) {
	k, err := law.Of(l)
	return k, errors.Join(err, base.Validate())
}

var errNilCurve = errors.New("selection: curve is nil: must be a function")

// Theorem2 returns the Rényi curve, in nats, of the best of K runs. K is from a truncated negative
// binomial law. The theorem states:
//
//	ε'(λ) = ε(λ) + (1+η)(1-1/λ̂) ε(λ̂) + (1+η) ln(1/γ)/λ̂ + ln(E[K])/(λ-1)
//
// λ̂ >= 1 is free and does not depend on λ. It is minimized once, over all real orders. The bound
// grows without limit for λ -> 1. So a low order uses the least bound of the orders above it, as
// divergences do not fall with the order.
//
// Reference: Papernot and Steinke (ICLR 2022), Theorem 2 and Remark 5.
func Theorem2(k law.TNB, curve rdp.Curve) (rdp.Curve, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	if curve == nil {
		return nil, errNilCurve
	}
	extra := (1 + k.Eta) * freeOrder(k, curve)
	logMean := numeric.Log(k.Distribution().Mean())
	return monotone(func(order float64) float64 {
		return curve(order) + extra + logMean/(order-1)
	}), nil
}

// freeOrder returns the least over λ̂ of (1-1/λ̂) ε(λ̂) + ln(1/γ)/λ̂. At λ̂ = 1 it is ln(1/γ) for
// every curve.
func freeOrder(k law.TNB, curve rdp.Curve) float64 {
	depth := -numeric.Log(k.Gamma) // ln(1/γ), the natural scale of the law
	best := rdp.OverOrders(func(order float64) float64 {
		return (1-1/order)*curve(order) + depth/order
	})
	return math.Min(best.Value, depth)
}

// monotone returns the curve λ -> min over λ' >= λ of raw(λ'), for a raw that falls up to one
// minimum. Below that order the value is the minimum.
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

// PureDP returns (2+η) ε: the ε of pure differential privacy of the best of K runs that are each
// ε-differentially private.
//
// Reference: Papernot and Steinke (ICLR 2022), Corollary 3. η = 1 is Theorem 1.3 of Liu
// and Talwar (STOC 2019).
func PureDP(k law.TNB, epsilon float64) (float64, error) {
	if err := k.Validate(); err != nil {
		return math.Inf(1), err
	}
	if !(epsilon >= 0) {
		return math.Inf(1), fmt.Errorf("selection: epsilon %g: must be >= 0", epsilon)
	}
	return (2 + k.Eta) * epsilon, nil
}

// Theorem6 returns the Rényi curve, in nats, of the best of K runs. K is from a Poisson law of mean
// µ >= 1:
//
//	ε'(λ) = ε(λ) + µ δ̂ + ln(µ)/(λ-1),  (ε̂, δ̂) a guarantee of one run with e^ε̂ <= 1 + 1/(λ-1)
//
// δ̂ is the least δ that base knows at ε̂ = ln(1+1/(λ-1)), from any order.
//
// A mean below 1 is an error, as the statement is not a bound there. K = 0 has divergence 0, and ln
// µ is negative. For µ = 0.5 and a Gaussian of parameter 0.25, at λ = 2 the formula gives -0.63,
// and the divergence is 0.026.
//
// For µ >= 1 it holds, although the proof of the paper's Lemma 7 leaves out K = 0. The reason is
// that the bound of [Sharpened] holds for every µ, and 1 + µC(B-1) <= µCB if µC >= 1.
//
// Reference: Papernot and Steinke (ICLR 2022), Theorem 6.
func Theorem6(k law.Poisson, base baserun.Run) (rdp.Curve, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	if k.MeanRepeats < 1 {
		return nil, fmt.Errorf("selection: Poisson.MeanRepeats %g: must be >= 1 for Theorem 6 of Papernot and Steinke (2022), which omits K = 0", k.MeanRepeats)
	}
	if err := base.Validate(); err != nil {
		return nil, err
	}
	if base.Curve == nil {
		return nil, errNilCurve
	}
	base = base.Prepared()
	mean, logMean := k.MeanRepeats, numeric.Log(k.MeanRepeats)
	deltaAt := base.LeastDelta()
	return monotone(func(order float64) float64 {
		epsilon := base.Curve(order)
		if math.IsInf(epsilon, 1) {
			return epsilon
		}
		return epsilon + mean*deltaAt(math.Log1p(1/(order-1))) + logMean/(order-1)
	}), nil
}

// Lemma7 returns the Rényi curve, in nats, of the best of K runs for any law. It needs f' on all of
// [0, 1], and refuses a law of infinite mean:
//
//	ε'(λ) = ln( f(0) + E[K] e^((λ-1)(L + ε(λ))) )/(λ-1)
//
// L is the MaxLogWeight at λ of the law for the base, the least over all that is known of the base.
// So E[K] e^((λ-1)L) bounds f'(q)^λ f'(q')^(1-λ) over all ranks q, q' that one run can have. The
// curve is +Inf if a law has no bound on f'(q)/f'(q'), as for a fixed number of runs.
//
// Proof. With the notation of [Sharpened], e^((λ-1)D(A‖A')) = f(0) + ∫ Q^λ Q'^(1-λ) w and
// w <= E[K] e^((λ-1)L). ∎ [Sharpened] is never above it, and holds for TNB and Poisson laws.
//
// Reference: Papernot and Steinke (ICLR 2022), Lemma 7. It leaves f(0) = P[K=0] out. That is right
// for f(0) = 0, and not a bound for laws that are mostly 0.
func Lemma7(l law.Law, base baserun.Run) (rdp.Curve, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return nil, err
	}
	if base.Curve == nil {
		return nil, errNilCurve
	}
	return lemma7(k, base.Prepared()), nil
}

func lemma7(k law.Distribution, base baserun.Run) rdp.Curve { return monotone(lemma7At(k, base)) }

// lemma7At is lemma7 before monotone: the bound of each order separately.
func lemma7At(k law.Distribution, base baserun.Run) rdp.Curve {
	constant := base.LogRatio(k)
	sources := base.FastSources()
	moment := lemma7Moment(k)
	return func(order float64) float64 {
		a := order - 1
		divergence := base.Curve(order)
		if divergence == 0 {
			return 0 // both data sets have the same law of outputs
		}
		weight := constant
		for _, s := range sources {
			weight = math.Min(weight, s.LogWeight(k, order))
		}
		if math.IsInf(weight, 1) || math.IsInf(divergence, 1) {
			return math.Inf(1)
		}
		return moment(a*(weight+divergence)) / a
	}
}

// lemma7Moment returns y -> ln(f(0) + E[K] e^y) for y >= 0, rounded up. It computes ln(1 + E[K-1; K
// > 1] + E[K] (e^y - 1)), which keeps its digits if K is mostly 0 or 1 and y is small.
func lemma7Moment(k law.Distribution) func(y float64) float64 {
	const rounding = 8 * 0x1p-53
	logNone, mean := k.LogPMF(0), k.Mean()
	more := 0.0
	if k.TailBound(1) > 0 {
		more = math.Max(0, math.Exp(logNone)+mean-1) + rounding*(1+mean)
	}
	return func(y float64) float64 {
		if y > 600 { // e^y may overflow
			return numeric.Add(logNone, numeric.Log(mean)+y)
		}
		return math.Log1p(more+mean*math.Expm1(y)) * (1 + rounding)
	}
}

// lemma7Floor is a lower bound on lemma7At. Its weight is at least 0, as all ranks may be 1.
func lemma7Floor(k law.Distribution, base baserun.Run) rdp.Curve {
	moment := lemma7Moment(k)
	return func(order float64) float64 {
		a := order - 1
		return moment(a*base.Curve(order)) / a
	}
}

// conversionAbove is the conversion of monotone(raw), for a raw that is costly and never below
// floor. It skips an order if its floor is above the ε found so far. The conversion of one
// divergence falls with the order up to 1/δ. So the best order up to a given one is the given one
// or 1/δ.
func conversionAbove(raw, floor rdp.Curve, delta float64) rdp.Best {
	at := func(curve rdp.Curve) func(order float64) float64 {
		return func(order float64) float64 {
			epsilon := rdp.CanonneKamathSteinke.Epsilon(math.Max(rdp.MinOrder, math.Min(order, 1/delta)), curve(order), delta)
			if math.IsNaN(epsilon) {
				return math.Inf(1)
			}
			return epsilon
		}
	}
	value, least := at(raw), at(floor)
	best := rdp.OverOrders(least)
	best.Value = value(best.Order)
	found := rdp.OverOrders(func(order float64) float64 {
		if least(order) > best.Value {
			return math.Inf(1)
		}
		v := value(order)
		if v < best.Value {
			best.Value, best.Order, best.AtEnd = v, order, false
		}
		return v
	})
	if found.Value <= best.Value {
		return found
	}
	return best
}
