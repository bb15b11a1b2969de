package transform

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// If |y| <= smallY, moments up to topMoment replace e^{iy}-1-iy. The remainder, about |y|^15/15!,
// is below 2e-16 of |y|²/2.
const (
	topMoment = 14
	smallY    = 0.5
)

// block is the number of points t after which the recurrence v <- v e^{ihl} is restarted.
const block = 16

// tilted is one law tilted by e^{αl}, ready for its characteristic function on t >= 0:
//
//	φ(t) e^{-itm} - 1 = Σ_j p_j (e^{iy_j}-1-iy_j),  y_j = t (l_j - m)
//
// with nodes x_j + ib on the line Im x = b, p_j = h e^{α l_j} ρ(x_j+ib) / M(c), and m the tilted
// mean. The sum never forms a number near 1, so φ^T loses no digits at large T.
//
// The trapezoid rule errs by at most (1+U)/(e^{2πb/h}-1), U = e^{2b²/σ²} G (growth.go), at every t
// >= 0. The terms 1 and iy are integrated by the same nodes (exactly they give 1 and 0). The 1 has
// the same error, and iy at most
//
//	t (s + U (s + π + |log cos(b/σ²)|))/(e^{2πb/h}-1),  s >= E|l-m| the standard deviation.
//
// Proof. For t >= 0 the integrand e^{(α+it)l}ρ is analytic in 0 <= Im x <= 2b < πσ², where 0 <= Im
// l < π and hence |e^{itl}| <= 1. On Im x = 0 its integral is at most M(c), on Im x = 2b at most U
// M(c). The nodes are shifted by half the strip. For iy use |l(x+2ib)-m| <= |l(x)-m| + |log
// cos(b/σ²)| + π.
//
// On the real line the strip's lower half would make e^{itl} grow like e^{πt}; the bound would not
// be uniform in t.
type tilted struct {
	count            float64
	logM, mean, sd   float64
	errLogM, errMean float64
	quad0, quad1     float64 // quadrature and left-out nodes: error quad0 + t quad1
	round            float64 // relative rounding error of Σ |p| |e^{iy}-1-iy|, model
	abs0, abs1, abs2 float64 // Σ |p|, Σ |p||l-m|, Σ |p||l-m|²
	radius           []float64
	pr, pi, yr, yi   []float64    // p_j and l_j - m, sorted by radius |l_j - m|
	moments          []float64    // prefix moments Σ_{i<n} p_i (l_i-m)^k / k!, k = 2..topMoment
	suffix0, suffix1 []complex128 // Σ_{i>=n} p_i and Σ_{i>=n} p_i (l_i-m)
	farMass          []float64    // Σ_{i>=n} |p_i|
	stepR, stepI     []float64    // e^{i dt (l_j-m)}
	dt               float64
	levels           []level // of the tilted loss density, see truncation.go
	line             lineTail
}

// newTilted tilts the given part of a phase at c. tail is the negative logarithm of the wanted
// relative accuracy of one step. ok is false if that takes too many nodes.
func newTilted(f Phase, m *Meter, dir Direction, c, tail float64, k cut) (s *tilted, ok bool) {
	w := &Law{Phase: f, Reach: f.Sigma * math.Sqrt(2*tail), meter: m}
	var b float64
	w.Step, b = lineFor(f.Sigma, tail, k.width, w.growth(dir, c))
	alpha := dir.order(c)
	lo, hi := w.window(alpha)
	if k.part != whole {
		hi = math.Max(hi, k.x0+w.Reach) // the large part's own hump may lie at the cut
	}
	from, to, ok := w.cover(lo, hi)
	if !ok {
		return nil, false
	}
	w.meter.add(80 * (to - from))
	s = &tilted{count: f.Count}
	s.logM, s.errLogM = w.logM(dir, c)
	p := make([]float64, to-from)
	for j := range p {
		p[j] = math.Exp(alpha*w.loss[from+j] + w.logQ[from+j] - s.logM)
	}
	w.tiltedMoments(s, dir, c, from, to, p)
	edge := 1.0
	if k.part != whole {
		if edge = s.take(w, k, p, from, b); !(edge < math.Inf(1)) { // the part underflows
			return nil, false
		}
	}
	s.lineNodes(w, alpha, b, from, to, tail, k)
	s.errors(w, dir, c, b, edge, from, to)
	s.levels = w.levelSets(p, alpha, from, to)
	if k.part != small && (f.Count <= lineTailMax || k.part == large) {
		s.line = w.lineTail(dir, c, k, p, from, w.endTails(alpha, from, to, s.logM))
	}
	return s, true
}

// tiltedMoments sets the mean and standard deviation of l under the tilted law p. Near M = 1 the
// mean is
//
//	remove: M m = E_P[l (e^{al}-1)] + E_P[l],  add: M m = E_Q[l (e^{-al}-1)] + E_Q[l],
//
// sums of terms of one sign. Elsewhere it is the plain weighted sum.
func (w *Law) tiltedMoments(s *tilted, dir Direction, c float64, from, to int, p []float64) {
	alpha := dir.order(c)
	var mean float64
	if s.logM < 1 {
		weights, kl, a := w.wP, w.klP, c
		if dir == Add {
			weights, kl, a = w.wQ, -w.klQ, -c
		}
		mean = kl
		for j := from; j < to; j++ {
			if u := a * w.loss[j]; u < 30 {
				mean += weights[j] * w.loss[j] * math.Expm1(u)
			} else {
				mean += w.loss[j] * (math.Exp(alpha*w.loss[j]+w.logQ[j]) - weights[j])
			}
		}
		mean *= math.Exp(-s.logM)
	} else {
		for j := range p {
			mean += w.loss[from+j] * p[j]
		}
	}
	var square float64
	for j := range p {
		d := w.loss[from+j] - mean
		square += d * d * p[j]
	}
	s.mean, s.sd = mean, math.Sqrt(square)
}

// lineNodes computes the nodes on Im x = b and sorts them. It leaves out those too small to matter;
// their sum goes into quad0 and quad1.
func (s *tilted) lineNodes(w *Law, alpha, b float64, from, to int, tail float64, k cut) {
	type node struct{ radius, pr, pi, yr, yi float64 }
	nodes := make([]node, 0, to-from)
	theta := b / (w.Sigma * w.Sigma)
	sin, cos := math.Sincos(theta)
	half := math.Sin(theta / 2)
	lift := b * b / (2 * w.Sigma * w.Sigma)
	least := math.Exp(-tail - 16)
	for j := from; j < to; j++ {
		x := float64(w.first+j) * w.Step
		lr, li := lossOnLine(w.Q, (2*x-1)/(2*w.Sigma*w.Sigma), theta, sin, cos, half)
		logQ, angle := w.logQ[j], -x*theta
		if w.Replaced { // the loss is l(x+ib) - l(-x-ib), and logQ holds l(-x-ib)
			br, bi := lossOnLine(w.Q, (-2*x-1)/(2*w.Sigma*w.Sigma), theta, sin, cos, half)
			lr, li = lr-br, li+bi
			logQ, angle = logQ-w.logRatio(-x)+br, angle-bi
		}
		exponent := alpha*lr + logQ + lift - s.logM
		ps, pc := math.Sincos(alpha*li + angle)
		if k.part == trimmed {
			u := math.Exp(math.Min((x-k.x0)/k.width, 50))
			sin, cos := math.Sincos(b / k.width)
			exponent -= u * cos
			ps, pc = math.Sincos(alpha*li + angle - u*sin)
		}
		size := math.Exp(exponent)
		if k.part == large || k.part == small {
			share := k.onLine(x, b)
			p := complex(pc, ps) * share
			pc, ps = real(p), imag(p)
			abs := math.Hypot(pc, ps)
			size *= abs
			if abs > 0 {
				pc, ps = pc/abs, ps/abs
			}
		}
		yr, yi := lr-s.mean, li
		r := math.Hypot(yr, yi)
		if size < least {
			s.quad0 += 2 * size
			s.quad1 += size * r
			continue
		}
		nodes = append(nodes, node{r, size * pc, size * ps, yr, yi})
		s.abs0 += size
		s.abs1 += size * r
		s.abs2 += size * r * r
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.radius, b.radius) })
	n := len(nodes)
	mem := make([]float64, 7*n)
	s.radius, s.pr, s.pi, s.yr, s.yi = mem[:n], mem[n:2*n], mem[2*n:3*n], mem[3*n:4*n], mem[4*n:5*n]
	s.stepR, s.stepI = mem[5*n:6*n], mem[6*n:]
	for i, v := range nodes {
		s.radius[i], s.pr[i], s.pi[i], s.yr[i], s.yi[i] = v.radius, v.pr, v.pi, v.yr, v.yi
	}
	s.prefixes()
}

// lossOnLine returns l at v+iθ in one of three forms:
//
//   - log1p(q expm1(v+iθ)), with expm1(v+iθ) = expm1(v) cos θ - 2 sin²(θ/2) + i e^v sin θ;
//   - if most of the 1 is gone, log(1-q + q e^{v+iθ}), whose parts have one sign (cos θ > 0);
//   - for large v, v+iθ+log q plus a small rest.
func lossOnLine(q, v, theta, sin, cos, half float64) (re, im float64) {
	if v < 30 {
		e := math.Expm1(v)
		ur := q * (e*cos - 2*half*half)
		ui := q * (e + 1) * sin
		if ur < -0.5 {
			rest := math.Exp(v)
			ui = q * rest * sin
			sum := 1 - q + q*rest*cos
			return numeric.Log(math.Hypot(sum, ui)), math.Atan2(ui, sum)
		}
		return logAbs1p(ur, ui), math.Atan2(ui, 1+ur)
	}
	small := (1 - q) / q * math.Exp(-v)
	ur, ui := small*cos, -small*sin
	return v + numeric.Log(q) + logAbs1p(ur, ui), theta + math.Atan2(ui, 1+ur)
}

// prefixes fills the prefix moments and the suffix sums.
func (s *tilted) prefixes() {
	const width = 2 * (topMoment - 1)
	n := len(s.radius)
	s.moments = make([]float64, width*(n+1))
	s.suffix0, s.suffix1, s.farMass = make([]complex128, n+1), make([]complex128, n+1), make([]float64, n+1)
	for i := range n {
		p, y := complex(s.pr[i], s.pi[i]), complex(s.yr[i], s.yi[i])
		at := s.moments[width*i : width*(i+2)]
		for k := 2; k <= topMoment; k++ {
			if k == 2 {
				p *= y
			}
			p *= y * complex(1/float64(k), 0)
			m := 2 * (k - 2)
			at[width+m], at[width+m+1] = at[m]+real(p), at[m+1]+imag(p)
		}
	}
	for i := n - 1; i >= 0; i-- {
		p := complex(s.pr[i], s.pi[i])
		s.farMass[i] = s.farMass[i+1] + cmplx.Abs(p)
		s.suffix0[i] = s.suffix0[i+1] + p
		s.suffix1[i] = s.suffix1[i+1] + p*complex(s.yr[i], s.yi[i])
	}
}

// errors sets the error bounds given at tilted.
//
// edge is 1 for the whole law. For a part it bounds the ratio of the part's share of the weight on
// Im x = 2b to that at b = 0.
func (s *tilted) errors(w *Law, dir Direction, c, b, edge float64, from, to int) {
	alpha := dir.order(c)
	lncos := -numeric.Log(math.Cos(b / (w.Sigma * w.Sigma)))
	log, withLoss := w.growth(dir, c).both(2 * b)
	u := 2*b*b/(w.Sigma*w.Sigma) + numeric.Log(edge)
	n := 2 * math.Pi * b / w.Step
	one, up, upLoss := expm1Over(0, n), expm1Over(u+log, n), expm1Over(u+withLoss, n)
	turn := w.turn()
	span := (one+upLoss)*s.sd + up*(turn+lncos) + upLoss
	tails := w.endTails(alpha, from, to, s.logM-b*b/(2*w.Sigma*w.Sigma)-w.growth(dir, c).onLine(b))
	far := math.Abs(w.loss[to-1]-s.mean) + math.Abs(w.loss[from]-s.mean) + turn + 4/w.Sigma
	s.quad0 += 2*(one+up) + 2*tails
	s.errLogM += 2*(one+up) + tails
	s.quad1 += span + tails*far
	s.round = w.roundingOf(alpha, to) + 32*Unit
	s.errMean += w.roundingOf(alpha, to)*math.Abs(s.mean) + 4*(span+(one+up)*math.Abs(s.mean)) + tails*far
}

// setStep prepares the recurrence for points dt apart.
func (s *tilted) setStep(dt float64) {
	s.dt = dt
	for i := range s.radius {
		size := math.Exp(-dt * s.yi[i])
		sin, cos := math.Sincos(dt * s.yr[i])
		s.stepR[i], s.stepI[i] = size*cos, size*sin
	}
}

// spreadOf bounds the ratio of the largest to the least t that share their far nodes.
const spreadOf = 2.5

// at sets out[k] = φ(t) e^{-itm} - 1 at t = t0 + k dt, k < len(out) <= block. If a node is far at
// the largest t, its y must not be small at the least t, where e^{iy}-1-iy would cancel. So the
// first points come in runs of 1, 3, 7.
func (s *tilted) at(t0 float64, out []complex128) {
	for len(out) > 0 {
		n := min(len(out), 1+int((spreadOf-1)*t0/s.dt))
		s.run(t0, out[:n])
		t0, out = t0+float64(n)*s.dt, out[n:]
	}
}

func (s *tilted) run(t0 float64, out []complex128) {
	const width = 2 * (topMoment - 1)
	last := t0 + float64(len(out)-1)*s.dt
	n, _ := slices.BinarySearch(s.radius, smallY/last)
	var re, im [block]float64
	var v, u complex128 // of a node that waits for a second one
	waits := false
	for i := n; i < len(s.radius); i++ {
		size := math.Exp(-t0 * s.yi[i])
		if size < 1e-40 {
			continue
		}
		sin, cos := math.Sincos(t0 * s.yr[i])
		vr, vi := size*cos, size*sin
		vr, vi = vr*s.pr[i]-vi*s.pi[i], vr*s.pi[i]+vi*s.pr[i]
		if waits = !waits; waits {
			v, u = complex(vr, vi), complex(s.stepR[i], s.stepI[i])
			continue
		}
		turn(re[:len(out)], im[:len(out)], vr, vi, s.stepR[i], s.stepI[i], real(v), imag(v), real(u), imag(u))
	}
	if waits {
		turn(re[:len(out)], im[:len(out)], real(v), imag(v), real(u), imag(u), 0, 0, 0, 0)
	}
	m := s.moments[width*n : width*(n+1)]
	for k := range out {
		t := t0 + float64(k)*s.dt
		far := complex(re[k], im[k]) - s.suffix0[n] - complex(0, t)*s.suffix1[n]
		out[k] = far + horner(m, t)
	}
}

// turn adds v u^k + w x^k to re + i im, for each k. The processor computes both at once.
func turn(re, im []float64, vr, vi, ur, ui, wr, wi, xr, xi float64) {
	im = im[:len(re)]
	for k := range re {
		re[k] += vr + wr
		im[k] += vi + wi
		vr, vi = vr*ur-vi*ui, vr*ui+vi*ur
		wr, wi = wr*xr-wi*xi, wr*xi+wi*xr
	}
}

// horner returns Σ_{k=2}^{topMoment} m_k (it)^k.
func horner(m []float64, t float64) complex128 {
	var sr, si float64
	for k := len(m)/2 - 1; k >= 0; k-- {
		sr, si = m[2*k]-t*si, m[2*k+1]+t*sr // m_k + (it) sum
	}
	return complex(-t*t*sr, -t*t*si)
}

// error returns a bound on the error of at's value at t: quadrature, left-out nodes, the mean, and
// rounding (a model). For Im y >= 0 Taylor's remainder gives |e^{iy}-1-iy| <= |y|²/2, and it is at
// most 2+|y|. For far nodes e^{iy} is rounded before 1+iy is subtracted.
func (s *tilted) error(t float64) float64 {
	size := math.Min(s.abs2*t*t/2, 2*s.abs0+s.abs1*t)
	n, _ := slices.BinarySearch(s.radius, smallY/(spreadOf*t))
	return s.quad0 + t*(s.quad1+s.errMean) + s.round*size + 8*Unit*s.farMass[n]
}
