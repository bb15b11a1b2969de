package contour

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/internal/ask"
)

// DeltasAt returns a certified interval of δ, in [0, 1], at each of epsilons. These must be >= 0
// and must not fall. M does not depend on ε, so one integral serves all ε near its own: a thousand
// values take about the time of ten.
//
// The intervals are narrower than 1e-6, relative, unless few large losses decide (see the package
// comment). Where they are wider than a tenth, only about thirty values are computed. Between them
// the upper end is that of the value before, as δ falls with ε, and the lower end is 0.
func (a Accountant) DeltasAt(event accounting.Event, epsilons []float64) ([]accounting.Interval, error) {
	return ask.DeltasAt(a, event, epsilons)
}

// DeltasTo is DeltasAt for a question.
func (a Accountant) DeltasTo(q ask.Question, epsilons []float64) ([]accounting.Interval, error) {
	if q.Node().Shape == accounting.Either {
		return a.worstDeltas(q.Parts(), epsilons)
	}
	p, err := a.compile(q)
	if err != nil {
		return nil, err
	}
	if p.byLines() {
		return p.deltasByLines(epsilons), nil
	}
	deltas := make([]accounting.Interval, len(epsilons))
	for i, e := range epsilons {
		logs, err := a.logDeltaOf(q, e)
		if err != nil {
			return nil, err
		}
		deltas[i] = deltaOf(logs)
	}
	return deltas, nil
}

// byLines reports whether solve answers a program by integrals.
func (p program) byLines() bool {
	return !p.nonPrivate && len(p.phases) > 0 && p.fits() && !p.single()
}

func (p program) deltasByLines(epsilons []float64) []accounting.Interval {
	both := p.problems()
	r := both[transform.Remove].logDeltas(epsilons, nil)
	a := r
	if !p.replaced() {
		a = both[transform.Add].logDeltas(epsilons, r)
	}
	deltas, most := make([]accounting.Interval, len(epsilons)), p.logMost()
	for i := range deltas {
		worst := largerOf(r[i], a[i])
		worst.most(most)
		deltas[i] = deltaOf(accounting.Certified(worst.lower, worst.estimate, worst.upper))
	}
	return deltas
}

// logDeltas bounds one direction's log δ at each of epsilons. Where it is certainly at most that of
// other, only that is shown; other may be nil.
func (p *problem) logDeltas(epsilons []float64, other []answer) []answer {
	l := list{p: p, epsilons: epsilons, other: other, hint: noHint, ahead: len(epsilons) / 4, asked: map[int]answer{}}
	l.fair, l.wide = serves, servesWidely
	answers := make([]answer, len(epsilons))
	last := answer{} // δ <= 1
	for i := range epsilons {
		now := l.answer(i)
		if now.upper > last.upper && now.lower <= last.upper { // δ falls
			now.upper, now.estimate = last.upper, math.Min(now.estimate, last.upper)
		}
		answers[i], last = now, now
	}
	return answers
}

// list answers for one direction's log δ at ε that do not fall. An integral made for one ε serves
// others, and each question starts from what is known of the one before.
type list struct {
	p        *problem
	epsilons []float64
	other    []answer
	asked    map[int]answer
	table    []transform.Point // all of Chernoff's bounds
	near     []near            // the last ones first
	hint                       // for the next question
	from     int               // of the last question with a narrow answer
	ahead    int               // how far ahead of the first ε without an answer an integral is made
	failed   bool              // an answer was wider than servesAtMost
	spent    float64           // as a Meter counts
	next     int               // integrals are made from here on
}

// near is an integral made for another ε. It serves an ε if its width of log δ there is at most
// limit.
type near struct {
	*transform.Integral
	limit float64
}

// mostNear bounds the integrals that are kept.
const mostNear = 3

// After a wide answer the next 1/rest of the list is skipped. If listSpent was spent before, all of
// it is skipped. After four times as much, 1/rest is skipped after each question.
const (
	rest      = 32
	listSpent = 4e7
)

// answer returns the answer at epsilons[i]. It is called for one i after another.
func (l *list) answer(i int) answer {
	if a, ok := l.known(i); ok {
		return a
	}
	if i < l.next {
		return answer{lower: math.Inf(-1)}
	}
	if l.from > 0 {
		l.ahead = min(l.ahead, i-l.from)
	}
	if further := min(i+l.ahead, len(l.epsilons)-1); further > i {
		if l.ask(further); l.failed {
			l.ahead = 0
		}
		if a, ok := l.known(i); ok {
			return a
		}
		l.ahead /= 2
	}
	a := l.ask(i)
	switch {
	case !a.narrow() && l.spent > listSpent:
		l.next = len(l.epsilons)
	case !a.narrow() || l.spent > 4*listSpent:
		l.next = i + 1 + len(l.epsilons)/rest
	}
	return a
}

// known returns the answer at epsilons[i] if it was asked, if an integral serves it, or if
// Chernoff's bound is at most that of the other direction.
func (l *list) known(i int) (answer, bool) {
	if a, ok := l.asked[i]; ok {
		return a, true
	}
	epsilon, none := l.epsilons[i], math.Inf(-1)
	if epsilon >= l.p.mostLoss() {
		return answer{lower: none, estimate: none, upper: none}, true
	}
	if best := leastAt(l.table, epsilon); best.A > 0 && best.LogDelta(epsilon) <= l.least(i) {
		return answer{lower: none, estimate: none, upper: best.LogDelta(epsilon)}, true
	}
	for _, n := range l.near {
		if lower, estimate, upper, _ := n.LogDelta(epsilon); upper-lower <= n.limit {
			return answer{lower: lower, estimate: estimate, upper: upper}, true
		}
	}
	return answer{}, false
}

// least returns a lower bound of log δ in the other direction. Nothing below it needs to be known.
func (l *list) least(i int) float64 {
	if l.other == nil {
		return math.Inf(-1)
	}
	return l.other[i].lower
}

// ask makes integrals for epsilons[i], unless Chernoff's bound is at most that of the other
// direction.
func (l *list) ask(i int) answer {
	h := l.hint
	if best := leastAt(l.table, l.epsilons[i]); best.A > 0 {
		h.a = best.A
	}
	h.logDelta = l.guess(l.epsilons[i])
	h.enough = l.least(i)
	l.p.Meter.Spent = 0
	q := l.p.logDeltaFrom(l.epsilons[i], h)
	l.spent += l.p.Meter.Spent
	l.table = append(l.table, q.table...)
	l.asked[i] = q.out
	switch {
	case q.best != nil && q.out.narrow():
		l.from, l.level, l.first = i, q.level, q.bestBy
		l.near = slices.Insert(l.near, 0, near{q.best, servesUpTo(q.out.upper - q.out.lower)})
		l.near = l.near[:min(len(l.near), mostNear)]
	case q.out.narrow() || q.out.upper <= h.enough:
	default:
		l.failed = true
		if q.counted {
			l.wide = math.Inf(1)
		}
	}
	return q.out
}

// guess returns an estimate of log δ by the integrals of other ε, and 0 if there is none.
func (l *list) guess(epsilon float64) (guess float64) {
	least := 1.0
	for _, n := range l.near {
		if lower, estimate, upper, _ := n.LogDelta(epsilon); upper-lower < least {
			guess, least = estimate, upper-lower
		}
	}
	return guess
}

// Widths of log δ. An integral wider than servesAtMost serves no other ε. A list counts large
// losses only in intervals wider than servesWidely.
const (
	serves       = 1e-7
	servesAtMost = 0.1
	servesWidely = 1e-2
)

// narrow reports whether the integral of the answer may serve others.
func (a answer) narrow() bool { return a.upper-a.lower <= servesAtMost }

// servesUpTo returns the limit of an integral from its width of log δ at its own ε.
func servesUpTo(width float64) float64 {
	return math.Max(math.Max(serves, 2*width), math.Max(math.Min(1000*width, 1e-6), math.Min(10*width, servesAtMost)))
}
