package selection

import (
	"math"
	"sort"
)

// point is a = f'(1-p) from above and b = f'(1-P(p)) from below.
type point struct{ a, b float64 }

// hull is the lower convex hull of points whose a rises, from (0, 0) on.
type hull []point

// sameTop is the relative distance within which two values of a are one.
const sameTop = 1e-8

func (h *hull) add(c point) {
	kept := *h
	if c.a *= 1 + sameTop; c.a <= kept[len(kept)-1].a*(1+sameTop) {
		return
	}
	for len(kept) > 1 && turnsDown(kept[len(kept)-2], kept[len(kept)-1], c) {
		kept = kept[:len(kept)-1]
	}
	*h = append(kept, c)
}

// turnsDown reports whether v is above the line from u to w by more than rounding, so that it is no corner of the lower hull.
func turnsDown(u, v, w point) bool {
	rounding := 1e-15 * (v.b*(w.a-u.a) + w.b*(v.a-u.a))
	return (v.b-u.b)*(w.a-u.a) > (w.b-u.b)*(v.a-u.a)+rounding
}

// binned moves the hull's steps to the slopes of a list, of ratio e^bin.
func (h hull) binned(bin float64) pointwise {
	at := map[int]float64{}
	put := func(place int, weight float64) {
		if weight > 0 {
			at[place] += weight
		}
	}
	for i := 1; i < len(h); i++ {
		rise := h[i].a - h[i-1].a
		if !(rise > 0) {
			continue
		}
		slope := (h[i].b - h[i-1].b - 4e-16*h[i].b) / rise
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
	var p pointwise
	for _, place := range places {
		p.slopes = append(p.slopes, math.Exp(float64(place)*bin))
		p.weights = append(p.weights, at[place])
	}
	return p
}
