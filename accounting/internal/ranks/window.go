package ranks

import (
	"math"

	"github.com/dplab/dplab/accounting/numeric"
)

// window has the factors c at which the support of a hull is asked. At some of them it has the
// places of a curve with the largest a - c b met so far. A part of the curve that decides nothing
// needs no fine steps.
//
// The part between two places is below the corner that has the a of the near one and the b of the
// far one, at every c >= 0. In a hull this corner may replace the part. Its a - c b is linear in c,
// and so is that of each place. Between two factors, take the larger of the lines of their two
// places. It is linear on either side of the crossing. So the corner is below it throughout if it
// is below at both factors and at the crossing. Then the hull's support does not change in the
// window. Outside of it the support may be larger.
type window struct {
	c      []float64
	best   []place // at each c
	tests  []point // factors, in a, with what a corner may have there, in b
	behind bool    // tests are those of earlier places
}

const (
	windowRatio = 1.1 // of two factors, for ε of 1 or more
	mostFactors = 24
)

// newWindow returns the window for c in [least, most]. Factors are closer for an ε below 1, as b
// then falls faster.
func newWindow(least, most, epsilon float64) *window {
	count := 2
	if least > 0 && most < math.Inf(1) {
		count += int(math.Min(mostFactors, numeric.Log(most/least)/numeric.Log(windowRatio)/math.Max(1e-3, math.Min(1, epsilon))))
	}
	v := &window{best: make([]place, count), behind: true}
	for j := range count {
		share := float64(j) / float64(count-1)
		c := least + (most-least)*share
		if least > 0 {
			c = least * math.Pow(most/least, share)
		}
		v.c = append(v.c, c)
	}
	return v
}

// meet takes a place of the curve.
func (v *window) meet(x place) {
	for j, c := range v.c {
		if x.a-c*x.b > v.best[j].a-c*v.best[j].b {
			v.best[j], v.behind = x, true
		}
	}
}

// below reports whether the part between two places decides nothing.
func (v *window) below(far, near place) bool {
	if v.behind {
		v.test()
	}
	for _, t := range v.tests {
		if !(near.a-t.a*far.b <= t.b) {
			return false
		}
	}
	return true
}

// test sets tests.
func (v *window) test() {
	v.tests, v.behind = v.tests[:0], false
	for j, c := range v.c {
		here := v.best[j]
		v.tests = append(v.tests, point{c, here.a - c*here.b})
		if j == 0 || here.b == v.best[j-1].b {
			continue
		}
		before := v.best[j-1]
		if cross := (here.a - before.a) / (here.b - before.b); cross > v.c[j-1] && cross < c {
			v.tests = append(v.tests, point{cross, math.Min(here.a-cross*here.b, before.a-cross*before.b)})
		}
	}
}

// places returns the p of the best places.
func (v *window) places() (all []float64) {
	for _, x := range v.best {
		if len(all) == 0 || all[len(all)-1] != x.p {
			all = append(all, x.p)
		}
	}
	return all
}
