package contour

import (
	"math"
	"slices"
	"testing"
)

// composed returns both bounds of log δ at ε of the given steps.
func composed(p *problem, epsilon, logDelta float64) (below, above float64) {
	var steps, span float64
	for _, w := range p.laws {
		steps += w.count
		span -= w.count * math.Log1p(-w.q)
	}
	c := composer{p: p, top: epsilon + span, tiny: math.Exp(logDelta - 40), nodes: 500}
	slop := atomSlop * (steps + 100)
	return c.all(false).logDelta(p.dir, epsilon, slop), c.all(true).logDelta(p.dir, epsilon, slop)
}

// TestAtomsOfOneStep compares with the closed form of one step, both directions, down to δ of 1e-130.
func TestAtomsOfOneStep(t *testing.T) {
	for _, f := range []phase{{1e-8, 1, 1}, {1e-4, 0.5, 1}, {0.01, 2, 1}, {0.3, 5, 1}, {1e-6, 0.1, 1}, {0.1, 30, 1}} {
		both := program{phases: []phase{f}}.problems()
		for _, p := range both {
			for _, share := range []float64{1e-3, 0.1, 0.5, 1, 3, 30} {
				epsilon := share * f.q
				lower, want, upper := oneStep(f.q, f.sigma, p.dir)(epsilon)
				if want < -290 || math.IsInf(want, 0) {
					continue
				}
				below, above := composed(p, epsilon, want)
				if below > upper || above < lower || p.dir == remove && want > -60 && above-below > 0.2 {
					t.Errorf("%+v, %v, ε %g: log δ in [%.12g, %.12g], want %.12g", f, p.dir, epsilon, below, above, want)
				}
			}
		}
	}
}

// TestAtomsAgainstSlowCheck compares with a brute-force computation in ball arithmetic, of two steps to a billion; most
// rows are far from where this is used, and the bounds far apart in the tails of the add direction.
func TestAtomsAgainstSlowCheck(t *testing.T) {
	rows, source := readSlowRows(t, "slow_check.csv")
	checked := 0
	for _, r := range rows {
		for i, p := range (program{phases: r.phases}).problems() {
			if want := r.logDelta[i]; want > leastAtomLog && !slices.ContainsFunc(r.phases, func(f phase) bool { return f.q == 1 }) {
				checked++
				below, above := composed(p, r.epsilon, want)
				if below > want+r.accuracy || above < want-r.accuracy || p.dir == remove && want > -60 && above-below > 0.6 {
					t.Errorf("%s, %v: log δ in [%.12g, %.12g], want %.12g\n%s", r.id, p.dir, below, above, want, source)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d values were compared", checked)
	}
}

// TestFewLargeLosses asks where qT and δ are small: answers were 2 % to 4000 % wide.
// Truths are those of the tests above.
func TestFewLargeLosses(t *testing.T) {
	for _, c := range []drawn{
		{1e-5, 1, 1000, math.Log(1e-12)}, // [.00703, .00717]
		{1e-4, 2, 10, math.Log(1e-15)},   // [.00310, .00328]
		{1.9e-4, 1.7, 525, math.Log(3.6e-29)},
		{7.1e-4, 3.4, 10, math.Log(7.6e-36)},
		{1e-8, 1, 1000, -60},
	} {
		g, err := NewAccountant().EpsilonAtLogDelta(c.event(), c.logDelta)
		if err != nil || g.Epsilon.Width() > 0.004*g.Epsilon.Upper || len(g.Warnings) != 1 {
			t.Errorf("%+v: %v, %v, warnings %v: want it 0.4 %% wide, with one warning", c, g.Epsilon, err, g.Warnings)
		}
		if c.steps > 100 {
			continue
		}
		d, err := NewAccountant().LogDeltaAt(c.event(), g.Epsilon.Estimate)
		if err != nil || d.Lower > c.logDelta+0.05 || d.Upper < c.logDelta-0.05 || d.Width() > 0.1 {
			t.Errorf("%+v: log δ at ε %g in [%g, %g], %v, want %g inside, 0.1 wide", c, g.Epsilon.Estimate, d.Lower, d.Upper, err, c.logDelta)
		}
	}
}
