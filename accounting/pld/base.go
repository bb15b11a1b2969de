package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

const unit = 0x1p-53 // relative error of one rounded operation

// atom is one outcome, or a set of outcomes taken together. It has mass p with the example and q
// without. The true masses are in p (1±eta) and q (1±eta).
type atom struct{ p, q, eta float64 }

// outcome is an atom of known loss log p/q of the unsampled mechanism. The loss is infinite only if
// a mass is 0 by construction. A mass that underflows to 0 has a finite loss.
type outcome struct {
	atom
	loss float64
}

// given returns the outcome of exact masses: 0 means 0.
func given(p, q, eta float64) outcome {
	l := math.Inf(1)
	if r := p / q; q > 0 && r > leastMass && r < 1/leastMass {
		l = numeric.Log(r) // precise to a unit; a difference of large logarithms would not be
	} else if q > 0 {
		l = numeric.Log(p) - numeric.Log(q)
	}
	return outcome{atom{p, q, eta}, l}
}

// held returns a mass above 0, known as p (1±eta), as float64 numbers hold it. A subnormal number
// has lost digits, and a mass that underflows is not 0. If the error is 1 or more, an upper law has
// some of the mass and a lower law has none.
func held(p, eta float64) (mass, error float64) {
	const least = math.SmallestNonzeroFloat64
	switch {
	case p >= 0x1p-1022:
		return p, eta
	case p < least:
		return least, math.Max(1, eta)
	}
	return p, eta + 4*(least/p)
}

// base is the pair of output laws of an unsampled mechanism. Outcomes are points, and a line with a
// coordinate in which the loss log dP/dQ rises.
type base interface {
	points() []outcome
	// line returns two coordinates. Outside of them both laws have mass below e^logTail. If the line
	// is bounded, they are its ends. ok is false without a line.
	line(logTail float64) (lo, hi float64, ok bool)
	// reach returns the largest loss on the line, which is minus the least; 0 without a line.
	reach() float64
	// loss returns the loss at a coordinate. at returns the coordinate of a loss.
	loss(x float64) float64
	at(loss float64) float64
	// checked completes m, the mechanism as the check takes it. ok is false without a check.
	checked(m gridlaw.Mechanism, f mechanism, logTail float64) (out gridlaw.Mechanism, ok bool)
	// cells returns the masses between consecutive edges.
	cells(edges []float64) []atom
	// apart returns the total variation distance of the laws, and the mass of outcomes that both
	// have with equal probability.
	apart() (distance, tied float64)
}

// whole is a base that makes its own cells on the sample of f, for each direction.
type whole interface {
	base
	ownCells(f mechanism, d direction, h, logTail float64) (cells []cell, infinite float64)
	ownRange(f mechanism, d direction, logTail float64) (lo, hi float64)
	ownAtoms(f mechanism, d direction) []logAtom // a coarse copy
	mirrored() bool                              // both directions have the same losses
}

// noLine is part of a base without a line.
type noLine struct{}

func (noLine) points() []outcome                      { return nil }
func (noLine) line(float64) (lo, hi float64, ok bool) { return 0, 0, false }
func (noLine) reach() float64                         { return 0 }
func (noLine) loss(float64) float64                   { return 0 }
func (noLine) at(float64) float64                     { return 0 }
func (noLine) cells([]float64) []atom                 { return nil }
func (noLine) apart() (distance, tied float64)        { return 0, 0 }

// gaussianBase is N(1, σ²) against N(0, σ²): loss (2x-1)/(2σ²).
type gaussianBase struct{ sigma float64 }

func (gaussianBase) points() []outcome { return nil }

// line uses Φ(-t) <= e^{-t²/2}/2; at 37.4 that is about 1e-306.
func (g gaussianBase) line(logTail float64) (lo, hi float64, ok bool) {
	far := math.Min(37.4, math.Sqrt(math.Max(1, -2*logTail)))
	return -far * g.sigma, 1 + far*g.sigma, true
}

func (gaussianBase) reach() float64 { return math.Inf(1) }

func (g gaussianBase) checked(m gridlaw.Mechanism, _ mechanism, _ float64) (gridlaw.Mechanism, bool) {
	m.Kind, m.A = gridlaw.Gaussian, g.sigma*(1-2e-13)
	return m, true
}

func (g gaussianBase) loss(x float64) float64 { return (2*x - 1) / (2 * g.sigma * g.sigma) }
func (g gaussianBase) at(l float64) float64   { return l*g.sigma*g.sigma + 0.5 }

// apart uses P(x > ½) - Q(x > ½) = Φ(1/2σ) - Φ(-1/2σ).
func (g gaussianBase) apart() (distance, tied float64) {
	return math.Erf(1 / (2 * math.Sqrt2 * g.sigma)), 0
}

// tail is one edge in units of σ: t standard deviations from the mean, and Φ(-|t|).
type tail struct{ t, mass float64 }

func tailAt(t float64) tail { return tail{t, 0.5 * math.Erfc(math.Abs(t)*(1/math.Sqrt2))} }

// between returns the normal mass between two edges and its relative error. The error has two
// parts: the difference of two tails (a few units of the larger tail), and the tails themselves,
// whose arguments are rounded (4 + 4t² units).
func between(a, b tail) (mass, eta float64) {
	switch {
	case a.t >= 0:
		mass = a.mass - b.mass
	case b.t <= 0:
		mass = b.mass - a.mass
	default:
		mass = 1 - a.mass - b.mass
	}
	if !(mass > 0) {
		return 0, 1
	}
	t := math.Min(math.Abs(a.t), math.Abs(b.t))
	if a.t < 0 && b.t > 0 {
		t = 0
	}
	return mass, unit * (8 + 4*t*t + 4*math.Max(a.mass, b.mass)/mass)
}

func (g gaussianBase) cells(edges []float64) []atom {
	out := make([]atom, len(edges)-1)
	p0, q0 := tailAt((edges[0]-1)/g.sigma), tailAt(edges[0]/g.sigma)
	for i := range out {
		x := edges[i+1]
		p1, q1 := tailAt((x-1)/g.sigma), tailAt(x/g.sigma)
		p, ep := between(p0, p1)
		q, eq := between(q0, q1)
		if p == 0 { // p underflows; lineCells handles that
			ep = 0
		}
		if q == 0 { // the cell is vague
			eq = 0
		}
		out[i] = atom{p, q, math.Max(ep, eq)}
		p0, q0 = p1, q1
	}
	return out
}

// laplaceBase is Lap(1, b) against Lap(0, b). The loss is (2x-1)/b for x in [0, 1], and ∓1/b on the
// two rays outside, which are points.
type laplaceBase struct{ scale float64 }

func (l laplaceBase) points() []outcome {
	loss := 1 / l.scale
	far := math.Exp(-loss) / 2
	return []outcome{{atom{far, 0.5, 4 * unit}, -loss}, {atom{0.5, far, 4 * unit}, loss}}
}

func (laplaceBase) line(float64) (lo, hi float64, ok bool) { return 0, 1, true }
func (l laplaceBase) reach() float64                       { return 1 / l.scale }
func (l laplaceBase) loss(x float64) float64               { return (2*x - 1) / l.scale }
func (l laplaceBase) at(loss float64) float64 {
	return math.Min(1, math.Max(0, (loss*l.scale+1)/2))
}

func (l laplaceBase) checked(m gridlaw.Mechanism, _ mechanism, _ float64) (gridlaw.Mechanism, bool) {
	m.Kind, m.A = gridlaw.Laplace, l.scale
	return m, true
}

// cells integrates the densities e^{-(1-x)/b}/(2b) and e^{-x/b}/(2b) on [0, 1].
func (l laplaceBase) cells(edges []float64) []atom {
	out := make([]atom, len(edges)-1)
	for i := range out {
		a, b := math.Max(0, edges[i]), math.Min(1, edges[i+1])
		if !(b > a) {
			continue
		}
		width := -math.Expm1(-(b-a)/l.scale) / 2
		out[i] = atom{
			p:   width * math.Exp((b-1)/l.scale),
			q:   width * math.Exp(-a/l.scale),
			eta: 8 * unit * (1 + 1/(b-a)*unit + 1/l.scale),
		}
	}
	return out
}

// apart uses P(x > ½) - Q(x > ½) = 1 - e^{-1/2b}.
func (l laplaceBase) apart() (distance, tied float64) { return -math.Expm1(-1 / (2 * l.scale)), 0 }

// discreteBase has points only.
type discreteBase struct {
	noLine
	outcomes []outcome
	known    bool // (epsilon, delta)-differential privacy
	rounded  bool // epsilon is that of a randomized response
	epsilon  float64
	delta    float64
	given    string // what a certificate takes as given
}

func (d discreteBase) points() []outcome { return d.outcomes }

func (d discreteBase) checked(m gridlaw.Mechanism, f mechanism, _ float64) (gridlaw.Mechanism, bool) {
	if !d.known {
		m.Kind, m.Given = gridlaw.Outcomes, d.given
		for _, o := range d.outcomes {
			m.With, m.Without = append(m.With, o.p), append(m.Without, o.q)
		}
		return m, true
	}
	m.Kind, m.A, m.B = gridlaw.Approximate, d.epsilon, d.delta
	if d.rounded {
		m.Given = "ε of randomized response, rounded"
	}
	return m, true
}

func (d discreteBase) apart() (distance, tied float64) {
	for _, a := range d.outcomes {
		distance += math.Max(0, a.p-a.q)
		if a.p == a.q {
			tied += a.p
		}
	}
	return distance, tied
}

// response returns randomized response, which dominates every (ε, 0)-private mechanism. Its profile
// is the largest that is convex in e^ε, is 0 from ε on, and has the total mass that (ε, 0) allows
// in both directions. With delta > 0, two more outcomes have mass under one law only.
//
// Reference: Kairouz, Oh, Viswanath (2015), arXiv:1311.0776v4, Theorem 3.3 and its proof.
func response(epsilon, delta float64) discreteBase {
	truth, lie := (1-delta)/(1+math.Exp(-epsilon)), (1-delta)/(1+math.Exp(epsilon))
	outcomes := []outcome{{atom{lie, truth, 4 * unit}, -epsilon}, {atom{truth, lie, 4 * unit}, epsilon}}
	if delta > 0 {
		outcomes = append(outcomes, given(delta, 0, unit), given(0, delta, unit))
	}
	return discreteBase{outcomes: outcomes, known: true, epsilon: epsilon, delta: delta}
}
