package contour

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// drawn is a random question. Rates, noise, steps and δ span the promised ranges on
// logarithmic scales.
type drawn struct {
	q, sigma float64
	steps    int
	logDelta float64
}

func draw(rng *rand.Rand) drawn {
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	d := drawn{q: log(1e-7, 0.99), sigma: log(0.25, 100), steps: int(log(1, 1e9))}
	if rng.IntN(3) > 0 { // the range of training runs
		d = drawn{q: log(1e-4, 0.5), sigma: log(0.4, 20), steps: int(log(20, 1e6))}
	}
	d.logDelta = numeric.Log(0.1) - rng.Float64()*rng.Float64()*300*math.Ln10
	if rng.IntN(3) > 0 {
		d.logDelta = numeric.Log(1e-3) - rng.Float64()*12*math.Ln10
	}
	return d
}

func (d drawn) event() accounting.Event { return sgd(d.q, d.sigma, d.steps) }

// ask returns the interval, checked for form; drawn questions must not be errors.
func asks(t *testing.T, d drawn) accounting.Interval {
	t.Helper()
	g, err := search.EpsilonAtLogDelta(d.event(), d.logDelta)
	if err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	e := g.Epsilon
	if !(e.Lower >= 0 && e.Lower <= e.Estimate && e.Estimate <= e.Upper) || math.IsInf(e.Upper, 1) {
		t.Errorf("%+v: %v is not of the form 0 <= lower <= estimate <= upper < Inf", d, e)
	}
	if e.Width() > warnWidth*e.Upper && (len(g.Warnings) == 0 || !errors.Is(g.Warnings[0], ErrWide)) {
		t.Errorf("%+v: %v has no warning", d, e)
	}
	return e
}

// above checks that the truth behind more can be as large as that behind less: more is an
// event with more steps, a higher rate, less noise or a smaller δ.
func above(t *testing.T, what string, d drawn, more, less accounting.Interval) {
	t.Helper()
	if more.Upper < less.Lower {
		t.Errorf("%+v: with %s ε is at most %.15g, without at least %.15g", d, what, more.Upper, less.Lower)
	}
}

// cases is how many questions the property test draws: DPLAB_CASES, or a few.
func cases(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("DPLAB_CASES")); err == nil {
		return n
	}
	if testing.Short() {
		return 1
	}
	return 6
}

// TestProperties draws questions (fixed seed) and checks what must hold between certified
// intervals, each of which holds the truth: monotony in steps, rate, noise and δ; composition;
// the round trip through δ; Rényi's upper bound above the lower end; the closed form of one
// step below the upper end. It has no tolerance but the rounding of the other methods.
// DPLAB_CASES=2000 go test -run TestProperties ./accounting/contour draws more.
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(2026, 11))
	wide, n := 0, cases(t)
	for range n {
		d := draw(rng)
		base := asks(t, d)
		if base.Width() > warnWidth*base.Upper {
			wide++
		}
		checkNeighbors(t, d, base)
		checkComposition(t, rng, d, base)
		checkOthers(t, d, base)
	}
	t.Logf("%d of %d intervals are wider than %g", wide, n, warnWidth)
}

func checkNeighbors(t *testing.T, d drawn, base accounting.Interval) {
	t.Helper()
	for what, m := range map[string]drawn{
		"more steps":  {d.q, d.sigma, d.steps + 1 + d.steps/10, d.logDelta},
		"higher rate": {math.Min(1, d.q*1.05), d.sigma, d.steps, d.logDelta},
		"less noise":  {d.q, d.sigma / 1.05, d.steps, d.logDelta},
		"smaller δ":   {d.q, d.sigma, d.steps, d.logDelta * 1.02},
	} {
		above(t, what, d, asks(t, m), base)
	}
}

// checkComposition asks for the same steps in two parts, and in three in another order.
func checkComposition(t *testing.T, rng *rand.Rand, d drawn, base accounting.Interval) {
	t.Helper()
	if d.steps < 3 {
		return
	}
	first := 1 + rng.IntN(d.steps-2)
	parts := accounting.Composed{Events: []accounting.Event{sgd(d.q, d.sigma, d.steps-first), sgd(d.q, d.sigma, first)}}
	g, err := search.EpsilonAtLogDelta(parts, d.logDelta)
	if err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	if g.Epsilon != base {
		t.Errorf("%+v: %v as one run, %v in two parts", d, base, g.Epsilon)
	}
}

// checkOthers compares with methods that share no code with the integral.
func checkOthers(t *testing.T, d drawn, base accounting.Interval) {
	t.Helper()
	back, err := NewAccountant().LogDeltaAt(d.event(), base.Upper)
	if err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	if base.Upper > 0 && back.Lower > d.logDelta {
		t.Errorf("%+v: ε is at most %.15g, but log δ there is at least %.15g", d, base.Upper, back.Lower)
	}
	for _, dir := range []transform.Direction{transform.Remove, transform.Add} {
		if one := oneStep(d.q, d.sigma, dir).invert(d.logDelta); base.Upper < one.lower {
			t.Errorf("%+v: ε is at most %.15g, that of one step at least %.15g (%v)", d, base.Upper, one.lower, dir)
		}
	}
	if d.logDelta < numeric.Log(1e-300) {
		return
	}
	bound, err := rdp.NewAccountant().EpsilonAt(d.event(), math.Exp(d.logDelta))
	if err != nil {
		t.Fatalf("%+v: rdp: %v", d, err)
	}
	if base.Lower > bound.Epsilon.Upper*(1+1e-9)+1e-12 { // rdp rounds to about 1e-10
		t.Errorf("%+v: ε is at least %.15g, but RDP says at most %.15g", d, base.Lower, bound.Epsilon.Upper)
	}
}
