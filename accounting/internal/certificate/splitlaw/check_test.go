package splitlaw

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
)

// Two steps of one period, σ = 1, δ = 1e-5: 3.6973852 and 3.0797326, by the formula of Black and
// Scholes and one integral (lratio/testdata/truth.py). One period of 100 steps: 0.6209397, by sums
// of Bromwich; periods with σ 1.1: 2.3405207, by line integrals. Poisson samples:
// 1.4773769757585917 (contour integral at 40 digits).
var truths = []struct {
	p     Program
	delta float64
	want  float64
	near  float64 // relative
}{
	{Program{Factors: []Factor{{1, 2, 1, 1}}}, 1e-5, 3.6973852, 2e-4},
	{Program{Factors: []Factor{{1, 100, 1, 1}}}, 1e-5, 0.6209397, 1e-3},
	{Program{Factors: []Factor{{1 / 1.1, 234, 1, 60}}}, 1e-5, 2.3405207, 3e-3},
	{Program{Factors: []Factor{{0.5, 1, 0.01, 5000}}}, 1e-5, 1.4773769757585917, 1e-2},
	{Program{Gaussian: 1}, 1e-5, 4.377178095681137, 1e-4},
	{Program{Gaussian: 0.5, Replaced: true}, 1e-5, 4.377178095681137, 0.1}, // an upper end
}

// truthsHold returns the first truth below which the check shows something, or near above which it
// shows nothing.
func truthsHold() string {
	for _, c := range truths {
		curve, err := CurveOf(c.p, Grid{Cells: 1000, LogTail: numeric.Log(c.delta) - 16})
		if err != nil {
			return err.Error()
		}
		for _, epsilon := range []float64{0.5 * c.want, 0.99 * c.want, c.want * (1 - 1e-6)} {
			if got, err := curve.Check(epsilon, c.delta); err == nil {
				return fmt.Sprintf("%+v: shows ε = %g, and the truth is %g: %v", c.p, epsilon, c.want, got)
			}
		}
		got, err := curve.Check(c.want*(1+c.near), c.delta)
		if err != nil || got.DeltaUpper > c.delta || got.Epsilon != c.want*(1+c.near) || got.Claim == "" || got.Work == 0 {
			return fmt.Sprintf("%+v: at ε = %g: %v, %v", c.p, c.want*(1+c.near), got, err)
		}
	}
	return ""
}

func TestTruths(t *testing.T) {
	if where := truthsHold(); where != "" {
		t.Error(where)
	}
}

// addHolds compares the add direction where it is the larger one. On two points with Z = 0.2 and
// 1.05 it is, as a little mass is far below 1.
func addHolds() string {
	l := law{step: numeric.Log(5.25), first: -1, mass: []float64{0.05 * scale, 0.95 * scale}, shift: of(1.05).Log()}
	if d := l.curve().delta(0.5) / scale; d < 0.03 {
		return fmt.Sprintf("δ %g, want 0.0335", d) // 0.05 (1 - 0.2 e^0.5)
	}
	return ""
}

func TestAdd(t *testing.T) {
	if where := addHolds(); where != "" {
		t.Error(where)
	}
}

// A grid or a program that does not fit has no certificate.
func TestBadWitness(t *testing.T) {
	fine, grid := Program{Factors: []Factor{{1, 2, 1, 1}}}, Grid{Cells: 100, LogTail: -28}
	for name, c := range map[string]struct {
		p Program
		g Grid
	}{
		"no cells":     {fine, Grid{LogTail: -28}},
		"many cells":   {fine, Grid{Cells: 1 << 20, LogTail: -28}},
		"NaN tail":     {fine, Grid{Cells: 100, LogTail: math.NaN()}},
		"no tail":      {fine, Grid{Cells: 100, LogTail: math.Inf(-1)}},
		"empty":        {Program{}, grid},
		"period":       {Program{Factors: []Factor{{1, 0, 1, 1}}}, grid},
		"rate":         {Program{Factors: []Factor{{1, 1, 1.5, 1}}}, grid},
		"no rate":      {Program{Factors: []Factor{{1, 1, 0, 1}}}, grid},
		"count":        {Program{Factors: []Factor{{1, 1, 1, 0}}}, grid},
		"far":          {Program{Factors: []Factor{{1e6, 1, 1, 1}}}, grid},
		"NaN distance": {Program{Factors: []Factor{{math.NaN(), 2, 1, 1}}}, grid},
		"NaN Gaussian": {Program{Factors: fine.Factors, Gaussian: math.Inf(1)}, grid},
	} {
		curve, err := CurveOf(c.p, c.g)
		if got, shown := curve.Check(10, 1e-5); err == nil || shown == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	curve, err := CurveOf(fine, grid)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := curve.Check(math.NaN(), 1e-5); err == nil {
		t.Errorf("ε NaN: %v", got)
	}
}
