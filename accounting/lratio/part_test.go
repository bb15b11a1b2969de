package lratio

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
)

// The atoms of a part have the δ of its laws, which is above that of the law below Z.
func TestPart(t *testing.T) {
	event := allocation(1.1, 30, 75)
	part, err := PartOf(asked(t, event), 2)
	if err != nil {
		t.Fatal(err)
	}
	const tail = -40
	above, below := part.Above(tail), part.Below(tail)
	delta := func(a Atoms, epsilon float64, added bool) (sum float64) {
		for i, p := range a.With {
			q := a.Without[i]
			if math.Abs(a.Loss[i]-numeric.Log(p/q)) > 1e-9 {
				t.Fatalf("atom %d: loss %g, log ratio %g", i, a.Loss[i], numeric.Log(p/q))
			}
			if added {
				p, q = q, p
			}
			sum += math.Max(0, p-math.Exp(epsilon)*q)
		}
		if added {
			return sum + a.OnlyWithout
		}
		return sum + a.OnlyWith
	}
	for _, epsilon := range []float64{0, 0.5, 1.5, 3} {
		known, err := Accountant{}.DeltaAt(accounting.SelfComposed{Event: event, Count: 2}, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for _, added := range []bool{false, true} {
			lower, upper := delta(below, epsilon, added), delta(above, epsilon, added)
			if !(lower <= upper) || upper > 1.02*lower || above.Error > 1e-8 {
				t.Errorf("ε %g, added %v: δ %g below, %g above", epsilon, added, lower, upper)
			}
			most = math.Max(most, lower)
		}
		if math.Abs(most-known.Estimate) > 0.01*most {
			t.Errorf("ε %g: δ %g, want %v", epsilon, most, known)
		}
	}
}

// A part next to an error has no privacy, and neither has the zero value.
func TestNoPart(t *testing.T) {
	failed, err := PartOf(asked(t, accounting.RandomAllocation{Period: 3, Steps: 3, Participations: 1, Event: accounting.Laplace{NoiseMultiplier: 1}}), 1)
	if err == nil {
		t.Error("Laplace noise: no error")
	}
	if _, err := PartOf(asked(t, allocation(1, 3, 3)), 0); err == nil {
		t.Error("0 runs: no error")
	}
	far, err := PartOf(asked(t, allocation(1e-3, 3, 3)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]Part{"failed": failed, "zero": {}, "losses of 5e5": far} {
		for _, a := range []Atoms{part.Above(-40), part.Rough()} {
			if a.OnlyWith != 1 || a.OnlyWithout != 1 || len(a.Loss) > 0 {
				t.Errorf("%s: the law above has %d atoms, and %g where only one law has mass", name, len(a.Loss), a.OnlyWith)
			}
		}
		if part.Curve(-40) != nil {
			t.Errorf("%s: a law", name)
		}
		if _, periods := part.Attack(); periods != 0 {
			t.Errorf("%s: an attack on %d periods", name, periods)
		}
	}
}
