package contour

import "math"

// tryHits intersects the interval with that of the decomposition in hits.go, on the highest
// cut that δ_0 allows: the higher, the sooner the large part's transform decays. The guess
// comes from certified bounds first; where the integral moves it, the cut follows. δ_0 is
// wanted below e^-26 of δ; where no cut or no affordable integral is found, more is allowed.
func (q *question) tryHits() {
	if q.forDelta {
		q.descendDelta()
	} else {
		q.descendEpsilon()
	}
	levels := [...]float64{-26, -26, -17, -17, -9, -9}
	for _, negligible := range levels {
		if q.p.meter.spent > mostSpent {
			return
		}
		h, bulk := q.chooseCut(negligible)
		if h == nil {
			continue
		}
		best, tried := h.least(q.epsilon)
		table := tableOf(h.at, best, spread(h.at, best.a), tried)
		before, beforeDelta := q.epsilon, q.logDelta
		q.passes(table, func(c, omega, logTol, work float64) (*integral, bool) {
			return h.newIntegral(table, bulk, c, omega, q.epsilon, logTol, work)
		}, -negligible, maxWork/2)
		settled := q.epsilon > 0.9*before && q.logDelta > beforeDelta-1
		if q.fair() || settled && q.width() < math.Exp(negligible/2) {
			return
		}
	}
}

// least minimizes Chernoff's bound of δ_1 at ε.
func (h *hits) least(epsilon float64) (best point, tried []point) {
	return search(h.at, func(v point) float64 { return v.value - v.a*epsilon }, math.Max(0.01, 2/epsilon))
}

// descendEpsilon lowers ε as long as Chernoff's bounds of δ_0 and δ_1 together certify that
// δ there is below the target: by halves, then by smaller factors. It leaves the certified
// value as ceiling and a guess below it. With rare large losses this is far below Chernoff's
// bound of the whole.
func (q *question) descendEpsilon() {
	certified := q.ceiling
	for _, factor := range [...]float64{0.5, 0.75, 0.9} {
		for range 40 {
			q.epsilon = certified * factor
			if q.p.meter.spent > someSpent {
				break
			}
			h, bulk := q.chooseCut(-2)
			if h == nil {
				break
			}
			best, _ := h.least(q.epsilon)
			if h.logDelta(bulk, best, q.epsilon) > q.logDelta {
				break
			}
			certified = q.epsilon
		}
	}
	q.lowerCeiling(certified)
	q.epsilon = 0.95 * certified
}

// lowerCeiling takes a certified upper bound of what is asked.
func (q *question) lowerCeiling(upper float64) {
	q.ceiling = math.Min(q.ceiling, upper)
	q.out.most(upper)
}

// logDelta returns the bound of log δ by the two parts.
func (h *hits) logDelta(bulk []point, large point, epsilon float64) float64 {
	return math.Log(math.Exp(large.value-large.a*epsilon) + math.Exp(leastLog(bulk, epsilon)) + h.left)
}

// descendDelta lowers the guess of log δ at the given ε to the bound by the two parts until
// it settles; the cut follows.
func (q *question) descendDelta() {
	for range 12 {
		h, bulk := q.chooseCut(-2)
		if h == nil {
			return
		}
		best, _ := h.least(q.epsilon)
		if math.IsInf(best.value, 0) {
			return
		}
		q.lowerCeiling(h.logDelta(bulk, best, q.epsilon))
		before := q.logDelta
		q.logDelta = math.Min(before, best.value-best.a*q.epsilon-chernoffGap(best.a, spread(h.at, best.a)))
		if q.logDelta > before-2 {
			return
		}
	}
}

// cutChoices are the cuts that are tried: narrow (see cutWidth), and the loss at the cut as a
// fraction of ε. A sharper cut costs nodes but may lie higher.
var cutChoices = func() (list [][2]float64) {
	for _, c := range []struct{ narrow, most, least float64 }{{1, 0.6, 0.35}, {0.35, 0.6, 0.1}, {0.12, 0.4, 0.01}, {1, 0.25, 0.003}} {
		for f := c.most; f > c.least; f *= 0.67 {
			list = append(list, [2]float64{c.narrow, f})
		}
	}
	return list
}()

// sharpNodes bounds the grid of a law that is cut.
const sharpNodes = 8000

// chooseCut returns the first of cutChoices for which δ_0 is certified to be at most
// e^negligible δ, and the table of its bound; nil if there is none. It starts a little before the last choice.
func (q *question) chooseCut(negligible float64) (*hits, []point) {
	for i := max(0, q.choice-4); i < len(cutChoices); i++ {
		narrow := cutChoices[i][0]
		laws := q.lawsFor(narrow)
		if laws == nil {
			continue
		}
		if q.p.meter.spent > mostSpent {
			return nil, nil
		}
		h := newHits(q.p, laws, narrow, cutChoices[i][1]*q.epsilon, q.logDelta+negligible-1)
		if math.Log(h.left) > q.logDelta+negligible {
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
func (q *question) lawsFor(narrow float64) []*law {
	laws, ok := q.hitLaws[narrow]
	if !ok {
		laws = hitLaws(q.p, narrow)
		for _, w := range laws {
			if (1+2*w.reach)/w.step > sharpNodes {
				laws = nil
				break
			}
		}
		if q.hitLaws == nil {
			q.hitLaws = map[float64][]*law{}
		}
		q.hitLaws[narrow] = laws
	}
	return laws
}

// bulkTable returns points at which δ_0 is negligible, nil if none is found: a must be at
// least log(1/(negligible δ))/ε, and the larger it is the more the hump near the cut counts.
func (q *question) bulkTable(h *hits, negligible float64) (table []point) {
	target := q.logDelta + negligible
	a := -target / q.epsilon
	done := false
	for range 8 {
		v := h.bulk(a)
		table = append(table, v)
		if value := v.value - a*q.epsilon; value < target {
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
