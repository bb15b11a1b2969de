package gridlaw

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Law is one run as a law on the grid: Mass[i] at the loss (First+i)·step under the first law,
// and Infinite beyond every loss. The mass of the second law at a loss l is e^-l times that.
type Law struct {
	Mechanism
	Count    float64 // runs
	First    int
	Mass     []float64
	Infinite float64
}

// dominating returns a law that dominates the mechanism, by adding mass to l. So nothing about l
// need be believed.
//
// Proof. A law dominates the mechanism in every composition if its δ is at least as large at each
// ε (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 10). The δ of a grid law is linear in e^ε
// between grid points, that of the mechanism is convex. So it suffices to compare at the grid
// points, above the last one, and below the first. Above, δ of the law is Infinite, and that of
// the mechanism falls. Below, it suffices that the total mass is at least 1, the δ of both at e^ε
// = 0.
//
// The walk goes down the grid. With B_k = Σ_{j>k} p_j e^{(k-j)step},
//
//	δ_k = δ_{k+1} + (1-e^-step)(p_{k+1} + B_{k+1}),  B_k = e^-step (p_{k+1} + B_{k+1}),
//
// are computed downward, with the masses that are added. If δ_k lacks something, mass is added
// some points above k, where a larger distance needs less mass and a smaller one raises the tail
// less. The distance is about 1/tilt.
//
// Masses may sum to more than 1. The order of δ is kept by sums and products of measures.
func (l Law) dominating(step, tilt float64) (out Law, work int) {
	h := interval.Of(step)
	fade := h.Neg().Exp()
	fall := h.Neg().Expm1().Neg()
	above := max(1, int(1/(step*max(tilt, 1))))
	share := interval.Of(float64(above)).Mul(h).Neg().Expm1().Neg() // 1 - e^{-above step}
	bound := l.walk()
	out = l
	out.Mass = append(append([]float64{}, l.Mass...), make([]float64, above)...)
	last := l.First + len(out.Mass) - 1
	out.Infinite = max(l.Infinite, bound(interval.Of(float64(last)).Mul(h)))
	delta, b, p := out.Infinite, 0.0, 0.0 // δ_k, B_k, p_{k+1}
	for k := last; k >= l.First-1; k-- {
		if k < last {
			p = out.Mass[k+1-l.First]
			b = interval.Down(p + b)
			delta = max(delta, interval.Down(delta+interval.Down(fall.Lo*b)))
			b = max(0, interval.Down(fade.Lo*b))
		}
		lacks := bound(interval.Of(float64(k)).Mul(h)) - delta
		if !(lacks > 0) {
			continue
		}
		// m (1-e^{-above step}) is added to δ_k, and m e^{-above step} to B_k.
		m := interval.Of(interval.Up(lacks)).Div(share).Hi
		at := min(k+above, last)
		if at < k+above {
			m = interval.Of(interval.Up(lacks)).Div(interval.Of(float64(max(1, at-k))).Mul(h).Neg().Expm1().Neg()).Hi
		}
		if at <= k { // the last point
			out.Infinite = interval.Up(out.Infinite + interval.Up(lacks))
			delta = interval.Down(delta + lacks)
			continue
		}
		out.Mass[at-l.First] = interval.Up(out.Mass[at-l.First] + m)
		gap := interval.Of(float64(at - k)).Mul(h)
		delta = interval.Down(delta + interval.Of(m).Mul(gap.Neg().Expm1().Neg()).Lo)
		b = interval.Down(b + interval.Of(m).Mul(gap.Neg().Exp()).Lo)
	}
	total := out.Infinite
	for _, m := range out.Mass {
		total = interval.Down(total + m)
	}
	if lacks := 1 - total; lacks > 0 {
		out.Mass[0] = interval.Up(out.Mass[0] + interval.Up(lacks))
	}
	return out, len(out.Mass)
}

// tilted returns masses that are at least Mass e^{tilt l - scale}, with a scale of about their
// sum's logarithm before.
func (l Law) tilted(step, tilt float64) (masses []float64, scale float64) {
	logs, top := make([]float64, len(l.Mass)), math.Inf(-1)
	for i, m := range l.Mass {
		logs[i] = math.Inf(-1)
		if m > 0 {
			logs[i] = interval.Of(m).Log().Hi + tilt*(float64(l.First+i)*step)
			top = max(top, logs[i])
		}
	}
	var sum float64
	for _, e := range logs {
		sum += math.Exp(max(e-top, -745))
	}
	scale = top + numeric.Log(sum)
	masses = make([]float64, len(l.Mass))
	for i, e := range logs {
		if math.IsInf(e, -1) {
			continue
		}
		// Each part of the exponent has an error of a few units of itself.
		size := math.Abs(tilt*(float64(l.First+i)*step)) + math.Abs(e) + math.Abs(scale) + 8
		masses[i] = interval.Of(interval.Up(e-scale)).Exp().Hi * (1 + 8*unit*size)
	}
	return masses, scale
}
