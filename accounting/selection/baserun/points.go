package baserun

import (
	"math"
	"sort"
	"sync"
)

// Point is δ(E) of a profile at one E, and X = e^E.
type Point struct{ E, X, Delta float64 }

// HockeyStick is an upper bound on H(t) = ∫ (Q - t Q')₊ for t >= 0, from values of a profile at
// some ε >= 0:
//
//	H(t) = δ(ln t) for t >= 1,    H(t) <= 1 - t + t δ(-ln t) for t < 1,    H(0) = 1.
//
// H is convex and does not rise. So the chord between two of its values is above it, and the last
// value bounds it beyond.
type HockeyStick struct{ t, value []float64 }

// NewHockeyStick returns the bound from points with increasing E.
func NewHockeyStick(known []Point) *HockeyStick {
	room := 2*len(known) + 1
	h := &HockeyStick{t: append(make([]float64, 0, room), 0), value: append(make([]float64, 0, room), 1)}
	add := func(t, value float64) {
		last := len(h.t) - 1
		if value = math.Max(0, math.Min(value, h.value[last])); t > h.t[last] {
			h.t, h.value = append(h.t, t), append(h.value, value)
		}
	}
	for i := len(known) - 1; i >= 0; i-- {
		l := known[i]
		add(1/l.X, (-math.Expm1(-l.E)+l.Delta/l.X)*(1+1e-15))
	}
	for _, l := range known {
		add(l.X, l.Delta)
	}
	return h
}

// At returns the bound at t >= 0.
func (h *HockeyStick) At(t float64) float64 { return h.between(sort.SearchFloat64s(h.t, t), t) }

// Near returns At for points that are mostly close to the one before. It looks for a point from
// there on. It must not be called concurrently.
func (h *HockeyStick) Near() func(t float64) float64 {
	i := 0
	return func(t float64) float64 {
		i = h.from(i, t)
		return h.between(i, t)
	}
}

// from returns the first place with h.t[place] >= t, as sort.SearchFloat64s does. It doubles its
// steps from place i on.
func (h *HockeyStick) from(i int, t float64) int {
	lo, hi := i, i // h.t[lo-1] < t, and h.t[hi] >= t or hi is the end
	for step := 1; lo > 0 && h.t[lo-1] >= t; step *= 2 {
		lo, hi = max(0, lo-step), lo-1
	}
	for step := 1; hi < len(h.t) && h.t[hi] < t; step *= 2 {
		lo, hi = hi+1, min(len(h.t), hi+step)
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); h.t[mid] < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// between returns the bound at t. i is the first place with h.t[i] >= t.
func (h *HockeyStick) between(i int, t float64) float64 {
	switch {
	case i == len(h.t):
		return h.value[i-1]
	case i == 0:
		return h.value[0]
	}
	share := (t - h.t[i-1]) / (h.t[i] - h.t[i-1])
	return h.value[i-1] + share*(h.value[i]-h.value[i-1]) + 4*0x1p-53*h.value[i-1]
}

// profileList has the values of one profile that were asked for so far: for each step, a power of
// 2, δ at its multiples.
type profileList struct {
	lock  sync.Mutex
	known map[int][]Point // by the logarithm of the step
}

// The least number of multiples of the step up to the ε that matters, and the number of values in
// each doubling of ε far above it. The first pair is for a profile that is quick or answers many
// questions at once, the second for all others. The numbers of multiples are powers of 2.
const (
	quickSteps, quickFar = 512, 32
	slowSteps, slowFar   = 32, 2
)

// around returns δ at e = 0, at multiples of one step to beyond twice scale, and at fewer ε up to
// top. scale is the ε at the δ that matters. The list depends on the question only by its step, so
// one list serves many questions.
func (l *profileList) around(s Source, scale, top float64) []Point {
	steps, far := s.density()
	exponent := math.Ilogb(scale / float64(steps) * 2)
	step, end := math.Ldexp(1, exponent), 2*steps
	at := func(i int) float64 {
		if i <= end {
			return step * float64(i)
		}
		return step * float64(end) * math.Exp2(float64(i-end)/float64(far))
	}
	count := end + 1
	for at(count-1) < top {
		count++
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.known == nil {
		l.known = map[int][]Point{}
	}
	known := l.known[exponent]
	if have := len(known); have < count {
		epsilons := make([]float64, count-have)
		for i := range epsilons {
			epsilons[i] = at(have + i)
		}
		for i, delta := range s.Deltas(epsilons) {
			known = append(known, Point{epsilons[i], math.Exp(epsilons[i]), delta})
		}
		l.known[exponent] = known
	}
	return known[:count:count]
}

func (s Source) density() (steps, far int) {
	if s.Fast || s.DeltasAt != nil {
		return quickSteps, quickFar
	}
	return slowSteps, slowFar
}

// Deltas returns δ at each of epsilons, which do not fall.
func (s Source) Deltas(epsilons []float64) []float64 {
	if s.DeltasAt != nil {
		return s.DeltasAt(epsilons)
	}
	deltas := make([]float64, len(epsilons))
	for i, e := range epsilons {
		deltas[i] = s.DeltaAt(e)
	}
	return deltas
}
