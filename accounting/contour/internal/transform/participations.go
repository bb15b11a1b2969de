package transform

import (
	"math"
	"math/cmplx"

	"github.com/dplab/dplab/accounting/numeric"
)

// Participations evaluates the remove direction if a few steps with a large loss decide and the
// many others have almost none: few steps, tiny rates, or small noise, whose unsampled steps are
// nearly an atom. There the characteristic function of the whole decays at t of 1/q or never, while
// the cases that matter are smooth on the scale of ε.
//
// Cut every step into a small part B and a large part L (cut.go), M = B + L as measures. Then, over
// all steps, δ(ε) = δ_0(ε) + δ_1(ε), with the transforms
//
//	δ_0, no step large:          ΠB^T
//	δ_1, at least one is large:  ΠM^T - ΠB^T = ΠB^T (e^S - 1),  S = Σ T log(1 + L/B).
//
// Both are transforms of nonnegative measures, so Chernoff's bound holds for each with its own
// transform and a. δ_0 is negligible by a bound at large a, which M itself would not allow
// (bulk.go). δ_1 is a line integral as before, and each of its terms has a factor L(z), which
// decays soon.
//
// Errors. ΠB^T(e^S-1) is a polynomial with positive coefficients in the B and L. So for |B| <= B(c)
// and |L| <= L(c) b(t) it is bounded by its value at B(c), L(c) b(t). Errors of B and L carry over
// in the same way.
type Participations struct {
	p      *MGF
	laws   []*Law
	cuts   []cut // large parts
	narrow float64
	sharp  []cut   // a second, sharper cut of the small parts, see bulk.go
	Left   float64 // probability that a step is in the small part beyond the second cut
	shares []shares
}

// shares caches the weights of the parts on a law's grid.
type shares struct {
	first, n     int
	logSmall     []float64 // log of small
	logBulk      []float64 // log of small times the second cut's share
	large, small []float64 // nil before a question needs them
}

// sharesOf returns the shares on the present grid of law i. The grid may have grown.
func (h *Participations) sharesOf(i int) *shares {
	w, s := h.laws[i], &h.shares[i]
	if s.n == len(w.loss) && s.first == w.first {
		return s
	}
	n := len(w.loss)
	w.meter.add(20 * n)
	*s = shares{first: w.first, n: n, logSmall: make([]float64, n), logBulk: make([]float64, n)}
	k := cut{small, h.cuts[i].x0, h.cuts[i].width}
	for j := range n {
		x := float64(w.first+j) * w.Step
		s.logSmall[j] = k.logShare(x)
		s.logBulk[j] = s.logSmall[j] + h.sharp[i].logShare(x)
	}
	return s
}

// bothShares is sharesOf with large and small set. Most cuts are refused before these are needed.
func (h *Participations) bothShares(i int) *shares {
	s := h.sharesOf(i)
	if s.large == nil {
		s.large, s.small = make([]float64, s.n), make([]float64, s.n)
		for j := range s.n {
			s.large[j] = h.cuts[i].share(float64(s.first+j) * h.laws[i].Step)
			s.small[j] = math.Exp(s.logSmall[j])
		}
	}
	return s
}

// NewParticipations cuts each phase at the loss λ. The second cut (bulk.go) drops at most
// e^logLeft.
func NewParticipations(p *MGF, laws []*Law, narrow, lambda, logLeft float64) *Participations {
	h := &Participations{p: p, laws: laws, narrow: narrow, shares: make([]shares, len(laws))}
	for _, w := range laws {
		s2 := w.Sigma * w.Sigma
		x0 := s2*math.Log1p(math.Expm1(math.Min(lambda, 700))/w.Q) + 0.5
		h.cuts = append(h.cuts, cut{large, x0, cutWidth(w.Sigma, narrow)})
	}
	h.sharpen(logLeft - numeric.Log(float64(len(laws))))
	return h
}

// cutWidth is the scale of the cut. Shifts of the line stay below it. narrow <= 1 makes the cut
// sharper and the grid finer.
func cutWidth(sigma, narrow float64) float64 {
	return narrow * math.Min(0.5*sigma, 0.48*math.Pi*sigma*sigma)
}

// CutLaws returns grids fine enough for cuts.
func CutLaws(p *MGF, narrow float64) []*Law {
	var laws []*Law
	for _, w := range p.Laws {
		laws = append(laws, NewLaw(w.Phase, TailFor(w.Count)+4, cutWidth(w.Sigma, narrow), p.Meter))
	}
	return laws
}

// parts returns log B(a) and L(a)/B(a) of one law, without error bounds. Callers round up.
func (h *Participations) parts(i int, a float64) (logB, ratio float64, ok bool) {
	w := h.laws[i]
	logM, _ := w.logM(Remove, a)
	lo, hi := w.window(a + 1)
	from, to, ok := w.cover(lo, math.Max(hi, h.cuts[i].x0+w.Reach)) // L's own hump may lie at the cut
	if !ok {
		return 0, 0, false
	}
	s := h.bothShares(i)
	w.meter.add(5 * (to - from))
	var l, b float64
	for j := from; j < to; j++ {
		m := math.Exp((a+1)*w.loss[j] + w.logQ[j] - logM)
		l += m * s.large[j]
		b += m * s.small[j]
	}
	if logM < 1 && l < 0.5 {
		logB = math.Log1p(math.Expm1(logM) - math.Exp(logM)*l)
	} else {
		logB = logM + numeric.Log(b)
	}
	return logB, l * math.Exp(logM-logB), true
}

// roundUp is added to every logarithm of a Chernoff bound of participations. The relative errors of
// their sums are far below it.
const roundUp = 1e-6

// At returns log κ(a) + log of δ_1's transform at a.
func (h *Participations) At(a float64) Point {
	v := LogKappa(a) + h.p.MuSquared*a*(a+1)/2 + roundUp
	var s float64
	for i, w := range h.laws {
		logB, ratio, ok := h.parts(i, a)
		if !ok {
			return Point{a, math.Inf(1)}
		}
		v += w.Count * logB
		s += w.Count * math.Log1p(ratio)
	}
	return Point{a, orInf(v + logExpm1(s))}
}

// Least minimizes Chernoff's bound of δ_1 at ε.
func (h *Participations) Least(epsilon float64) (best Point, tried []Point) {
	return Search(h.At, func(v Point) float64 { return v.Value - v.A*epsilon }, math.Max(0.01, 2/epsilon))
}

// LogDelta returns the bound of log δ by the two parts.
func (h *Participations) LogDelta(bulk []Point, large Point, epsilon float64) float64 {
	return numeric.Log(math.Exp(large.Value-large.A*epsilon) + math.Exp(leastLog(bulk, epsilon)) + h.Left)
}

// SharpNodes bounds the grid of a law that is cut.
const SharpNodes = 8000

func orInf(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// logExpm1 returns log(e^s - 1).
func logExpm1(s float64) float64 {
	if s > 30 {
		return s + math.Log1p(-math.Exp(-s))
	}
	return numeric.Log(math.Expm1(s))
}

// NewIntegral samples δ_1's transform on the line Re z = c.
func (h *Participations) NewIntegral(table, bulk []Point, c, omega, epsilon, logTol float64, work float64) (*Integral, bool) {
	mu2 := h.p.MuSquared
	in := &Integral{dir: Remove, c: c, h: 2 * math.Pi / omega, table: table, bulk: bulk, logLeft: numeric.Log(h.Left)}
	in.logM = mu2 * c * (c + 1) / 2
	in.errLogM = 4 * Unit * in.logM
	in.mean = mu2 * (2*c + 1) / 2
	pairs := make([]pair, len(h.laws))
	nodes, participations, errL := 0, 0.0, 0.0
	for i, w := range h.laws {
		tail := TailFor(w.Count) + 4
		k := h.cuts[i]
		_, ratio, _ := h.parts(i, c)
		b, okB := newTilted(w.Phase, w.meter, Remove, c, tail, cut{small, k.x0, k.width})
		l, okL := newTilted(w.Phase, w.meter, Remove, c, tail+math.Max(0, -numeric.Log(ratio)), k)
		if !okB || !okL {
			return nil, false
		}
		pairs[i] = pair{b, l, math.Exp(l.logM - b.logM), l.mean - b.mean}
		in.logM += w.Count * b.logM
		in.errLogM += w.Count * b.errLogM
		participations, errL = participations+w.Count*pairs[i].ratio, math.Max(errL, math.Expm1(l.errLogM))
		in.mean += w.Count * b.mean
		nodes += len(b.radius) + len(l.radius)
	}
	in.errLogM += errL*(1+participations) + 4*Unit*math.Abs(in.logM) // S e^S/(e^S-1) <= 1+S, S <= Σ T L/B
	logA := in.logM - c*epsilon
	n, cut := countPoints(func(t float64) float64 { return logRest(pairs, mu2, t) }, in.h, logTol-logA, work/float64(nodes+60))
	if n == 0 {
		return nil, false
	}
	h.p.Meter.add(n * (nodes + 60) / 2)
	in.fixed = cut
	in.samplePairs(pairs, mu2, n)
	in.trim(math.Exp(logTol-logA) / 8)
	return in, true
}

// pair is the two parts of one phase, tilted at the same c.
type pair struct {
	b, l  *tilted
	ratio float64 // L(c)/B(c)
	shift float64 // difference of the means
}

// logRest bounds the logarithm of |ΠB^T (e^S - 1)| / ΠB(c)^T at t and beyond.
func logRest(pairs []pair, mu2, t float64) float64 {
	var s float64
	for _, p := range pairs {
		s += p.b.count * math.Log1p(p.ratio*math.Exp(p.l.logPhi(t)))
	}
	return logExpm1(s) - mu2*t*t/2
}

// samplePairs fills R_j with the transform of δ_1 over the kernel, relative to ΠB(c)^T.
func (in *Integral) samplePairs(pairs []pair, mu2 float64, n int) {
	in.r = make([]complex128, n)
	for _, p := range pairs {
		p.b.setStep(in.h)
		p.l.setStep(in.h)
	}
	var wb, wl, logB, s [block]complex128
	var lowB, highB, lowS, highS [block]float64
	for j0 := 0; j0 < n; j0 += block {
		m := min(block, n-j0)
		t0 := (float64(j0) + 0.5) * in.h
		for k := range m {
			t := t0 + float64(k)*in.h
			logB[k], s[k] = complex(-mu2*t*t/2, 0), 0
			lowB[k], lowS[k], highS[k] = -mu2*t*t/2, 0, 0
			highB[k] = lowB[k]
		}
		for _, p := range pairs {
			p.b.at(t0, wb[:m])
			p.l.at(t0, wl[:m])
			for k := range m {
				t := t0 + float64(k)*in.h
				count := p.b.count
				lb := log1p(wb[k])
				absB, absL := math.Exp(real(lb)), cmplx.Abs(1+wl[k])
				turn := cmplx.Exp(complex(-real(lb), t*p.shift-imag(lb))) // not finite where B is 0: putPair
				logB[k] += complex(count, 0) * lb
				s[k] += complex(count, 0) * log1p(complex(p.ratio, 0)*(1+wl[k])*turn)
				up := absB + p.b.error(t)
				lowB[k] += count * real(lb)
				highB[k] += count * logPlus(real(lb), p.b.error(t))
				lowS[k] += count * math.Log1p(p.ratio*absL/absB)
				highS[k] += count * math.Log1p(p.ratio*(absL+p.l.error(t))/up)
			}
		}
		for k := range m {
			in.putPair(j0+k, t0+float64(k)*in.h, logB[k], s[k], lowB[k], highB[k], lowS[k], highS[k])
		}
	}
	in.size *= in.h / math.Pi
	in.tsize *= in.h / math.Pi
}

// putPair stores one point. Its error is at most f(|B|+η, |L|+η) - f(|B|, |L|), f = ΠB^T(e^S-1),
// over |z(z+1)|. Rounding of f itself is a few units.
func (in *Integral) putPair(j int, t float64, logB, s complex128, lowB, highB, lowS, highS float64) {
	z := complex(in.c, t)
	kernel := z * (z + 1)
	high, low := math.Exp(highB)*math.Expm1(highS), math.Exp(lowB)*math.Expm1(lowS)
	r := cmplx.Exp(logB) * expm1(s) / kernel
	if cmplx.IsNaN(r) || cmplx.IsInf(r) {
		in.fixed += in.h / math.Pi * high / cmplx.Abs(kernel)
		return
	}
	size := cmplx.Abs(r)
	in.r[j] = r
	in.fixed += in.h / math.Pi * ((high - low) + 32*Unit*(1+cmplx.Abs(s)+cmplx.Abs(logB))*high) / cmplx.Abs(kernel)
	in.size += size
	in.tsize += t * size
}

// expm1 returns e^s - 1 with full relative precision at small s.
func expm1(s complex128) complex128 {
	e := math.Expm1(real(s))
	sin, cos := math.Sincos(imag(s))
	half := math.Sin(imag(s) / 2)
	return complex(e*cos-2*half*half, (e+1)*sin)
}
