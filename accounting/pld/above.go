package pld

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// ErrNoProfile is the error, wrapped, of [PairAbove] for a profile that never falls below δ.
var ErrNoProfile = errors.New("pld: the profile does not fall below δ up to ε = 256: a pair of laws needs one that does")

// PairAbove returns a pair of laws on finitely many outcomes. It dominates every mechanism whose
// privacy profile is at most profile, in both directions of the neighboring relation. So in any
// composition, and on a Poisson sample, the mechanism costs at most as much as the pair. Prices of
// the pair have no lower end.
//
// profile returns an upper bound on δ, in [0, 1], at each of epsilons, which do not fall. PairAbove
// follows it to an ε where it is far below delta. delta, in (0, 1), is the δ of the question
// divided by the number of runs of the mechanism.
//
// Proof. Let h(x) be the bound at ε = ln x >= 0. It is above H(x) = ∫ (P - x Q)₊ of the mechanism's
// laws on any two neighbors, and above the same with P and Q exchanged. For x < 1, H(x) = 1 - x + ∫
// (xQ - P)₊ <= 1 - x + x h(1/x). H is convex.
//
// Take a list of x that begins with 0, where H is 1, and at each x a value that is at least these
// bounds. Let g be the largest convex function through or below these values, constant behind the
// last x. Then g >= H. Let Q' be the law of r whose density is the second derivative of g. Let P'
// have the density r against Q', and the mass g(∞) where Q' has none. Then ∫ (P' - x Q')₊ = g(x).
//
// If the divergences of a pair are at least those of another everywhere, it dominates the other in
// compositions too. ((1-q) Q' + q P', Q') and its reverse dominate the two directions of a sample.
// The pair is its own mirror image, so one pair serves both directions. ∎
//
// Reference: Zhu, Dong and Wang (2022), arXiv:2106.08567v3, Proposition 8 (the pair of a profile),
// Theorem 10 (composition) and Theorem 11 (Poisson samples).
func PairAbove(delta float64, profile func(epsilons []float64) []float64) (DiscretePair, error) {
	if err := accounting.ValidateDelta(delta); err != nil {
		return DiscretePair{}, fmt.Errorf("pld: %w", err)
	}
	top, last, ok := topOf(delta, profile)
	if !ok {
		return DiscretePair{}, fmt.Errorf("%w: %g there", ErrNoProfile, last)
	}
	pair := pairAbove(listed(top, profile))
	pair.Above = true
	return pair, nil
}

// pairAbove returns the pair of PairAbove from a list: deltas are upper bounds at epsilons, which
// rise from >= 0 to at most mostResponse.
func pairAbove(epsilons, deltas []float64) DiscretePair {
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

// topOf returns an ε where the profile is far below delta, not much above the least such ε. If the
// profile stays above delta's tail, it is followed until it falls no more. last is the profile's
// value at the far end; ok is false if it is not below delta. A bound may be useless far out, where
// δ is too small for it. Its earlier values hold there too.
func topOf(delta float64, profile func([]float64) []float64) (top, last float64, ok bool) {
	var tries []float64
	for e := leastTop; e <= mostTop; e *= 2 {
		tries = append(tries, e)
	}
	deltas := falling(profile(tries))
	last = deltas[len(deltas)-1]
	enough := math.Max(delta*profileTail, last*1.001)
	first := func(deltas []float64) int {
		return sort.Search(len(deltas), func(i int) bool { return deltas[i] <= enough })
	}
	i := first(deltas)
	top = tries[i]
	between := []float64{top / math.Exp2(0.75), top / math.Exp2(0.5), top / math.Exp2(0.25)}
	if k := first(falling(profile(between))); k < len(between) {
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
	deltas = falling(profile(epsilons))
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
	values := falling(profile(more))
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
	return epsilons, falling(deltas)
}

// falling replaces each value by the least so far, which bounds it too. NaN bounds nothing.
func falling(deltas []float64) []float64 {
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
func pairOf(points []corner) DiscretePair {
	corners := symmetricHull(points)
	var pair DiscretePair
	rest := 1.0
	add := func(p, q float64) {
		pair.With, pair.Without = append(pair.With, p, q), append(pair.Without, q, p)
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
	pair.With, pair.Without = append(pair.With, math.Max(0, rest)), append(pair.Without, math.Max(0, rest))
	if rest < 0 { // by rounding; far smaller than profileRounding
		for i := range pair.With {
			pair.With[i], pair.Without[i] = pair.With[i]/(1-rest), pair.Without[i]/(1-rest)
		}
	}
	return pair
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

// addProfile adds the pair of laws of [PairAbove] for a mechanism. Only a bound on its profile is
// known. Under every relation that bound is about both orders of two neighbors, and the pair is its
// own mirror image. So it may replace the mechanism on each kind of sample.
func (c *collector) addProfile(e accounting.ProfileBound, rate, count float64) error {
	c.upperOnly = true
	same := func(known accounting.ProfileBound) bool { return reflect.DeepEqual(known, e) }
	at := slices.IndexFunc(c.profiles, same)
	if at < 0 {
		at, c.profiles = len(c.profiles), append(c.profiles, e)
	}
	// e^ε must be far from overflow. The last value that is left holds for all larger ε.
	n := sort.Search(len(e.Epsilons), func(i int) bool { return e.Epsilons[i] > mostResponse })
	if n == 0 {
		return tooLarge(e)
	}
	base := pairAbove(e.Epsilons[:n], falling(slices.Clone(e.Deltas[:n]))).base()
	base.given = "that the pair of laws above " + e.String() + " dominates it"
	return c.put(key{kind: 6, rate: rate, a: float64(at)}, base, count)
}

// once returns the pair of the only run of a program, if that is a known profile and no sample. It
// needs no grid.
func (p program) once() (pair discreteBase, ok bool) {
	if len(p.mechanisms) != 1 {
		return pair, false
	}
	f := p.mechanisms[0]
	pair, _ = f.base.(discreteBase)
	return pair, pair.given != "" && f.count == 1 && f.rate == 1 && !f.fixedSize && f.shown == 0
}

// deltaAt returns Σ (p - e^ε q)₊ over the outcomes, rounded up. Both directions have this δ, as the
// pair is its own mirror image.
func (d discreteBase) deltaAt(epsilon float64) float64 {
	x, delta, sizes := numeric.ExpBelow(epsilon), 0.0, 0.0
	for _, o := range d.outcomes {
		more := o.p
		if o.q > 0 {
			more -= x * o.q
		}
		if more > 0 {
			delta, sizes = delta+more, sizes+o.p
		}
	}
	return math.Min(1, delta+4*unit*sizes+float64(len(d.outcomes))*unit*delta)
}

// epsilonAt returns the least ε, to a relative 1e-12, with δ of at most delta. It is +Inf if there
// is none.
func (d discreteBase) epsilonAt(delta float64) float64 {
	return numeric.LeastTrue(1e-12, func(epsilon float64) bool { return d.deltaAt(epsilon) <= delta })
}
