package rdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/numeric"
)

// Accountant bounds ε and δ by Rényi divergences, at the best order for each question. The zero
// value is ready for use and takes the tighter conversion.
//
// It supports the events of FromEvent, and compositions of these with ApproxDP, whose chance of
// failure is subtracted from δ. Its answers are upper bounds; it has no lower bounds.
type Accountant struct {
	Conversion Conversion
	Relation   accounting.Neighboring // 0 is AddOrRemoveOne

	options accounting.Options
}

const methodTotalVariation = "RDP, total variation bound of Bretagnolle and Huber"

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant with the conversion of Canonne, Kamath, Steinke.
func NewAccountant() Accountant { return Accountant{Conversion: CanonneKamathSteinke} }

// Name returns "RDP".
func (Accountant) Name() string { return "RDP" }

// Options returns the options of its answers.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options.Unchecked = o.Unchecked
	return a
}

// Neighboring returns the relation. The default is AddOrRemoveOne.
func (a Accountant) Neighboring() accounting.Neighboring {
	if a.Relation == 0 {
		return accounting.AddOrRemoveOne
	}
	return a.Relation
}

// conversionRounding bounds the relative error of a divergence in closed form, and that of each
// term of a conversion. If a loss has a largest value, the bounds meet the truth at orders up to
// MaxOrder. There (α-1) times that error enters log δ.
const conversionRounding = 16 * unit

// EpsilonAt returns an upper bound of ε, in nats, for event at delta in (0, 1). It tries about 90
// orders, which takes at most some milliseconds for each distinct event.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	curve, logKeep, err := a.approximate(q)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, order, err := a.spending(curve, logKeep, delta)
	if err != nil || q.Options().Unchecked {
		return g, err
	}
	w := renyi.Witness{Order: accounting.Number(order), TotalVariation: order == MinOrder && g.Epsilon.Upper == 0}
	return attach.Of(g, renyi.Check(q.Node(), q.Relation(), w)), nil
}

// DeltaAt returns an upper bound of δ for event at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	curve, logKeep, err := a.approximate(q)
	if err != nil {
		return accounting.NoDelta(), err
	}
	logDelta, _, err := a.LogDeltaOf(curve, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	upper := math.Exp(logDelta)
	if upper == 0 && !math.IsInf(logDelta, -1) {
		upper = math.SmallestNonzeroFloat64 // δ below the least float64 is rounded up
	}
	if logKeep < 0 {
		upper = total(upper, logKeep)
	}
	return accounting.UpperBound(upper), nil
}

// approximate is the function for a question about the accountant's relation, which its guarantees
// name.
func (a Accountant) approximate(q ask.Question) (curve Curve, logKeep float64, err error) {
	if err := q.Under(a); err != nil {
		return nil, 0, err
	}
	return approximate(q)
}

// EpsilonOf returns an upper bound of ε, in nats, for a mechanism with the given curve, at delta in
// (0, 1). The guarantee's neighboring relation is the accountant's. It must be the curve's. The
// certificate is that of the conversion, given the divergence at one order.
func (a Accountant) EpsilonOf(curve Curve, delta float64) (accounting.Guarantee, error) {
	g, order, err := a.epsilonOf(curve, delta)
	if err != nil || a.options.Unchecked || g.Epsilon.Upper == 0 {
		return g, err
	}
	return attach.Of(g, attach.Divergence(order, curve(order))), nil
}

// epsilonOf is EpsilonOf without a certificate. It also returns the order.
func (a Accountant) epsilonOf(curve Curve, delta float64) (g accounting.Guarantee, order float64, err error) {
	if err := a.validate(curve, accounting.ValidateDelta(delta)); err != nil {
		return accounting.NoGuarantee(), MinOrder, err
	}
	g = accounting.Guarantee{Delta: delta, Neighboring: a.Neighboring()}
	if LogTotalVariation(curve(MinOrder)) <= numeric.Log(delta) {
		g.Epsilon, g.Method = accounting.UpperBound(0), methodTotalVariation
		return g, MinOrder, nil
	}
	best := OverOrders(func(order float64) float64 {
		divergence := curve(order)
		epsilon := a.Conversion.Epsilon(order, divergence, delta)
		if epsilon == 0 || math.IsInf(epsilon, 1) {
			return epsilon
		}
		return epsilon + conversionRounding*(epsilon+2*divergence)
	})
	g.Epsilon = accounting.UpperBound(best.Value)
	g.Method = a.method(best)
	if best.AtEnd && best.Value > 0 {
		g.Warnings = append(g.Warnings, fmt.Errorf("rdp: best order %s is at the end of the orders searched, %s to %s: the bound is valid and may be loose", orderText(best.Order), orderText(MinOrder), orderText(MaxOrder)))
	}
	return g, best.Order, nil
}

// LogDeltaOf returns an upper bound of log δ at epsilon >= 0 for a mechanism with the given curve,
// and the order of that bound.
func (a Accountant) LogDeltaOf(curve Curve, epsilon float64) (logDelta, order float64, err error) {
	if err := a.validate(curve, accounting.ValidateEpsilon(epsilon)); err != nil {
		return 0, 0, err
	}
	best := OverOrders(func(order float64) float64 {
		divergence := curve(order)
		value := a.Conversion.LogDelta(order, divergence, epsilon)
		if math.IsInf(value, -1) || math.IsInf(order, 1) || math.IsInf(divergence, 1) {
			return value
		}
		return math.Min(0, value+conversionRounding*((order-1)*(divergence+epsilon)+1+numeric.Log(order)))
	})
	// Divergences do not fall with the order, so the first order is best for this bound.
	if logTV := LogTotalVariation(curve(MinOrder)); logTV < best.Value {
		return logTV, MinOrder, nil
	}
	return best.Value, best.Order, nil
}

func (a Accountant) validate(curve Curve, argument error) error {
	f := check.In("rdp: ")
	f.That(curve != nil, "curve", "is nil", "must be a function")
	f.Add(a.Conversion.Validate())
	f.Below("Accountant.Relation", a.Neighboring().Validate())
	if argument != nil {
		f.Add(fmt.Errorf("rdp: %w", argument))
	}
	return f.Err()
}

func (a Accountant) method(best Best) string {
	if math.IsInf(best.Value, 1) {
		return fmt.Sprintf("RDP, no finite bound at any order, %v", a.Conversion)
	}
	return fmt.Sprintf("RDP, order %s, %v", orderText(best.Order), a.Conversion)
}

// orderText formats an order; one near 1 is written as 1 plus its excess.
func orderText(order float64) string {
	if order < 1.01 {
		return fmt.Sprintf("1+%.3g", order-1)
	}
	return fmt.Sprintf("%.4g", order)
}

// Approximate differential privacy in compositions with curves.
//
// An (ε, δ)-private mechanism is, on each pair of neighbors, a post-processing of one with four
// outcomes. With chance δ it shows which of the two data sets it has; otherwise it is randomized
// response at ε (Kairouz, Oh, Viswanath 2015, arXiv:1311.0776v4, Theorem 3.3 and its proof; package
// pld has the same pair). The chance does not depend on the data.
//
// In a composition, adaptive or not, nothing is shown with chance k = Π(1-δ_i) on either data set.
// Given that, the rest is a composition of (ε_i, 0)-private mechanisms and of the others, which
// have a curve. So for every set S of outputs, with δ' the profile of the rest,
//
//	P(S) - e^ε Q(S) <= 1-k + k (P(S | not shown) - e^ε Q(S | not shown)) <= 1-k + k δ'(ε).
//
// In Parallel and WorstCase the chance is at most the largest of the events', and 1-k + kδ' falls
// with k.
//
// A sample shows with chance q times that of its event. Proof for a hidden Poisson sample, which
// mixes the four outcomes with those without the example: the law without puts δ on the outcome
// that shows it, and the other law puts (1-q)δ on it. So all but qδ of it is an outcome that shows
// nothing. The rest is a mixture of that one with the sample of the runs that do not show. The
// mixture's laws are at most as far apart as those of the latter (quasi-convexity). A sample that
// may be shown has the same chance.

// left returns the δ for the curve, (δ-(1-k))/k, rounded down. It is <= 0 if all of δ is spent.
func left(delta, logKeep float64) float64 {
	spent := -math.Expm1(logKeep) * (1 + keepMargin)
	return (delta - spent) / math.Exp(logKeep) * (1 - 8*0x1p-53)
}

// keepMargin bounds the relative error of the sum of log1p(-δ) over as many events as memory holds.
const keepMargin = 1e-9

// total returns 1-k + kδ', rounded up.
func total(delta, logKeep float64) float64 {
	return math.Min(1, (-math.Expm1(logKeep)*(1+keepMargin)+math.Exp(logKeep)*delta)*(1+8*0x1p-53))
}

// spending is epsilonOf at the remaining part of delta.
func (a Accountant) spending(curve Curve, logKeep, delta float64) (g accounting.Guarantee, order float64, err error) {
	if logKeep == 0 {
		return a.epsilonOf(curve, delta)
	}
	if err := a.validate(curve, accounting.ValidateDelta(delta)); err != nil {
		return accounting.NoGuarantee(), MinOrder, err
	}
	rest := left(delta, logKeep)
	if !(rest > 0) {
		return accounting.Guarantee{
			Epsilon: accounting.UpperBound(math.Inf(1)), Delta: delta, Neighboring: a.Neighboring(),
			Method: fmt.Sprintf("RDP, no finite bound: approximate differential privacy takes %.3g of δ", -math.Expm1(logKeep)),
		}, MinOrder, nil
	}
	g, order, err = a.epsilonOf(curve, rest)
	g.Delta = delta
	g.Method += fmt.Sprintf(", at the δ that approximate differential privacy leaves, %.6g", rest)
	return g, order, err
}
