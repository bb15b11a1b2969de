package rdp_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// The definition, ∫ p^α q^{1-α}, by the midpoint rule on the piece between the two modes, and
// the closed tails outside.
func TestLaplaceAgainstDefinition(t *testing.T) {
	const n = 100000
	for _, b := range []float64{0.3, 1, 4, 50} {
		for _, order := range []float64{1.25, 2, 7.5, 40} {
			sum := 0.5*math.Exp((order-1)/b) + 0.5*math.Exp(-order/b)
			for i := range n {
				x := (float64(i) + 0.5) / n // from the mode of p at 0 to that of q at 1
				sum += math.Exp(-order*x/b-(1-order)*(1-x)/b) / (2 * b * n)
			}
			want := numeric.Log(sum) / (order - 1)
			got := rdp.Laplace(b)(order)
			if math.Abs(got-want) > 1e-7*math.Max(want, 1e-3) {
				t.Errorf("Laplace b=%g, order %g: %.12g, want %.12g by the midpoint rule", b, order, got, want)
			}
			if got > 1/b {
				t.Errorf("Laplace b=%g, order %g: %.17g exceeds 1/b", b, order, got)
			}
		}
	}
}

// For small 1/b the curve tends to α/(2b²)·(first orders of the series of e^v cancel).
func TestLaplaceOfLargeScale(t *testing.T) {
	for _, b := range []float64{1e4, 1e6} {
		want := 2 / (2 * b * b) // order 2: α(α-1)/(2(α-1)) = α/2
		if got := rdp.Laplace(b)(2); math.Abs(got/want-1) > 2/b {
			t.Errorf("Laplace b=%g, order 2: %.12g, want %.12g (1 + O(1/b)), second-order series", b, got, want)
		}
	}
}

func TestPureEvents(t *testing.T) {
	twice := func(event accounting.Event) accounting.Event {
		return accounting.SelfComposed{Event: event, Count: 2}
	}
	for _, c := range []struct {
		event accounting.Event
		order float64
		want  float64
	}{
		{twice(accounting.ZCDP{Rho: 0.3}), 5, 3},                                                // 2·ρα
		{twice(accounting.PureDP{Epsilon: 0.7}), 1e12, 1.4},                                     // 2ε in the limit
		{accounting.RandomizedResponse{Truth: 0.75}, 2, numeric.Log(0.5625/0.25 + 0.0625/0.75)}, // Σ p²/q
		{twice(accounting.Laplace{NoiseMultiplier: 2}), 1e12, 1},                                // 2/b in the limit
	} {
		curve, err := rdp.FromEvent(c.event)
		if err != nil {
			t.Fatal(err)
		}
		if got := curve(c.order); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v at order %g: %.12g, want %.12g by hand", c.event, c.order, got, c.want)
		}
	}
	if _, err := rdp.FromEvent(accounting.ApproxDP{Epsilon: 1, Delta: 1e-5}); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("ApproxDP: %v, want ErrUnsupportedEvent: it has no finite curve", err)
	}
}
