package contour

import (
	"math"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// solveParticipations intersects the interval with that of the decomposition in participations.go.
// It takes the highest cut that δ_0 allows, because the large part's transform then decays sooner.
// The first guess comes from certified bounds; if the integral moves it, the cut follows. δ_0
// should be below e^-26 of δ. If no cut or no affordable integral is found, more is allowed.
func (q *question) solveParticipations() {
	if q.forDelta {
		q.descendDelta()
	} else {
		q.descendEpsilon()
	}
	levels := [...]float64{-26, -26, -17, -17, -9, -9}
	for _, negligible := range levels {
		if q.p.Meter.Spent > transform.MostSpent {
			return
		}
		h, bulk := q.chooseCut(negligible)
		if h == nil {
			continue
		}
		best, tried := h.Least(q.epsilon)
		table := transform.TableOf(h.At, best, spread(h.At, best.A), tried)
		before, beforeDelta := q.epsilon, q.logDelta
		q.passes(table, func(c, omega, logTol, work float64) (*transform.Integral, bool) {
			return h.NewIntegral(table, bulk, c, omega, q.epsilon, logTol, work)
		}, -negligible, transform.MaxWork/2)
		settled := q.epsilon > 0.9*before && q.logDelta > beforeDelta-1
		if q.width() <= q.fair || settled && q.width() < math.Exp(negligible/2) {
			return
		}
	}
}

// descendEpsilon lowers ε, by halves and then by smaller factors, while Chernoff's bounds of δ_0
// and δ_1 together certify that δ there is below the target. It leaves the certified value as
// ceiling and a guess below it. If rare large losses decide, this is far below Chernoff's bound of
// the whole.
func (q *question) descendEpsilon() {
	certified := q.ceiling
	for _, factor := range [...]float64{0.5, 0.75, 0.9} {
		for range 40 {
			q.epsilon = certified * factor
			if q.p.Meter.Spent > transform.SomeSpent {
				break
			}
			h, bulk := q.chooseCut(-2)
			if h == nil {
				break
			}
			best, _ := h.Least(q.epsilon)
			if h.LogDelta(bulk, best, q.epsilon) > q.logDelta {
				break
			}
			certified = q.epsilon
		}
	}
	q.lowerCeiling(certified)
	q.epsilon = 0.95 * certified
}

// lowerCeiling adds a certified upper bound of the unknown.
func (q *question) lowerCeiling(upper float64) {
	q.ceiling = math.Min(q.ceiling, upper)
	q.out.most(upper)
}

// descendDelta lowers the guess of log δ at the given ε to the bound of the two parts, until it
// settles. The cut follows.
func (q *question) descendDelta() {
	for range 12 {
		h, bulk := q.chooseCut(-2)
		if h == nil {
			return
		}
		best, _ := h.Least(q.epsilon)
		if math.IsInf(best.Value, 0) {
			return
		}
		q.lowerCeiling(h.LogDelta(bulk, best, q.epsilon))
		before := q.logDelta
		q.logDelta = math.Min(before, best.Value-best.A*q.epsilon-chernoffGap(best.A, spread(h.At, best.A)))
		if q.logDelta > before-2 {
			return
		}
	}
}

// cutChoices lists the cuts that are tried: narrow (see cutWidth), and the loss at the cut as a
// fraction of ε. A sharper cut costs nodes but may lie higher.
var cutChoices = func() (list [][2]float64) {
	for _, c := range []struct{ narrow, most, least float64 }{{1, 0.6, 0.35}, {0.35, 0.6, 0.1}, {0.12, 0.4, 0.01}, {1, 0.25, 0.003}} {
		for f := c.most; f > c.least; f *= 0.67 {
			list = append(list, [2]float64{c.narrow, f})
		}
	}
	return list
}()

// chooseCut returns the first of cutChoices whose δ_0 is certified to be at most e^negligible δ,
// and the table of that bound. Both are nil if there is none. The search starts a little before the
// last choice.
func (q *question) chooseCut(negligible float64) (*transform.Participations, []transform.Point) {
	for i := max(0, q.choice-4); i < len(cutChoices); i++ {
		narrow := cutChoices[i][0]
		laws := q.lawsFor(narrow)
		if laws == nil {
			continue
		}
		if q.p.Meter.Spent > transform.MostSpent {
			return nil, nil
		}
		h := transform.NewParticipations(&q.p.MGF, laws, narrow, cutChoices[i][1]*q.epsilon, q.logDelta+negligible-1)
		if numeric.Log(h.Left) > q.logDelta+negligible {
			continue
		}
		if table := q.bulkTable(h, negligible); table != nil {
			q.choice = i
			return h, table
		}
	}
	return nil, nil
}

// lawsFor returns the grids of one narrowness, nil if they are too fine.
func (q *question) lawsFor(narrow float64) []*transform.Law {
	laws, ok := q.cutLaws[narrow]
	if !ok {
		laws = transform.CutLaws(&q.p.MGF, narrow)
		for _, w := range laws {
			if (1+2*w.Reach)/w.Step > transform.SharpNodes {
				laws = nil
				break
			}
		}
		if q.cutLaws == nil {
			q.cutLaws = map[float64][]*transform.Law{}
		}
		q.cutLaws[narrow] = laws
	}
	return laws
}

// bulkTable returns points at which δ_0 is negligible, nil if none is found. a must be at least
// log(1/(negligible δ))/ε. A larger a gives more weight to the hump near the cut.
func (q *question) bulkTable(h *transform.Participations, negligible float64) (table []transform.Point) {
	target := q.logDelta + negligible
	a := -target / q.epsilon
	done := false
	for range 8 {
		v := h.Bulk(a)
		table = append(table, v)
		if value := v.Value - a*q.epsilon; value < target {
			if done {
				return table
			}
			done = true
		} else if done || value > 50 {
			break
		}
		a *= 1.15
	}
	if !done {
		return nil
	}
	return table
}

// trimLevels are logarithms of the share of δ that trimming may drop. If much more of the law is
// kept than matters to δ, the integral cancels, and its rounding errors exceed what was kept.
var trimLevels = [...]float64{-26, -17, -13, -9, -6}

// solveTrimmed intersects the interval with that of the trimmed law. It drops more until that would
// widen the interval.
func (q *question) solveTrimmed() {
	for {
		sampled := q.trimTo()
		next := q.level + 1
		if !sampled || next == len(trimLevels) || q.width() <= math.Exp(trimLevels[next]) {
			return
		}
		q.level = next
	}
}

// An integral has rounding errors of about e^-cancelled of its Chernoff bound. Only the choice of a
// level depends on it.
const cancelled = 27

// trimTo trims by the present level, or by the next ones if the integral would cancel too much. It
// returns false if that, or the integral, takes too much work.
func (q *question) trimTo() bool {
	value := func(v transform.Point) float64 { return v.Epsilon(q.logDelta) }
	if q.forDelta {
		value = func(v transform.Point) float64 { return v.Value - v.A*q.epsilon }
	}
	start := 1 / q.epsilon
	if q.trim != nil {
		start = leastAt(q.trimTable, q.epsilon).A
	}
	var t *transform.Trim
	var best transform.Point
	var tried []transform.Point
	level := 0.0
	for {
		level = trimLevels[q.level]
		if t = transform.NewTrim(&q.p.MGF, q.logDelta+level); t == nil {
			return false
		}
		if best, tried = transform.Search(t.At, value, start); math.IsInf(best.Value, 0) {
			return false
		}
		next := q.level + 1
		if next == len(trimLevels) || best.Value-best.A*q.epsilon-q.logDelta <= cancelled+trimLevels[next] {
			break
		}
		q.level, start = next, best.A
	}
	sd := spread(t.At, best.A)
	gap := chernoffGap(best.A, sd)
	if q.forDelta {
		q.logDelta = math.Min(q.logDelta, best.Value-best.A*q.epsilon-gap)
		if q.logDelta+level+6 < t.LogLeft { // the guess fell: trim further out
			if t = transform.NewTrim(&q.p.MGF, q.logDelta+level); t == nil {
				return false
			}
			best, tried = transform.Search(t.At, value, best.A)
			sd = spread(t.At, best.A)
		}
	} else {
		q.epsilon = math.Max(1e-3*best.Epsilon(q.logDelta), math.Min(q.epsilon, best.Epsilon(q.logDelta)-gap/best.A))
	}
	table := transform.TableOf(t.At, best, sd, tried)
	q.trim, q.trimTable = t, table
	return q.passes(table, func(c, omega, logTol, work float64) (*transform.Integral, bool) {
		return t.NewIntegral(table, c, omega, q.epsilon, logTol, work)
	}, -level, transform.MaxWork/2)
}
