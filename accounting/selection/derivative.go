package selection

import (
	"math"
	"sort"
)

// derivative is a table of ln f' of a law with at most degree runs, in s = -ln x.
//
// f'(e^-s) = Σ k P[K=k] e^(-(k-1)s) is log-convex in s and falls: between two entries the
// chord is an upper bound, and the chords of the intervals on both sides, prolonged, are
// lower bounds. Both are off by the square of the spacing, 1.5 %.
type derivative struct {
	s, value []float64 // s[0] = 0, then geometric up to 40
	atZero   float64   // ln f'(0), the limit for s -> ∞; -Inf if P[K = 1] = 0
	degree   float64
	slack    float64 // of rounding
}

// newDerivative tabulates logDerivative, ln f' as a function of ln x, that is off by at most
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
