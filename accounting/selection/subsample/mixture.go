package subsample

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/settle"
	"github.com/dplab/dplab/accounting/internal/certificate/unproved"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// mixtureEpsilon returns an ε at delta of a mechanism in which one record takes part in A with
// chance q, and in B otherwise. It holds for both directions of add-or-remove-one. The law of the
// outputs is C without the record and qA + (1-q)B with it. inside returns an ε at a δ of A against
// C, and outside one of B against C, in both directions.
//
// Proof. With (ε1, δ1) of A, (ε2, δ2) of B and ε = ln(q e^ε1 + (1-q) e^ε2), every event S has
//
//	qA(S) + (1-q)B(S) <= e^ε C(S) + q δ1 + (1-q) δ2
//	C(S) = wC(S) + (1-w)C(S) <= w e^ε1 A(S) + (1-w) e^ε2 B(S) + w δ1 + (1-w) δ2
//	                         <= e^ε (qA(S) + (1-q)B(S)) + w δ1 + (1-w) δ2
//
// for every w with 1 - (1-q)e^(ε-ε2) <= w <= q e^(ε-ε1). There is such a w, because the arithmetic
// mean of e^ε1 and e^ε2 is at least the harmonic one. So ε holds for both directions if both δ on
// the right are at most delta for some w. They are if δ1 = δ2. The split of delta is searched. ∎
//
// For RestOfData, A changes only the tuning and B only the training. For AllData, A changes both
// and B the training. The sample of the other records is shared. Mixtures over it are covered by
// the joint convexity of the hockey-stick divergence.
//
// With ε2 = 0 the first line is the usual argument for subsampling (Balle, Barthe, Gaboardi 2018,
// arXiv:1807.01647v2, Theorem 8). The bound for two costly parts is ours.
//
// Only a price below least matters: without one the result may be +Inf.
func mixtureEpsilon(rate, delta, least float64, inside, outside fate) split {
	if rate == 1 {
		epsilon := inside.price(delta, least)
		return split{epsilon, unproved.Fate{Epsilon: epsilon, Delta: delta}, unproved.Fate{}}
	}
	value := func(tilt float64, in func(delta, enough float64) float64, out func(float64) float64) split {
		delta1, delta2 := splitDelta(rate, delta, tilt)
		if !(delta1 > 0 && delta1 < 1 && delta2 > 0 && delta2 < 1) {
			return split{epsilon: math.Inf(1)}
		}
		epsilon2 := out(delta2)
		epsilon1 := in(delta1, insideFor(rate, least, epsilon2))
		return split{mixedEpsilon(rate, delta, epsilon1, delta1, epsilon2, delta2), unproved.Fate{Epsilon: epsilon1, Delta: delta1}, unproved.Fate{Epsilon: epsilon2, Delta: delta2}}
	}
	quick, best := math.Inf(1), 0.0
	for tilt := -12.0; tilt <= 12; tilt += 0.25 {
		if v := value(tilt, func(delta, _ float64) float64 { return inside.quick(delta) }, outside.quick); v.epsilon < quick {
			quick, best = v.epsilon, tilt
		}
	}
	found := value(best, inside.price, outside.full)
	least = math.Min(least, found.epsilon)
	// The equal split, tilt 0, is always valid.
	if equal := value(0, inside.price, outside.full); equal.epsilon < found.epsilon {
		return equal
	}
	return found
}

// split is an ε with what shows it.
type split struct {
	epsilon         float64
	inside, outside unproved.Fate
}

// insideFor returns the ε1 at which q e^ε1 + (1-q) e^ε2 is e^ε; -Inf if there is none.
func insideFor(rate, epsilon, epsilon2 float64) float64 {
	// e^ε - (1-q) e^ε2 = e^ε (1 - e^(ln(1-q) + ε2 - ε))
	left := -math.Expm1(math.Log1p(-rate) + epsilon2 - epsilon)
	if !(left > 0) {
		return math.Inf(-1)
	}
	return epsilon + numeric.Log(left) - numeric.Log(rate)
}

// fate is the price of one fate of a record, ε at δ. quick serves the search for a split, full the
// result.
type fate struct {
	quick, full func(delta float64) float64
	// may reports whether full may be at most epsilon. It is nil if full takes little time.
	may func(delta, epsilon float64) bool
}

// price returns full where that may be at most enough, else +Inf.
func (f fate) price(delta, enough float64) float64 {
	if f.may != nil && !math.IsInf(enough, 1) && !f.may(delta, enough) {
		return math.Inf(1)
	}
	return f.full(delta)
}

// splitDelta returns δ1 and δ2 with δ1/δ2 = e^tilt and q δ1 + (1-q) δ2 a little below delta,
// for rounding.
func splitDelta(rate, delta, tilt float64) (delta1, delta2 float64) {
	budget := delta * (1 - 1e-12)
	if tilt > 0 {
		delta1 = budget / (rate + (1-rate)*math.Exp(-tilt))
		return delta1, delta1 * math.Exp(-tilt)
	}
	delta2 = budget / (rate*math.Exp(tilt) + 1 - rate)
	return delta2 * math.Exp(tilt), delta2
}

// mixedEpsilon returns ε of one split, +Inf if the second direction needs more than delta.
func mixedEpsilon(rate, delta, epsilon1, delta1, epsilon2, delta2 float64) float64 {
	if math.IsInf(epsilon1, 1) || math.IsInf(epsilon2, 1) {
		return math.Inf(1)
	}
	logIn, logOut := numeric.Log(rate), math.Log1p(-rate)
	epsilon := math.Max(0, numeric.Add(logIn+epsilon1, logOut+epsilon2)*(1+1e-13))
	w := math.Min(1, math.Exp(logIn+epsilon-epsilon1))
	if delta1 > delta2 {
		w = math.Max(0, -math.Expm1(logOut+epsilon-epsilon2))
	}
	if w*delta1+(1-w)*delta2 > delta {
		return math.Inf(1)
	}
	return epsilon
}

// quickConversion returns ε at δ of a curve from a fixed table of orders.
func quickConversion(curve rdp.Curve) func(delta float64) float64 {
	var orders, divergences []float64
	for a := 0.1; a < rdp.MaxIntegerOrder; a *= 1.15 {
		order := 1 + a
		if order > 8 {
			order = math.Round(order)
		}
		orders, divergences = append(orders, order), append(divergences, curve(order))
	}
	return func(delta float64) float64 {
		least := math.Inf(1)
		for i, order := range orders {
			least = numeric.Lesser(least, rdp.CanonneKamathSteinke.Epsilon(order, divergences[i], delta))
		}
		return least
	}
}

// mixture prices by privacy profiles. It returns no bound if that cannot be below least.
func (s subsampled) mixture(least float64) ([]settle.Candidate, error) {
	inside, err := s.inside()
	if err != nil {
		return nil, err
	}
	outside := fate{
		quick: quickConversion(s.training.Curve),
		full:  func(delta float64) float64 { return s.training.Guarantee(delta).Epsilon.Upper },
	}
	found := mixtureEpsilon(s.TuningRate, s.delta, least, inside, outside)
	if math.IsInf(found.epsilon, 1) && !math.IsInf(least, 1) {
		return nil, nil
	}
	ask := func() settle.Question {
		return settle.Question{
			Claim: "a mixture of two fates of one record (subsample.mixtureEpsilon)",
			Given: []string{fmt.Sprintf("ε of a record in the sample at δ = %.6g", found.inside.Delta), fmt.Sprintf("ε of one outside at δ = %.6g", found.outside.Delta)},
			Check: unproved.Mixed(s.TuningRate, found.inside, found.outside),
		}
	}
	return []settle.Candidate{{Ask: ask, Bound: accounting.Bound{
		Name:    "mixture",
		Theorem: "privacy profiles of a mixture of two fates of one record (subsample.mixtureEpsilon)",
		Method:  "privacy profiles of tuning and training, δ split between a record inside and outside the sample",
		Epsilon: found.epsilon,
	}}}, nil
}

// inside returns the fate of a record in the sample.
func (s subsampled) inside() (fate, error) {
	tuning, err := s.curve()
	if err != nil {
		return fate{}, err
	}
	alone := s.fateOf(tuning, func(delta float64) float64 {
		price, err := selection.PriceAt(prepared{s.Tuning.Law, s.law}, s.base, delta)
		if err != nil {
			return math.Inf(1)
		}
		return price.Least().Epsilon
	})
	alone.may = func(delta, epsilon float64) bool {
		return tuning != nil && alone.quick(delta) <= epsilon*nearEpsilon || s.mayLeak(delta, epsilon)
	}
	if s.Variant == RestOfData {
		return alone, nil
	}
	after := func(delta float64) float64 { return s.training.Guarantee(delta / 2).Epsilon.Upper }
	both := s.fateOf(s.sum(tuning), func(delta float64) float64 { // the tuning, then the training
		split := alone.full(delta/2) + after(delta)
		if tuning == nil {
			return split
		}
		return numeric.Lesser(split, selection.RDPBound(s.sum(tuning), delta, accounting.Bound{}).Epsilon)
	})
	both.may = func(delta, epsilon float64) bool {
		return tuning != nil && both.quick(delta) <= epsilon*nearEpsilon || alone.may(delta/2, epsilon-after(delta))
	}
	return both, nil
}

// A price may be at most ε in two cases. The price by the fixed orders of quickConversion is at
// most nearEpsilon times ε. Or the worst order of outputs leaks at most nearDelta times δ at ε.
const nearEpsilon, nearDelta = 1.05, 1.1

// mayLeak reports whether a bound on the tuning that knows the profile of a run may be at most
// epsilon at delta. No such bound is below what an order of the outputs leaks.
func (s subsampled) mayLeak(delta, epsilon float64) bool {
	if !(epsilon > 0) {
		return false
	}
	known := ranks.Around(s.base, delta/math.Max(1, s.law.Mean()))
	return len(known) == 0 || slices.ContainsFunc(known, func(b ranks.Bounds) bool {
		return b.About(s.law, epsilon) <= nearDelta*delta
	})
}

// sum adds the training to a curve, if there is one.
func (s subsampled) sum(tuning rdp.Curve) rdp.Curve {
	if tuning == nil {
		return nil
	}
	return rdp.Sum(tuning, s.training.Curve)
}

// fateOf returns a fate with a quick price by a curve. Without a curve the quick price is that of
// one run at δ/E[K]. It is off by about a constant, as the profile bounds have that form, and
// serves only the search for a split.
func (s subsampled) fateOf(curve rdp.Curve, full func(delta float64) float64) fate {
	if curve != nil {
		return fate{quick: quickConversion(curve), full: full}
	}
	run := quickConversion(s.base.Curve)
	return fate{quick: func(delta float64) float64 { return run(delta / math.Max(1, s.law.Mean())) }, full: full}
}

// tuningCurve returns the least Rényi curve of the tuning. It is nil if the law has no quick one.
func (s subsampled) tuningCurve() (rdp.Curve, error) {
	if _, fixed := s.law.Law().(law.Fixed); !fixed && !s.law.LogConvex() {
		return nil, nil
	}
	curve, err := selection.RDP(s.Tuning.Law, s.base)
	if err != nil {
		return nil, err
	}
	published, err := s.published()
	if err != nil || published.curve == nil {
		return rdp.Memoized(curve), err
	}
	return rdp.Memoized(func(order float64) float64 { return numeric.Lesser(curve(order), published.curve(order)) }), nil
}
