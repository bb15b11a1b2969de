package audit

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Curve is a ceiling on the ROC of every attack on a mechanism: a privacy claim seen from the
// attacker's side. It is 1 minus the trade-off function of Dong, Roth, Su (2022). It is concave and
// grows from TPR(0) >= 0 to TPR(1) = 1. It is symmetric: swapping the two worlds gives the same
// curve, FPR(1-v) = 1 - TPR(v). Tests check some points of a curve from outside this package, and
// refuse a curve that breaks these rules there.
type Curve interface {
	// TPR returns G(v), the greatest true positive rate at false positive rate v in [0, 1].
	TPR(v float64) float64
	// FPR returns the least v with TPR(v) >= t, for t in [0, 1].
	FPR(t float64) float64
	// Kinks returns the false positive rates inside (0, 1) where the slope jumps, ascending.
	Kinks() []float64
	// String names the claim with its parameters.
	String() string
}

// EpsilonDelta is the ceiling of (ε, δ)-differential privacy in both directions:
//
//	G(v) = min(1, δ + e^ε v, 1 - e^-ε (1-δ-v))
//
// Reference: Kairouz, Oh, Viswanath (2015), Theorem 2.1.
type EpsilonDelta struct {
	Epsilon float64 // >= 0
	Delta   float64 // in [0, 1)
}

// TPR returns G(v).
func (c EpsilonDelta) TPR(v float64) float64 {
	return math.Min(1, math.Min(c.Delta+math.Exp(c.Epsilon)*v, 1-math.Exp(-c.Epsilon)*(1-c.Delta-v)))
}

// FPR returns the least v with G(v) >= t.
func (c EpsilonDelta) FPR(t float64) float64 {
	return math.Max(0, math.Max((t-c.Delta)*math.Exp(-c.Epsilon), 1-c.Delta-(1-t)*math.Exp(c.Epsilon)))
}

// Kinks returns (1-δ)/(1+e^ε) and, for δ > 0, 1-δ.
func (c EpsilonDelta) Kinks() []float64 {
	kinks := []float64{(1 - c.Delta) / (1 + math.Exp(c.Epsilon))}
	if c.Delta > 0 {
		kinks = append(kinks, 1-c.Delta)
	}
	return kinks
}

// segments returns the three lines of G.
func (c EpsilonDelta) segments() []segment {
	up, down := math.Exp(c.Epsilon), math.Exp(-c.Epsilon)
	first := segment{c.Delta, up, (1 - c.Delta) / (1 + up)}
	return []segment{first, {1 - down*(1-c.Delta), down, 1 - c.Delta}, {1, 0, 1}}
}

// String names the claim.
func (c EpsilonDelta) String() string {
	return fmt.Sprintf("(ε = %s, δ = %s)-DP", digits.Significant(c.Epsilon, 6), digits.Delta(c.Delta))
}

// Validate returns an error unless ε is in [0, 650] and δ in [0, 1].
func (c EpsilonDelta) Validate() error { return c.validate("audit: ") }

// validate puts a path before the names of the fields.
func (c EpsilonDelta) validate(path string) error {
	f := check.In(path)
	f.Number("epsilon", c.Epsilon, check.Between(0, maxClaimEpsilon))
	f.Number("delta", c.Delta, check.Unit)
	return f.Err()
}

// maxClaimEpsilon keeps e^ε finite.
const maxClaimEpsilon = 650

// GDP is the ceiling of µ-Gaussian differential privacy, G(v) = Φ(Φ^-1(v) + µ).
//
// Reference: Dong, Roth, Su (2022), arXiv:1905.02383v3, Definition 2.6.
type GDP struct {
	Mu float64 // >= 0
}

// Validate returns an error unless µ is >= 0.
func (c GDP) Validate() error {
	return check.AtLeast(0).Of("audit: GDP.Mu", c.Mu)
}

// TPR returns G(v).
func (c GDP) TPR(v float64) float64 {
	switch {
	case v <= 0:
		return 0
	case v >= 1:
		return 1
	}
	return numeric.NormalCDF(tails.NormalQuantile(v) + c.Mu)
}

// FPR returns the v with G(v) = t.
func (c GDP) FPR(t float64) float64 {
	switch {
	case t <= 0:
		return 0
	case t >= 1:
		return 1
	}
	return numeric.NormalCDF(tails.NormalQuantile(t) - c.Mu)
}

// Kinks returns nil: the curve is smooth.
func (c GDP) Kinks() []float64 { return nil }

// String names the claim.
func (c GDP) String() string { return fmt.Sprintf("%.6g-GDP", c.Mu) }

// segment is the line G(v) = at + slope v up to v = end.
type segment struct{ at, slope, end float64 }

// lowest is a concave curve, the lowest of its lines at each v. G takes an exponential for each
// value. These lines have it in their slopes.
type lowest []segment

// quickTPR returns g.TPR, as lines if g has them.
func quickTPR(g Curve) func(v float64) float64 {
	if p, ok := g.(piecewise); ok {
		return lowest(p.segments()).at
	}
	return g.TPR
}

func (lines lowest) at(v float64) float64 {
	g := 1.0
	for _, l := range lines {
		if y := l.at + l.slope*v; y < g {
			g = y
		}
	}
	return g
}

// piecewise is a Curve of straight lines: equations in v have closed forms.
type piecewise interface{ segments() []segment }
