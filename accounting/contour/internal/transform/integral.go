package transform

import (
	"math"
	"math/cmplx"

	"github.com/dplab/dplab/accounting/numeric"
)

// Integral is M(z)/(z(z+1)) on the points z_j = c + i(j+1/2)h of one line, with M's exponential
// growth taken out. M does not depend on ε, so one integral serves every ε.
//
//	δ(ε) = e^{A} (h/π) Re Σ_j e^{i t_j (m-ε)} R_j + errors,   A = K(c) - cε,
//
// in the remove direction. The add direction uses M(c-it), so both have e^{+itl} with t >= 0. There
// R_j holds 1/(z̄(z̄+1)) and the exponent is t_j (m+ε).
type Integral struct {
	dir           Direction
	c, h          float64
	logM, errLogM float64 // K(c) over all steps
	mean          float64 // Σ T m, of l
	r             []complex128
	fixed         float64 // Σ of error bounds relative to e^A that do not depend on ε
	size          float64 // (h/π) Σ |R_j|
	tsize         float64 // (h/π) Σ t_j |R_j|
	table         []Point
	bulk          []Point // of a further part that is only bounded (participations.go); nil if there is none
	logLeft       float64 // log of a probability that is added to that bound
}

// Work is counted in pairs of a node and a point, about 5 ns each.
const (
	SomeWork = 2e6 // of a first attempt
	MaxWork  = 3e7 // of any integral
)

// NewIntegral samples the line Re z = c until the rest is certified to be below e^logTol at ε. ok
// is false if that takes too much work.
func (p *MGF) NewIntegral(table []Point, c, omega, epsilon, logTol, work float64) (*Integral, bool) {
	in := &Integral{dir: p.Dir, c: c, h: 2 * math.Pi / omega, table: table, logLeft: math.Inf(-1)}
	in.logM = p.MuSquared * c * (c + 1) / 2
	in.errLogM = 4 * Unit * in.logM
	sign := 1.0
	if p.Dir == Add {
		sign = -1
	}
	in.mean = sign * p.MuSquared * (2*c + 1) / 2
	var steps []*tilted
	for _, w := range p.Laws {
		s, ok := newTilted(w.Phase, w.meter, p.Dir, c, TailFor(w.Count), uncut)
		if !ok {
			return nil, false
		}
		steps = append(steps, s)
	}
	return in.finish(p, steps, epsilon, logTol, work)
}

// finish adds up the steps, chooses the number of points and samples them.
func (in *Integral) finish(p *MGF, steps []*tilted, epsilon, logTol, work float64) (*Integral, bool) {
	nodes := 0
	for _, s := range steps {
		in.logM += s.count * s.logM
		in.errLogM += s.count * s.errLogM
		in.mean += s.count * s.mean
		nodes += len(s.radius)
	}
	in.errLogM += 4 * Unit * math.Abs(in.logM)
	logA := in.logM - in.c*epsilon
	bound := func(t float64) float64 { return logProduct(steps, p.MuSquared, t) }
	n, cut := countPoints(bound, in.h, logTol-logA, work/float64(nodes+40))
	if n == 0 {
		return nil, false
	}
	p.Meter.add(n * (nodes + 40) / 2)
	in.fixed = cut
	in.sample(steps, p.MuSquared, n)
	in.trim(math.Exp(logTol-logA) / 8)
	return in, true
}

// logProduct bounds log Π |φ_p|^{T_p} at t and beyond.
func logProduct(steps []*tilted, mu2, t float64) float64 {
	sum := -mu2 * t * t / 2
	for _, s := range steps {
		sum += s.count * s.logPhi(t)
	}
	return sum
}

// countPoints returns the number of points needed for a left-out part of at most e^logTol relative
// to e^A, and the bound reached. n is 0 if more than most points are needed. With a decreasing
// bound B of the transform,
//
//	(h/π) Σ_{j>=n} B(t_j)/|z(z+1)| <= B(t_n)/(π n h),
//
// since |z(z+1)| >= t² and 1/t² is convex: h Σ_{j>=n} 1/t_j² <= 1/(nh).
func countPoints(logBound func(t float64) float64, h, logTol, most float64) (n int, bound float64) {
	rest := func(n float64) float64 { return logBound((n+0.5)*h) - numeric.Log(math.Pi*n*h) }
	hi := 8.0
	for rest(hi) > logTol {
		if hi *= 2; !(hi <= most) {
			return 0, 0
		}
	}
	lo := hi / 2
	for hi-lo > 1+lo/32 {
		if mid := math.Floor((lo + hi) / 2); rest(mid) > logTol {
			lo = mid
		} else {
			hi = mid
		}
	}
	return int(hi), math.Exp(rest(hi))
}

// sample fills R_j and the error bounds.
func (in *Integral) sample(steps []*tilted, mu2 float64, n int) {
	in.r = make([]complex128, n)
	for _, s := range steps {
		s.setStep(in.h)
	}
	var w [block]complex128
	var logR [block]complex128
	var logUp, rel [block]float64
	for j0 := 0; j0 < n; j0 += block {
		m := min(block, n-j0)
		t0 := (float64(j0) + 0.5) * in.h
		for k := range m {
			t := t0 + float64(k)*in.h
			logR[k] = complex(-mu2*t*t/2, 0)
			logUp[k] = real(logR[k])
			rel[k] = 16 * Unit
		}
		for _, s := range steps {
			s.at(t0, w[:m])
			for k := range m {
				lr := log1p(w[k])
				logR[k] += complex(s.count, 0) * lr
				logUp[k] += s.count * logPlus(real(lr), s.error(t0+float64(k)*in.h))
				rel[k] += s.count * 4 * Unit * math.Min(cmplx.Abs(lr), 1e3)
			}
		}
		for k := range m {
			in.put(j0+k, t0+float64(k)*in.h, logR[k], logUp[k], rel[k])
		}
	}
	scale := in.h / math.Pi
	in.size *= scale
	in.tsize *= scale
}

// put stores one point. Its error is at most Π(|φ|+η)^T - Π|φ|^T over |z(z+1)|.
func (in *Integral) put(j int, t float64, logR complex128, logUp, rel float64) {
	z := complex(in.c, t)
	if in.dir == Add {
		z = cmplx.Conj(z)
	}
	kernel := z * (z + 1)
	up := math.Exp(logUp) / cmplx.Abs(kernel)
	if !(logUp > -700) || math.IsNaN(real(logR)) || math.IsNaN(imag(logR)) {
		in.fixed += in.h / math.Pi * up
		return
	}
	r := cmplx.Exp(logR) / kernel
	size := cmplx.Abs(r)
	in.r[j] = r
	in.fixed += in.h / math.Pi * (math.Max(0, up-size) + rel*size)
	in.size += size
	in.tsize += t * size
}

// logPlus returns log(e^l + err). It is precise for e^l near 1 and small err.
func logPlus(l, err float64) float64 {
	if l > -1 {
		return l + math.Log1p(err*math.Exp(-l))
	}
	return numeric.Log(math.Exp(l) + err)
}

// log1p returns log(1+w), with full relative precision at small w and an error of a few units near
// w = -1. (There the form |1+w|²-1 loses all digits of |1+w| from 1e-8 on.)
func log1p(w complex128) complex128 {
	re, im := real(w), imag(w)
	return complex(logAbs1p(re, im), math.Atan2(im, 1+re))
}

// logAbs1p returns log|1+re+i im|.
func logAbs1p(re, im float64) float64 {
	if u := re*(2+re) + im*im; u > -0.5 {
		return math.Log1p(u) / 2
	}
	return numeric.Log(math.Hypot(1+re, im))
}

// TailFor returns the negative logarithm of the wanted relative accuracy of one step in count.
func TailFor(count float64) float64 { return 36 + numeric.Log(count) }

// sum returns δ̂(ε) e^{-A} and e^{-A} dδ̂/dε. The phase turns by a recurrence that restarts every
// block points.
func (in *Integral) sum(epsilon float64) (value, slope float64) {
	shift, sign := in.mean-epsilon, 1.0
	if in.dir == Add {
		shift, sign = in.mean+epsilon, -1
	}
	ui, ur := math.Sincos(in.h * shift)
	var vr, vi float64
	for j, r := range in.r {
		t := (float64(j) + 0.5) * in.h
		if j%block == 0 {
			vi, vr = math.Sincos(t * shift)
		}
		re := real(r)*vr - imag(r)*vi
		value += re
		slope += sign*t*(real(r)*vi+imag(r)*vr) - in.c*re // Re(-z X)
		vr, vi = vr*ur-vi*ui, vr*ui+vi*ur
	}
	return value * in.h / math.Pi, slope * in.h / math.Pi
}

// trim drops points at the end whose sum is below tol relative to e^A.
func (in *Integral) trim(tol float64) {
	n, left := len(in.r), 0.0
	for n > 1 {
		size := in.h / math.Pi * cmplx.Abs(in.r[n-1])
		if left+size > tol {
			break
		}
		left += size
		n--
	}
	in.fixed += left
	in.r = in.r[:n]
}

// LogDelta returns log δ̂(ε) and bounds of log δ(ε). lower is -Inf if the error is at least the
// value. slope is d log δ̂/dε.
func (in *Integral) LogDelta(epsilon float64) (lower, estimate, upper, slope float64) {
	value, d := in.sum(epsilon)
	a := in.logM - in.c*epsilon
	errA := in.errLogM + 4*Unit*(math.Abs(in.logM)+math.Abs(in.c*epsilon))
	phase := 4 * Unit * (math.Abs(in.mean) + math.Abs(epsilon))
	err := in.fixed + phase*in.tsize + Unit*(64+math.Sqrt(float64(len(in.r))))*in.size
	err += aliasing(in.table, in.c, 2*math.Pi/in.h, epsilon, a)
	lower, upper = math.Inf(-1), math.Inf(1)
	if value-err > 0 {
		lower = a + numeric.Log(value-err) - errA
	}
	if total := value + err + math.Exp(leastLog(in.bulk, epsilon)-a) + math.Exp(in.logLeft-a); total > 0 && !math.IsInf(total, 1) {
		upper = a + numeric.Log(total) + errA
	}
	estimate = math.Inf(-1)
	if value > 0 {
		estimate = a + numeric.Log(value)
	}
	return lower, estimate, upper, d / value
}

// leastLog returns the least Chernoff bound of a table at ε; -Inf for an empty table.
func leastLog(table []Point, epsilon float64) float64 {
	if len(table) == 0 {
		return math.Inf(-1)
	}
	least := math.Inf(1)
	for _, q := range table {
		least = math.Min(least, q.Value-q.A*epsilon)
	}
	return least
}
