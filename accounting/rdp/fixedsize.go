package rdp

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// maxFixedSizeOrder is the largest order that is summed. Above it the curve of the mechanism itself
// is the bound.
const maxFixedSizeOrder = 256

// FixedSize returns the curve, for the replace-one relation, of a mechanism on a sample of m of n
// records without replacement. curve is that of the mechanism on m records, for the same relation.
// rate is γ = m/n in (0, 1]. At integer orders α >= 2
//
//	RDP(α) = log( 1 + γ² C(α,2) min{4(e^{ε(2)}-1), e^{ε(2)} min{2, (e^{ε(∞)}-1)²}}
//	              + Σ_{j=3..α} γ^j C(α,j) e^{(j-1)ε(j)} min{2, (e^{ε(∞)}-1)^j} ) / (α-1)
//
// with ε(j) = curve(j). Between integers (α-1) RDP(α), which is convex and 0 at α = 1, is at most
// linear. Above order 256, and wherever curve is less, the bound is curve itself: the sampled
// mechanism is a mixture, and divergences are quasi-convex.
//
// The bound is loose at large orders. Package pld prices the same event by a tight pair.
//
// Reference: Wang, Balle, Kasiviswanathan (2019), arXiv:1808.00087v2, Theorem 9.
func FixedSize(curve Curve, rate float64) Curve {
	if !(rate > 0 && rate <= 1) {
		return func(float64) float64 { return math.Inf(1) }
	}
	if rate == 1 {
		return curve
	}
	epsilon := make([]float64, maxFixedSizeOrder+1)
	for j := 2; j < len(epsilon); j++ {
		epsilon[j] = curve(float64(j))
	}
	s := fixedSize{numeric.Log(rate), epsilon, numeric.LogExpm1(curve(math.Inf(1)))}
	return func(order float64) float64 {
		plain := curve(order)
		if !(order > 1) || order > maxFixedSizeOrder {
			return plain
		}
		below := math.Floor(order)
		moments := s.logMoment(int(below))
		if order > below {
			moments += (order - below) * (s.logMoment(int(below)+1) - moments)
		}
		return math.Min(plain, atMost(moments*(1+roundingMargin)/(order-1)))
	}
}

type fixedSize struct {
	logRate float64
	epsilon []float64 // at integer orders
	logPure float64   // log(e^{ε(∞)} - 1)
}

// logMoment returns the logarithm of the sum, (α-1) RDP(α), at an integer order.
func (s fixedSize) logMoment(order int) float64 {
	if order < 2 {
		return 0
	}
	n := float64(order)
	e2 := s.epsilon[2]
	sum := numeric.NewSum()
	logBinomial := numeric.Log(n * (n - 1) / 2)
	sum.Add(2*s.logRate + logBinomial + math.Min(numeric.Log(4)+numeric.LogExpm1(e2), e2+math.Min(math.Ln2, 2*s.logPure)))
	for j := 3; j <= order; j++ {
		x := float64(j)
		logBinomial += numeric.Log((n - x + 1) / x)
		sum.Add(x*s.logRate + logBinomial + (x-1)*s.epsilon[j] + math.Min(math.Ln2, x*s.logPure))
	}
	return numeric.Log1pExp(sum.Log())
}

// addFixedSize adds a mechanism on a sample of fixed size.
func (s *steps) addFixedSize(sample accounting.Node, times float64) error {
	if s.relation != accounting.ReplaceOne {
		return accounting.RelationError("rdp", sample.Event, s.relation, accounting.ReplaceOne)
	}
	curve, logKeep, err := approximate(s.asked.Part(sample.Children[0]))
	if err != nil {
		return err
	}
	if logKeep < 0 { // ApproxDP on a sample of fixed size has no proof here
		return unsupported(sample.Event)
	}
	s.addCurve(FixedSize(curve, sample.Rate), times)
	return nil
}
