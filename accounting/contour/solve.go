package contour

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// answer is what is known of a number (ε, or log δ) in one direction.
type answer struct {
	lower, estimate, upper float64
	fallback               bool // without the contour: upper is Chernoff's bound
	contradiction          bool // two certified bounds excluded each other
}

// meet intersects the answer with certified bounds. If they exclude each other, one is wrong, and
// it is unknown which. The answer then spans both and is marked.
func (a *answer) meet(lower, upper float64) {
	if lower > a.upper || upper < a.lower {
		a.lower, a.upper = math.Min(a.lower, lower), math.Max(a.upper, upper)
		a.contradiction = true
	} else {
		a.lower, a.upper = math.Max(a.lower, lower), math.Min(a.upper, upper)
	}
	a.estimate = math.Min(math.Max(a.estimate, a.lower), a.upper)
}

// most and least intersect the answer with one bound.
func (a *answer) most(upper float64)  { a.meet(math.Inf(-1), upper) }
func (a *answer) least(lower float64) { a.meet(lower, math.Inf(1)) }

// problem is one direction of a program.
type problem struct{ transform.MGF }

// problems returns both directions. They share the grids of the phases. For a replaced record the
// first is both of them, and the second is not used.
func (g program) problems() [2]*problem {
	laws := make([]*transform.Law, len(g.phases))
	m := &transform.Meter{}
	for i, f := range g.phases {
		laws[i] = transform.NewLaw(f, transform.TailFor(f.Count), math.Inf(1), m)
	}
	mu2 := g.mu * g.mu
	return [2]*problem{{transform.MGF{Dir: transform.Remove, Laws: laws, MuSquared: mu2, Meter: m}}, {transform.MGF{Dir: transform.Add, Laws: laws, MuSquared: mu2, Meter: m}}}
}

// Widths of log δ, or relative widths of ε. Below goodWidth no second integral is tried, and below
// fairWidth no other method. Below wideWidth no large losses are counted: that takes the most time.
const (
	goodWidth = 1e-10
	fairWidth = 1e-8
	wideWidth = 1e-6
)

// question asks one direction for ε at log δ, or for log δ at ε.
type question struct {
	p        *problem
	forDelta bool
	epsilon  float64 // given, or the present guess
	logDelta float64 // given, or the present guess
	chernoff float64 // Chernoff's bound of the unknown
	ceiling  float64 // the best certified upper bound so far
	out      answer

	table     []transform.Point   // of Chernoff bounds, for the line of the check; nil if there is none
	left      *transform.Point    // the best of table, if no integral was tried; nil otherwise
	trim      *transform.Trim     // nil if the law was not trimmed
	trimTable []transform.Point   // of the trimmed law
	best      *transform.Integral // the one with the narrowest interval; nil if there is none
	bestBy    attempt             // which made best
	now       attempt             // which is made now
	hint
	counted bool // participations were tried
	choice  int  // the last choice of a cut
	cutLaws map[float64][]*transform.Law
}

// epsilonAt bounds one direction's ε at log δ. If it is certainly below enough, that is all it
// shows. Then δ at enough is below the target by a factor e² or more, so Chernoff's bound may serve
// the check of enough.
func (p *problem) epsilonAt(logDelta, enough float64) *question {
	best, tried := p.ChernoffEpsilon(logDelta, p.firstA(logDelta))
	ceiling := math.Min(best.Epsilon(logDelta), p.mostLoss())
	if ceiling <= 0 {
		return &question{p: p}
	}
	q := &question{p: p, hint: noHint, logDelta: logDelta, chernoff: ceiling, ceiling: ceiling, out: answer{upper: ceiling, estimate: ceiling, fallback: true}}
	if best.A*(enough-ceiling) < 2 {
		q.answer(best, tried)
	} else {
		q.left, q.table = &best, tried
	}
	return q
}

// mostLoss bounds the loss of all steps: -log(1-q) a step in the add direction, rounded up.
func (p *problem) mostLoss() float64 {
	if p.Dir == transform.Remove || p.MuSquared > 0 {
		return math.Inf(1)
	}
	var sum float64
	for _, w := range p.Laws {
		sum -= w.Count * math.Log1p(-w.Q)
	}
	return sum * (1 + 1e-12)
}

// Below logNothing, Chernoff's bound of log δ is enough: e^logNothing is 0 in float64.
const logNothing = -2000

// logDeltaAt bounds one direction's log δ at ε. If it is certainly at most enough, that is all it
// shows.
func (p *problem) logDeltaAt(epsilon, enough float64) *question {
	h := noHint
	h.enough = enough
	return p.logDeltaFrom(epsilon, h)
}

// hint is what a question at a near ε has shown. It decides where searches begin, and which
// attempts are left out.
type hint struct {
	a          float64 // of the best Chernoff bound
	level      int     // of trimLevels
	first      attempt // comes before the others
	logDelta   float64 // a guess
	enough     float64 // if log δ is certainly at most this, no integral is made
	fair, wide float64 // in place of fairWidth and wideWidth
}

var noHint = hint{a: 1, enough: math.Inf(-1), fair: fairWidth, wide: wideWidth}

// logDeltaFrom bounds log δ at ε.
func (p *problem) logDeltaFrom(epsilon float64, h hint) *question {
	q := &question{p: p, hint: h, forDelta: true, epsilon: epsilon, out: answer{lower: math.Inf(-1), estimate: math.Inf(-1), upper: math.Inf(-1)}}
	if epsilon >= p.mostLoss() {
		return q
	}
	if epsilon > mostEpsilon { // δ falls with ε
		q.out.upper = p.logDeltaAt(mostEpsilon, math.Inf(-1)).out.upper
		q.out.estimate, q.out.fallback = q.out.upper, true
		return q
	}
	if floor := p.bestFloor(epsilon); p.Dir == transform.Remove && floor > -1e-9 {
		q.out = answer{lower: floor, estimate: floor}
		return q
	}
	best, tried := p.ChernoffDelta(epsilon, h.a)
	q.chernoff = best.LogDelta(epsilon)
	q.ceiling, q.out.estimate, q.out.upper, q.out.fallback = q.chernoff, q.chernoff, q.chernoff, true
	if q.ceiling <= h.enough {
		q.table = tried
		q.out.estimate = math.Inf(-1)
		return q
	}
	if q.ceiling >= logNothing {
		q.answer(best, tried)
	}
	return q
}

// answer makes attempts until the interval is fair, and intersects their intervals:
//
//  1. the integral of the whole law, with little work
//  2. the trimmed law (remove direction only)
//  3. participations (remove direction only, not for a replaced record), if the interval is wide
//  4. the integral of the whole law with more work, if the work did not suffice before
//  5. the closed-form lower bound (remove direction only)
//
// A replaced record has the remove direction. Its δ is at least that of the removed record, so the
// closed-form lower bound holds: the new record's vector may be 0 (package pld, replaceone_sum.go).
func (q *question) answer(best transform.Point, tried []transform.Point) {
	sd := spread(q.p.At, best.A)
	q.guess(best, sd)
	table := transform.TableOf(q.p.At, best, sd, tried)
	q.table = table
	line := func(c, omega, logTol, work float64) (*transform.Integral, bool) {
		return q.p.NewIntegral(table, c, omega, q.epsilon, logTol, work)
	}
	order := [...]attempt{byWhole, byTrimmed, byParts, byMore}
	if i := slices.Index(order[:], q.first); i > 0 {
		copy(order[1:i+1], order[:i])
		order[0] = q.first
	}
	sampled := false
	for _, q.now = range order {
		switch {
		case q.now == byWhole && q.width() > q.fair:
			sampled = q.passes(table, line, 31, transform.SomeWork)
		case q.now == byTrimmed && q.width() > q.fair && q.cuts():
			q.solveTrimmed()
		case q.now == byParts && q.width() > q.wide && q.cuts() && !q.p.Laws[0].Replaced:
			q.solveParticipations()
			q.counted = true
		case q.now == byMore && q.width() > q.fair && !sampled:
			q.passes(table, line, 31, transform.MaxWork)
		}
	}
	if q.p.Dir == transform.Remove && q.width() > q.fair {
		q.raiseFloor()
	}
}

// attempt names the attempts of answer that make integrals.
type attempt int

const (
	byWhole attempt = iota
	byTrimmed
	byParts
	byMore
)

// cuts reports whether parts of the law are tried.
func (q *question) cuts() bool { return q.p.Dir == transform.Remove && len(q.p.Laws) <= mostCut }

// raiseFloor adds the closed-form lower bound if the integral is not conclusive.
func (q *question) raiseFloor() {
	if q.forDelta {
		q.out.least(q.p.bestFloor(q.epsilon))
	} else {
		q.out.least(q.p.floorEpsilon(q.logDelta, q.chernoff))
	}
}

// Trimming, participations and grids are tried up to mostCut phases.
const mostCut = 8

// guess sets the unknown from the best Chernoff bound.
func (q *question) guess(best transform.Point, sd float64) {
	if gap := chernoffGap(best.A, sd); q.forDelta {
		q.logDelta = math.Min(q.ceiling-gap, q.hint.logDelta)
	} else {
		q.epsilon = math.Max(0, q.ceiling-gap/best.A)
	}
}

// width returns the width of log δ, or the relative width of ε.
func (q *question) width() float64 {
	if w := q.out.upper - q.out.lower; q.forDelta || w == 0 {
		return w
	}
	return (q.out.upper - q.out.lower) / q.out.upper
}

// lineMaker samples an integral on the line Re z = c.
type lineMaker func(c, omega, logTol, work float64) (*transform.Integral, bool)

// passes integrates up to three times until the interval is good. Each pass starts from the last
// guess with a tighter tolerance (e^-digits of δ at first). If the work is insufficient it asks for
// less. It returns false if some integral took too much work or has no bounds.
func (q *question) passes(table []transform.Point, line lineMaker, digits, work float64) bool {
	enough := true
	for pass := 0; pass < 3; pass, digits = pass+1, digits+4 {
		logTol := q.logDelta - digits
		c, omega := transform.ChooseLine(table, q.epsilon, logTol)
		if !(omega < math.Inf(1)) {
			return false
		}
		in, ok := line(c, omega, logTol, work)
		if !ok && work > transform.SomeWork && digits > 12 {
			enough = false
			digits -= 12
			continue
		}
		before := q.width()
		if !ok || !q.take(in) {
			return false
		}
		if q.width() <= goodWidth || pass > 0 && q.width() > 0.5*before {
			return enough
		}
	}
	return enough
}

// take intersects the interval with an integral's bounds and moves the guess. It returns false if
// the integral has no bounds.
func (q *question) take(in *transform.Integral) bool {
	var lower, estimate, upper float64
	ok := true
	if q.forDelta {
		lower, estimate, upper, _ = in.LogDelta(q.epsilon)
		ok = !math.IsInf(estimate, 0)
	} else {
		lower, estimate, upper, ok = in.Root(q.logDelta, q.epsilon, q.ceiling)
	}
	if !ok {
		return false
	}
	narrower := upper-lower < q.out.upper-q.out.lower
	if narrower {
		q.best, q.bestBy = in, q.now
		q.out.estimate = estimate
		q.out.fallback = q.forDelta && math.IsInf(lower, -1)
	}
	q.out.meet(lower, upper)
	if q.forDelta {
		q.logDelta = estimate
	} else {
		q.epsilon = estimate
	}
	return true
}

// firstA returns a first guess of the best a at log δ. It is the lesser of two values. √(2
// log(1/δ))/s is right for a Gaussian loss of variance s². The other is where the hump of large
// losses at x = a+1, of weight T q^α e^{α(α-1)/2σ²}, takes over. The search corrects a poor guess.
func (p *problem) firstA(logDelta float64) float64 {
	s2, wall := p.MuSquared+1e-12, math.Inf(1)
	for _, w := range p.Laws {
		v := 1 / (w.Sigma * w.Sigma)
		square := math.Expm1(math.Min(v, 30))
		if w.Replaced {
			square = 2 * math.Sinh(math.Min(v, 30))
		}
		s2 += w.Count * w.Q * w.Q * square
		linear := v/2 - numeric.Log(w.Q)
		root := linear*linear - 2*v*numeric.Log(w.Count/(1-logDelta))
		wall = math.Min(wall, math.Max(0.01, (linear+math.Sqrt(math.Max(0, root)))/v-1))
	}
	return math.Min(math.Sqrt(-2*logDelta/s2), wall)
}

// spread estimates the standard deviation of the tilted total loss by differences of K.
func spread(at func(float64) transform.Point, a float64) float64 {
	h := 0.05 * a
	k := func(a float64) float64 { return at(a).Value - transform.LogKappa(a) }
	v := (k(a+h) - 2*k(a) + k(a-h)) / (h * h)
	if !(v > 0) || math.IsInf(v, 1) {
		return 1 / a
	}
	return math.Sqrt(v)
}

// chernoffGap estimates the log of the ratio of Chernoff's bound to δ at its best a. It uses the
// saddle-point value e^A/(a(a+1) s √(2π)). Only the choice of the line depends on it.
func chernoffGap(a, sd float64) float64 {
	return math.Max(0.3, numeric.Log(1.3+a*(a+1)*sd*transform.Sqrt2Pi)+transform.LogKappa(a))
}
