package ranks

import (
	"maps"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/numeric"
)

// point is a = f'(1-p) from above and b = f'(1-P(p)) from below.
type point struct{ a, b float64 }

func (p point) xy() [2]float64 { return [2]float64{p.a, p.b} }

// lowerHull is the lower convex hull of points by increasing a, from (0, 0) on.
type lowerHull []point

func newHull() lowerHull { return make(lowerHull, 1, 128) }

// Two values of a within the relative distance sameTop count as one.
const sameTop = 1e-8

func (h *lowerHull) add(c point) {
	kept := *h
	if c.a *= 1 + sameTop; c.a <= kept[len(kept)-1].a*(1+sameTop) {
		return
	}
	for len(kept) > 1 && numeric.TurnsDown(kept[len(kept)-2].xy(), kept[len(kept)-1].xy(), c.xy()) {
		kept = kept[:len(kept)-1]
	}
	*h = append(kept, c)
}

// binned moves the hull's steps to the slopes of a list, of ratio e^bin, from 0 on.
func (h lowerHull) binned(bin float64) pointwise {
	at := map[int]float64{}
	flat := 0.0 // weight at slope 0
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
		if !(slope > leastSlope) { // moved down, which only adds, as H falls
			flat += rise
			continue
		}
		place := int(math.Floor(numeric.Log(slope) / bin))
		lo, hi := math.Exp(float64(place)*bin), math.Exp(float64(place+1)*bin)
		share := math.Max(0, math.Min(1, (slope-lo)/(hi-lo)))
		put(place, rise*(1-share))
		put(place+1, rise*share)
	}
	p := pointwise{slopes: []float64{0}, weights: []float64{flat}}
	for _, place := range slices.Sorted(maps.Keys(at)) {
		p.slopes = append(p.slopes, math.Exp(float64(place)*bin))
		p.weights = append(p.weights, at[place])
	}
	return p
}

// leastSlope is far above the least float64, so e^ε times a slope keeps its digits.
const leastSlope = 1e-290
