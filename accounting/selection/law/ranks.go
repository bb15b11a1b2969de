package law

import (
	"math"
	"slices"
	"sort"
)

// derivative is a table of ln f' of a law with at most degree runs, in s = -ln x.
//
// f'(e^-s) = Σ k P[K=k] e^(-(k-1)s) is log-convex in s and falls. Between two entries the chord is
// an upper bound. The extended chords of the intervals on both sides are lower bounds. The error of
// both is of the order of the squared spacing, which is 1.5 %.
type derivative struct {
	s, value []float64 // s[0] = 0, then geometric up to 40
	atZero   float64   // ln f'(0), the limit for s -> ∞; -Inf if P[K = 1] = 0
	degree   float64
	slack    float64 // of rounding
}

// newDerivative tabulates logDerivative, which is ln f' as a function of ln x. Its error is at most
// rounding everywhere.
func newDerivative(logDerivative func(logX float64) float64, degree, rounding float64) *derivative {
	const ratio, end = 1.015, 40
	d := &derivative{degree: degree, atZero: logDerivative(math.Inf(-1))}
	d.s, d.value = []float64{0}, []float64{logDerivative(0)}
	for s := 1e-3 / degree; s < end; s *= ratio {
		d.s, d.value = append(d.s, s), append(d.value, logDerivative(-s))
	}
	d.slack = rounding + 1e-11*(1+math.Abs(d.value[0])) + 4*degree*0x1p-53
	return d
}

// atOne returns ln f'(1) = ln E[K].
func (d *derivative) atOne() float64 { return d.value[0] }

// find returns the entry i with s[i] <= s < s[i+1].
func (d *derivative) find(s float64) int { return sort.SearchFloat64s(d.s, math.Nextafter(s, 100)) - 1 }

// chord returns the value at s of the line through entries i and i+1.
func (d *derivative) chord(i int, s float64) float64 {
	return d.value[i] + (d.value[i+1]-d.value[i])*((s-d.s[i])/(d.s[i+1]-d.s[i]))
}

// upper returns an upper bound on ln f'(1-p), up to slack.
func (d *derivative) upper(p float64) float64 {
	s := -math.Log1p(-p)
	i := d.find(s)
	if last := len(d.s) - 1; i >= last {
		return d.value[last]
	}
	return d.chord(i, s)
}

// lower returns a lower bound on ln f'(1-p), up to slack.
func (d *derivative) lower(p float64) float64 {
	s := -math.Log1p(-p)
	i := d.find(s)
	last := len(d.s) - 1
	if i >= last {
		return d.atZero
	}
	bound := math.Max(d.value[i+1], d.atZero)
	if i > 0 {
		bound = math.Max(bound, d.chord(i-1, s))
	}
	if i+2 <= last {
		bound = math.Max(bound, d.chord(i+1, s))
	}
	return bound
}

// ranks searches the ranks q of one run and q' of the other that a profile allows, for the
// largest
//
//	ln f'(q)/f'(q') + ln(f'(q)/f'(1))/(λ-1).
//
// With x = e^e, the profile implies q' >= (q - δ(e))/x and q' >= 1 - δ(e) - x(1-q) for every e >=
// 0. So every list of e gives valid bounds. Both f'(q) and the least q' grow with q. So f'(q) at
// the upper end of a cell and the least q' at its lower end bound the cell. Cells are split until
// the bound is close to the largest value seen. Then the list gets another e where it matters,
// until that no longer helps much.
type ranks struct {
	*derivative
	profile Profile
	lines   []line // with e increasing
	cells   []rankCell
	budget  int // number of lines that may still be added
	tries   int // the same for one question
}

// line is δ(e) at one e.
type line struct{ e, x, delta float64 }

func newRanks(d *derivative, profile Profile) *ranks {
	r := &ranks{derivative: d, profile: profile, budget: 12, tries: 12}
	start := []float64{0, 0.1, 0.4, 1, 2.5, 6}
	if profile.Quick {
		r.budget, r.tries = 300, 4
		start = append(start, 0.01, 0.03, 0.2, 0.7, 1.6, 4, 10, 20)
	}
	for _, e := range start {
		r.add(e)
	}
	for far := 1.0; far > 0; {
		near := far / 4
		if near < 1e-3/r.degree {
			near = 0
		}
		r.cells = append(r.cells, r.cell(far, near))
		far = near
	}
	return r
}

// add adds a line and applies it to the cells.
func (r *ranks) add(e float64) {
	l := line{e, math.Exp(e), r.profile.DeltaAt(e)}
	i := sort.Search(len(r.lines), func(i int) bool { return r.lines[i].e >= e })
	r.lines = slices.Insert(r.lines, i, l)
	for j, c := range r.cells {
		if p := l.most(c.far); p < c.pPrime {
			r.cells[j].pPrime, r.cells[j].low = p, r.lower(p)-r.slack
		}
	}
}

// most returns the largest p' = 1-q' that the line allows for p = 1-q.
func (l line) most(p float64) float64 {
	return math.Max(0, math.Min(l.delta+l.x*p, 1-(1-p-l.delta)/l.x))
}

// most returns the largest p' for p, and the line that decides it.
func (r *ranks) most(p float64) (pPrime float64, active int) {
	pPrime = 1
	for i, l := range r.lines {
		if v := l.most(p); v < pPrime {
			pPrime, active = v, i
		}
	}
	return pPrime, active
}

// worst returns an upper bound at the given order. Order +Inf is the ratio only.
func (r *ranks) worst(order float64) float64 {
	bound, at := r.search(order)
	for idle, tries := 0, 0; idle < 2 && tries < r.tries && r.budget > 0 && bound > 0 && r.refine(at); tries++ {
		next, nextAt := r.search(order)
		if idle++; bound-next > 3e-4*bound {
			idle = 0
		}
		bound, at = next, nextAt
	}
	return math.Max(0, math.Min(bound, r.atMost()))
}

// refine adds a line between the one that decides at p and the neighbor that is closer to deciding
// there. Above the last line it adds one at about twice its e.
func (r *ranks) refine(p float64) bool {
	_, active := r.most(p)
	e, beside := r.lines[active].e, 0.0
	switch last := len(r.lines) - 1; {
	case active == last:
		beside = 3*e + 0.1
	case active == 0 || r.lines[active+1].most(p) <= r.lines[active-1].most(p):
		beside = r.lines[active+1].e
	default:
		beside = r.lines[active-1].e
	}
	if math.Abs(beside-e) <= 1e-6*beside {
		return false
	}
	r.budget--
	r.add(e + (beside-e)/2)
	return true
}

// atMost bounds the ratio without a search. f' lies between f'(0) and f'(1). If δ(e) = 0, then
// f'(q)/f'(q') <= (q/q')^(degree-1) <= e^(e(degree-1)), as f'(q)/q^(degree-1) falls.
func (r *ranks) atMost() float64 {
	bound := r.atOne() - r.atZero
	for _, l := range r.lines {
		if l.delta == 0 {
			bound = math.Min(bound, l.e*(r.degree-1))
		}
	}
	return bound
}

// rankCell has the ranks q in [1-far, 1-near]. There ln f'(q) is at most top, q' at least 1-pPrime,
// and ln f'(q') at least low. first is ln f'(1-far); a cell of width 0 would have the value first -
// low. Cells do not depend on the order, so those split for one order serve all.
type rankCell struct{ far, near, top, pPrime, low, first float64 }

func (r *ranks) cell(far, near float64) rankCell {
	pPrime, _ := r.most(far)
	return rankCell{far, near, r.upper(near) + r.slack, pPrime, r.lower(pPrime) - r.slack, r.upper(far)}
}

// search returns the bound with the present lines, and the p = 1-q of its cell.
func (r *ranks) search(order float64) (bound, at float64) {
	share := 1 / (order - 1)
	value := func(top, low float64) float64 { return top - low + share*(top-r.atOne()) }
	const maxCells, maxRounds = 20_000, 60
	tolerance := 1e-4
	if share > 0 { // many orders are asked for
		tolerance = 1e-3
	}
	for range maxRounds {
		seen, split := math.Inf(-1), false
		bound = math.Inf(-1)
		for _, c := range r.cells {
			seen = math.Max(seen, value(c.first, c.low))
			if v := value(c.top, c.low); v > bound {
				bound, at = v, c.far
			}
		}
		if math.IsInf(seen, 1) || len(r.cells) > maxCells || bound <= seen+tolerance*(1+seen) {
			return bound, at
		}
		for i, n := 0, len(r.cells); i < n; i++ {
			c := r.cells[i]
			if value(c.top, c.low) <= seen+tolerance*(1+seen) {
				continue
			}
			middle := math.Sqrt(c.far) * math.Sqrt(c.near)
			if c.near == 0 {
				middle = c.far / 16
			}
			if !(middle > c.near && middle < c.far) {
				continue
			}
			split = true
			r.cells[i] = r.cell(c.far, middle)
			r.cells = append(r.cells, r.cell(middle, c.near))
		}
		if !split {
			break
		}
	}
	return bound, at
}
