package lineintegral

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Line is a witness of one direction: where to integrate. Any values give a valid bound.
type Line struct {
	C     float64 `json:"c"`              // the integral runs over Re z = C > 0
	Omega float64 `json:"omega"`          // 2π over the spacing of its points
	Above float64 `json:"above"`          // the a > C of Chernoff's bound in the aliasing error
	Cuts  []Cut   `json:"cuts,omitempty"` // one for each phase, in the remove direction; nil if no law is trimmed
}

// Program is what runs: phases of sampled Gaussians, and Gaussians on all records (Rate 1).
type Program struct {
	Phases, Gaussians []Phase

	Replaced bool // the phases have the pair of a replaced record, and one direction, remove
}

// law returns the law of a phase.
func (p Program) law(f Phase) law {
	w := newLaw(f)
	w.replaced = p.Replaced
	return w
}

// muSquared returns Σ T/σ² of the plain Gaussians.
func (p Program) muSquared() (mu2 I) {
	for _, g := range p.Gaussians {
		sigma := interval.Of(g.Noise)
		mu2 = mu2.Add(interval.Of(g.Count).Div(sigma.Mul(sigma)))
	}
	return mu2
}

// transform is M(z)/(z(z+1)) on the points of a line, without ε.
type transform struct {
	c, spacing float64
	dir        direction
	values     []ball  // M(z_j)/M(c) / (z_j (z_j+1))
	logM       I       // log M(c)
	rest       float64 // bounds what is left out behind the last point, over M(c)
	logAbove   I       // log κ(a) M(a) at a = above
	above      float64
	left       trimmed
	work       int
}

// line prepares one direction.
type line struct {
	Line
	dir     direction
	spacing float64
	mu2     I
	extra   float64 // µ² of a Gaussian that is released in addition
	laws    []law
	real    []realLine
	levels  [][]level
	shifted []shifted // nil until they are wanted
	logM    I
	above   I
	work    int
}

// prepare computes what does not depend on the number of points. ok is false if that is not
// possible.
func (p Program) prepare(d direction, at Line) (l line, ok bool) {
	l = line{Line: at, dir: d, spacing: exact(2 * math.Pi / at.Omega), mu2: p.muSquared()}
	if !(at.C > 1e-6 && at.C < 1e6 && at.Above > at.C && at.Above < 1e7 && l.spacing > 1e-9 && l.spacing < 1e6) {
		return l, false
	}
	if d == add && p.Replaced || len(at.Cuts) > 0 && (d == add || len(at.Cuts) != len(p.Phases)) {
		return l, false
	}
	for i, phase := range p.Phases {
		if !(phase.Count >= 1 && phase.Count <= 1e12 && phase.Count == math.Trunc(phase.Count) && phase.Rate > 0 && phase.Rate < 1) {
			return l, false
		}
		w := p.law(phase)
		if len(at.Cuts) > 0 {
			w.cut = at.Cuts[i]
		}
		r, ok := newRealLine(w, d, at.C, fine)
		if !ok {
			return l, false
		}
		far, ok := newRealLine(w, d, at.Above, coarse)
		if !ok {
			return l, false
		}
		l.laws, l.real, l.levels = append(l.laws, w), append(l.real, r), append(l.levels, r.levels())
		count := interval.Of(phase.Count)
		l.logM = l.logM.Add(count.Mul(r.logM()))
		l.above = l.above.Add(count.Mul(far.logM()))
		l.work += len(r.nodes) + len(far.nodes)
	}
	return l, true
}

// logDecay returns an upper bound of the logarithm of |M(z)/M(c)| at t and beyond.
func (l line) logDecay(t float64) I {
	sum := l.mu2.Add(interval.Of(l.extra)).Mul(interval.Of(t)).Mul(interval.Of(t)).Mul(half).Neg()
	for i, w := range l.laws {
		decay := interval.Of(deficit(l.levels[i], t)).Neg() // (1-D)^T <= e^{-TD}
		if l.shifted != nil {
			if log := interval.Of(l.shifted[i].phi(t)).Log(); log.Hi < decay.Hi {
				decay = log
			}
		}
		sum = sum.Add(interval.Of(w.Count).Mul(decay))
	}
	return sum
}

// rest bounds the terms of the midpoint sum from point n on, over M(c). With a falling bound B of
// |M|/M(c), and |z(z+1)| >= t²,
//
//	(spacing/π) Σ_{j>=n} B/t_j² <= B(t_n)/(π n spacing),
//
// as 1/t² is convex: spacing Σ_{j>=n} 1/t_j² <= 1/(n spacing).
func (l line) rest(n int) float64 {
	t := (float64(n) + 0.5) * l.spacing
	return l.logDecay(t).Exp().Div(interval.Pi().Mul(interval.Of(l.spacing)).Mul(interval.Of(float64(n)))).Hi
}

// points returns the least n for a rest of at most e^logTol, 0 if it is above most.
func (l line) points(logTol float64, most int) int {
	fits := func(n int) bool { return numeric.Log(l.rest(n)) <= logTol }
	hi := 4
	for ; !fits(hi); hi *= 2 {
		if hi > most {
			return 0
		}
	}
	lo := hi / 2
	for hi-lo > 1+lo/16 {
		if mid := (lo + hi) / 2; fits(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// sample evaluates the transform at n points. tail is the logarithm of the wanted accuracy.
func (l line) sample(n int, tail float64) (out transform, ok bool) {
	out = transform{c: l.C, spacing: l.spacing, dir: l.dir, above: l.Above, work: l.work}
	mu2 := l.mu2.Add(interval.Of(l.extra))
	quadratic := func(a float64) I {
		return mu2.Mul(interval.Of(a)).Mul(interval.Of(a).Add(one)).Mul(half)
	}
	out.logM = l.logM.Add(quadratic(l.C))
	out.logAbove = logKappa(l.Above).Add(l.above).Add(quadratic(l.Above))
	out.rest, out.left = l.rest(n), l.trim()
	sums := make([]moments, len(l.laws))
	for i, w := range l.laws {
		if sums[i], ok = newMoments(l.real[i], l.spacing, n, tail+numeric.Log(w.Count)); !ok {
			return out, false
		}
		out.work += len(sums[i].ur) * (n + 20)
	}
	slope := interval.Of(2 * l.C).Add(one).Mul(half)
	sign := 1.0
	if l.dir == add {
		sign = -1
	}
	out.values = make([]ball, n)
	for j := range n {
		t := (float64(j) + 0.5) * l.spacing
		at := interval.Of(t)
		value := ball{Re: 1}
		if mu2.Hi > 0 { // z(z+1) = c(c+1) - t² ± it(2c+1)
			spread := mu2.Mul(at)
			value = polar(spread.Mul(at).Mul(half).Neg(), spread.Mul(slope).Mul(interval.Of(sign)))
		}
		for i, w := range l.laws {
			less, ok := sums[i].next()
			if !ok {
				return out, false
			}
			value = value.Mul(onePlusToThe(less, w.Count))
		}
		out.values[j] = value.Mul(kernel(l.C, sign*t))
	}
	return out, true
}

// kernel returns 1/(z(z+1)) for z = c + it, which is the conjugate over the squared size.
func kernel(c, t float64) ball {
	x, y := interval.Of(c), interval.Of(t)
	re := x.Mul(x.Add(one)).Sub(y.Mul(y))
	im := y.Mul(x.Mul(interval.Of(2)).Add(one))
	square := x.Mul(x).Add(y.Mul(y)).Mul(x.Add(one).Mul(x.Add(one)).Add(y.Mul(y)))
	im = im.Neg()
	if im.Lo < 0 && im.Hi <= 0 {
		im = im.Neg().Div(square).Neg()
	} else {
		im = im.Div(square)
	}
	return interval.BallOf(re.Div(square), im)
}

// logKappa returns log κ(a) = a log a - (1+a) log(1+a), where κ(a) = sup_y (1-e^{-y}) e^{-ay}.
func logKappa(a float64) I {
	x := interval.Of(a)
	return x.Add(one).Log().Neg().Sub(x.Mul(one.Div(x).Log1p()))
}

// turnsAgain is after how many points e^{-itε} is computed anew. Between them it is a product. Its
// error grows by a few units a point.
const turnsAgain = 16

// delta returns an upper bound of δ(ε).
func (f transform) delta(epsilon float64) float64 { return f.left.of(f.bounds(epsilon).Hi) }

// bounds returns bounds of δ(ε), or of δ_g(ε) for a trimmed law, which is at most δ(ε). The lower
// one may be negative.
//
// Let g(t) = M(z) e^{-zε}/(z(z+1)), z = c + it. M(z)/(z(z+1)) is the Fourier transform of δ(e)
// e^{ce} over all real e. By Poisson's formula at the points t_j = (j+1/2) h, Ω = 2π/h,
//
//	(h/2π) Σ_{j in Z} g(t_j) = Σ_{k in Z} (-1)^k e^{kcΩ} δ(ε+kΩ).
//
// The term k = 0 is wanted. The others are bounded by Chernoff's bound δ(e) <= κ(a) M(a) e^{-ae}
// for k > 0, and by δ <= 1 for k < 0. With the geometric sums
//
//	|error| <= κ(a) M(a) e^{-aε}/(e^{(a-c)Ω}-1) + 1/(e^{cΩ}-1).
//
// Reference of the integral: Zhu, Dong, Wang (2022), arXiv:2106.08567v3.
func (f transform) bounds(epsilon float64) I {
	e := interval.Of(epsilon)
	sign := interval.Of(-1)
	if f.dir == add {
		sign = one
	}
	phase := func(steps float64) I { return sign.Mul(interval.Of(steps * f.spacing)).Mul(e) }
	var sum, at ball
	step := turn(phase(1))
	for j, v := range f.values {
		if at = at.Mul(step); j%turnsAgain == 0 {
			at = turn(phase(float64(j) + 0.5))
		}
		sum = sum.Add(v.Mul(at))
	}
	h, c := interval.Of(f.spacing), interval.Of(f.c)
	omega := interval.Pi().Mul(interval.Of(2)).Div(h)
	main := I{Lo: interval.Down(sum.Re - sum.Rad), Hi: interval.Up(sum.Re + sum.Rad)}.Positive().Mul(h).Div(interval.Pi())
	main = main.Add(I{Lo: -f.rest, Hi: f.rest}).Mul(f.logM.Sub(c.Mul(e)).Exp())
	a := interval.Of(f.above)
	up := f.logAbove.Sub(a.Mul(e)).Exp().Div(a.Sub(c).Mul(omega).Expm1())
	down := one.Div(c.Mul(omega).Expm1())
	aliases := up.Add(down).Hi
	return main.Add(I{Lo: -aliases, Hi: aliases})
}
