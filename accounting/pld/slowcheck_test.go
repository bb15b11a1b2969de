package pld_test

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/pld"
)

// TestSlowCheck compares with 26 events that a script computed at 40 digits without a grid: log δ
// at ε, and ε back at that δ. The file is good to 18 digits, so that nothing but rounding of
// float64 is allowed for.
func TestSlowCheck(t *testing.T) {
	raw, err := os.ReadFile("testdata/slow_check.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	source := lines[1]
	if len(lines) < 3+20 || !strings.HasPrefix(lines[2], "id;") {
		t.Fatalf("%d lines: must be two comments, a header and at least 20 rows", len(lines))
	}
	for i, line := range lines[3:] {
		if testing.Short() && i%3 > 0 {
			continue
		}
		cells := strings.SplitN(line, ";", 5)
		epsilon, err1 := strconv.ParseFloat(cells[2], 64)
		want, err2 := strconv.ParseFloat(cells[3], 64)
		event, err3 := eventjson.Unmarshal([]byte(cells[4]))
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(line, err1, err2, err3)
		}
		a := pld.NewAccountant()
		if cells[1] != "" {
			if err := a.Relation.UnmarshalText([]byte(cells[1])); err != nil {
				t.Fatal(err)
			}
		}
		logs, err := a.LogDeltaAt(event, epsilon)
		if err != nil {
			t.Fatal(cells[0], err)
		}
		slop := 1e-15 * (1 + math.Abs(want))
		if want < logs.Lower-slop || want > logs.Upper+slop {
			t.Errorf("%s: log δ in [%.15g, %.15g], want %.15g\n%s", cells[0], logs.Lower, logs.Upper, want, source)
		}
		if logs.Width() > 0.1 {
			t.Errorf("%s: log δ in [%.15g, %.15g], wider than 0.1", cells[0], logs.Lower, logs.Upper)
		}
		g, err := a.EpsilonAt(event, math.Exp(want))
		if err != nil {
			t.Fatal(cells[0], err)
		}
		// e^want is off by half a unit of want and of itself; the slope of log δ is above 0.1 in all rows
		// but approx_floor, where δ is the floor and ε may be anything from 4 on. Losses on a few points
		// are not averaged by a grid, so that some of these are wide; then a warning says so.
		e, off := g.Epsilon, 10*slop
		if epsilon < e.Lower-off || epsilon > e.Upper+off {
			t.Errorf("%s: ε in [%.15g, %.15g], want %g\n%s", cells[0], e.Lower, e.Upper, epsilon, source)
		}
		warned := len(g.Warnings) > 0 && errors.Is(g.Warnings[0], pld.ErrWide)
		if e.Width() > 0.031 && cells[0] != "approx_floor" || e.Width() > 0.01*(1+1e-9) && !warned {
			t.Errorf("%s: ε in [%.15g, %.15g], warned %t: must be at most 0.01 wide, or 0.031 with a warning", cells[0], e.Lower, e.Upper, warned)
		}
	}
}
