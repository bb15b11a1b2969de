package contour

import (
	"flag"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

// littleNoise is a warning about noise so small that neither end is narrow.
func littleNoise(r slowRow) bool { return r.phases[0].Sigma < 0.1 }

var allTruths = flag.Bool("contour.all", false, "compare every row of truths.csv, not every third, as CI does")

// TestTruths holds drawn questions against values of three methods that share no code with the
// package (testdata/truths.py): two steps with few large losses, runs of 10 to 1e5 steps, small
// noise. Each direction's log δ and the event's ε lie in the intervals, and widths are as the
// package comment says.
func TestTruths(t *testing.T) {
	rows, source := readSlowRows(t, "truths.csv")
	if len(rows) < 70 {
		t.Fatalf("only %d rows", len(rows))
	}
	every, wide := 3, 0
	switch {
	case *allTruths:
		every = 1
	case testing.Short():
		every = 15
	}
	for i, r := range rows {
		if i%every > 0 {
			continue
		}
		program, err := compiled(r.event())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range program.problems() {
			want := r.logDelta[i]
			if math.IsNaN(want) {
				continue
			}
			got := p.logDeltaAt(r.epsilon, math.Inf(-1)).out
			if got.lower > want+r.accuracy || got.upper < want-r.accuracy || got.contradiction {
				t.Errorf("%s, %v: log δ in [%.15g, %.15g], contradiction %t, want %.15g\n%s", r.id, p.Dir, got.lower, got.upper, got.contradiction, want, source)
			}
		}
		target := r.logDelta[transform.Remove] // NaN, where add is small and not known, is not larger
		if r.logDelta[transform.Add] > target {
			target = r.logDelta[transform.Add]
		}
		g, err := search.EpsilonAtLogDelta(r.event(), target)
		if err != nil {
			t.Fatal(err)
		}
		slop := 3*r.accuracy + 1e-15*r.epsilon // the slope of log δ is above 1/3 in all rows
		if r.epsilon < g.Epsilon.Lower-slop || r.epsilon > g.Epsilon.Upper+slop {
			t.Errorf("%s: ε in [%.15g, %.15g] at log δ %.15g, want %.15g\n%s", r.id, g.Epsilon.Lower, g.Epsilon.Upper, target, r.epsilon, source)
		}
		if !littleNoise(r) && g.Epsilon.Width() > 0.03*r.epsilon {
			t.Errorf("%s: ε in [%.15g, %.15g], wider than 3 %%", r.id, g.Epsilon.Lower, g.Epsilon.Upper)
		}
		if g.Epsilon.Width() > warnWidth*r.epsilon {
			wide++
		}
	}
	t.Logf("%d of %d intervals are wider than %g", wide, (len(rows)+every-1)/every, warnWidth)
}
