package accounting

import (
	"errors"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
)

// NewProfileBound lists a privacy profile: delta(ε) is an upper bound on δ at every ε >= 0, for
// every pair of neighbors, whichever comes first. A profile computed from the data holds for one
// data set only, and must not be used. name is for messages. The profile is asked some 2,000 times,
// at ε up to 512, more densely where it is more curved. Between these ε the event has
// chords, which are above it. They are above a smooth profile by at most 0.1 % of δ down to 1e-10,
// and by more below that.
//
// It returns an error if the profile is not in [0, 1], rises, or is not a number at one of these ε.
// Values that are too small elsewhere are not noticed.
func NewProfileBound(name string, delta func(epsilon float64) float64) (ProfileBound, error) {
	if err := check.Given(delta != nil, "accounting: NewProfileBound: delta", "must be a function"); err != nil {
		return ProfileBound{}, err
	}
	starts := []float64{0}
	for k := -40; k <= 9; k++ {
		starts = append(starts, math.Ldexp(1, k))
	}
	table := tabulated(delta, starts, func(a, b point) (float64, bool, func(y float64) bool) {
		middle := a.x + (b.x-a.x)/2
		chord := b.y + (a.y-b.y)*(math.Expm1(middle-b.x)/math.Expm1(a.x-b.x)) // in e^ε
		return middle, a.y > b.y, func(y float64) bool {
			tail := -numeric.Log(math.Max(y, math.SmallestNonzeroFloat64)) / 25
			return chord <= y*(1+math.Min(1, 1e-3*math.Max(1, tail*tail*tail*tail)))
		}
	})
	e := ProfileBound{Name: name}
	for i, p := range table {
		if i > 1 && p.y == table[i-2].y && p.y == table[i-1].y { // only the ends of a constant part are needed
			e.Epsilons[len(e.Epsilons)-1] = p.x
			continue
		}
		e.Epsilons, e.Deltas = append(e.Epsilons, p.x), append(e.Deltas, p.y)
	}
	err := e.Validate()
	if err == nil && e.Deltas[len(e.Deltas)-1] == 1 {
		err = errNoFall
	}
	if err != nil {
		return ProfileBound{}, check.Errorf("accounting: the profile of %q: %w", name, err)
	}
	return e, nil
}

// errNoFall is the error of a profile that never falls.
var errNoFall = errors.New("is 1 up to ε = 512: must fall before that")

// errNoOrder is the error of a curve without a finite value.
var errNoOrder = errors.New("has no finite divergence at any order from 1 + 1e-6 to 1e9: must have one")

// NewRenyiBound lists a Rényi curve: curve(α) is an upper bound on the divergence, in nats, at
// every order α > 1, for every pair of neighbors, whichever comes first. A curve computed from the
// data, such as the data-dependent one of PATE, holds for one data set only, and must not be used.
// +Inf means no bound at that order.
// name is for messages. The curve is asked some 1,000 times, at orders from 1 + 1e-6 to 1e9, among
// them all whole ones from 2 to 64. Between these orders the event has chords of (α-1) D_α. They
// are above a smooth curve by at most 0.01 % from order 1.1 to 1,000, and by at most 1 % elsewhere.
//
// It returns an error if the curve is negative, falls, or is not a number at one of these orders.
// Values that are too small elsewhere are not noticed.
func NewRenyiBound(name string, curve func(order float64) float64) (RenyiBound, error) {
	if err := check.Given(curve != nil, "accounting: NewRenyiBound: curve", "must be a function"); err != nil {
		return RenyiBound{}, err
	}
	var starts []float64
	for k := -24; k <= 36; k++ {
		starts = append(starts, 1+math.Pow(10, float64(k)/4))
	}
	for order := 2.0; order <= 64; order++ {
		starts = append(starts, order)
	}
	table := tabulated(curve, starts, func(a, b point) (float64, bool, func(y float64) bool) {
		middle := 1 + math.Sqrt((a.x-1)*(b.x-1))
		within := 1e-2
		if a.x > 1.09 && b.x < 1002 { // both are ends of parts
			within = 1e-4
		}
		chord := RenyiBound{Orders: []float64{a.x, b.x}, Divergences: []float64{a.y, b.y}}.DivergenceAt(middle)
		return middle, a.y < b.y && !math.IsInf(b.y, 1), func(y float64) bool { return chord <= y*(1+within) }
	})
	e := RenyiBound{Name: name}
	for _, p := range table {
		if p.y > 0 && p.y < check.LeastNormal {
			p.y = check.LeastNormal
		}
		if !math.IsInf(p.y, 1) {
			e.Orders, e.Divergences = append(e.Orders, p.x), append(e.Divergences, p.y)
		}
	}
	err := e.Validate()
	if len(e.Orders) == 0 {
		err = errNoOrder
	}
	if err != nil {
		return RenyiBound{}, check.Errorf("accounting: the Rényi curve of %q: %w", name, err)
	}
	return e, nil
}

// point is a value of a function that is listed.
type point struct{ x, y float64 }

const (
	// mostHalvings is the number of times that a part between two starts may be halved.
	mostHalvings = 24
	// mostTabulated is where no more parts are halved.
	mostTabulated = 1 << 13
)

// tabulated lists f at starts and between them. between returns a place between two neighbors,
// whether the part may need it, and whether the chord there is near a value of f. Parts are halved
// until it is.
func tabulated(f func(x float64) float64, starts []float64, between func(a, b point) (x float64, needed bool, near func(y float64) bool)) []point {
	slices.Sort(starts)
	var table []point
	for _, x := range slices.Compact(starts) {
		table = append(table, point{x, f(x)})
	}
	far := make([]bool, len(table)) // whether the part before an entry is to be halved
	for i := range far {
		far[i] = i > 0
	}
	for range mostHalvings {
		var finer []point
		var next []bool
		for i, p := range table {
			if far[i] && len(table)+len(finer)-i < mostTabulated {
				if x, needed, near := between(table[i-1], p); needed && x > table[i-1].x && x < p.x {
					middle := point{x, f(x)}
					again := !near(middle.y)
					finer, next = append(finer, middle, p), append(next, again, again)
					continue
				}
			}
			finer, next = append(finer, p), append(next, false)
		}
		if len(finer) == len(table) {
			break
		}
		table, far = finer, next
	}
	return table
}
