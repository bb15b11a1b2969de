package contour

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/numeric"
)

// Accountant certifies ε and δ of Gaussians, Poisson-sampled Gaussians and compositions of these.
// It also takes Parallel and WorstCase of such compositions, and prices Shuffled batches from
// above, as releases in a known order. The zero value is ready for use.
//
// Under ReplaceOne a Poisson sample must hold a ClippedSum, and there must be no Parallel.
//
// Both ends of ε are checked in outward-rounded intervals (certify.go), where a check succeeds.
// DeltaAt and its variants are not checked.
type Accountant struct {
	Relation accounting.Neighboring // 0 is AddOrRemoveOne

	options accounting.Options
}

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant.
func NewAccountant() Accountant { return Accountant{} }

// Options returns the options of its answers.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options.Unchecked = o.Unchecked
	return a
}

// Name returns "contour".
func (Accountant) Name() string { return "contour" }

// Neighboring returns the relation. The default is AddOrRemoveOne.
func (a Accountant) Neighboring() accounting.Neighboring {
	if a.Relation == 0 {
		return accounting.AddOrRemoveOne
	}
	return a.Relation
}

// ErrWide is the warning of an interval of relative width above 1e-6. Its ends are certified; its
// estimate may be far from the truth.
var ErrWide = errors.New("contour: wide interval")

// ErrChernoff is the warning of an interval without a certified integral; it wraps [ErrWide]. The
// upper end is Chernoff's bound, the one of a Rényi accountant, or +Inf.
var ErrChernoff = fmt.Errorf("%w: the integral was not certified; the upper end is Chernoff's bound", ErrWide)

// ErrContradiction is the warning of bounds that exclude each other. One of them is wrong, by a
// rounding error or a fault of this package. The interval then spans all of them. Please report it.
var ErrContradiction = errors.New("contour: two of its bounds contradict each other")

// A guarantee of relative width above warnWidth carries ErrWide.
const warnWidth = 1e-6

// EpsilonAt returns a certified interval of ε, in nats, for event at delta in (0, 1).
// Both directions are computed and the larger is reported. Under ReplaceOne they are equal.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	return a.epsilonTo(q, delta, numeric.Log(delta))
}

// logarithm is the rule of ln δ.
var logarithm = check.Rule{Text: "must be < 0 and finite", Holds: func(x float64) bool { return x < 0 && !math.IsInf(x, -1) }}

// EpsilonAtLogDelta is EpsilonAt with log δ < 0, which may lie below the least float64.
// The guarantee's Delta is e^logDelta, possibly 0 after rounding. Then it has no certificate.
func (a Accountant) EpsilonAtLogDelta(event accounting.Event, logDelta float64) (accounting.Guarantee, error) {
	q, err := ask.Asked(a, event, logarithm.Of("logDelta", logDelta))
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g, err := a.epsilonTo(q, math.Exp(logDelta), logDelta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	return q.Guarantee(g), nil
}

func (a Accountant) epsilonTo(q ask.Question, delta, logDelta float64) (accounting.Guarantee, error) {
	g, both, err := a.epsilonOf(q, logDelta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g.Delta = delta
	if q.Options().Unchecked {
		return g, nil
	}
	return attach.Lower(attach.Of(g, both.above), both.below), nil
}

// compile is the function for a question about the accountant's relation.
func (a Accountant) compile(q ask.Question) (program, error) {
	if err := q.Under(a); err != nil {
		return program{}, err
	}
	return compile(q)
}

// epsilonOf bounds ε, and returns the checks of both ends.
func (a Accountant) epsilonOf(asked ask.Question, logDelta float64) (accounting.Guarantee, checks, error) {
	if asked.Node().Shape == accounting.Either {
		return a.worstEpsilon(asked.Parts(), logDelta)
	}
	p, err := a.compile(asked)
	if err != nil {
		return accounting.NoGuarantee(), checks{}, err
	}
	g := accounting.Guarantee{Neighboring: asked.Relation()}
	if p.nonPrivate {
		g.Epsilon, g.Method = accounting.Exact(math.Inf(1)).WithLower(math.Inf(1)), "contour, no noise"
		return g, checks{}, nil
	}
	if logDelta >= p.logMost() {
		g.Epsilon, g.Method = accounting.Exact(0), "contour, total variation"
		return g, p.check([2]*question{}), nil
	}
	s := p.solve(answer{upper: math.Inf(1), estimate: math.Inf(1)},
		func(f profile) answer { return f.invert(logDelta) },
		func(q *problem, enough float64) *question { return q.epsilonAt(logDelta, enough) })
	g.Epsilon = accounting.Certified(s.worst.lower, s.worst.estimate, s.worst.upper)
	g.Method = fmt.Sprintf("contour, %s, larger of add and remove", s.method)
	if asked.Relation() == accounting.ReplaceOne {
		g.Method = fmt.Sprintf("contour, %s, replace one", s.method)
	}
	g.Warnings = warnings(s.worst)
	if s.closed {
		return g, checks{closed.Check(asked.Node(), asked.Relation()), closed.Below(asked.Node(), asked.Relation())}, nil
	}
	return g, p.check(s.lines), nil
}

// DeltaAt returns a certified interval of δ, in [0, 1], at epsilon >= 0.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	logs, err := a.logDeltaOf(q, epsilon)
	if err != nil {
		return accounting.NoDelta(), err
	}
	return deltaOf(logs), nil
}

// deltaOf converts an interval of log δ to one of δ, rounded outward.
func deltaOf(logs accounting.Interval) accounting.Interval {
	lower := math.Exp(logs.Lower - 2*transform.Unit*math.Abs(logs.Lower))
	upper := math.Exp(logs.Upper+2*transform.Unit*math.Abs(logs.Upper)) * (1 + 4*transform.Unit)
	upper = math.Min(1, math.Max(upper, math.SmallestNonzeroFloat64))
	lower *= 1 - 4*transform.Unit
	return accounting.Certified(lower, math.Min(math.Max(lower, math.Exp(logs.Estimate)), upper), upper)
}

// LogDeltaAt returns a certified interval of log δ at epsilon >= 0. An end may be -Inf.
func (a Accountant) LogDeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	q, err := ask.Asked(a, event, accounting.ValidateEpsilon(epsilon))
	if err != nil {
		return accounting.Interval{}, err
	}
	logs, err := a.logDeltaOf(q, epsilon)
	return q.Interval(logs), err
}

// logDeltaOf certifies log δ.
func (a Accountant) logDeltaOf(asked ask.Question, epsilon float64) (accounting.Interval, error) {
	if asked.Node().Shape == accounting.Either {
		return a.worstLogDelta(asked.Parts(), epsilon)
	}
	p, err := a.compile(asked)
	if err != nil {
		return accounting.Interval{}, err
	}
	if p.nonPrivate {
		return accounting.Exact(0), nil
	}
	worst := p.solve(answer{lower: math.Inf(-1)}, func(f profile) answer {
		lower, estimate, upper := f(epsilon)
		return answer{lower: lower, estimate: estimate, upper: upper}
	}, func(q *problem, enough float64) *question { return q.logDeltaAt(epsilon, enough) }).worst
	worst.most(p.logMost())
	return accounting.Certified(worst.lower, worst.estimate, worst.upper), nil
}

// solution is the answer of both directions.
type solution struct {
	method string
	worst  answer // the larger one
	closed bool   // by a closed form
	lines  [2]*question
}

// solve answers both directions. It uses closed forms for zero or one sampled step, and the contour
// elsewhere. nothing is the answer without information. If the contour shows that one direction's
// answer is at most enough, it leaves it there.
//
// At ε = 0 both directions have the same δ, the total variation distance.
func (p program) solve(nothing answer, closed func(profile) answer, contour func(p *problem, enough float64) *question) solution {
	switch {
	case len(p.phases) == 0:
		worst := closed(func(e float64) (float64, float64, float64) { return numeric.LogGaussian(p.mu, e) })
		return solution{method: "closed form of the Gaussian", worst: worst, closed: true}
	case !p.fits():
		worst := p.outside(nothing, func(near program) answer { return near.solve(nothing, closed, contour).worst })
		return solution{method: "noise out of range", worst: worst}
	case p.single() && p.phases[0].Replaced:
		return solution{method: "closed form of one step", worst: closed(oneReplaced(p.phases[0].Q, p.phases[0].Sigma)), closed: true}
	case p.single():
		f := p.phases[0]
		worst := largerOf(closed(oneStep(f.Q, f.Sigma, transform.Remove)), closed(oneStep(f.Q, f.Sigma, transform.Add)))
		return solution{method: "closed form of one step", worst: worst, closed: true}
	}
	both := p.problems()
	r := contour(both[transform.Remove], math.Inf(-1))
	if p.replaced() || r.forDelta && r.epsilon == 0 && r.width() <= fairWidth {
		return solution{method: "line integral of the moment generating function", worst: r.out, lines: [2]*question{r}}
	}
	a := contour(both[transform.Add], r.out.lower)
	s := solution{method: "line integral of the moment generating function", worst: largerOf(r.out, a.out), lines: [2]*question{r, a}}
	if before := s.worst; r.refine(before.lower) || a.refine(before.lower) {
		if s.worst = largerOf(r.out, a.out); s.worst.upper < before.upper {
			s.method = "profile composed on a grid"
		}
	}
	return s
}

// largerOf combines the directions: the truth is the larger of two numbers that lie in the
// two intervals.
func largerOf(a, b answer) answer {
	out := answer{
		lower:    math.Max(a.lower, b.lower),
		estimate: math.Max(a.estimate, b.estimate),
		upper:    math.Max(a.upper, b.upper),
	}
	out.contradiction = a.contradiction || b.contradiction
	out.fallback = a.fallback && a.upper >= out.upper || b.fallback && b.upper >= out.upper
	return out
}

// warnings lists the doubts about an answer.
func warnings(a answer) (list []error) {
	if a.contradiction {
		list = append(list, fmt.Errorf("%w: [%g, %g] holds both", ErrContradiction, a.lower, a.upper))
	}
	switch {
	case a.fallback:
		list = append(list, ErrChernoff)
	case a.upper-a.lower > warnWidth*a.upper:
		list = append(list, fmt.Errorf("%w: [%g, %g]", ErrWide, a.lower, a.upper))
	}
	return list
}
