package lratio

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// law is a law below a likelihood ratio Z = dP/dQ under Q, on cells of a geometric grid. An atom is
// the mean of what it merged: Z = z_k r[k]/q[k] with mass q[k], and z_k = e^{h (first+k)}. What the
// law promises of the true Z, with the masses divided by scale:
//
//	E f(Z) >= e^-kappa Σ q[k] f(e^{∓eta} z_k r[k]/q[k])
//
// for every convex f >= 0 that rises (upper sign) or falls (lower sign) on [0, ∞). Both δ are of
// this kind: (z-c)₊ for a removed example, (1-cz)₊ for an added one. Package splitlaw has the law
// above Z.
//
// Proof. Atoms merged into their mean lower E f (Jensen). Sums with weights >= 0 and products of
// independent Z >= 0 keep the inequality, because f stays convex and monotone in each of them. A
// rounding error of a mass is a factor that kappa counts. A rounding error of a place is a factor
// on Z. It moves a rising f one way and a falling f the other way, and eta counts it. Masses add,
// so kappa adds in sums and in products. Places are averaged in a sum, so eta is then the larger
// one; in a product eta adds. ∎
//
// The masses are probabilities times scale, because a product of two small ones would underflow.
type law struct {
	h          float64
	first      int
	q, r       []float64
	kappa, eta float64
}

const (
	scaleBits = 1000
	scale     = 0x1p1000
	half      = 0x1p-500 // of the scale: masses of two factors are multiplied by it first
	unit      = 0x1p-53
	// Products below tiny are dropped.
	tiny = 0x1p-1000
	lost = 0x1p-1070
	// mostLog is the largest |log z| of a grid.
	mostLog = 1000
)

// errLarge reports a law with losses beyond mostLog.
var errLarge = errors.New("losses are too large for the grid")

// errInvariant reports a law that lost or gained mass: a fault of this package.
var errInvariant = errors.New("lratio: a law has lost mass: a fault of this package")

// at returns log z_k.
func (l law) at(k int) float64 { return l.h * float64(l.first+k) }

// reach is the largest |log z| of the grid.
func (l law) reach() float64 {
	return math.Max(math.Abs(l.at(0)), math.Abs(l.at(len(l.q)+1)))
}

// moved is the most that a place errs, relatively, when it is computed from logarithms of at most
// the size of the arguments. Each costs two roundings, exp, log and expm1 some units more.
func moved(logs ...float64) float64 {
	sum := 8.0
	for _, x := range logs {
		sum += math.Abs(x)
	}
	return 4 * 0x1p-52 * sum
}

// timesExp returns m e^x. It does not overflow on the way for |x| <= 2 mostLog.
func timesExp(m, x float64) float64 {
	e := math.Exp(x / 4)
	return m * e * e * e * e
}

// likelihood returns the masses under P, times scale: the terms of Σ q z.
func (l law) likelihood() []float64 {
	p := make([]float64, len(l.q))
	for k, m := range l.r {
		if m != 0 {
			p[k] = timesExp(m, l.at(k))
		}
	}
	return p
}

// check returns an error unless the masses under P and under Q both have sum 1. tails is the most
// that tails may have taken.
func (l law) check(tails float64) error {
	underQ, underP := 0.0, 0.0
	for _, m := range l.q {
		underQ += m / scale
	}
	for _, m := range l.likelihood() {
		underP += m / scale
	}
	slack := math.Expm1(l.kappa+l.eta) + float64(len(l.q))*unit + moved(l.reach()) + tails
	if math.Abs(underQ-1) <= slack && math.Abs(underP-1) <= slack {
		return nil
	}
	return fmt.Errorf("%w: masses %.17g and %.17g, slack %.3g", errInvariant, underQ, underP, slack)
}

// trim moves the atoms below which Q has at most mass e^logTau, and those above which P has at most
// that mass, into the end cells.
func (l law) trim(logTau float64) law {
	tau := math.Exp(logTau + scaleBits*math.Ln2)
	p := l.likelihood()
	a, b := 0, len(l.q)
	for sum := 0.0; a < b-2; a++ {
		if sum += l.q[a]; sum > tau {
			break
		}
	}
	for sum := 0.0; b > a+2; b-- {
		if sum += p[b-1]; sum > tau {
			break
		}
	}
	out := l
	out.first, out.q, out.r = l.first+a, append([]float64{}, l.q[a:b]...), append([]float64{}, l.r[a:b]...)
	last := len(out.q) - 1
	for k := 0; k < a; k++ {
		out.q[0] += l.q[k]
		out.r[0] += l.r[k] * math.Exp(l.h*float64(k-a))
	}
	for k := b; k < len(l.q); k++ {
		out.q[last] += l.q[k]
		out.r[last] += timesExp(l.r[k], l.h*float64(k-b+1))
	}
	if len(out.q) < len(l.q) {
		out.kappa += float64(len(l.q)-len(out.q)+8) * unit
		out.eta += moved(l.reach())
	}
	return out
}

// cellOf returns the cell of e^logZ on the grid of step h.
func cellOf(logZ, h float64) int { return int(math.Floor(logZ / h)) }

// regrid returns the law on the grid of step h.
func (l law) regrid(h float64) law {
	if h == l.h {
		return l
	}
	return l.mapped(h, func(logZ float64) float64 { return logZ })
}

// mapped returns the law of a Z whose logarithm is the given increasing function of the logarithm
// of l's. The function must be linear in Z, which keeps the order of laws.
func (l law) mapped(h float64, of func(logZ float64) float64) law {
	n := len(l.q)
	// The means in the end cells may be far outside, because tails were merged.
	lo := min(cellOf(of(l.at(0)), h), cellOf(of(l.mean(0)), h)) - 2
	hi := max(cellOf(of(l.at(n)), h), cellOf(of(l.mean(n-1)), h)) + 2
	out := law{h: h, first: lo, q: make([]float64, hi-lo+2), r: make([]float64, hi-lo+2)}
	for k, m := range l.q {
		if m == 0 {
			continue
		}
		z := of(l.mean(k))
		to := cellOf(z, h)
		out.q[to-lo] += m
		out.r[to-lo] += m * math.Exp(z-h*float64(to))
	}
	out.kappa = l.kappa + float64(n+8)*unit
	out.eta = l.eta + moved(l.reach(), out.reach()) + 2*float64(n+8)*unit // and of the two sums of a mean
	return out
}

// mean returns log Z of the atom of cell k; without an atom, of the cell's edge.
func (l law) mean(k int) float64 {
	if l.q[k] < tiny || l.r[k] < tiny {
		return l.at(k)
	}
	return l.at(k) + numeric.Log(l.r[k]/l.q[k])
}

// mixed returns the law of 1-w+wZ, for w in (0, 1), on a grid of about n points: of a step that an
// example joins with chance w.
func (l law) mixed(w float64, n int) law {
	of := func(logZ float64) float64 { return logAverage(1-w, w, logZ) }
	h := math.Max((of(l.at(len(l.q)))-of(l.at(0)))/float64(n-4), leastStep)
	return l.mapped(h, of)
}

// leastStep is far above the rounding error of a place near 1.
const leastStep = 1e-14

// logAverage returns log(a + b e^x).
func logAverage(a, b, x float64) float64 {
	if x > 0 {
		return x + numeric.Log(b+a*math.Exp(-x))
	}
	if s := a + b; s == 1 {
		return math.Log1p(b * math.Expm1(x))
	}
	return numeric.Log(a + b*math.Exp(x))
}
