package selection

import (
	"math"
	"sort"
)

// hockey is an upper bound on H(t) = ∫ (Q - t Q')₊ for t >= 0, from a profile asked at some ε >= 0:
//
//	H(t) = δ(ln t) for t >= 1,    H(t) <= 1 - t + t δ(-ln t) for t < 1,    H(0) = 1.
//
// H is convex and does not rise, so that the chord between two of its values is above it, and the last value bounds all
// behind it.
type hockey struct{ t, value []float64 }

// newHockey takes lines with e increasing.
func newHockey(known []line) *hockey {
	h := &hockey{t: []float64{0}, value: []float64{1}}
	add := func(t, value float64) {
		last := len(h.t) - 1
		if value = math.Max(0, math.Min(value, h.value[last])); t > h.t[last] {
			h.t, h.value = append(h.t, t), append(h.value, value)
		}
	}
	for i := len(known) - 1; i >= 0; i-- {
		l := known[i]
		add(1/l.x, (-math.Expm1(-l.e)+l.delta/l.x)*(1+1e-15))
	}
	for _, l := range known {
		add(l.x, l.delta)
	}
	return h
}

// at returns the bound at t >= 0.
func (h *hockey) at(t float64) float64 {
	i := sort.SearchFloat64s(h.t, t) // the first with h.t[i] >= t
	switch {
	case i == len(h.t):
		return h.value[i-1]
	case i == 0:
		return h.value[0]
	}
	share := (t - h.t[i-1]) / (h.t[i] - h.t[i-1])
	return h.value[i-1] + share*(h.value[i]-h.value[i-1]) + 4*0x1p-53*h.value[i-1]
}

// profileLines asks a profile around scale, the ε at the δ that matters: at ε = 0 and at powers of one ratio, the same for
// every question, closer where the bound looks closest. A quick profile is asked some thousand times, another some hundred.
func profileLines(deltaAt func(epsilon float64) float64, scale float64, quick bool) []line {
	near, far := 0.01, 8
	if quick {
		near, far = 0.0025, 4
	}
	known := []line{{0, 1, deltaAt(0)}}
	first, last := int(math.Log(scale/40)/near), int(math.Log(2*scale)/near)
	closeFrom, closeTo := int(math.Log(0.75*scale)/near), int(math.Log(1.5*scale)/near)
	for j := first; j <= last; j++ {
		if (j < closeFrom || j > closeTo) && j%far != 0 {
			continue
		}
		e := math.Exp(float64(j) * near)
		known = append(known, line{e, math.Exp(e), deltaAt(e)})
	}
	return known
}
