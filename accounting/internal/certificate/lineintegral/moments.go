package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// moments are M(z_j)/M(c) - 1 of one phase at t_j = (j+1/2) spacing, one j after the other. z_j
// is c + it_j for remove and c - it_j for add, so M holds e^{+itl} in both.
//
// M is an integral over x. On the line Im x = b, by the trapezoid rule,
//
//	(M(z) - M(c)) e^-scale = Σ_k p_k (e^{i t l_k} - 1) ± fixed
//	p_k = step e^{α l_k} ρ(x_k + ib) e^-scale
//
// The rule. For t >= 0 the integrand e^{αl}(e^{itl}-1)ρ is analytic in 0 <= Im x <= 2b < πσ².
// There Im l is in [0, π), so |e^{itl}-1| <= 2. On Im x = 0 the integral of its size is at most
// 2M(c). On Im x = 2b it is at most 2 e^{2b²/σ²} G M(c), with the G of newRealLine. In the add
// direction it is also at most 2 e^{2b²/σ²} (1-q)^-c, if cos θ >= 0. For a trimmed law see edge,
// and for that of a replaced record replaced.go.
//
// The points lie in the middle of the strip. So the rule errs by at most the sum of both over
// e^{2πb/step}-1. This is Theorem 5.1 of Trefethen and Weideman (2014), with a bound for each
// side.
//
// Rounding. With u = e^{i spacing l_k}, g = p_k (e^{i t_j l_k} - 1) becomes g u + p_k (u-1) at
// the next j. As |u| <= 1, the size of g is at most 2|p_k|, and grows by at most |p_k (u-1)|.
// Each step adds to the error of g at most |g| (rad u + interval.ProductError) + rad(p_k (u-1)),
// and a unit of the sum.
type moments struct {
	gr, gi, ur, ui, pr, pi []float64 // g, u, p (u-1)
	j                      int
	size                   float64 // Σ |g| at most
	start                  float64 // Σ rad g at j = 0
	drift                  float64 // Σ of what a step adds to the errors
	worst                  float64 // the largest relative part of that
	fixed                  float64
	inverse                ball // 1/(M(c) e^-scale)
}

// newMoments returns the sum over the line at r.a, for n points. tail is the logarithm of the
// wanted accuracy of M, negated.
func newMoments(r realLine, spacing float64, n int, tail float64) (m moments, ok bool) {
	w, b := r.law, r.lineShift()
	theta := interval.Of(b).Div(w.square)
	lift := interval.Of(b).Mul(theta).Mul(half)
	growth := 0.0 // the most that lineShift allows
	if r.dir == add || r.replaced {
		growth = 12
	}
	step := exact(2 * math.Pi * b / (tail + 4*lift.Hi + growth))
	from, to, ok := w.points(r.dir, r.a, tail+lift.Hi, step)
	if !ok {
		return m, false
	}
	turned := newAngle(theta)
	if !(turned.cos.Lo > 0) {
		return m, false
	}
	var fold angle // b/width of a trimmed law
	fold.cos = one
	if w.cut.some() {
		fold = newAngle(interval.Of(b).Div(interval.Of(w.cut.Width)))
	}
	ends := w.leftOut(r.dir, r.a, float64(from)*step, float64(to)*step, step, lift, turned, fold.cos, 0, r.scale)
	m.fixed = interval.Up(2 * interval.Up(r.ruleError(b, step, theta, lift)+ends))
	m.inverse = over(ball{Re: 1}, r.m)
	count := to - from + 1
	all := make([]float64, 6*count)
	for i, part := range []*[]float64{&m.gr, &m.gi, &m.ur, &m.ui, &m.pr, &m.pi} {
		*part = all[i*count : (i+1)*count]
	}
	constant := lift.Add(interval.Of(step).Log()).Sub(interval.Of(r.scale))
	h, t0 := interval.Of(spacing), interval.Of(spacing/2)
	for k := range count {
		x := float64(from+k) * step
		re, im := w.lossAt(w.exponent(x), turned)
		size, phase := r.alpha.Mul(re).Add(w.logDensity(x)).Add(constant), r.alpha.Mul(im).Sub(interval.Of(x).Mul(theta))
		if w.replaced { // the loss is l(x+ib) - l(-x-ib)
			a := interval.Of(r.a)
			other, turn := w.lossAt(w.exponent(-x), turned)
			size, phase = size.Sub(a.Mul(other)), phase.Add(a.Mul(turn))
			re, im = re.Sub(other), im.Add(turn)
		}
		if w.cut.some() {
			rise := w.cut.rise(x)
			size, phase = size.Sub(rise.Mul(fold.cos)), phase.Sub(rise.Mul(fold.sin))
		}
		p := polar(size, phase)
		less := turnLess1(h.Mul(im).Neg(), h.Mul(re)) // u-1
		g := p.Mul(turnLess1(t0.Mul(im).Neg(), t0.Mul(re)))
		rise := p.Mul(less)
		u := ball{Re: 1}.Add(less)
		m.gr[k], m.gi[k], m.ur[k], m.ui[k], m.pr[k], m.pi[k] = g.Re, g.Im, u.Re, u.Im, rise.Re, rise.Im
		most, each := min(2*p.Most(), interval.Radius(g.Most()+float64(n)*rise.Most())), u.Rad+interval.ProductError+2*unit
		m.size = interval.Radius(m.size + most)
		m.start = interval.Radius(m.start + g.Rad)
		m.drift = interval.Radius(m.drift + most*each + rise.Rad)
		m.worst = max(m.worst, each)
	}
	return m, m.fixed < 1
}

// lineShift chooses b: in the strip, and such that neither G nor e^{2b²/σ²} is large.
func (r realLine) lineShift() float64 {
	sigma := r.Noise
	if r.dir == remove && !r.replaced {
		b := min(1.5*sigma, 0.45*math.Pi*sigma*sigma)
		if r.cut.some() {
			b = min(b, 0.6*r.cut.Width) // cos(2b/width) = 0.36
		}
		return b
	}
	b := min(1.5*sigma, 0.24*math.Pi*sigma*sigma)
	for r.a*numeric.Log(1/math.Cos(b/sigma/sigma)) > 12 && -r.a*math.Log1p(-r.Rate) > 12 {
		b *= 0.8
	}
	if r.cut.some() {
		b = min(b, 0.6*r.cut.Width)
	}
	return b
}

// ruleError bounds the error of the trapezoid rule for e^{(α+it)l}ρ, times e^-scale.
func (r realLine) ruleError(b, step float64, theta, lift I) float64 {
	up := r.m.Hi
	if r.replaced {
		up = r.logGrowth(newAngle(theta.Mul(interval.Of(2)))).Exp().Mul(r.m).Hi
	} else if r.dir == add { // θ of the far side is 2b/σ²
		up = interval.Of(r.a).Mul(theta.Cos().Log()).Neg().Exp().Mul(r.m).Hi
		if theta.Mul(interval.Of(2)).Cos().Lo >= 0 {
			up = min(up, r.alpha.Mul(r.rest.Log()).Sub(interval.Of(r.scale)).Exp().Hi)
		}
	}
	far := lift.Mul(interval.Of(4)).Exp().Mul(I{Lo: 0, Hi: up})
	if r.cut.some() {
		far = r.edge(2 * b)
	}
	both := r.m.Add(far)
	return both.Div(interval.Of(b).Mul(interval.Pi()).Mul(interval.Of(2)).Div(interval.Of(step)).Expm1()).Hi
}

// next returns M/M(c) - 1 at the present point and moves to the next. ok is false if the rounding
// bound does not hold any more.
func (m *moments) next() (sum ball, ok bool) {
	j := float64(m.j)
	m.j++
	if j*m.worst > 1e-4 {
		return ball{}, false
	}
	var re, im float64
	for k, u := range m.ur {
		gr, gi, w := m.gr[k], m.gi[k], m.ui[k]
		re += gr
		im += gi
		m.gr[k], m.gi[k] = gr*u-gi*w+m.pr[k], gr*w+gi*u+m.pi[k]
	}
	// (1 + worst)^j is below 1.001. A sum of n terms errs by at most n units of the sum of their
	// sizes in each part. The last constant covers underflow.
	rounding := 1.001 * (m.start + j*m.drift + float64(2*len(m.ur)+8)*unit*m.size)
	return ball{Re: re, Im: im, Rad: interval.Radius(m.fixed+rounding) + 0x1p-900}.Mul(m.inverse), true
}
