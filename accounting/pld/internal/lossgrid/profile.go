package lossgrid

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// Profile walks δ(ε) of a composed law from large to small ε. All values are scaled by e^{-scale},
// scale = logM - a·origin.
//
//	δ(kh) e^{-scale} = Σ_{j>k} w_j (1 - e^{(k-j)h}),   w_j = tilted_j e^{-a(jh - origin)}
//
// by the recursion with positive terms, B_k = Σ_{j>k} w_j e^{(k-j)h}:
//
//	B_k = e^{-h} (w_{k+1} + B_{k+1}),   D_k = D_{k+1} + (1-e^{-h}) (w_{k+1} + B_{k+1}).
//
// Errors, at ε = kh, on the same scale and with t = e^{-a(ε - origin)}:
//
//	rounding   round · t · Σ_{i>=1} e^{-aih} (1-e^{-ih})
//	wrapped    κ(a) t (below + above): bounds the mass moved in (upper bounds keep
//	           that mass, lower ones subtract this bound)
//	above      κ(a) t above: the mass that the window misses, for upper bounds
//
// The mass at infinity, e^{logInf - scale}, is part of δ at every ε.
type Profile struct {
	c       composed
	origin  float64
	scale   float64
	upper   bool
	k       int // D and B are at ε = kh
	d, b    float64
	above   float64 // D one cell up
	rounded float64
	kappa   float64
	inf     float64
}

func newProfile(c composed, origin float64, upper bool) *Profile {
	p := &Profile{c: c, origin: origin, upper: upper, scale: c.logM - c.a*origin}
	p.k = c.first + len(c.tilted) - 1
	p.kappa = math.Exp(LogKappa(c.a))
	n := float64(len(c.tilted))
	x, y := -math.Expm1(-c.a*c.h), -math.Expm1(-(c.a+1)*c.h)
	p.rounded = c.round * math.Min(n, 1/x-1/y+1)
	p.inf = math.Exp(c.logInf - p.scale)
	return p
}

// down moves from ε = kh to (k-1)h.
func (p *Profile) down() {
	w := p.c.tilted[p.k-p.c.first] * math.Exp(-p.c.a*(float64(p.k)*p.c.h-p.origin))
	t := math.Max(0, w) + p.b
	p.above = p.d
	p.d += -math.Expm1(-p.c.h) * t
	p.b = math.Exp(-p.c.h) * t
	p.k--
}

// margin returns the error terms at ε = kh, for everything from there up to (k+1)h.
func (p *Profile) margin() float64 { return p.marginAt(p.k) }

// marginAt is margin at a given k, at or above that of the profile.
func (p *Profile) marginAt(k int) float64 {
	t := math.Exp(-p.c.a * (float64(k)*p.c.h - p.origin))
	relative := 8 * unit * (p.c.steps + float64(len(p.c.tilted)) + math.Abs(p.c.logM) + math.Abs(p.c.a*p.origin))
	m := p.rounded*t + relative*(p.d+p.inf)
	if p.upper {
		return m + outside(p.kappa*t, p.c.above)
	}
	return m + outside(p.kappa*t, p.c.below+p.c.above)
}

// outside returns weight·mass. It is 0 if mass is 0, whatever the weight.
func outside(weight, mass float64) float64 {
	if mass == 0 {
		return 0
	}
	return weight * mass
}

// slack is the shift of ε that covers the rounding of edges and masses, a few units of the
// largest loss in each run.
func (p *Profile) slack() float64 { return 16 * unit * p.c.edge }

// EpsilonAt returns a bound of ε at log δ, upper or lower as the profile is. If the window ends
// above the answer, an upper bound is the window's end and a lower bound is 0.
func (p *Profile) EpsilonAt(logDelta float64) float64 {
	if !p.inRange(math.Exp(logDelta - p.scale)) {
		return p.unknown()
	}
	want := math.Exp(logDelta-p.scale) - p.inf
	if p.upper && !(p.margin() <= want) || !p.upper && p.margin() <= -want {
		return math.Inf(1)
	}
	for p.k >= p.c.first && p.k > 0 {
		p.down()
		m := p.margin()
		if p.upper && !(p.d+m <= want) { // true for NaN
			return p.solve(want-m) + p.slack()
		}
		if !p.upper && p.d-m >= want {
			return math.Max(0, p.solve(want+m)-p.slack())
		}
	}
	if p.upper {
		return math.Max(0, float64(p.k)*p.c.h) + p.slack()*b2f(p.k > 0)
	}
	return 0
}

// leastScaled is the least scaled δ that is compared. The terms of smaller ones underflow, and
// would vanish from margins as well. Such a δ is far outside the window.
const leastScaled = 1e-280

func (p *Profile) inRange(scaled float64) bool {
	return scaled >= leastScaled && scaled <= 1/leastScaled
}

// unknown returns the bound of ε without information.
func (p *Profile) unknown() float64 {
	if p.upper {
		return math.Inf(1)
	}
	return 0
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// solve returns the ε in [kh, (k+1)h] where the profile is want. The profile is linear in e^ε
// there.
func (p *Profile) solve(want float64) float64 {
	f := 0.0
	if p.d > p.above && !math.IsNaN(want) {
		f = math.Min(1, math.Max(0, (want-p.above)/(p.d-p.above)))
	}
	h := p.c.h
	return float64(p.k)*h + h + math.Log1p(f*math.Expm1(-h))
}

// LogDeltaAt returns a bound of log δ at ε. ε must not rise from one call to the next.
func (p *Profile) LogDeltaAt(epsilon float64) float64 {
	h := p.c.h
	shifted := epsilon + p.slack()
	if p.upper {
		shifted = math.Max(0, epsilon-p.slack())
	}
	k := int(math.Floor(shifted / h))
	if k < p.c.first {
		if p.upper {
			return 0
		}
		return math.Inf(-1)
	}
	for p.k > k {
		p.down()
	}
	value := 0.0
	if p.k == k { // else ε lies above the window
		f := math.Expm1(shifted-float64(k+1)*h) / math.Expm1(-h) // weight of D_k: linear in e^ε
		value = p.above + math.Min(1, math.Max(0, f))*(p.d-p.above)
	}
	m := p.marginAt(k)
	if p.upper && !p.inRange(value+m+p.inf) {
		return 0
	}
	if p.upper {
		return math.Min(0, p.scale+numeric.Log(value+m+p.inf))
	}
	infinite := p.c.logInf - 16*unit*(p.c.steps+math.Abs(p.c.logInf)) // a lower bound
	if math.IsInf(p.c.logInf, -1) {
		infinite = p.c.logInf
	}
	if finite := value - m + p.inf; p.inRange(finite) {
		return math.Max(infinite, p.scale+numeric.Log(finite))
	}
	return infinite
}

// LogKappa returns log sup_{y>=0} (1-e^{-y}) e^{-ay} = a log a - (1+a) log(1+a).
func LogKappa(a float64) float64 {
	if a == 0 {
		return 0
	}
	return -a*math.Log1p(1/a) - math.Log1p(a)
}
