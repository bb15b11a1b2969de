package selection

import (
	"math"
	"sort"

	"github.com/dplab/dplab/accounting/selection/law"
)

// sameTop is the relative distance within which two values of a are one.
const sameTop = 1e-8

// point is a = f'(1-p) from above and b = f'(1-P(p⁺)) from below.
type point struct{ a, b float64 }

// turnsDown reports whether v is above the line from u to w by more than rounding, so that it is no corner of the lower hull.
func turnsDown(u, v, w point) bool {
	rounding := 1e-15 * (v.b*(w.a-u.a) + w.b*(v.a-u.a))
	return (v.b-u.b)*(w.a-u.a) > (w.b-u.b)*(v.a-u.a)+rounding
}

// pointwiseCells walks p from 0 to 1.
func pointwiseCells(f logDerivative, rank *rankLines) []point {
	const finest = 1e-30
	var cells []point
	// Below a share of e^-80 of f'(1), f' is taken for what it is there (a) or for 0 (b): without an end the cells would
	// follow ln f' to -Inf.
	least := f.upper(0) - 80
	clamped := logDerivative{
		upper: func(p float64) float64 { return math.Max(least, f.upper(p)) },
		lower: func(p float64) float64 { return math.Max(least, f.lower(p)) },
	}
	below := func(low float64) float64 {
		if low <= least {
			return 0
		}
		return math.Exp(low) * (1 - 1e-14)
	}
	from := 0.0
	top, low := clamped.upper(0), clamped.lower(rank.most(0))
	step := finest
	for from < 1 {
		to := math.Min(1, math.Max(from+step, finest))
		nextTop, nextLow := clamped.upper(to), clamped.lower(rank.most(to))
		change := math.Max(top-nextTop, low-nextLow)
		allowed := pointwiseStep * (1 + (least+80-top)*(least+80-top))
		if change > allowed && step > 1e-15*to && to > finest {
			step /= 2
			continue
		}
		cells = append(cells, point{math.Exp(top) * (1 + 1e-14), below(nextLow)})
		from, top, low = to, nextTop, nextLow
		if change < allowed/2 {
			step = math.Max(2*step, to/64)
		}
	}
	return cells
}

// binned moves the hull's steps to the slopes of a list, of ratio e^bin.
func binned(hull []point, bin float64) pointwise {
	var p pointwise
	at := map[int]float64{}
	put := func(place int, weight float64) {
		if weight > 0 {
			at[place] += weight
		}
	}
	for i := 1; i < len(hull); i++ {
		rise := hull[i].a - hull[i-1].a
		if !(rise > 0) {
			continue
		}
		slope := (hull[i].b - hull[i-1].b - 4e-16*hull[i].b) / rise
		// A slope below all that matters is moved down to the least of the list, which only adds, as H falls.
		const least = -60 // its logarithm
		place := int(math.Floor(least / bin))
		if slope > math.Exp(least) {
			place = int(math.Floor(math.Log(slope) / bin))
		}
		lo, hi := math.Exp(float64(place)*bin), math.Exp(float64(place+1)*bin)
		share := math.Max(0, math.Min(1, (slope-lo)/(hi-lo)))
		put(place, rise*(1-share))
		put(place+1, rise*share)
	}
	var places []int
	for place := range at {
		places = append(places, place)
	}
	sort.Ints(places)
	for _, place := range places {
		p.slopes = append(p.slopes, math.Exp(float64(place)*bin))
		p.weights = append(p.weights, at[place])
	}
	return p
}

// logDerivative brackets ln f'(1-p) as a function of p, which keeps its digits where p is small.
type logDerivative struct{ upper, lower func(p float64) float64 }

func newLogDerivative(k law.Distribution) logDerivative {
	lower, upper := k.LogDerivative()
	return logDerivative{upper: upper, lower: lower}
}

// rankLines is P(p): the least of rising lines, in the order in which they decide as p grows.
type rankLines struct {
	slope, offset []float64
	next          int
	last          float64
}

// newRankLines takes from each e both lines, and keeps those that decide somewhere in [0, 1].
func newRankLines(known []line) *rankLines {
	type straight struct{ slope, offset float64 }
	var all []straight
	for _, l := range known {
		// 1 - (1-δ) e^-e, without the cancellation that would lose a small δ.
		all = append(all, straight{l.x, l.delta}, straight{1 / l.x, -math.Expm1(-l.e) + l.delta/l.x})
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].slope != all[j].slope {
			return all[i].slope > all[j].slope
		}
		return all[i].offset < all[j].offset
	})
	var kept []straight
	for _, s := range all {
		if len(kept) > 0 && kept[len(kept)-1].slope == s.slope {
			continue
		}
		for len(kept) > 0 && kept[len(kept)-1].offset >= s.offset { // flatter and lower at 0: the other never decides
			kept = kept[:len(kept)-1]
		}
		for len(kept) > 1 {
			u, v := kept[len(kept)-2], kept[len(kept)-1]
			// v decides between its crossing with u and that with s.
			if (s.offset-v.offset)*(u.slope-v.slope) > (v.offset-u.offset)*(v.slope-s.slope) {
				break
			}
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, s)
	}
	r := &rankLines{}
	for _, s := range kept {
		r.slope, r.offset = append(r.slope, s.slope), append(r.offset, s.offset)
	}
	return r
}

// most returns P(p), rounded up; 1 if nothing is known. Any line is a valid answer, so that a wrong turn costs only width.
func (r *rankLines) most(p float64) float64 {
	if p < r.last {
		r.next = 0
	}
	r.last = p
	value := func(i int) float64 { return r.offset[i] + r.slope[i]*p }
	for r.next+1 < len(r.slope) && value(r.next+1) <= value(r.next) {
		r.next++
	}
	if len(r.slope) == 0 {
		return 1
	}
	return math.Max(0, math.Min(1, value(r.next)*(1+4*0x1p-53)+4*0x1p-53*p))
}
