package intersected_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

// drawn is a random question about DP-SGD. Rates, noise, steps and δ span the promised
// ranges on logarithmic scales; two in three lie in the range of training runs.
type drawn struct {
	q, sigma float64
	steps    int
	delta    float64
}

func draw(rng *rand.Rand) drawn {
	log := func(lo, hi float64) float64 { return lo * math.Exp(rng.Float64()*numeric.Log(hi/lo)) }
	d := drawn{q: log(1e-7, 0.99), sigma: log(0.1, 1000), steps: int(log(1, 1e9)), delta: log(1e-300, 0.1)}
	if rng.IntN(3) > 0 {
		d = drawn{q: log(1e-4, 0.5), sigma: log(0.4, 20), steps: int(log(2, 1e6)), delta: log(1e-15, 0.1)}
	}
	return d
}

func (d drawn) event() accounting.Event { return sgd(d.q, d.sigma, d.steps) }

// cases is how many questions are drawn: DPLAB_CASES, or a few.
func cases(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("DPLAB_CASES")); err == nil {
		return n
	}
	if testing.Short() {
		return 1
	}
	return 4
}

// epsilonOf returns the interval, checked for form: a drawn question must not be an error.
func epsilonOf(t *testing.T, a accounting.Accountant, event accounting.Event, delta float64) accounting.Interval {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil {
		t.Fatalf("%s, %v, δ %g: %v", a.Name(), event, delta, err)
	}
	e := g.Epsilon
	// Below δ = 1e-290 the grid may say that it has no upper end: its masses underflow.
	unknown := math.IsInf(e.Upper, 1) && len(g.Warnings) > 0 && errors.Is(g.Warnings[0], pld.ErrWide) && delta < 1e-290
	if !(e.HasLower && 0 <= e.Lower && e.Lower <= e.Estimate && e.Estimate <= e.Upper) || math.IsInf(e.Upper, 1) && !unknown {
		t.Errorf("%s, %v, δ %g: %v is not of the form 0 <= lower <= estimate <= upper < Inf", a.Name(), event, delta, e)
	}
	return e
}

// TestProperties draws questions (fixed seed) and checks what must hold between certified
// intervals, each of which holds the truth: those of the contour and of the grid, which share no
// mathematics but the profile of one step, always meet; ε is monotone in steps, rate, noise and δ;
// steps written in two parts cost the same. There is no tolerance.
//
//	DPLAB_CASES=2000 go test -run TestProperties -timeout 2h ./accounting/internal/intersected
func TestProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(2026, 4))
	n := cases(t)
	for range n {
		d := draw(rng)
		line := epsilonOf(t, contour.NewAccountant(), d.event(), d.delta)
		grid := epsilonOf(t, pld.NewAccountant(), d.event(), d.delta)
		if line.Lower > grid.Upper || grid.Lower > line.Upper {
			t.Errorf("%+v: contour [%.15g, %.15g], grid [%.15g, %.15g]: must meet", d, line.Lower, line.Upper, grid.Lower, grid.Upper)
		}
		both := epsilonOf(t, intersected.NewAccountant(), d.event(), d.delta)
		if both.Lower > line.Upper || line.Lower > both.Upper || both.Width() > line.Width()*(1+1e-12) {
			t.Errorf("%+v: contour %v, both %v: must meet, and not be wider", d, line, both)
		}
		checkMonotone(t, d, both)
		checkParts(t, rng, d)
	}
}

// checkMonotone asks about more steps, a higher rate, less noise and a smaller δ: what is known
// of that ε must allow it to be as large as this one.
func checkMonotone(t *testing.T, d drawn, less accounting.Interval) {
	t.Helper()
	for what, m := range map[string]drawn{
		"more steps":  {d.q, d.sigma, d.steps + 1 + d.steps/10, d.delta},
		"higher rate": {math.Min(1, d.q*1.05), d.sigma, d.steps, d.delta},
		"less noise":  {d.q, d.sigma / 1.05, d.steps, d.delta},
		"smaller δ":   {d.q, d.sigma, d.steps, d.delta / 1.3},
	} {
		if more := epsilonOf(t, contour.NewAccountant(), m.event(), m.delta); more.Upper < less.Lower {
			t.Errorf("%+v: with %s ε is at most %.15g, without at least %.15g", d, what, more.Upper, less.Lower)
		}
	}
}

// checkParts asks for the steps in two parts, in the other order, on both methods.
func checkParts(t *testing.T, rng *rand.Rand, d drawn) {
	t.Helper()
	if d.steps < 2 {
		return
	}
	first := 1 + rng.IntN(d.steps-1)
	parts := accounting.Composed{Events: []accounting.Event{sgd(d.q, d.sigma, d.steps-first), sgd(d.q, d.sigma, first)}}
	accountants := []accounting.Accountant{contour.NewAccountant()}
	if rng.IntN(10) == 0 {
		accountants = append(accountants, pld.NewAccountant())
	}
	for _, a := range accountants {
		whole, split := epsilonOf(t, a, d.event(), d.delta), epsilonOf(t, a, parts, d.delta)
		if whole != split {
			t.Errorf("%s, %+v: %v in one part, %v in two (%d first)", a.Name(), d, whole, split, first)
		}
	}
}
