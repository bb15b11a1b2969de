package splitlaw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/interval"
)

// sum returns E(Z-e^ε)₊, or E(1-e^ε Z)₊ if added, over all atoms.
func (l law) sum(epsilon float64, added bool) float64 {
	sum, c := l.infinite/scale, math.Exp(epsilon)
	if added {
		sum = l.zero / scale
	}
	for k, m := range l.mass {
		z := l.at(k).Exp().Hi
		if added {
			sum += m / scale * math.Max(0, 1-c*z)
		} else {
			sum += m / scale * math.Max(0, z-c)
		}
	}
	return sum
}

// At bounds E(Z-e^ε)₊, or E(1-e^ε Z)₊ if added. It is at most 1.
func (c Curve) At(epsilon I, added bool) float64 {
	d := c.removed(epsilon)
	if added {
		d = c.added(epsilon)
	}
	return min(1, interval.Up(d/scale))
}

// curveHolds compares curves of drawn laws with sums over their atoms, at ε of any sign.
func curveHolds() string {
	rng := rand.New(rand.NewPCG(34, 12))
	for range 20 {
		a := drawn(rng, 5+rng.IntN(20))
		l := a.above(0.01)
		l.zero, l.infinite = rng.Float64()*1e-3*scale, rng.Float64()*1e-3*scale
		c := l.curve()
		for epsilon := -9.0; epsilon < 9; epsilon += 0.0931 {
			for _, added := range []bool{false, true} {
				want := l.sum(epsilon, added)
				if got := c.At(of(epsilon), added); got < min(1, want)*(1-1e-11) || got > want*(1+1e-9)+1e-13 {
					return fmt.Sprintf("ε %g, added %v: %.17g, want %.17g", epsilon, added, got, want)
				}
			}
		}
	}
	return ""
}

func TestCurve(t *testing.T) {
	if where := curveHolds(); where != "" {
		t.Error(where)
	}
	if _, err := CurveOf(Program{}, Grid{Cells: 100, LogTail: -28}); err == nil {
		t.Error("an empty program has a curve")
	}
	for _, epsilon := range []float64{1, -1, math.Inf(1), math.NaN()} {
		if got, err := (Curve{}).Delta(epsilon); err == nil {
			t.Errorf("no curve: δ(%g) <= %g", epsilon, got)
		}
	}
}
