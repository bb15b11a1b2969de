package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Direction names the data set that holds the extra example.
type Direction int

const (
	Remove Direction = iota // loss l(x), x drawn with the example: M(z) = F(z+1)
	Add                     // loss -l(x), x drawn without it: M(z) = F(-z)
)

func (d Direction) String() string { return [...]string{"remove", "add"}[d] }

// order returns the α with M(a) = F(α) on the real line.
func (d Direction) order(a float64) float64 {
	if d == Remove {
		return a + 1
	}
	return -a
}

// mostNodes bounds a grid including what is added far away: some 130 MB.
const maxNodes = 1 << 14

// mostNodes bounds a grid and what is added to it far away: some 130 MB.
const mostNodes = 1 << 22

// Phase is Count steps with noise multiplier Sigma on Poisson samples of rate Q. Replaced selects
// the pair of laws of a replaced record (replaced.go).
type Phase struct {
	Q, Sigma, Count float64
	Replaced        bool
}

// Law is one phase with a trapezoid grid x_j = j·step on the real line:
//
//	loss[j] = l(x_j),  l(x) = log(1-q+q e^v),  v = (2x-1)/(2σ²)
//	logQ[j] = log(step·ρ(x_j)),  ρ the density of N(0, σ²)
//
// Σ_j e^{α loss + logQ} is the trapezoid sum of F(α) = E_{N(0,σ²)} e^{α l}. The law of a replaced
// record has another loss and another density in place of ρ: see replaced.go.
type Law struct {
	Phase
	Step       float64
	Reach      float64 // W: how far the grid runs beyond the outermost hump
	first      int     // index of the first node
	loss, logQ []float64
	wQ, wP     []float64 // e^{logQ}, e^{logQ + loss}: the laws without and with the example
	meter      *Meter
	hump       struct{ alpha, lowest float64 } // the last lowestHump
	klP, klQ   float64                         // E_P[l] and -E_Q[l]; both are sums of positive terms
}

// NewLaw returns the law of a phase. tail is the negative logarithm of the wanted relative accuracy
// of one step. With widest, the largest shift of a line, it sets step and reach.
func NewLaw(f Phase, tail, widest float64, m *Meter) *Law {
	w := &Law{Phase: f, Reach: f.Sigma * math.Sqrt(2*tail), meter: m}
	w.Step, _ = lineFor(f.Sigma, tail, widest, growth{})
	return w
}

// lossAt returns the loss at x.
func (w *Law) lossAt(x float64) float64 {
	if w.Replaced {
		return w.logRatio(x) - w.logRatio(-x)
	}
	return w.logRatio(x)
}

// logRatio returns l(x). For v below 30 it is log1p(q expm1(v)), which keeps the relative precision
// at small q. If most of the 1 is gone, it is log(1-q + q e^v). For larger v it is v + log q +
// log1p((1-q)/q e^-v).
func (w *Law) logRatio(x float64) float64 {
	v := (2*x - 1) / (2 * w.Sigma * w.Sigma)
	if v < 30 {
		u := w.Q * math.Expm1(v)
		if u < -0.5 {
			return numeric.Log(1 - w.Q + w.Q*math.Exp(v))
		}
		return math.Log1p(u)
	}
	return v + numeric.Log(w.Q) + math.Log1p((1-w.Q)/w.Q*math.Exp(-v))
}

// window returns the ends of the tilted law of order α. x_c solves x = α r(x) for α < 0, with r =
// σ² l' in (0, 1). Beyond the ends the tilted weight falls by more than e^{-(W²/2σ²)} from the ends
// of [min(0, x_c), max(1, α)], and at least geometrically.
//
// The 1 in max(1, α) is there because the sums also hold E e^l, whose hump may lie at 1. The
// window of a replaced record is shown in replaced.go.
func (w *Law) window(alpha float64) (lo, hi float64) {
	if w.Replaced {
		return -1 - w.Reach, math.Max(1, w.highestHump(alpha)) + w.Reach
	}
	return math.Min(0, w.lowestHump(alpha)) - w.Reach, math.Max(1, alpha) + w.Reach
}

// lowestHump returns x_c for α < 0, by bisection from below: x - α r(x) increases. It returns 0 for
// α >= 0.
func (w *Law) lowestHump(alpha float64) float64 {
	if alpha >= 0 {
		return 0
	}
	if w.hump.alpha == alpha {
		return w.hump.lowest
	}
	a, b := alpha, 0.0
	for k := 0; k < 60 && b-a > 1e-9*w.Sigma; k++ {
		x := (a + b) / 2
		if x < alpha*w.posterior(x) {
			a = x
		} else {
			b = x
		}
	}
	w.hump.alpha, w.hump.lowest = alpha, a
	return a
}

// posterior returns r(x) = σ² l'(x) = q e^v / (1-q+q e^v).
func (w *Law) posterior(x float64) float64 {
	v := (2*x - 1) / (2 * w.Sigma * w.Sigma)
	return 1 / (1 + (1-w.Q)/w.Q*math.Exp(-v))
}

// cover makes the grid reach from lo to hi and returns the indices [from, to) of the nodes between.
// ok is false if the range takes more than maxNodes, or more than mostNodes together with the
// present grid.
func (w *Law) cover(lo, hi float64) (from, to int, ok bool) {
	jlo, jhi := math.Floor(lo/w.Step), math.Ceil(hi/w.Step)
	if !(jhi-jlo < maxNodes) {
		return 0, 0, false
	}
	const exact = 1 << 52 // numbers of nodes stay exact in float64 and in int
	if !(math.Abs(jlo) < exact && math.Abs(jhi) < exact) {
		return 0, 0, false
	}
	have := w.loss != nil
	if !have || int(jlo) < w.first || int(jhi) >= w.first+len(w.loss) {
		if have {
			jlo = math.Min(jlo, float64(w.first))
			jhi = math.Max(jhi*1.25, float64(w.first+len(w.loss)-1))
			if !(jhi-jlo < mostNodes) { // the range lies too far from the present grid
				return 0, 0, false
			}
		}
		w.build(int(jlo), int(jhi))
		jlo, jhi = math.Floor(lo/w.Step), math.Ceil(hi/w.Step)
	}
	return int(jlo) - w.first, int(jhi) - w.first + 1, true
}

// build fills the grid for the indices jlo to jhi.
func (w *Law) build(jlo, jhi int) {
	n := jhi - jlo + 1
	w.meter.add(12 * n)
	w.first = jlo
	block := make([]float64, 4*n)
	w.loss, w.logQ, w.wQ, w.wP = block[:n], block[n:2*n], block[2*n:3*n], block[3*n:]
	norm := numeric.Log(w.Step/w.Sigma) - numeric.LogSqrt2Pi
	w.klP, w.klQ = 0, 0
	for i := range n {
		x := float64(jlo+i) * w.Step
		l := w.lossAt(x)
		lq := norm - x*x/(2*w.Sigma*w.Sigma)
		if w.Replaced {
			lq += w.logRatio(-x)
		}
		w.loss[i], w.logQ[i] = l, lq
		w.wQ[i], w.wP[i] = math.Exp(lq), math.Exp(lq+l)
		if w.wP[i] > 0 {
			w.klP += w.wP[i] * h2(-l) // l e^l - e^l + 1 = e^l h2(-l), and E_Q e^l = 1
		}
		if w.wQ[i] > 0 {
			w.klQ += e2(w.wQ[i], w.wP[i], l) // E_Q[e^l - 1 - l] = -E_Q[l]
		}
	}
}

// e2 returns q·h2(l) without overflow, given q and p = q e^l.
func e2(q, p, l float64) float64 {
	if l < 30 {
		return q * h2(l)
	}
	return p - q*(1+l)
}

// lineFor returns the step, and the line Im x = b of the complex quadrature, that satisfy
//
//	e^{2b²/σ²} G(2b) / (e^{2πb/step}-1) <= e^-tail.
//
// A larger b allows a larger step but costs e^{b²/2σ²} in rounding, so b is at most 1.5σ (or
// widest). 2b stays below .96 πσ², inside the strip where l is analytic. The b with the largest
// step is taken.
func lineFor(sigma, tail, widest float64, grow growth) (step, b float64) {
	limit := math.Min(math.Min(1.5*sigma, widest), 0.48*math.Pi*sigma*sigma)
	for f := 1.0; f > 1e-3; f *= 0.85 {
		try := f * limit
		u := try / sigma
		need := tail + 2*u*u + grow.at(2*try)
		s := 2 * math.Pi * try / need
		if s > step {
			step, b = s, try
		}
		if s < 0.5*step {
			break
		}
	}
	return step, b
}

// Meter counts work, in units of about 10 ns on a machine of 2026. The search of a hard case ends
// by this count, not by time, so it gives the same answer on a slow machine.
type Meter struct{ Spent float64 }

func (m *Meter) add(units int) { m.Spent += float64(units) }

// Participations (participations.go) stop looking for a lower guess at SomeSpent, and for anything
// at MostSpent.
const (
	SomeSpent = 6e6
	MostSpent = 2e7
)
