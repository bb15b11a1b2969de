package transform

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// A cut splits the real line smoothly at x0: the large part of a law has its weight times Φ(u), the
// small part times Φ(-u), u = (x-x0)/width. Both are analytic, so both keep the quadrature of
// quadrature.go. On Im x = y, with v = y/width,
//
//	|Φ(u+iv)| <= Φ(u) + φ(u) ∫_0^v e^{τ²/2} dτ <= Φ(u) + φ(u) v e^{v²/2}.
type cut struct {
	part      part
	x0, width float64
}

type part int

const (
	whole part = iota
	large
	small
	trimmed // not a part of a cut: see trim.go
)

// uncut is the whole law.
var uncut = cut{part: whole, width: math.Inf(1)}

// share returns the part's share of the weight at a real x.
func (k cut) share(x float64) float64 { return math.Exp(k.logShare(x)) }

// logShare returns log Φ(u), or log Φ(-u) for the small part.
func (k cut) logShare(x float64) float64 {
	u := (x - k.x0) / k.width
	if k.part == small {
		u = -u
	}
	switch {
	case u > 9:
		return 0
	case u < -60:
		return -u * u / 2 // above the truth, by a negligible amount
	}
	return numeric.LogNormalCDF(u)
}

// onLine returns the share at x+ib: Φ(u) + i φ(u) ∫_0^v e^{τ²/2 - iuτ} dτ by Gauss-Legendre. It is
// exact to rounding unless φ(u) is negligible.
func (k cut) onLine(x, b float64) complex128 {
	if k.part == trimmed {
		return k.gumbel(x, b)
	}
	u, v := (x-k.x0)/k.width, b/k.width
	if k.part == small {
		u, v = -u, -v
	}
	var re, im float64
	for i, node := range numeric.LegendreX {
		for _, t := range [...]float64{v / 2 * (1 - node), v / 2 * (1 + node)} {
			sin, cos := math.Sincos(u * t)
			e := numeric.LegendreW[i] * v / 2 * math.Exp(t*t/2)
			re += e * sin // i e^{-iut} = sin(ut) + i cos(ut)
			im += e * cos
		}
	}
	density := math.Exp(-u*u/2) / Sqrt2Pi
	return complex(numeric.NormalCDF(u)+density*re, density*im)
}

// above bounds |share(x'+ib)|/share(x') for every real x' >= x (large part).
func (k cut) above(x, b float64) float64 {
	u, v := (x-k.x0)/k.width, b/k.width
	return 1 + v*math.Exp(v*v/2)/numeric.MillsRatio(-math.Max(u, -30))*fade(u)
}

// fade corrects above for u below -30, where φ/Φ is at most |u| + 1/|u|.
func fade(u float64) float64 {
	if u < -30 {
		return -u / 29
	}
	return 1
}

// take restricts s from the whole law to a part. p becomes the part's normalized weights, logM its
// mass, and mean and sd become the part's. It returns the factor for errors: the share on Im x = 2b
// over the share at Im x = 0, summed. It returns +Inf if the part's mass is so small that it has
// lost digits.
//
// If log M is below 1 and L is below half of M, the small part's mass is 1 + (M-1) - L, which keeps
// its logarithm precise. Its mean is a difference too. Otherwise both are direct sums: for a tiny
// part a difference would have no digits.
func (s *tilted) take(w *Law, k cut, p []float64, from int, b float64) (edge float64) {
	v := 2 * b / k.width
	var largeMass, largeMean, own, ownMean, rim float64
	for j := range p {
		x := float64(w.first+from+j) * w.Step
		u := (x - k.x0) / k.width
		l := p[j] * cut{large, k.x0, k.width}.share(x)
		largeMass += l
		largeMean += l * w.loss[from+j]
		rim += p[j] * math.Exp(-u*u/2) / Sqrt2Pi
		p[j] *= k.share(x)
		own += p[j]
		ownMean += p[j] * w.loss[from+j]
	}
	if !(own >= 0x1p-1022) { // subnormal, or 0
		return math.Inf(1)
	}
	logWhole, wholeMean, mean, ownSum := s.logM, s.mean, largeMean/largeMass, false
	switch {
	case k.part == large:
		s.logM += numeric.Log(largeMass)
	case s.logM < 1 && largeMass < 0.5:
		mean = (s.mean - largeMean) / (1 - largeMass)
		s.logM = math.Log1p(math.Expm1(logWhole) - math.Exp(logWhole)*largeMass)
	default:
		ownSum = true
		mean = ownMean / own
		s.logM += numeric.Log(own)
	}
	var square float64
	for j := range p {
		p[j] *= math.Exp(logWhole - s.logM)
		d := w.loss[from+j] - mean
		square += d * d * p[j]
	}
	s.mean, s.sd = mean, math.Sqrt(square)
	edge = 1.02 * (1 + v*math.Exp(v*v/2)*rim/own)
	if k.part == large {
		s.errLogM += 64 * Unit
	} else {
		s.errLogM += 64*Unit*largeMass + 4*Unit*(math.Abs(s.logM)+math.Abs(logWhole))
	}
	s.errMean = 64 * Unit * (math.Abs(wholeMean) + math.Abs(largeMean))
	if ownSum {
		s.errMean += 64 * Unit * (math.Abs(s.mean) + s.sd)
	}
	return edge
}
