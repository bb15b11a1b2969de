package contour

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// composed returns both bounds of log δ at ε of the given steps.
func composed(p *problem, epsilon, logDelta float64) (below, above float64) {
	var steps, span float64
	for _, w := range p.Laws {
		steps += w.Count
		span -= w.Count * math.Log1p(-w.Q)
	}
	c := composer{p: p, top: epsilon + span, tiny: math.Exp(logDelta - 40), nodes: 500}
	slop := atomSlop * (steps + 100)
	return c.all(false).logDelta(p.Dir, epsilon, slop), c.all(true).logDelta(p.Dir, epsilon, slop)
}

// TestAtomsOfOneStep compares with the closed form of one step, both directions, down to δ of
// 1e-130.
func TestAtomsOfOneStep(t *testing.T) {
	for _, f := range []transform.Phase{{Q: 1e-8, Sigma: 1, Count: 1}, {Q: 1e-4, Sigma: 0.5, Count: 1}, {Q: 0.01, Sigma: 2, Count: 1}, {Q: 0.3, Sigma: 5, Count: 1}, {Q: 1e-6, Sigma: 0.1, Count: 1}, {Q: 0.1, Sigma: 30, Count: 1}} {
		both := program{phases: []transform.Phase{f}}.problems()
		for _, p := range both {
			for _, share := range []float64{1e-3, 0.1, 0.5, 1, 3, 30} {
				epsilon := share * f.Q
				lower, want, upper := oneStep(f.Q, f.Sigma, p.Dir)(epsilon)
				if want < -290 || math.IsInf(want, 0) {
					continue
				}
				below, above := composed(p, epsilon, want)
				if below > upper || above < lower || p.Dir == transform.Remove && want > -60 && above-below > 0.2 {
					t.Errorf("%+v, %v, ε %g: log δ in [%.12g, %.12g], want %.12g", f, p.Dir, epsilon, below, above, want)
				}
			}
		}
	}
}

// TestAtomsAgainstSlowCheck compares with a brute-force computation in ball arithmetic, of two
// steps to a billion; most rows are far from where this is used, and the bounds far apart in the
// tails of the add direction.
func TestAtomsAgainstSlowCheck(t *testing.T) {
	rows, source := readSlowRows(t, "slow_check.csv")
	checked, enough := 0, 20
	if testing.Short() {
		enough = 7
	}
	for k, r := range rows {
		if testing.Short() && k%3 > 0 {
			continue
		}
		for i, p := range (program{phases: r.phases}).problems() {
			if want := r.logDelta[i]; want > leastAtomLog && !slices.ContainsFunc(r.phases, func(f transform.Phase) bool { return f.Q == 1 }) {
				checked++
				below, above := composed(p, r.epsilon, want)
				if below > want+r.accuracy || above < want-r.accuracy || p.Dir == transform.Remove && want > -60 && above-below > 0.6 {
					t.Errorf("%s, %v: log δ in [%.12g, %.12g], want %.12g\n%s", r.id, p.Dir, below, above, want, source)
				}
			}
		}
	}
	if checked < enough {
		t.Errorf("only %d values were compared", checked)
	}
}

// TestFewLargeLosses asks where qT and δ are small: answers were 2 % to 4000 % wide.
// Truths are those of the tests above.
func TestFewLargeLosses(t *testing.T) {
	for i, c := range []drawn{
		{1e-5, 1, 1000, numeric.Log(1e-12)}, // [.00703, .00717]
		{1e-4, 2, 10, numeric.Log(1e-15)},   // [.00310, .00328]
		{1.9e-4, 1.7, 525, numeric.Log(3.6e-29)},
		{7.1e-4, 3.4, 10, numeric.Log(7.6e-36)},
		{1e-8, 1, 1000, -60},
	} {
		if testing.Short() && i%3 != 1 {
			continue
		}
		g, err := search.EpsilonAtLogDelta(c.event(), c.logDelta)
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
