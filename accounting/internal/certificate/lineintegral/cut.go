package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Cut trims a law in the remove direction: it has the weight g(x) = exp(-e^u), u = (x-At)/Width.
// So outputs far above At, whose losses are large and improbable, do not count. The zero value
// trims nothing.
//
// With p_g the law of all steps with these weights, Π g, δ is at most each of
//
//	δ_g(ε) + Σ T E_P[1-g]                       since 1 - Πg <= Σ (1-g)
//	e^s δ_g(ε) + Σ T P(x > x1),                 s = Σ T e^{(x1-At)/Width}
//
// where all outputs up to x1 have g >= exp(-e^{(x1-At)/Width}), so Πg >= e^-s if all are.
type Cut struct {
	At    float64 `json:"at"`
	Width float64 `json:"width"`
}

func (c Cut) some() bool { return c.Width > 0 }

// rise returns e^u.
func (c Cut) rise(x float64) I {
	return interval.Of(x).Sub(interval.Of(c.At)).Div(interval.Of(c.Width)).Exp()
}

// end returns a point above which g e^{αl} is below e^-tail. Any choice gives a valid bound.
func (c Cut) end(f Phase, alpha, tail float64) float64 {
	for u := 4.0; ; u += 0.25 {
		x := c.At + u*c.Width
		loss := max(0, (2*x-1)/(2*f.Noise*f.Noise)+numeric.Log(f.Rate)) + 1
		if u > 100 || 0.3*math.Exp(u) > alpha*loss+tail+20 {
			return x
		}
	}
}

// edge bounds e^{y²/2σ²} ∫ e^{αl}ρ |g(x+iy)| dx, times e^-scale. |g(x+iy)| is exp(-e^u
// cos(y/Width)). On a cell e^{αl} is at most its value at the right end, |g| at the left end, and
// ρ at the end next to 0. 0 is an end of a cell.
//
// A replaced record has e^{(a+1) l(x) - a l(-x)} in place of e^{αl}. It rises too. The bound then
// has the factor cos(θ/2)^-a.
func (r realLine) edge(y float64) I {
	bend := interval.Of(y).Div(interval.Of(r.cut.Width)).Cos()
	if !(bend.Lo > 0) {
		return I{Lo: 0, Hi: math.Inf(1)}
	}
	var sum interval.Sum
	scale := interval.Of(r.scale)
	if r.replaced {
		scale = scale.Sub(logTurned(r.a, newAngle(interval.Of(y).Div(r.square))))
	}
	for i := range len(r.nodes) - 1 {
		k := r.first + i
		left, nearest := float64(k)*r.step, k
		if k < 0 {
			nearest = k + 1
		}
		sum.Add(r.tilt(r.dir, r.a, float64(k+1)*r.step).Add(r.logDensity(float64(nearest) * r.step)).Sub(r.cut.rise(left).Mul(bend)).Sub(scale).Exp())
	}
	low, high := float64(r.first)*r.step, float64(r.first+len(r.nodes)-1)*r.step
	// Cells beyond the ends are sums over the points from an end on. Those above have the losses
	// of the next point.
	ends := r.leftOut(r.dir, r.a, low+r.step, high-r.step, r.step, I{}, newAngle(interval.Of(y).Div(r.square)), bend, r.step, r.scale)
	total := sum.I().Mul(interval.Of(r.step)).Add(interval.Of(ends))
	return total.Mul(interval.Of(y).Mul(interval.Of(y)).Div(r.square).Mul(half).Exp())
}

// tail returns P(x > at) for x drawn with the example, (1-q) N(0, σ²) + q N(1, σ²).
func (w law) tail(at I) I {
	root := w.square.Mul(interval.Of(2)).Sqrt()
	without, with := at.Div(root).Erfc(), at.Sub(one).Div(root).Erfc()
	return w.rest.Mul(without).Add(w.rate.Mul(with)).Mul(half)
}

// dropped returns an upper bound of E_P[1-g]. On each of the parts between the points At + u
// Width, 1-g is at most its value at the right end.
func (w law) dropped() float64 {
	last, sum := I{}, interval.Sum{}
	for u := -80.0; u <= 5; u += 0.5 {
		g := interval.Of(u + 0.5).Exp().Neg().Expm1().Neg() // 1-g at the right end
		sum.Add(g.Sub(last).Positive().Mul(w.tail(interval.Of(w.cut.At).Add(interval.Of(u).Mul(interval.Of(w.cut.Width))))))
		last = g
	}
	sum.Add(w.tail(interval.Of(w.cut.At).Add(interval.Of(5.5).Mul(interval.Of(w.cut.Width)))))
	sum.Add(interval.Of(-80).Exp())
	return sum.I().Hi
}

// trimmed holds the two bounds of what trimming drops.
type trimmed struct {
	dropped float64 // Σ T E_P[1-g]
	factor  I       // e^s
	outside float64 // Σ T P(x > x1)
}

// trim adds up what the laws drop.
func (l line) trim() (out trimmed) {
	var s I
	for _, w := range l.laws {
		if !w.cut.some() {
			continue
		}
		count := interval.Of(w.Count)
		out.dropped = interval.Up(out.dropped + count.Mul(interval.Of(w.dropped())).Hi)
		widths := interval.Of(30 + numeric.Log(w.Count*float64(len(l.laws))))
		x1 := interval.Of(w.cut.At).Sub(widths.Mul(interval.Of(w.cut.Width)))
		s = s.Add(count.Mul(widths.Neg().Exp()))
		out.outside = interval.Up(out.outside + count.Mul(w.tail(x1)).Hi)
	}
	out.factor = s.Exp()
	return out
}

// of bounds δ, given δ_g.
func (t trimmed) of(delta float64) float64 {
	d := interval.Of(delta)
	return min(d.Add(interval.Of(t.dropped)).Hi, d.Mul(t.factor).Add(interval.Of(t.outside)).Hi)
}
