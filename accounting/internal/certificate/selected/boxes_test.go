package selected

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/internal/certificate/laws/lawof"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Wherever the boxes run out, the sums are still upper bounds: they are not below those of many
// boxes.
func TestTooFewBoxes(t *testing.T) {
	var known []Known
	for e := 0.0; e < 10; e += 0.1 {
		delta, err := gdp.DeltaAt(1, e)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, Known{e, delta.Upper})
	}
	var masses []float64
	for s := 1e-8; s < 0.5; s *= 2 {
		masses = append(masses, s)
	}
	run := NewRun(known)
	for _, l := range []law.Law{law.Poisson{MeanRepeats: 10}, law.Fixed{Count: 5}} {
		made, err := lawof.Interval(l)
		if err != nil {
			t.Fatal(err)
		}
		g := leastMassOf(run.known)
		sums := func(left int) ([2]float64, int) {
			x := interval.Of(3).Exp().Lo
			b := boxes{law: made, lines: run.lines, mass: g, delta: 1e-4, left: left, x: [2]float64{x, x * (1 + mostRaised)}}
			return b.over(g.places(masses)), b.left
		}
		want, left := sums(1_000_000)
		if left < 0 || !(want[0] > 1e-6 && want[0] < 1) {
			t.Fatalf("%v: %v with %d boxes left", l, want, left)
		}
		few := 0
		for boxes := 0; boxes < 1_000_000-left; boxes += 1 + boxes/10 {
			got, left := sums(boxes)
			if left < 0 {
				few++
			}
			for j := range want {
				if !(got[j] >= 0.99*want[j]) || math.IsInf(got[j], 1) {
					t.Errorf("%v, %d boxes: sums %v are below %v, those of many", l, boxes, got, want)
				}
			}
		}
		if few < 10 {
			t.Errorf("%v: the boxes run out %d times", l, few)
		}
	}
}
