package exact

import "math"

// signedDelta returns δ(ε) = ∫ f_+, f = p_1 - e^ε p_0, where f may change its sign often.
//
// The line is cut into intervals I. The integral F of f over each is known. If f has a zero in I,
// |f| <= M |u - zero| with M >= |f'|, so
//
//	|F| <= M |I|²/2,   F_+ <= ∫_I f_+ <= F_+ + M |I|²/4;
//
// If |F| is larger, f has no zero and ∫_I f_+ = F_+. Undecided intervals are halved until the rest
// is below the tolerance. Both worlds are mixtures over the same mirrored nodes, and f is one
// mixture with signed weights: M is small where the worlds are close.
func (l Law) signedDelta(epsilon float64) (lower, upper float64) {
	f := l.signed(math.Exp(epsilon))
	panels := int(math.Ceil(l.reach / l.stdDev))
	width := l.reach / float64(panels)
	tolerance := signedTolerance * math.Max(1, f.factor/1000) // well above the rounding of f's tails
	gain, doubt := 0.0, 0.0
	splits := maxSignedSplits
	var visit func(a, b, tailA, tailB float64)
	visit = func(a, b, tailA, tailB float64) {
		mass := tailA - tailB
		left := f.slope(a, b) * (b - a) * (b - a) / 4
		switch {
		case math.Abs(mass) > 2*left:
			gain += math.Max(0, mass)
		case left < tolerance*(b-a)/width || b-a < 1e-9*width || splits == 0:
			gain, doubt = gain+math.Max(0, mass), doubt+left
		default:
			splits--
			middle := a + (b-a)/2
			tail := f.tail(middle)
			visit(a, middle, tailA, tail)
			visit(middle, b, tail, tailB)
		}
	}
	last := f.tail(-l.reach)
	for i := -panels; i < panels; i++ {
		a, b := float64(i)*width, float64(i+1)*width
		next := f.tail(b)
		if mass := f.mass(a, b); mass < negligible {
			doubt += mass
		} else {
			visit(a, b, last, next)
		}
		last = next
	}
	rounding := (1 + f.factor) * (l.absErr + 4*l.relErr)
	return math.Max(0, gain-rounding), math.Min(1, gain+doubt+rounding)
}

// signedTolerance is the uncertainty that an interval as wide as a panel may keep.
const signedTolerance = 1e-9

// maxSignedSplits bounds the work. Some hundreds are usual. Fewer make the bracket wide, not false.
const maxSignedSplits = 5000

// negligible is the mass of a panel that is skipped.
const negligible = 1e-16

// signedMixture is f = p_1 - factor p_0.
type signedMixture struct {
	halves [2]half
	stdDev float64
	factor float64
}

func (l Law) signed(factor float64) signedMixture {
	f := signedMixture{stdDev: l.stdDev, factor: factor}
	for side, h := range l.halves {
		mirror := l.halves[1-side].weights
		weights := make([]float64, len(h.weights))
		for i, w := range h.weights {
			weights[i] = mirror[len(mirror)-1-i] - factor*w
		}
		f.halves[side] = newHalf(h.means, weights)
	}
	return f
}

// tail returns the integral of f over u > x.
func (f signedMixture) tail(x float64) float64 {
	return Law{halves: f.halves, stdDev: f.stdDev}.above(x)
}

// mass bounds the integral of |f| over [a, b], without the part beyond the band.
func (f signedMixture) mass(a, b float64) float64 {
	sum := 0.0
	for _, h := range f.halves {
		first, after := h.near(a+(b-a)/2, (b-a)/2+band*f.stdDev)
		for i := first; i < after; i++ {
			far := math.Max(math.Max(a-h.means[i], h.means[i]-b), 0) / f.stdDev
			sum += math.Abs(h.weights[i]) * math.Exp(-far*far/2)
		}
	}
	return sum
}

// slope returns a bound on |f'| over [a, b]: the sum over components of the largest
// derivative that each has there. |φ_s'(d s)| = |d| φ(d)/s² is largest at |d| = 1.
func (f signedMixture) slope(a, b float64) float64 {
	sum := 0.0
	for _, h := range f.halves {
		first, after := h.near(a+(b-a)/2, (b-a)/2+band*f.stdDev)
		for i := first; i < after; i++ {
			low, high := (a-h.means[i])/f.stdDev, (b-h.means[i])/f.stdDev
			switch {
			case high < 0:
				low, high = -high, -low
			case low < 0:
				low, high = 0, math.Max(-low, high)
			}
			d := math.Max(low, math.Min(1, high))
			sum += math.Abs(h.weights[i]) * d * math.Exp(-d*d/2)
		}
	}
	return sum / (math.Sqrt(2*math.Pi) * f.stdDev * f.stdDev)
}
