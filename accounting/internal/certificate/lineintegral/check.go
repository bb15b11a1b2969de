package lineintegral

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Witness is how to check one direction.
type Witness struct {
	Line
	From  float64 `json:"from,omitempty"` // the ε of New, if that of At is above it
	Share float64 `json:"share"`          // a guess of this direction's δ over the larger one's, which decides how much work is done
}

// Pairs of a node and a point are capped: quickWork if a higher ε may still be tried.
const (
	quickWork = 1 << 18
	fairWork  = 1 << 21
	mostWork  = 1 << 25
)

const claim = "the inverse Laplace transform of E e^{zL} in both directions, a midpoint sum with proved errors"

// Check checks bounds of one program. It keeps the transforms from one ε to the next.
type Check struct {
	program        Program
	witnesses      [2]Witness
	epsilon, delta float64
	lines          [2]*line
	sums           [2]*transform // with as many points as δ asks for
	failed         [2]error      // of such a sum
	work           int
}

// New returns a check for ε at delta and for slightly larger ones. The first witness is that of
// the remove direction, the second that of the add direction. A replaced record has only the first.
func New(p Program, witnesses [2]Witness, epsilon, delta float64) *Check {
	return &Check{program: p, witnesses: witnesses, epsilon: epsilon, delta: delta}
}

// At shows that the program is (epsilon, delta)-differentially private. epsilon must be at least
// that of New, with the same delta. The error is the reason why not.
func (c *Check) At(epsilon float64) (accounting.Certificate, error) {
	c.work = 0
	if delta := c.program.totalVariation(); delta <= c.delta {
		return accounting.Certificate{Claim: "the total variation distance", Epsilon: epsilon, DeltaUpper: delta, Work: 1, Proof: c.proof(epsilon)}, nil
	}
	var worst float64
	for d := range c.program.directions() {
		delta, err := c.bound(d, epsilon)
		if err != nil {
			return accounting.Certificate{}, err
		}
		if !(delta <= c.delta) {
			return accounting.Certificate{}, fmt.Errorf("the line integral of the %v direction shows δ <= %g at ε = %g", d, delta, epsilon)
		}
		worst = max(worst, delta)
	}
	return accounting.Certificate{Claim: claim, Epsilon: epsilon, DeltaUpper: worst, Work: c.work, Proof: c.proof(epsilon)}, nil
}

// The rules of proofs by this package. The first has the witnesses of New, and the second a list of
// Anchor.
const (
	Rule        = "line integral"
	RuleProfile = "line integrals of a profile"
)

func (c *Check) proof(epsilon float64) *accounting.Proof {
	w := c.witnesses
	if epsilon > c.epsilon {
		w[0].From = c.epsilon
	}
	return certificate.Proof(Rule, w)
}

// directions returns the number of directions.
func (p Program) directions() direction {
	if p.Replaced {
		return 1
	}
	return 2
}

// bound returns an upper bound of δ in one direction.
func (c *Check) bound(d direction, epsilon float64) (float64, error) {
	w := c.witnesses[d]
	if w.Share < mostShare {
		if delta := c.program.chernoff(d, w, epsilon); delta <= c.delta {
			return delta, nil
		}
	}
	if c.lines[d] == nil && c.failed[d] == nil {
		c.first(d)
	}
	if f := c.sums[d]; f != nil {
		c.work += f.work
		return f.delta(epsilon), nil
	}
	up := epsilon - c.epsilon
	if c.lines[d] == nil || !(up > 1e-8*c.epsilon) && epsilon > 0 {
		return 0, c.failed[d]
	}
	work := quickWork
	if up > 1e-5*c.epsilon || epsilon == 0 {
		work = mostWork
	}
	f, err := c.lines[d].blurred(c.wanted(d), epsilon, up, c.delta, work)
	c.work += f.work
	return f.delta(epsilon), err
}

// Below returns a lower bound of δ at epsilon, by the sums that At has used. It is 0 if they show
// none.
func (c *Check) Below(epsilon float64) (delta float64) {
	for _, f := range c.sums {
		if f != nil {
			delta = max(delta, f.bounds(epsilon).Lo)
		}
	}
	return delta
}

// first samples the transform of one direction with a rest that fits δ.
func (c *Check) first(d direction) {
	l, ok := c.program.prepare(d, c.witnesses[d].Line)
	if !ok {
		c.failed[d] = errors.New("no line of the integral fits")
		return
	}
	c.lines[d] = &l
	f, err := l.within(c.delta*c.wanted(d), c.epsilon, quickWork)
	if errors.Is(err, errSlow) {
		for _, r := range l.real {
			l.shifted = append(l.shifted, newShifted(r))
		}
		f, err = l.within(c.delta*c.wanted(d), c.epsilon, fairWork)
	}
	if err != nil {
		c.failed[d] = err
		return
	}
	c.sums[d] = &f
}

// wanted is the error, relative to δ.
func (c *Check) wanted(d direction) float64 {
	return max(2e-9, (1-c.witnesses[d].Share)/3)
}

// A direction of a share below mostShare is first bounded by Chernoff's bound.
const mostShare = 0.2

// totalVariation bounds δ at every ε by the distance δ(0), the same in both directions. One step
// has the distance d = q erf(µ/2√2), µ = 1/σ, which is at most q µ/√(2π). The best coupling of
// each step makes all outputs equal with probability Π (1-d)^T, so the distance of all is at most
// 1 - Π (1-d)^T. For a replaced record µ is 2/σ.
func (p Program) totalVariation() float64 {
	mu := p.muSquared().Sqrt() // of all plain Gaussians as one
	logSame := distance(mu).Neg().Log1p()
	for _, f := range p.Phases {
		mu := one.Div(interval.Of(f.Noise))
		if p.Replaced {
			mu = mu.Add(mu)
		}
		d := interval.Of(f.Rate).Mul(distance(mu))
		logSame = logSame.Add(interval.Of(f.Count).Mul(d.Neg().Log1p()))
	}
	return min(1, logSame.Expm1().Neg().Hi)
}

// distance returns bounds of erf(µ/2√2) for µ >= 0.
func distance(mu I) I {
	if mu.Lo > 0.01 {
		return one.Sub(mu.Div(interval.Of(8).Sqrt()).Erfc())
	}
	return I{Lo: 0, Hi: min(1, mu.Div(interval.Pi().Mul(interval.Of(2)).Sqrt()).Hi)}
}

// chernoff bounds δ(ε) of one direction without an integral. It uses Chernoff's bound κ(a) M(a)
// e^{-aε} at a = C. In the add direction it also uses the largest loss, -log(1-q) a step.
func (p Program) chernoff(d direction, w Witness, epsilon float64) float64 {
	l := line{Line: Line{C: w.C}, dir: d, mu2: p.muSquared()}
	for _, f := range p.Phases { // the whole law of each
		if !(w.C > 1e-6 && w.C < 1e6) {
			break
		}
		r, ok := newRealLine(p.law(f), d, w.C, coarse)
		if !ok {
			l.C = 0
			break
		}
		l.logM = l.logM.Add(interval.Of(f.Count).Mul(r.logM()))
	}
	return l.chernoff(p, epsilon)
}

// chernoff is that of a program from its log M(c). The law is not trimmed.
func (l line) chernoff(p Program, epsilon float64) float64 {
	if l.dir == add && len(p.Gaussians) == 0 {
		var most I
		for _, f := range p.Phases {
			most = most.Sub(interval.Of(f.Count).Mul(interval.Of(-f.Rate).Log1p()))
		}
		if most.Hi <= epsilon {
			return 0
		}
	}
	if !(l.C > 1e-6 && l.C < 1e6) || len(l.Cuts) > 0 {
		return 1
	}
	a := interval.Of(l.C)
	log := logKappa(l.C).Sub(a.Mul(interval.Of(epsilon))).Add(l.mu2.Mul(a).Mul(a.Add(one)).Mul(half)).Add(l.logM)
	return min(1, log.Exp().Hi)
}

var errSlow = errors.New("the transform decays too slowly")

// within samples as many points as an error of tol asks for.
func (l line) within(tol, epsilon float64, work int) (transform, error) {
	logTol := numeric.Log(tol) - (l.logMGuess() - l.C*epsilon)
	n := l.points(logTol-1, work/(l.work/2+40))
	if n == 0 {
		return transform{}, errSlow
	}
	f, ok := l.sample(n, 3-logTol)
	if !ok {
		return f, errors.New("the inner integral needs too many nodes")
	}
	return f, nil
}

// blurred releases a Gaussian in addition. That can only raise δ, and makes the transform decay.
// µ² of it raises log δ by about µ² s(s+1)/2, s the slope of log δ. ε was raised by up, which
// lowered log δ by s·up. s is not known, so µ² is lowered after a first attempt. At ε = 0 the
// room is unknown too.
func (l line) blurred(wanted, epsilon, up, delta float64, work int) (f transform, err error) {
	room := l.C * up
	if epsilon == 0 {
		room = 1e-3
	}
	l.extra = 0.3 * room / (l.C * (l.C + 1))
	for range 3 {
		if f, err = l.within(delta*max(wanted, room/4), epsilon, work); err != nil {
			return f, err
		}
		at, next := f.delta(epsilon), f.delta(epsilon+up)
		if at <= delta {
			return f, nil
		}
		if epsilon == 0 {
			room, l.extra = room/10, l.extra/10
			continue
		}
		room = numeric.Log(at / next)
		bias := numeric.Log(at/delta) + room
		if !(room > 0 && room < bias && bias < 1e4*room) {
			break
		}
		l.extra *= 0.5 * room / bias
	}
	return f, errSlow
}

// logMGuess returns a guess of log M(c) of all steps.
func (l line) logMGuess() float64 {
	return l.logM.Hi + l.mu2.Hi*l.C*(l.C+1)/2
}
