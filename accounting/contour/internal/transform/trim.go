package transform

import (
	"math"
	"math/cmplx"

	"github.com/dplab/dplab/accounting/numeric"
)

// Trim drops outputs so large that they do not matter to δ. Every step's law gets the weight g(x) =
// exp(-e^u), u = (x-x0)/width, and a union bound covers what that drops:
//
//	δ_g(ε) <= δ(ε) <= δ_g(ε) + Σ T E_P[1-g],
//
// with δ_g from the transform E[g e^{zL}] of each step.
//
// Why: the moment generating function of the remove direction has a wall. The hump of outputs near
// x = a+1, of weight q^α e^{α(α-1)/2σ²}, spoils every a beyond about 2σ² log(1/q), however
// improbable such outputs are. At tiny rates the best a lies far beyond. The trimmed transform has
// no wall: e^{-e^u} holds back every e^{al}.
//
// Far out the union bound is useless: g falls short of 1 by e^{-x0/width} at the outputs that all
// steps have. There it covers only outputs above an x1 = x0 - k width. If all are below, Πg >=
// exp(-Σ T e^{-k}). So with p the probability of one above
//
//	δ(ε) <= e^{Σ T e^{-k}} δ_g(ε) + p.
//
// g is entire, |g(x+iy)| = exp(-e^u cos(y/width)), so shifts of the line stay below width/2.
type Trim struct {
	p       *MGF
	laws    []*Law
	cuts    []cut
	weights []trimWeights
	LogLeft float64 // log of the probability that is not in δ_g
}

// trimWidth is much smaller than x0, so the left tail e^u of 1-g vanishes at 0.
func trimWidth(sigma, x0 float64) float64 {
	return math.Min(math.Min(0.25*sigma, x0/80), 0.9*math.Pi*sigma*sigma)
}

// NewTrim drops at most e^logLeft of probability. It returns nil if that takes too fine grids.
func NewTrim(p *MGF, logLeft float64) *Trim {
	t := &Trim{p: p, LogLeft: math.Inf(-1)}
	logLeft -= numeric.Log(float64(len(p.Laws)))
	for _, w := range p.Laws {
		x0 := 0.5 + w.Sigma*math.Sqrt(-2*math.Min(logLeft-numeric.Log(w.Count), -1))
		width := trimWidth(w.Sigma, x0)
		fine := NewLaw(w.Phase, TailFor(w.Count), width/2, p.Meter)
		if (x0+2*fine.Reach)/fine.Step > SharpNodes {
			return nil
		}
		k := cut{trimmed, x0, width}
		left := numeric.Log(w.Count * fine.dropsOf(k))
		for steps := 0; steps < 12 && !(left < logLeft); steps++ {
			k.x0 += w.Sigma / 3
			left = numeric.Log(w.Count * fine.dropsOf(k))
		}
		if !(left < logLeft) {
			steps := trimSlack + numeric.Log(w.Count*float64(len(p.Laws)))
			var x1 float64
			x1, left = w.farOut(x0, logLeft)
			k.width = math.Min(width, trimReach*w.Sigma/steps)
			k.x0 = x1 + steps*k.width
			fine = NewLaw(w.Phase, TailFor(w.Count), k.width/2, p.Meter)
			if (k.x0+2*fine.Reach)/fine.Step > SharpNodes {
				return nil
			}
		}
		t.LogLeft = numeric.Add(t.LogLeft, left)
		t.laws, t.cuts, t.weights = append(t.laws, fine), append(t.cuts, k), append(t.weights, trimWeights{})
	}
	return t
}

// Cut returns where the law of a phase is trimmed, x0 and the width.
func (t *Trim) Cut(phase int) (x0, width float64) { return t.cuts[phase].x0, t.cuts[phase].width }

// trimSlack is -log of the Σ T e^{-k} above. The k widths are at most trimReach σ: the larger x0,
// the larger is the hump that is left.
const (
	trimSlack = 30
	trimReach = 4
)

// farOut returns an x1 from x0 on whose chance of an output above it in any step is below
// e^logLeft, and the log of that chance.
func (w *Law) farOut(x0, logLeft float64) (x1, logLeftOut float64) {
	for x1 = x0; ; x1 += w.Sigma / 3 {
		with := numeric.Log(w.Q) + numeric.LogNormalCDF((1-x1)/w.Sigma)
		without := math.Log1p(-w.Q) + numeric.LogNormalCDF(-x1/w.Sigma)
		if log := numeric.Log(w.Count) + numeric.Add(with, without); log < logLeft {
			return x1, log + 0.01
		}
	}
}

// dropsOf returns E_P[1-g].
func (w *Law) dropsOf(k cut) float64 {
	from, to, ok := w.cover(w.lowEnd(), k.x0+w.Reach)
	if !ok {
		return 1
	}
	w.meter.add(3 * (to - from))
	var sum float64
	for j := from; j < to; j++ {
		u := (float64(w.first+j)*w.Step - k.x0) / k.width
		sum -= w.wP[j] * math.Expm1(-math.Exp(math.Min(u, 50)))
	}
	return 1.01*sum + 1e-300
}

// trimWindow returns the nodes of g e^{αl}ρ that matter: from -W to where e^u exceeds αl + 90.
// Beyond, each further width multiplies e^u by e.
func (w *Law) trimWindow(alpha float64, k cut) (from, to int, ok bool) {
	u := 4.5
	for range 200 {
		if math.Exp(u) > alpha*w.lossAt(k.x0+u*k.width)+90 {
			break
		}
		u += 0.5
	}
	hump := alpha
	if w.Replaced {
		hump = w.highestHump(alpha)
	}
	return w.cover(w.lowEnd(), math.Min(math.Max(1, k.x0+u*k.width), math.Max(1, hump)+w.Reach))
}

// lowEnd is the low end of the grid of a trimmed law. That of a replaced record also holds Q.
func (w *Law) lowEnd() float64 {
	if w.Replaced {
		return -1 - w.Reach
	}
	return -w.Reach
}

// trimWeights are what the nodes of a law weigh with and without g, on one grid.
type trimWeights struct {
	first, n       int
	u, g           []float64 // e^u, and the weights g e^l ρ
	drop, dropLoss float64   // E_P[1-g] and E_P[(1-g) l]
}

// set computes the weights unless they are those of the present grid, which may have grown.
func (s *trimWeights) set(w *Law, k cut) {
	n := len(w.loss)
	if s.n == n && s.first == w.first {
		return
	}
	w.meter.add(5 * n)
	block := make([]float64, 2*n)
	*s = trimWeights{first: w.first, n: n, u: block[:n], g: block[n:]}
	for j, p := range w.wP {
		u := math.Exp(math.Min((float64(w.first+j)*w.Step-k.x0)/k.width, 50))
		s.u[j], s.g[j] = u, p*math.Exp(-u)
		if u > 1e-18 {
			d := -p * math.Expm1(-u)
			s.drop += d
			s.dropLoss += d * w.loss[j]
		}
	}
}

// logTrimmed returns log E_P[g e^{al}] and the tilted mean times that expectation:
//
//	E_P[g e^{al}] - 1   = E_P[g h2(al)] + a E_P[g l] - E_P[1-g],  E_P[g l] = E_P[l] - E_P[(1-g) l]
//	E_P[g l e^{al}]     = E_P[g l (e^{al}-1)] + E_P[g l].
func (w *Law) logTrimmed(a float64, s *trimWeights, from, to int) (logB, moment float64) {
	w.meter.add(3 * (to - from))
	alpha := a + 1
	var excess, m float64
	for j := from; j < to; j++ {
		l, g := w.loss[j], s.g[j]
		if v := a * l; v < 30 {
			e, h := expm1H2(v)
			excess += g * h
			m += g * l * e
		} else {
			full := math.Exp(alpha*l + w.logQ[j] - s.u[j])
			excess += full - g*(1+v)
			m += l * (full - g)
		}
	}
	first := w.klP - s.dropLoss
	return math.Log1p(excess + a*first - s.drop), m + first
}

// At returns log κ(a) + log of the trimmed transform, rounded up.
func (t *Trim) At(a float64) Point {
	v := LogKappa(a) + t.p.MuSquared*a*(a+1)/2 + roundUp
	for i, w := range t.laws {
		if a == 0 {
			break // the transform is at most 1
		}
		from, to, ok := w.trimWindow(a+1, t.cuts[i])
		if !ok {
			return Point{a, math.Inf(1)}
		}
		t.weights[i].set(w, t.cuts[i])
		logB, _ := w.logTrimmed(a, &t.weights[i], from, to)
		v += w.Count * logB
	}
	return Point{a, orInf(v)}
}

// newTrimmed tilts a trimmed phase at c. Compare newTilted.
func newTrimmed(f Phase, m *Meter, c, tail float64, k cut) (s *tilted, ok bool) {
	w := &Law{Phase: f, Reach: f.Sigma * math.Sqrt(2*tail), meter: m}
	var b float64
	grow := w.growth(Remove, c)
	w.Step, b = lineFor(f.Sigma, tail, k.width/2, grow)
	from, to, ok := w.trimWindow(c+1, k)
	if !ok {
		return nil, false
	}
	m.add(60 * (to - from))
	s = &tilted{count: f.Count}
	var weights trimWeights
	weights.set(w, k)
	logB, moment := w.logTrimmed(c, &weights, from, to)
	s.logM, s.mean = logB, moment*math.Exp(-logB)
	p := make([]float64, to-from)
	var square, rim float64
	bend := math.Cos(2 * b / k.width)
	for j := range p {
		u := weights.u[from+j]
		e := (c+1)*w.loss[from+j] + w.logQ[from+j] - logB
		p[j] = math.Exp(e - u)
		rim += math.Exp(e - u*bend)
		d := w.loss[from+j] - s.mean
		square += d * d * p[j]
	}
	s.sd = math.Sqrt(square)
	s.lineNodes(w, c+1, b, from, to, tail, k)
	s.trimErrors(w, grow, b, 1.02*rim*math.Exp(grow.onLine(2*b)), p, from, to)
	s.levels = w.levelSets(p, c+1, from, to)
	return s, true
}

// trimErrors sets the error bounds of errors. The parts beyond the grid are bounded by the last
// terms of the sums. The terms fall at least geometrically to the left and by e^{-e^u} to the
// right.
func (s *tilted) trimErrors(w *Law, grow growth, b, edge float64, p []float64, from, to int) {
	lncos := -numeric.Log(math.Cos(b / (w.Sigma * w.Sigma)))
	n := 2 * math.Pi * b / w.Step
	one, up := expm1Over(0, n), expm1Over(2*b*b/(w.Sigma*w.Sigma)+numeric.Log(edge), n)
	span := (one+up)*s.sd + up*(w.turn()+lncos)
	fall := -math.Expm1(-w.Step * w.Reach / (w.Sigma * w.Sigma))
	tails := 4 * (p[0]/fall + p[len(p)-1]) * math.Exp(b*b/(2*w.Sigma*w.Sigma)+grow.onLine(b)) * (1 + math.Exp(math.Max(0, -s.logM)))
	far := math.Abs(w.loss[to-1]-s.mean) + math.Abs(w.loss[from]-s.mean) + w.turn() + 4/w.Sigma
	rounding := w.roundingOf(math.Min(math.Abs(s.logM)+100, 1e6), to)
	s.quad0 += 2*(one+up) + 2*tails
	s.quad1 += span + tails*far
	s.round = rounding + 64*Unit
	s.errMean = rounding*math.Abs(s.mean) + 4*(span+(one+up)*math.Abs(s.mean)) + tails*far
	s.errLogM = rounding*math.Abs(s.logM) + 2*(one+up) + 2*tails
}

// gumbel returns g at x+ib.
func (k cut) gumbel(x, b float64) complex128 {
	u := math.Min((x-k.x0)/k.width, 50)
	return cmplx.Exp(-cmplx.Exp(complex(u, b/k.width)))
}

// NewIntegral samples δ_g's transform on the line Re z = c.
func (t *Trim) NewIntegral(table []Point, c, omega, epsilon, logTol, work float64) (*Integral, bool) {
	mu2 := t.p.MuSquared
	in := &Integral{dir: Remove, c: c, h: 2 * math.Pi / omega, table: table, logLeft: t.LogLeft}
	in.logM = mu2 * c * (c + 1) / 2
	in.mean = mu2 * (2*c + 1) / 2
	in.errLogM = 4*Unit*in.logM + 1.01*math.Exp(-trimSlack)
	var steps []*tilted
	for i, w := range t.laws {
		s, ok := newTrimmed(w.Phase, w.meter, c, TailFor(w.Count), t.cuts[i])
		if !ok {
			return nil, false
		}
		steps = append(steps, s)
	}
	return in.finish(t.p, steps, epsilon, logTol, work)
}
