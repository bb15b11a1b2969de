// Package hull makes the pair of laws above a privacy profile, from the convex hull of its values.
// The proof is that of pld.PairAbove.
package hull

import (
	"math"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting/numeric"
)

const unit = 0x1p-53 // relative error of one rounded operation

// Pair returns the masses of the pair of pld.PairAbove, with and without the example, from a list:
// deltas are upper bounds at epsilons, which rise from >= 0 to at most 700.
func Pair(epsilons, deltas []float64) (with, without []float64) {
	points := make([]corner, 0, len(epsilons)) // (x, H(x)), x falling from the top to 1
	for i := len(epsilons) - 1; i >= 0; i-- {
		x := 1.0
		if epsilons[i] > 0 {
			x = math.Exp(epsilons[i]) * (1 + placeRounding)
		}
		if n := len(points); n > 0 && x == points[n-1].x {
			continue // this value is the smaller of the two
		}
		points = append(points, corner{x, math.Min(1, deltas[i]*(1+profileRounding))})
	}
	return pairOf(points)
}

const (
	// A profile is followed down to profileTail times δ.
	profileTail = 1e-5
	// A profile is evaluated at scanned even distances first, then at placed points where it falls.
	scanned, placed = 160, 640
	// profileRounding raises the profile by more than the rounding of its slopes' differences, some
	// 1e-14 each.
	profileRounding = 1e-9
	// placeRounding raises each x = e^ε, which lowers H, by more than the rounding of x and of the
	// ratio of two masses. It matters next to x = 1: the whole profile of a mechanism of ε = 1e-13
	// lies within some hundred float64 numbers.
	placeRounding = 8 * unit
	// leastSlope is where the differences of slopes begin to lose their digits.
	leastSlope = 0x1p-960
	// leastTop and mostTop are the least and the largest end of a profile that are tried.
	leastTop, mostTop = 0x1p-40, 256
)

// List returns ε from 0 on with the profile there, up to where it is far below delta. It returns
// nil for a profile that does not fall below delta. last is its value far out.
func List(delta float64, profile func([]float64) []float64) (epsilons, deltas []float64, last float64) {
	top, last, ok := topOf(delta, profile)
	if !ok {
		return nil, nil, last
	}
	epsilons, deltas = listed(top, profile)
	return epsilons, deltas, last
}

// topOf returns an ε where the profile is far below delta, not much above the least such ε. If the
// profile stays above delta's tail, it is followed until it falls no more. last is the profile's
// value at the far end; ok is false if it is not below delta. A bound may be useless far out, where
// δ is too small for it. Its earlier values hold there too.
func topOf(delta float64, profile func([]float64) []float64) (top, last float64, ok bool) {
	var tries []float64
	for e := leastTop; e <= mostTop; e *= 2 {
		tries = append(tries, e)
	}
	deltas := Falling(profile(tries))
	last = deltas[len(deltas)-1]
	enough := math.Max(delta*profileTail, last*1.001)
	first := func(deltas []float64) int {
		return sort.Search(len(deltas), func(i int) bool { return deltas[i] <= enough })
	}
	i := first(deltas)
	top = tries[i]
	between := []float64{top / math.Exp2(0.75), top / math.Exp2(0.5), top / math.Exp2(0.25)}
	if k := first(Falling(profile(between))); k < len(between) {
		top = between[k]
	}
	return top, last, last < delta
}

// listed returns ε from 0 to top with the profile there. The points are dense enough for a chord
// between two values to be near the profile: half are at even distances, half at even distances of
// ln δ.
func listed(top float64, profile func([]float64) []float64) (epsilons, deltas []float64) {
	for i := range scanned + 1 {
		epsilons = append(epsilons, top*float64(i)/scanned)
	}
	deltas = Falling(profile(epsilons))
	least := math.Max(deltas[scanned], deltas[0]*1e-30)
	fall := func(i int) float64 { // of ln δ after entry i
		if !(least > 0) {
			return 0
		}
		return numeric.Log(math.Max(deltas[i], least)) - numeric.Log(math.Max(deltas[i+1], least))
	}
	whole := 0.0
	for i := range scanned {
		whole += fall(i)
	}
	var more []float64
	share := 0.0
	for i := range scanned {
		part := 1.0 / scanned
		if whole > 0 {
			part = (part + fall(i)/whole) / 2
		}
		share += part * placed
		n := int(share)
		share -= float64(n)
		for k := 1; k <= n; k++ {
			more = append(more, epsilons[i]+(epsilons[i+1]-epsilons[i])*float64(k)/float64(n+1))
		}
	}
	values := Falling(profile(more))
	all := make([]corner, 0, len(epsilons)+len(more))
	for i, e := range epsilons {
		all = append(all, corner{e, deltas[i]})
	}
	for i, e := range more {
		all = append(all, corner{e, values[i]})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].x < all[j].x })
	epsilons, deltas = epsilons[:0], deltas[:0]
	for i, c := range all {
		if i > 0 && !(c.x > epsilons[len(epsilons)-1]) {
			continue
		}
		epsilons, deltas = append(epsilons, c.x), append(deltas, c.value)
	}
	return epsilons, Falling(deltas)
}

// Falling replaces each value by the least so far, which bounds it too. NaN bounds nothing.
func Falling(deltas []float64) []float64 {
	least := 1.0
	for i, d := range deltas {
		if d < least {
			least = math.Max(0, d)
		}
		deltas[i] = least
	}
	return deltas
}

// corner is a value of ∫ (P - x Q)₊ at x.
type corner struct{ x, value float64 }

// pairOf returns the pair whose divergences are those of a lower convex hull, constant behind the
// largest x. It is the hull of the points (x, H(x)), x >= 1 falling, their mirror images (1/x, 1 -
// 1/x + H(x)/x), and (0, 1). The pair is its own mirror image: masses at r and 1/r are exchanged,
// so small ones keep their digits. The remaining mass has r = 1.
//
// At a corner (x, v) above (x', v') the mass of the first law is at most x (v'-v)/(x-x'). If the
// slope is next to underflow, that mass has r = +Inf. Then (p, q) and (q, p) become (p, 0), (0, p)
// and (q, q), and no divergence falls.
func pairOf(points []corner) (with, without []float64) {
	corners := symmetricHull(points)
	rest := 1.0
	add := func(p, q float64) {
		with, without = append(with, p, q), append(without, q, p)
		rest -= p + q
	}
	infinite := corners[len(corners)-1].value
	for i, at := range corners {
		if at.x == 1 { // its mass remains
			continue
		}
		before := at.mirrored()
		slope, next := at.symmetric(), 0.0
		if i > 0 {
			before, slope = corners[i-1], corners[i-1].slopeTo(at)
		}
		if i+1 < len(corners) {
			next = at.slopeTo(corners[i+1])
		}
		if -slope < leastSlope {
			infinite += (before.value - at.value) * (at.x / (at.x - before.x)) * (1 + 8*unit)
		} else {
			mass := next - slope
			add(math.Nextafter(at.x*mass, 2), mass) // rounded up: a smaller ratio would be a smaller loss
		}
	}
	add(infinite, 0)
	with, without = append(with, math.Max(0, rest)), append(without, math.Max(0, rest))
	if rest < 0 { // by rounding; far smaller than profileRounding
		for i := range with {
			with[i], without[i] = with[i]/(1-rest), without[i]/(1-rest)
		}
	}
	return with, without
}

// symmetricHull returns the corners of the hull with x >= 1, rising. By its symmetry, the hull has
// a corner at 1, or an edge from its first corner above 1 to the mirror image of that. So the first
// point is not a corner if the edge to the next one falls faster than the one to its mirror image.
// No mirror image is computed: it would be rounded, and next to 1 its slopes would have no digits.
func symmetricHull(points []corner) []corner {
	var hull []corner // x falling
	for _, c := range points {
		// Slopes rise as computed, so no mass is negative. A point left out raises the hull.
		for n := len(hull); n > 1 && !(c.slopeTo(hull[n-1]) < hull[n-1].slopeTo(hull[n-2])); n = len(hull) {
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	for n := len(hull); n > 1 && !(hull[n-1].slopeTo(hull[n-2]) > hull[n-1].symmetric()); n = len(hull) {
		hull = hull[:n-1]
	}
	slices.Reverse(hull)
	return hull
}

// slopeTo returns the slope of the edge between two corners.
func (c corner) slopeTo(next corner) float64 { return (next.value - c.value) / (next.x - c.x) }

// mirrored returns the mirror image.
func (c corner) mirrored() corner {
	return corner{1 / c.x, 1 - 1/c.x + c.value/c.x}
}

// symmetric returns the slope of the edge between a corner and its mirror image.
func (c corner) symmetric() float64 { return (c.value - 1) / (c.x + 1) }
