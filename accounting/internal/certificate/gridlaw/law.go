package gridlaw

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Law is a mechanism that runs Count times. A proof has where its law lies, and takes the rest from
// the event.
type Law struct {
	Mechanism `json:"-"`
	Count     float64        `json:"-"`
	First     int            `json:"first"`           // point of the law
	Points    int            `json:"points"`          // of the law
	Runs      float64        `json:"runs,omitempty"`  // > 1: each is so many releases as one, if two outcomes have a finite loss
	Ratio     *splitlaw.Grid `json:"ratio,omitempty"` // of the Curve
}

// measure has mass[i] at the loss (first+i)·step under the first law, and infinite beyond every
// loss. The mass of the second law at a loss l is e^-l times that.
type measure struct {
	first    int
	mass     []float64
	infinite float64
}

// side is the part of a measure at positive losses: mass[j] at j·step. delta is its δ at 0.
type side struct {
	mass     []float64
	infinite float64
	delta    I
}

// least is a mass that is far above those that underflow.
const least = 1e-290

// dominating returns a measure on the grid that dominates the mechanism in every composition. It
// needs nothing but closed forms of δ.
//
// Proof. It suffices that its δ is at least as large at each ε (Zhu, Dong, Wang 2022,
// arXiv:2106.08567v3, Theorem 10). The δ of a measure on the grid is linear in x = e^ε between grid
// points, that of the mechanism is convex. So it suffices to compare at the grid points, above the
// last one, and at x = 0, where the mechanism has 1. Above, δ of the measure is its infinite mass.
// ("Connect the dots", Doroshenko et al. 2022, arXiv:2207.04380v1.)
//
// At x >= 1 only positive losses count: the side of the mechanism. At x < 1 the mechanism has 1 - x
// + x H(1/x), with H(1/x) the δ of the other direction. Let P and Q be the total masses, and H' the
// δ of the side of the other direction, with its masses under the second law. Then the measure has
// P - xQ + x H'(1/x). So P >= 1 and P - Q >= 0 suffice. P - Q is the δ at 0 of the one side less
// that of the other, and mass at loss 0 changes only P.
//
// Masses may sum to more than 1. The order of δ is kept by sums and products of measures. A mass
// that is rounded up counts as one that was given. A mass of the other side below e^-670 is left
// out, as if it had no loss there.
func (l Law) dominating(step, tilt float64) measure {
	left, right := max(1, -l.First), max(1, l.First+l.Points-1)
	other := l.Mechanism
	other.Add = !other.Add
	back, front := other.side(step, left, l.Runs), l.side(step, right, l.Runs)
	// Rounding raises the masses at negative losses by less than 2^-48.
	front.raise(back.delta.Hi*(1+0x1p-48)+least, step, tilt)
	out := measure{-left, make([]float64, left+1+right), front.infinite}
	var total interval.Sum
	total.Add(interval.Of(front.infinite))
	for j, m := range front.mass[1:] {
		out.mass[left+1+j] = m
		total.Add(interval.Of(m))
	}
	for j, m := range back.mass {
		if m = interval.Of(step).Mul(interval.Of(float64(-j))).Exp().Mul(interval.Of(m)).Hi; m > least {
			out.mass[left-j] = m
			total.Add(interval.Of(m))
		}
	}
	out.mass[left] = one.Sub(total.I()).Positive().Hi
	return out
}

// side returns a measure on n points whose δ is at least that of the mechanism at each of them and
// at 0. Outcomes are split between the two points next to them. Other masses are the least ones.
//
// The walk goes down the grid. With B_k = Σ_{j>k} p_j e^{(k-j)step},
//
//	δ_k = δ_{k+1} + (1-e^-step)(p_{k+1} + B_{k+1}),  B_k = e^-step (p_{k+1} + B_{k+1}).
func (m Mechanism) side(step float64, n int, runs float64) side {
	h := interval.Of(step)
	fall := h.Neg().Expm1().Neg()
	s := side{mass: make([]float64, n+1)}
	atoms, infinite, listed := m.atoms(runs)
	if listed {
		s.spread(atoms, infinite, h, fall)
	} else {
		s.infinite = m.bound(h.Mul(interval.Of(float64(n))))
	}
	var delta, rest interval.Sum // δ_k and B_k
	delta.Add(interval.Of(s.infinite))
	for k := n - 1; k >= 0; k-- {
		bound := 0.0
		if !listed {
			bound = m.bound(h.Mul(interval.Of(float64(k))))
		}
		d, b := delta.I(), rest.I().Positive()
		from := b.Add(interval.Of(s.mass[k+1]))
		more := fall.Mul(from)
		for lacks := bound - d.Add(more).Lo; lacks > 0; lacks = bound - d.Add(more).Lo {
			s.mass[k+1] = interval.Up(s.mass[k+1] + interval.Up(lacks)/fall.Lo)
			from = b.Add(interval.Of(s.mass[k+1]))
			more = fall.Mul(from)
		}
		delta.Add(more)
		// B_k is p_{k+1} + B_{k+1} less (1-e^-step) times that, for each end of the sum.
		rest.Add(interval.Of(s.mass[k+1]))
		rest.Add(I{Lo: -fall.Mul(interval.Of(from.Lo)).Hi, Hi: -fall.Mul(interval.Of(from.Hi)).Lo})
	}
	s.delta = delta.I()
	return s
}

// spread puts outcomes on the grid. Each keeps both of its masses, which raises δ (package pld,
// discretize.go). From a loss above the last point on, mass goes there and to infinity.
func (s *side) spread(atoms []atom, infinite, h, fall I) {
	n := len(s.mass) - 1
	sums := make([]interval.Sum, n+2) // the last one is that of infinity
	sums[n+1].Add(infinite)
	for _, a := range atoms {
		k := int(min(a.loss.Hi/h.Lo, float64(n)))
		for k < n && interval.Of(float64(k+1)).Mul(h).Lo <= a.loss.Hi {
			k++
		}
		width := fall
		if k == n {
			width = one
		}
		mass, gap := interval.Of(a.mass.Hi), interval.Of(a.loss.Hi).Sub(interval.Of(float64(k)).Mul(h)).Positive()
		up := gap.Neg().Expm1().Neg().Div(width)
		sums[k].Add(mass.Mul(one.Sub(up).Positive()))
		sums[k+1].Add(mass.Mul(up))
	}
	for k := range s.mass[1:] {
		s.mass[k+1] = sums[k+1].I().Hi
	}
	s.infinite = sums[n+1].I().Hi
}

// raise adds mass at a loss of about 1/tilt until δ at 0 is at least that. A larger loss needs less
// mass, and a smaller one raises the tail less.
func (s *side) raise(delta, step, tilt float64) {
	lacks := delta - s.delta.Lo
	if !(lacks > 0) {
		return
	}
	at := max(1, min(len(s.mass)-1, int(1/(step*max(tilt, 1)))))
	gap := interval.Of(float64(at)).Mul(interval.Of(step)).Neg().Expm1().Neg()
	s.mass[at] = interval.Up(s.mass[at] + interval.Of(interval.Up(lacks)).Div(gap).Hi)
}

// tilted returns masses that are at least mass e^{tilt l - scale}, with a scale of about their
// sum's logarithm before.
func (l measure) tilted(step, tilt float64) (masses []float64, scale float64) {
	logs, top := make([]float64, len(l.mass)), math.Inf(-1)
	for i, m := range l.mass {
		logs[i] = math.Inf(-1)
		if m > 0 {
			logs[i] = interval.Of(m).Log().Hi + tilt*(float64(l.first+i)*step)
			top = max(top, logs[i])
		}
	}
	var sum float64
	for _, e := range logs {
		sum += math.Exp(max(e-top, -745))
	}
	scale = top + numeric.Log(sum)
	masses = make([]float64, len(l.mass))
	for i, e := range logs {
		if math.IsInf(e, -1) {
			continue
		}
		// Each part of the exponent has an error of a few units of itself.
		size := math.Abs(tilt*(float64(l.first+i)*step)) + math.Abs(e) + math.Abs(scale) + 8
		masses[i] = interval.Of(interval.Up(e-scale)).Exp().Hi * (1 + 8*unit*size)
	}
	return masses, scale
}
