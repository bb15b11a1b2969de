package gdp

import "math"

// A point (x = e^ε, δ) of the profile gives two lines below f, each the other's mirror image:
//
//	f(α) >= 1 - δ - xα,   f(α) >= (1-δ-α)/x.
//
// Rates are computed directly, 1 - f = δ + xα and ((x-1) + δ + α)/x, so small ones keep their
// digits. Each bound is moved by 8 units to its safe side.

// rates returns the two values of 1-f at alpha.
func rates(epsilon, delta, alpha float64) (first, second float64) {
	return delta + math.Exp(epsilon)*alpha, (math.Expm1(epsilon) + delta + alpha) * math.Exp(-epsilon)
}

// errorsOf returns the two values of f.
func errorsOf(epsilon, delta, alpha float64) (first, second float64) {
	return 1 - delta - math.Exp(epsilon)*alpha, (1 - delta - alpha) * math.Exp(-epsilon)
}

const linePad = 8 * unit

// pad returns the margin of a line. It grows with ε, whose rounding enters through e^ε.
func pad(epsilon float64) float64 { return linePad + 2*unit*epsilon }

// upperTPR returns the least 1-f of all known lines, and the index of the point that has it. It is
// 1 with the index -1 if no line is below 1.
func (c *TradeOff) upperTPR(alpha float64) (least float64, at int) {
	least, at = 1, -1
	for i, k := range c.known {
		if k.upEpsilon <= largestEpsilon {
			a, b := rates(k.upEpsilon, k.upDelta, alpha)
			if v := math.Min(a, b) * (1 + pad(k.upEpsilon)); v < least {
				least, at = v, i
			}
		}
	}
	return least, at
}

// lowerTypeII returns the largest f of all known lines, and the index of the point that has it. It
// is 0 with the index -1 if no line is above 0.
func (c *TradeOff) lowerTypeII(alpha float64) (most float64, at int) {
	at = -1
	for i, k := range c.known {
		if k.upEpsilon <= largestEpsilon {
			a, b := errorsOf(k.upEpsilon, k.upDelta, alpha)
			p := pad(k.upEpsilon)
			if v := math.Max(a-p*(1+k.upDelta), b*(1-p)-p*math.Exp(-k.upEpsilon)); v > most {
				most, at = v, i
			}
		}
	}
	return most, at
}

// lowerTPR returns a lower bound of 1-f, and the index of the known point before its place.
func (c *TradeOff) lowerTPR(alpha float64) (least float64, at int) {
	least = 1
	c.corners(func(i int, epsilon, delta float64) {
		a, b := rates(epsilon, delta, alpha)
		if v := math.Min(a, b) * (1 - pad(epsilon)); v < least {
			least, at = v, i
		}
	})
	return math.Max(alpha, least), at // guessing is always possible
}

// upperTypeII returns an upper bound of f, and the index of the known point before its place.
func (c *TradeOff) upperTypeII(alpha float64) (most float64, at int) {
	c.corners(func(i int, epsilon, delta float64) {
		a, b := errorsOf(epsilon, delta, alpha)
		p := pad(epsilon)
		if v := math.Max(a+p*(1+delta), b*(1+p)+p*math.Exp(-epsilon)); v > most {
			most, at = v, i
		}
	})
	return math.Min(most, 1-alpha), at
}

// corners visits points (ε, δ) on or below the profile. The supremum of the lines of the whole
// profile is at most the largest of the lines of these points. i is the known point before.
//
// Proof. The profile is convex in x = e^ε: its chords get flatter. So between two points with lower
// bounds of δ, δ lies above the extended chord of the two points to the left, and above that of the
// two to the right. A chord that is too steep on the left, or too flat on the right, stays below.
// To the left of the first point is (x, δ) = (0, 1). With δ above the larger of two lines, 1-δ-xα
// is concave piecewise linear and (1-δ-α)/x is monotone on each piece. So the ends and the crossing
// suffice. Beyond the last point δ >= 0.
func (c *TradeOff) corners(visit func(i int, epsilon, delta float64)) {
	last := -1 // the last point with a lower bound
	for i, k := range c.known {
		if i > 0 && !(k.lowDelta > 0 && k.lowEpsilon <= largestEpsilon && k.lowEpsilon > c.known[last].lowEpsilon) {
			continue
		}
		visit(i, k.lowEpsilon, k.lowDelta)
		if last >= 0 {
			if e, d, ok := c.crossing(last, i); ok {
				visit(last, e, d)
			} else {
				visit(last, c.known[last].lowEpsilon, math.Min(c.known[last].lowDelta, k.lowDelta))
			}
		}
		last = i
	}
	visit(len(c.known)-1, c.known[last].lowEpsilon, 0)
}

// crossing returns the crossing of two extended chords: the one from the left, beyond point i, and
// the one from the right, before point j. ok is false if they do not meet between i and j, or if
// rounding decides where they meet.
func (c *TradeOff) crossing(i, j int) (epsilon, delta float64, ok bool) {
	a, b := c.known[i], c.known[j]
	width := math.Expm1(b.lowEpsilon - a.lowEpsilon) // x_b - x_a, in units of x_a
	left := a.lowDelta - 1                           // slope of the chord from (0, 1)
	if i > 0 {
		before := c.known[i-1]
		gap := -math.Expm1(before.upEpsilon - a.lowEpsilon)
		if !(gap > 1e-9) {
			return 0, 0, false
		}
		left = math.Max(left, (a.lowDelta-before.upDelta)/gap*(1+1e-6))
	}
	right := 0.0
	if j+1 < len(c.known) {
		after := c.known[j+1]
		gap := math.Expm1(after.upEpsilon-a.lowEpsilon) - width
		if gap > 1e-9*width && !math.IsInf(gap, 1) {
			right = math.Min(0, (after.upDelta-b.lowDelta)/gap*(1-1e-6))
		}
	}
	// a.lowDelta + left t = b.lowDelta + right (t - width)
	t := (a.lowDelta - b.lowDelta + right*width) / (right - left)
	if !(t > 0 && t < width) {
		return 0, 0, false
	}
	delta = math.Max(a.lowDelta+left*t, b.lowDelta+right*(t-width)) - 1e-14*a.lowDelta
	return a.lowEpsilon + math.Log1p(t), math.Max(0, delta), true
}
