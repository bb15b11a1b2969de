package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// δ_0 of participations.go is the part where every step is small. At large a the smooth cut's
// Gaussian tail is not enough to hold back e^{al}. So for this bound only the small part is cut a
// second time, at x2 > x0, as sharply as the grid integrates. B' has the further factor
// Φ(-(x-x2)/w2). A union bound covers the steps that it drops:
//
//	δ_0(ε) <= κ(a) ΠB'(a)^T e^{-aε} + Σ T (E_P[Φ(-u)] - B'(0)).
//
// A cut of scale w2 = 1.6 step costs the trapezoid rule e^{-(2π w2/h)²/2}, about 1e-22.

// sharpen sets the second cut of each phase as low as possible while it drops at most e^logLeft.
func (h *Participations) sharpen(logLeft float64) {
	for i, w := range h.laws {
		k := h.cuts[i]
		var second cut
		var left float64
		for u := 2.0; u < 16; u++ {
			second = cut{small, k.x0 + u*k.width, 1.6 * w.Step}
			if left = w.Count * h.dropped(w, k, second); numeric.Log(left) < logLeft {
				break
			}
		}
		h.sharp = append(h.sharp, second)
		h.Left += left
	}
}

// dropped returns the probability, in one step, of the small part beyond the second cut. It is the
// trapezoid sum from 37 widths below the cut on; Φ(-37) < 1e-299 bounds the rest.
func (h *Participations) dropped(w *Law, k, second cut) float64 {
	from, to, ok := w.cover(second.x0-37*second.width, math.Max(1, second.x0)+w.Reach)
	if !ok {
		return 1
	}
	first, beyond := cut{small, k.x0, k.width}, cut{large, second.x0, second.width}
	w.meter.add(20 * (to - from) / 4)
	sum := 1e-299
	for j := from; j < to; j++ {
		x := float64(w.first+j) * w.Step
		term := w.wP[j] * first.share(x) * beyond.share(x)
		if sum += term; x > second.x0 && x > 1 && term < 1e-6*sum { // from here on terms fall at least like w.wP
			break
		}
	}
	return 1.01 * sum
}

// Bulk returns log κ(a) + log ΠB'(a)^T. The hump of B' under e^{αl} lies below
// (α w2² + x2 σ²)/(w2² + σ²), however large α is.
func (h *Participations) Bulk(a float64) Point {
	v := LogKappa(a) + h.p.MuSquared*a*(a+1)/2 + roundUp
	for i, w := range h.laws {
		second := h.sharp[i]
		s2, w2 := w.Sigma*w.Sigma, second.width*second.width
		alpha := a + 1
		hump := math.Max(second.x0, (alpha*w2+second.x0*s2)/(w2+s2))
		from, to, ok := w.cover(-w.Reach, math.Max(1, math.Min(alpha, hump))+w.Reach)
		if !ok {
			return Point{a, math.Inf(1)}
		}
		w.meter.add(2 * (to - from))
		v += w.Count * w.logBulk(alpha, h.sharesOf(i).logBulk, from, to)
	}
	return Point{a, orInf(v)}
}

// logBulk returns log B'. If no term is large it sums B' - 1 = Σ (share e^{αl} - 1), so many steps
// do not gather rounding errors.
func (w *Law) logBulk(alpha float64, logShare []float64, from, to int) float64 {
	top := 0.0
	for j := from; j < to; j++ {
		top = math.Max(top, logShare[j]+alpha*w.loss[j]+w.logQ[j])
	}
	var sum float64
	for j := from; j < to; j++ {
		v := logShare[j] + alpha*w.loss[j]
		switch {
		case top > 500:
			sum += math.Exp(v + w.logQ[j] - top)
		case v < 1:
			sum += w.wQ[j] * math.Expm1(v)
		default:
			sum += math.Exp(v+w.logQ[j]) - w.wQ[j]
		}
	}
	if top > 500 {
		return top + numeric.Log(sum)
	}
	return math.Log1p(sum)
}
