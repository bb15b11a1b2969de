package accounting_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/rdp"
)

// The contract of all accountants, with a part too small to move what it compares.
func TestReserveKeepsTheContract(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant {
		return accounting.WithDeltaReserve{Accountant: rdp.NewAccountant(), Delta: 1e-310}
	})
}

// Nothing set aside is nothing changed.
func TestReserveOfNothing(t *testing.T) {
	a, event := rdp.NewAccountant(), accounting.Gaussian{NoiseMultiplier: 2}
	got := must(accounting.WithDeltaReserve{Accountant: a}.EpsilonAt(event, 1e-5))(t)
	want := must(a.EpsilonAt(event, 1e-5))(t)
	delta := must(accounting.WithDeltaReserve{Accountant: a}.DeltaAt(event, 1))(t)
	if !reflect.DeepEqual(got, want) || delta != must(a.DeltaAt(event, 1))(t) {
		t.Errorf("%v and δ %v, want %v", got, delta, want)
	}
}

// truncated is a normal law of standard deviation sigma whose noise ends at ±end. For means 0
// and 1 the flag of Reserve is: the noise as one of the two sees it is beyond the end.
type truncated struct{ sigma, end float64 }

func beyond(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }

func (m truncated) flag() float64 {
	return 2*beyond(m.end/m.sigma) + beyond((m.end-1)/m.sigma)
}

func (m truncated) density(x, mean float64) float64 {
	if math.Abs(x-mean) > m.end {
		return 0
	}
	z := (x - mean) / m.sigma
	return math.Exp(-z*z/2) / (m.sigma * math.Sqrt(2*math.Pi)) / (1 - 2*beyond(m.end/m.sigma))
}

const cells = 40_000

// delta is δ at epsilon between the two means, by a Riemann sum of (p - e^ε q)+.
func (m truncated) delta(epsilon float64) float64 {
	sum, width := 0.0, (2*m.end+1)/cells
	for i := range cells {
		x := -m.end + (float64(i)+0.5)*width
		sum += max(0, m.density(x, 0)-math.Exp(epsilon)*m.density(x, 1)) * width
	}
	return sum
}

// Noise that ends at some deviations: its δ, summed up from its densities, is at most that of
// Reserve and in many cases above that of the exact mechanism. So the part is needed, and
// enough. The sum is right to 1e-4 of its value plus a cell at each end.
func TestReserveCoversTruncatedNormals(t *testing.T) {
	needed := 0
	exact, event := gdp.NewAccountant(), func(m truncated) accounting.Event { return accounting.Gaussian{NoiseMultiplier: m.sigma} }
	for _, m := range []truncated{{1, 3}, {1, 4}, {2, 6}, {0.7, 3.5}, {4, 10}, {0.5, 4}} {
		reserve := accounting.WithDeltaReserve{Accountant: exact, Delta: m.flag()}
		for _, epsilon := range []float64{0.1, 0.5, 1, 2, 3, 4, 6, 10} {
			want := m.delta(epsilon)
			tolerance := 1e-4*want + 2*(2*m.end+1)/cells*m.density(m.end, 0)
			bound := must(reserve.DeltaAt(event(m), epsilon))(t)
			if bound.Upper < want-tolerance {
				t.Errorf("σ %g, noise ends at %g: δ(%g) is %g, bounded by %g", m.sigma, m.end, epsilon, want, bound.Upper)
			}
			if must(exact.DeltaAt(event(m), epsilon))(t).Upper < want-tolerance {
				needed++
			}
		}
		for _, delta := range []float64{1.0001 * m.flag(), 1.5 * m.flag(), 0.3} {
			g := must(reserve.EpsilonAt(event(m), delta))(t)
			tolerance := 1e-4*delta + 2*(2*m.end+1)/cells*m.density(m.end, 0)
			if got := m.delta(g.Epsilon.Upper); got > delta+tolerance || math.IsInf(g.Epsilon.Upper, 1) || g.Delta != delta {
				t.Errorf("σ %g, noise ends at %g: %v, where the truth is δ %g", m.sigma, m.end, g, got)
			}
		}
		if g := must(reserve.EpsilonAt(event(m), m.flag()))(t); !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("σ %g, noise ends at %g: %v, with nothing left of δ", m.sigma, m.end, g)
		}
	}
	if needed == 0 {
		t.Error("no case in which the exact mechanism's δ is too small: the test says nothing")
	}
}

func TestReserveFaults(t *testing.T) {
	event, a := accounting.Gaussian{NoiseMultiplier: 1}, rdp.NewAccountant()
	for _, c := range []struct {
		reserve accounting.WithDeltaReserve
		want    string
	}{
		{accounting.WithDeltaReserve{}, "accounting: WithDeltaReserve.Accountant is nil: must be an accountant"},
		{accounting.WithDeltaReserve{Accountant: a, Delta: -1}, "accounting: WithDeltaReserve.Delta -1: must be in [0, 1]"},
		{accounting.WithDeltaReserve{Accountant: a, Delta: 1.5}, "accounting: WithDeltaReserve.Delta 1.5: must be in [0, 1]"},
		{accounting.WithDeltaReserve{Accountant: a, Delta: math.NaN()}, "accounting: WithDeltaReserve.Delta NaN: must be in [0, 1]"},
	} {
		_, err := c.reserve.EpsilonAt(event, 1e-5)
		_, errDelta := c.reserve.DeltaAt(event, 1)
		if err == nil || err.Error() != c.want || errDelta == nil || errDelta.Error() != c.want {
			t.Errorf("errors %v and %v, want %q", err, errDelta, c.want)
		}
	}
	for _, delta := range []float64{0, 1, math.NaN()} {
		if _, err := (accounting.WithDeltaReserve{Accountant: a, Delta: 0.5}).EpsilonAt(event, delta); err == nil {
			t.Errorf("delta %g: no error", delta)
		}
	}
}

func TestDeltaReserveNote(t *testing.T) {
	for _, c := range []struct {
		with float64
		want string
	}{
		{1.00001, "truncated noise (1.3e-12 of δ; ε rises from 1.0000 to 1.0001)"},
		{1, "truncated noise (1.3e-12 of δ; no visible change in ε)"},
		{math.Inf(1), "truncated noise (1.3e-12 of δ; ε rises from 1.0000 to +Inf)"},
	} {
		if got := (accounting.WithDeltaReserve{Delta: 1.23e-12}).Note("truncated noise", 1, c.with); got != c.want {
			t.Errorf("note %q, want %q", got, c.want)
		}
	}
}

// A tenth of δ for what the event does not describe.
func ExampleWithDeltaReserve() {
	accountant := accounting.WithDeltaReserve{Accountant: rdp.NewAccountant(), Delta: 1e-6}
	event := accounting.Gaussian{NoiseMultiplier: 2}
	for _, a := range []accounting.Accountant{rdp.NewAccountant(), accountant} {
		g, err := a.EpsilonAt(event, 1e-5)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("ε <= %s at δ = %g\n", accounting.FormatUpper(g.Epsilon.Upper), g.Delta)
	}
	// Output:
	// ε <= 2.1658 at δ = 1e-05
	// ε <= 2.1780 at δ = 1e-05
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
