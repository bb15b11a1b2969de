package selected

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// FirstAbove checks the bound of firstabove.Bound. With s the chance of a good output, P(s) the
// largest such chance on the other data set, g(s) = (1-f(1-s))/s and h(s) = (f(1-s)-f(0))/(1-s),
//
//	δ <= max over s in [0, 1] of the least of
//	     g(s) H(e^ε g(P(s))/g(s)) + (f(1-s) - e^ε f(1-P(s)))₊,
//	     1 - f(1-s) + (f(1-s) - e^ε f(1-P(s)))₊,
//	     ∫ max(g(s) r - e^ε g(P(s)), h(s) r - e^ε h(P(s)), 0) dQ'.
//
// g, h and f(1-s) fall with s, and P rises. So on a range of s their values at its ends bound all.
// A range is halved until its bound is at most δ.
func FirstAbove(law Law, run Run, delta float64) Check {
	spent := false // at a smaller raise: only the largest is tried then
	return func(epsilon, slack float64) (float64, int) {
		if len(run.lines) == 0 || spent && slack < Raises[len(Raises)-1].Slack {
			return 1, 0
		}
		c := shares{law: law, run: run, x: interval.Of(epsilon).Exp(), left: mostShares}
		// No range can be lower than a place in it.
		most := c.largest(c.between, func() float64 { return delta }, func(at float64) bool { return at > delta })
		if spent = c.left <= 0; spent {
			return 1, mostShares
		}
		return most, mostShares - c.left
	}
}

// mostShares limits the work of one check at one ε.
const mostShares = 200_000

// shares bounds δ over ranges of s.
type shares struct {
	law  Law
	run  Run
	x    I // e^ε
	left int
	line int

	best, tolerance float64 // of weight
}

// share has bounds at one s: those of g, h, f(1-s) and 1-f(1-s) from above, and of the first three
// at P(s) from below.
type share struct {
	s                              float64
	good, bad, none, some          float64
	goodLeast, badLeast, noneLeast float64
}

func (c *shares) at(s float64) share {
	c.line = least(c.run.lines, s, c.line)
	p := I{Lo: s, Hi: s}
	y := min(1, c.run.lines[c.line].at(s).Hi)
	most := I{Lo: y, Hi: y}
	some, someMost := c.law.Some(p), c.law.Some(most)
	v := share{s: s, good: c.law.Mean.Hi, bad: c.law.First(p).Hi, some: some.Hi}
	none, noneMost := c.law.Value(p), c.law.Value(most)
	v.none, v.noneLeast = min(1, none.Hi), max(0, noneMost.Lo)
	if s > 0 {
		v.good = min(v.good, some.Div(p).Hi)
	}
	if y > 0 {
		v.goodLeast = max(0, someMost.Div(most).Lo)
	}
	if rest := one.Sub(p); rest.Lo > 0 { // f is convex, so h is at most f'(1-s)
		v.bad = min(v.bad, none.Sub(c.law.None).Div(rest).Hi)
	}
	v.bad = max(0, min(v.bad, v.good))
	v.badLeast = c.law.First(one).Lo // and at least f'(0)
	if rest := one.Sub(most); rest.Lo > 0 {
		v.badLeast = max(v.badLeast, noneMost.Sub(c.law.None).Div(rest).Lo)
	}
	return v
}

// largest returns an upper bound on a value over all s. A range is halved until its value is
// enough, or until that at its middle stops it. It is +Inf if the work ran out.
func (c *shares) largest(value func(near, far share) float64, enough func() float64, stop func(at float64) bool) float64 {
	var over func(near, far share, depth int) float64
	over = func(near, far share, depth int) float64 {
		c.left--
		v, s := value(near, far), near.s+(far.s-near.s)/2
		if v <= enough() || depth == 0 || c.left <= 0 || !(s > near.s && s < far.s) {
			return v
		}
		middle := c.at(s)
		if stop(value(middle, middle)) {
			return v
		}
		return max(over(near, middle, depth-1), over(middle, far, depth-1))
	}
	most, near := math.Inf(-1), c.at(0)
	for s := 0x1p-60; s <= 1 && c.left > 0; s *= 2 {
		far := c.at(s)
		most = max(most, over(near, far, 60))
		near = far
	}
	if c.left <= 0 {
		return math.Inf(1)
	}
	return most
}

// between returns an upper bound on δ between two s.
func (c *shares) between(near, far share) float64 {
	return c.bound(share{
		good: near.good, bad: near.bad, none: near.none, some: far.some,
		goodLeast: far.goodLeast, badLeast: far.badLeast, noneLeast: far.noneLeast,
	})
}

// bound returns the least of the three bounds.
func (c *shares) bound(v share) float64 {
	none := max(0, interval.Up(v.none-max(0, interval.Down(c.x.Lo*v.noneLeast))))
	some := interval.Up(v.some + none)
	apart := interval.Up(c.stick(v.good, v.goodLeast) + none)
	return min(min(some, apart), c.together(v))
}

// stick returns ∫ (a r - e^ε b)₊ dQ' from above.
func (c *shares) stick(a, b float64) float64 {
	if !(a > 0) {
		return 0
	}
	t := max(0, interval.Down(interval.Down(c.x.Lo*b)/interval.Up(a)))
	return interval.Up(a * c.run.Excess(t))
}

// together returns ∫ max((a r - u)₊, (b r - v)₊) dQ' with a >= b from above. If the line of a
// begins first it is the larger everywhere. Otherwise the integrand is convex in r, with the slopes
// b and a.
func (c *shares) together(v share) float64 {
	a, b := v.good, v.bad
	if !(b > 0) || v.goodLeast*b <= v.badLeast*a*(1-1e-12) {
		return interval.Up(c.stick(a, v.goodLeast) * (1 + 1e-12))
	}
	sum := c.stick(b, v.badLeast)
	if gap := interval.Up(a - b); gap > 0 {
		sum = interval.Up(sum + c.stick(gap, max(0, interval.Down(v.goodLeast-v.badLeast))))
	}
	return sum
}

// FirstAboveRenyi checks the conversion of firstabove.Curve at one order λ:
//
//	e^((λ-1)D) <= f(0) + M e^((λ-1) divergence)
//	M = max over s of max(g(s)^λ g(P(s))^(1-λ), h(s)^λ h(P(s))^(1-λ))
//
// with s, P, g and h as in FirstAbove. At λ = +Inf, D is at most divergence + ln M, M the largest
// ratio.
func FirstAboveRenyi(law Law, run Run, order, divergence float64) Check {
	weights := map[float64]Weight{}
	return func(epsilon, slack float64) (float64, int) {
		if !(order > 1) || !(divergence >= 0) || math.IsInf(divergence, 1) || len(run.lines) == 0 {
			return 1, 0
		}
		w, known := weights[slack]
		if !known {
			c := shares{law: law, run: run, left: MostParts, best: math.Inf(-1), tolerance: max(1e-6, slack/2)}
			if !math.IsInf(order, 1) {
				c.tolerance *= max(1, order*epsilon)
			}
			w = c.weight(order)
			weights[slack] = w
		}
		return converted(law, order, divergence, epsilon, w.Log), w.Work
	}
}

// weight returns ln M from above, by at most the tolerance, mostly.
func (c *shares) weight(order float64) Weight {
	lambda := interval.Of(order)
	power := func(most, least float64) float64 { // ln most^λ least^(1-λ), from above
		switch {
		case most == 0:
			return math.Inf(-1)
		case !(least > 0):
			return math.Inf(1)
		}
		a, b := interval.Of(most).Log(), interval.Of(least).Log()
		if math.IsInf(order, 1) {
			return a.Sub(b).Hi
		}
		return a.Add(lambda.Sub(one).Mul(a.Sub(b))).Hi
	}
	value := func(near, far share) float64 {
		return max(power(near.good, far.goodLeast), power(near.bad, far.badLeast))
	}
	most := c.largest(value, func() float64 { return c.best + c.tolerance }, func(at float64) bool {
		c.best = max(c.best, at)
		return false
	})
	return Weight{most, MostParts - c.left}
}
