package rdp_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/rdp"
)

func replaceOne() rdp.Accountant { return rdp.Accountant{Relation: accounting.ReplaceOne} }

func TestReplaceOneAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return replaceOne() })
}

// Theorem 9 by hand at orders 2 and 3, where it has one and two terms.
func TestFixedSizeByHand(t *testing.T) {
	const g, b = 0.05, 2.
	laplace := rdp.Laplace(b)
	pure := math.Expm1(1 / b)
	e2, e3 := laplace(2), laplace(3)
	second := g * g * math.Min(4*math.Expm1(e2), math.Exp(e2)*math.Min(2, pure*pure))
	third := g * g * g * math.Exp(2*e3) * math.Min(2, pure*pure*pure)
	curve := rdp.FixedSize(laplace, g)
	for order, want := range map[float64]float64{2: math.Log1p(second), 3: math.Log1p(3*second+third) / 2, 1.5: math.Log1p(second)} {
		if got := curve(order); math.Abs(got-want) > 1e-10*want {
			t.Errorf("order %g: %.15g, want %.15g", order, got, want)
		}
	}
	if curve(300) != laplace(300) || rdp.FixedSize(laplace, 1)(2) != e2 || !math.IsInf(rdp.FixedSize(laplace, 0)(2), 1) {
		t.Error("large orders and rate 1 must cost the mechanism itself, rate 0 is outside the range")
	}
}

// Against another library: dp_accounting 0.6.0 (RDP, REPLACE_ONE, orders 2 to 256) sharpens Theorem
// 9 for Gaussians, and does not cap it by the mechanism itself. Both are above the grid's lower
// end, and ours is at most 1.5 times theirs.
func TestFixedSizeAgainstOthers(t *testing.T) {
	for _, c := range []struct {
		m, n, steps        int
		sigma, delta, want float64
	}{
		{256, 60000, 5000, 2, 1e-5, 1.3516699554712788}, {10, 1000, 2000, 4, 1e-5, 0.9255515365610342},
		{1, 10, 50, 3, 1e-6, 2.467569374028606}, {500, 1000, 100, 8, 1e-5, 6.313071691405166},
	} {
		event := accounting.SelfComposed{Count: c.steps, Event: accounting.SampledWithoutReplacement{
			SampleSize: c.m, PopulationSize: c.n, Event: accounting.Gaussian{NoiseMultiplier: c.sigma}}}
		ours, err := replaceOne().EpsilonAt(event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := pld.Accountant{Relation: accounting.ReplaceOne}.EpsilonAt(event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if grid.Epsilon.Lower > math.Min(c.want, ours.Epsilon.Upper) || ours.Epsilon.Upper > 1.5*c.want {
			t.Errorf("%v: grid %v, dp_accounting %g, ours %v", event, grid.Epsilon, c.want, ours.Epsilon)
		}
		if ours.Neighboring != accounting.ReplaceOne {
			t.Errorf("relation %v", ours.Neighboring)
		}
	}
}

func TestFixedSizeRefused(t *testing.T) {
	fixed := accounting.SampledWithoutReplacement{SampleSize: 1, PopulationSize: 2, Event: accounting.Gaussian{NoiseMultiplier: 1}}
	if _, err := rdp.NewAccountant().EpsilonAt(fixed, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("add-or-remove-one: %v, want ErrUnsupportedEvent", err)
	}
	special := rdp.Accountant{Relation: accounting.ReplaceSpecial}
	if _, err := special.EpsilonAt(fixed, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("replace-special: %v, want ErrUnsupportedEvent", err)
	}
	if _, err := (rdp.Accountant{Relation: 9}).EpsilonAt(sgd(0.1, 1, 2), 1e-5); err == nil {
		t.Error("relation 9: no error")
	}
}
