package pld

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld/internal/lossgrid"
)

// coarseCopy is a coarse copy of a composition in one direction. It only chooses the tilt, the step
// and the window. No bound depends on it.
type coarseCopy struct {
	laws []coarseLaw
}

type coarseLaw struct {
	count      float64
	logP, loss []float64
}

const coarseCells = 320

func newCoarse(mechanisms []mechanism, d direction) coarseCopy {
	var s coarseCopy
	for _, f := range mechanisms {
		law := coarseLaw{count: f.count}
		for _, a := range f.laws(d) {
			if a.p > -737 && a.q > math.Inf(-1) {
				law.logP = append(law.logP, a.p)
				law.loss = append(law.loss, a.p-a.q)
			}
		}
		s.laws = append(s.laws, law)
	}
	return s
}

// logAtom is an atom with the logarithms of its masses. If two Gaussians are far apart, one of the
// masses underflows everywhere.
type logAtom struct{ p, q float64 }

// laws returns a coarse copy under the two laws of direction d.
func (f mechanism) laws(d direction) []logAtom {
	if b, ok := f.base.(whole); ok {
		return b.ownAtoms(f, d)
	}
	if f.fixedSize {
		return f.fixedSizeAtoms()
	}
	atoms := f.coarseAtoms()
	for i, a := range atoms {
		a = f.logSampled(a)
		if d == add {
			a.p, a.q = a.q, a.p
		}
		atoms[i] = a
	}
	if f.shown > 0 {
		return f.shownAtoms(atoms)
	}
	return atoms
}

// logSampled is sampled on logarithms.
func (f mechanism) logSampled(a logAtom) logAtom {
	return logAtom{numeric.Add(math.Log1p(-f.rate)+a.q, numeric.Log(f.rate)+a.p), a.q}
}

// coarseAtoms returns the points and coarse cells of the unsampled mechanism. If the mass of a cell
// underflows under one law, it is computed from the mass under the other.
func (f mechanism) coarseAtoms() []logAtom {
	var out []logAtom
	points := f.base.points()
	if b, ok := f.base.(attackBase); ok {
		points = b.coarsened()
	}
	for _, a := range points {
		l := logAtom{numeric.Log(a.p), numeric.Log(a.q)}
		switch {
		case math.IsInf(a.loss, 0):
		case a.q < leastMass:
			l.q = l.p - a.loss
		case a.p < leastMass:
			l.p = l.q + a.loss
		}
		out = append(out, l)
	}
	lo, hi, ok := f.base.line(-700)
	if !ok {
		return out
	}
	edges := make([]float64, coarseCells+1)
	for i := range edges {
		edges[i] = lo + (hi-lo)*float64(i)/coarseCells
	}
	for i, a := range f.base.cells(edges) {
		l := logAtom{numeric.Log(a.p), numeric.Log(a.q)}
		loss := f.base.loss((edges[i] + edges[i+1]) / 2)
		switch {
		case a.p < leastMass && a.q < leastMass:
			continue
		case a.q < leastMass:
			l.q = l.p - loss
		case a.p < leastMass:
			l.p = l.q + loss
		}
		out = append(out, l)
	}
	return out
}

// logM returns log E e^{aL} of the composition.
func (s coarseCopy) logM(a float64) float64 {
	total := 0.0
	for _, law := range s.laws {
		shift := math.Inf(-1)
		for i, lp := range law.logP {
			shift = math.Max(shift, lp+a*law.loss[i])
		}
		if math.IsInf(shift, -1) {
			return shift
		}
		sum := 0.0
		for i, lp := range law.logP {
			if e := lp + a*law.loss[i] - shift; e > -40 {
				sum += math.Exp(e)
			}
		}
		total += law.count * (shift + numeric.Log(sum))
	}
	return total
}

// logTiltLow and logTiltHigh bound the tilts that are tried, as logarithms.
const logTiltLow, logTiltHigh = -16., 20.

// minimize returns the a > 0 with the least f(a), f being unimodal in a.
func minimize(f func(a float64) float64) (a, value float64) {
	value = math.Inf(1)
	const grid = 36
	best := 0.0
	for i := range grid + 1 {
		u := logTiltLow + (logTiltHigh-logTiltLow)*float64(i)/grid
		if v := f(math.Exp(u)); v < value {
			best, value = u, v
		}
	}
	lo, hi := best-1, best+1
	for range 16 {
		u, v := lo+(hi-lo)*0.382, lo+(hi-lo)*0.618
		if f(math.Exp(u)) < f(math.Exp(v)) {
			hi = v
		} else {
			lo = u
		}
	}
	a = math.Exp((lo + hi) / 2)
	if v := f(a); v < value {
		return a, v
	}
	return math.Exp(best), value
}

// target is where the accuracy is needed: near ε, at tilt a. logDelta is Chernoff's bound of log δ
// there.
type target struct{ a, epsilon, logDelta float64 }

// atDelta returns the target where Chernoff's bound meets logDelta.
func (s coarseCopy) atDelta(logDelta float64) target {
	a, epsilon := minimize(func(a float64) float64 { return (s.logM(a) + lossgrid.LogKappa(a) - logDelta) / a })
	if epsilon > 0 {
		return target{a, epsilon, logDelta}
	}
	return s.atEpsilon(0)
}

func (s coarseCopy) atEpsilon(epsilon float64) target {
	a, logDelta := minimize(func(a float64) float64 { return s.logM(a) + lossgrid.LogKappa(a) - a*epsilon })
	return target{a, epsilon, math.Min(0, logDelta)}
}

// logOutside is the logarithm of the tilted mass that the window may miss at each end.
const logOutside = -24

// looser is the part of Chernoff's exponent that may be given up for a smaller window. Near a = 2σ²
// log(1/q) the tilted law has two humps far apart. A slightly smaller tilt avoids the second.
const looser = 3

// settle moves the tilt of a target down to where the window is smallest.
func (s coarseCopy) settle(t target) (target, float64, float64, float64, float64) {
	exponent := func(a float64) float64 { return s.logM(a) + lossgrid.LogKappa(a) - a*t.epsilon }
	best := t
	lo, hi, aLow, aHigh := s.window(t.a)
	limit := exponent(t.a) + looser
	for i := 1; i <= 6; i++ {
		a := t.a * math.Exp(-0.2*float64(i))
		if exponent(a) > limit {
			break
		}
		if l, h, al, ah := s.window(a); h-math.Min(l, t.epsilon) < hi-math.Min(lo, t.epsilon) {
			best.a, lo, hi, aLow, aHigh = a, l, h, al, ah
		}
	}
	return best, lo, hi, aLow, aHigh
}

// window returns losses lo and hi beyond which the law tilted by a has mass about e^{logOutside}
// each, and the tilts whose Chernoff bounds prove it.
func (s coarseCopy) window(a float64) (lo, hi, aLow, aHigh float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	here := s.logM(a)
	for u := -9.0; u <= 9; u += 0.6 {
		gap := a * math.Exp(u)
		if up := (s.logM(a+gap) - here - logOutside) / gap; up < hi {
			hi, aHigh = up, a+gap
		}
		if down := (here - s.logM(a-gap) + logOutside) / gap; down > lo {
			lo, aLow = down, a-gap
		}
	}
	return lo, hi, aLow, aHigh
}
