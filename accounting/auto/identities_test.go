package auto_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/intersected"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

var identityCases = flag.Int("auto.identities", 3, "number of drawn cases of each identity and order between events")

// around returns what both events are put into. What dominates by itself does so in a composition
// and on a sample.
func (d drawn) around(bare bool) func(accounting.Event) accounting.Event {
	n, q, e := 2+d.IntN(20), d.log(1e-3, 1), d.release()
	switch d.IntN(8) {
	case 0:
		return func(x accounting.Event) accounting.Event { return times(n, x) }
	case 1:
		return func(x accounting.Event) accounting.Event { return all(e, x) }
	case 2:
		return func(x accounting.Event) accounting.Event { return all(x, times(n, poisson(q, e))) }
	case 3:
		if !bare {
			return func(x accounting.Event) accounting.Event { return poisson(q, x) }
		}
	}
	return func(x accounting.Event) accounting.Event { return x }
}

// rounded is the relative error of ends that rounding may exchange, of rates, noise multipliers
// and ends.
const rounded = 1e-9

// check asks both events for ε at δ, and δ at ends of ε and at another ε. It reports whether both
// have a price.
func (c claim) check(t *testing.T, d drawn, r accounting.Neighboring) bool {
	t.Helper()
	a, b := c.draw(d, r)
	if a == nil {
		return false
	}
	to := c.to
	if to == 0 {
		to = r
		inside := d.around(c.bare)
		a, b = inside(a), inside(b)
	}
	delta, other := d.log(1e-12, 0.3), d.log(1e-3, 50)
	if d.IntN(4) == 0 {
		delta = d.log(1e-300, 0.9)
	}
	first, second := accountantFor(t, r), accountantFor(t, to)
	fail := func(what string, at float64, x, y accounting.Interval) {
		t.Errorf("%s: %s at %g is %v of %v under %v, and %v of %v under %v", c.name, what, at, x, a, r, y, b, to)
	}
	failed := func(err error) bool {
		if errors.Is(err, intersected.ErrContradiction) || errors.Is(err, pld.ErrContradiction) {
			t.Errorf("%s: %v and %v under %v: %v", c.name, a, b, r, err)
		}
		return err != nil
	}
	g, errA := first.EpsilonAt(a, delta)
	h, errB := second.EpsilonAt(b, delta)
	for _, w := range append(g.Warnings, h.Warnings...) {
		failed(w)
	}
	if bad, too := failed(errA), failed(errB); bad || too {
		if c.kind == onePrice && bad != too {
			t.Errorf("%s: %v under %v: %v; %v under %v: %v", c.name, a, r, errA, b, to, errB)
		}
		return false
	}
	compare := func(what string, at float64, x, y accounting.Interval) {
		above := func(x, y accounting.Interval, slack float64) bool { return x.HasLower && x.Lower*(1-slack) > y.Upper }
		switch {
		case c.kind == atLeast && above(y, x, 0),
			c.kind != atLeast && (above(x, y, rounded) || above(y, x, rounded)),
			c.kind == onePrice && math.Abs(x.Upper-y.Upper) > rounded*max(math.Abs(y.Upper), 1):
			fail(what, at, x, y)
		}
	}
	compare("ε", delta, g.Epsilon, h.Epsilon)
	deltaOf := func(of accounting.Accountant, e accounting.Event, at float64) (i accounting.Interval, ok bool) {
		if math.IsInf(at, 1) {
			return i, false
		}
		i, err := of.DeltaAt(e, at)
		return i, !failed(err)
	}
	part := -1 // all three questions about δ, or one of them
	if testing.Short() {
		part = d.IntN(3)
	}
	if part == 0 || part < 0 { // δ of the second at the first's upper end is at most delta
		if i, ok := deltaOf(second, b, g.Epsilon.Upper); ok && i.HasLower && i.Lower*(1-rounded) > delta {
			fail("δ at the first's upper end, and ε", delta, g.Epsilon, i)
		}
	}
	if at := h.Epsilon.Lower; (part == 1 || part < 0) && h.Epsilon.HasLower && at > 0 { // that of the first is at least delta there
		if i, ok := deltaOf(first, a, at); ok && i.Upper*(1+rounded) < delta {
			fail("δ at the second's lower end, and ε", delta, i, h.Epsilon)
		}
	}
	if part == 2 || part < 0 {
		i, ok := deltaOf(first, a, other)
		j, too := deltaOf(second, b, other)
		if ok && too {
			compare("δ", other, i, j)
		}
	}
	return true
}

func accountantFor(t *testing.T, r accounting.Neighboring) accounting.Accountant {
	t.Helper()
	a, err := auto.NewAccountantFor(r)
	if err != nil {
		t.Fatal(err)
	}
	return accounting.Unchecked(a)
}

// TestIdentitiesAndOrders: events that are equal, and events of which one costs at least as much,
// have prices that can be so. Both are drawn, by themselves and inside others, under all relations.
func TestIdentitiesAndOrders(t *testing.T) {
	cases := *identityCases
	if testing.Short() {
		cases = 1
	}
	for i, c := range claims {
		d := drawn{rand.New(rand.NewPCG(22, uint64(i)))}
		asked, answered := 0, 0
		for range cases {
			for j, r := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial, accounting.ReplaceOne} {
				if testing.Short() && c.slow && j != i%3 {
					continue
				}
				asked++
				if c.check(t, d, r) {
					answered++
				}
			}
		}
		if t.Logf("%s: %d of %d answered", c.name, answered, asked); !testing.Short() && answered < asked/6 {
			t.Errorf("%s: %d of %d cases have two prices: want more", c.name, answered, asked)
		}
	}
}

// TestEqualEventsInClosedForm: one step of a mixture and of an allocation have the closed forms of
// sampled sums, whatever they are called.
func TestEqualEventsInClosedForm(t *testing.T) {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	// removed is δ of (1-q) N(0,σ²) + q N(1,σ²) against N(0,σ²), with the loss ε at x.
	removed := func(q, sigma, epsilon float64) float64 {
		x := sigma*sigma*numeric.Log(math.Expm1(epsilon)/q+1) + 0.5
		return q*tail((x-1)/sigma) - (math.Expm1(epsilon)+q)*tail(x/sigma)
	}
	// replaced is that against (1-q) N(0,σ²) + q N(-1,σ²). The loss rises in x.
	replaced := func(q, sigma, epsilon float64) float64 {
		density := func(x, mean float64) float64 { return 1 - q + q*math.Exp(mean*(x-mean/2)/(sigma*sigma)) }
		lo, hi := 0.0, 100*sigma
		for range 200 {
			if mid := (lo + hi) / 2; density(mid, 1) < math.Exp(epsilon)*density(mid, -1) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return (1-q)*-math.Expm1(epsilon)*tail(lo/sigma) + q*(tail((lo-1)/sigma)-math.Exp(epsilon)*tail((lo+1)/sigma))
	}
	for _, c := range []struct {
		event    accounting.Event
		relation accounting.Neighboring
		delta    float64
		of       func(q, sigma, epsilon float64) float64
		q, sigma float64
	}{
		{mixture(3, []float64{0.99, 0.01}, []float64{0, 6}), accounting.AddOrRemoveOne, 1e-5, removed, 0.01, 0.5},
		{mixture(3, []float64{0.01, 0.99}, []float64{6, 0}), accounting.ReplaceSpecial, 1e-3, removed, 0.01, 0.5},
		{allocation(34, 1, 6, sum(1.807)), accounting.AddOrRemoveOne, 0.0166, removed, 6. / 34, 1.807},
		{allocation(34, 1, 6, sum(1.807)), accounting.ReplaceOne, 0.0166, replaced, 6. / 34, 1.807},
		{allocation(9, 1, 2, sum(0.589)), accounting.ReplaceOne, 6.5e-4, replaced, 2. / 9, 0.589},
		{allocation(9, 1, 9, sum(0.589)), accounting.ReplaceOne, 6.5e-4, replaced, 1, 0.589},
		{accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 30, PopulationSize: 30, Event: sum(0.8)}, accounting.ReplaceOne, 1e-4, replaced, 0.1, 0.8},
		{with(1, 30, sum(0.8)), accounting.AddOrRemoveOne, 1e-4, removed, 1. / 30, 0.4},
	} {
		g, err := accountantFor(t, c.relation).EpsilonAt(c.event, c.delta)
		if err != nil {
			t.Error(err)
			continue
		}
		above, below := c.of(c.q, c.sigma, g.Epsilon.Upper), c.of(c.q, c.sigma, g.Epsilon.Lower)
		if !(above <= c.delta*(1+1e-9) && below >= c.delta*(1-1e-9)) || g.Epsilon.Width() > 1e-7*g.Epsilon.Upper {
			t.Errorf("%v under %v at δ %g: %v, want a narrow interval; the closed form has δ %.12g at its upper end and %.12g at its lower one", c.event, c.relation, c.delta, g.Epsilon, above, below)
		}
	}
	// q H(µ, 1+(e^ε-1)/q) = δ by mpmath at 50 digits.
	g, err := auto.NewAccountant().EpsilonAt(mixture(1, []float64{0.9999, 0.0001}, []float64{0, 50}), 1e-5)
	if err != nil || math.Abs(g.Epsilon.Upper-1303.8799632) > 1e-6 || g.Epsilon.Upper-g.Epsilon.Lower > 1e-5 {
		t.Errorf("mixture of 0 and 50: %v, %v, want 1303.8799632", g.Epsilon, err)
	}
}
