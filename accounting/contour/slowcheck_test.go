package contour

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
)

// slowRow is log δ at ε of a list of phases, per direction, from testdata/slow_check.py.
type slowRow struct {
	id       string
	epsilon  float64
	phases   []transform.Phase
	logDelta [2]float64
	accuracy float64
}

func (r slowRow) event() accounting.Event {
	var events []accounting.Event
	for _, f := range r.phases {
		events = append(events, sgd(f.Q, f.Sigma, int(f.Count)))
	}
	return accounting.Composed{Events: events}
}

// readSlowRows reads slow_check.csv or truths.csv, whose rows say how accurate they are.
func readSlowRows(t *testing.T, name string) (rows []slowRow, source string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		if strings.HasPrefix(line, "#") {
			source += line + "\n"
			continue
		}
		cells := strings.Split(line, ",")
		if cells[0] == "id" {
			continue
		}
		r := slowRow{id: cells[0], epsilon: number(cells[1]), logDelta: [2]float64{number(cells[3]), number(cells[4])}}
		var steps float64
		for _, text := range strings.Fields(cells[2]) {
			p := strings.Split(text, ":")
			r.phases = append(r.phases, transform.Phase{Q: number(p[0]), Sigma: number(p[1]), Count: number(p[2])})
			steps += number(p[2])
		}
		for _, v := range r.logDelta {
			if !math.IsInf(v, -1) {
				r.accuracy = math.Max(r.accuracy, 4e-16*math.Abs(v)) // float64 of the file's digits
			}
		}
		switch { // as the script demands of its two grids
		case len(cells) > 5:
			r.accuracy += number(cells[5])
		case steps == 2:
			r.accuracy += 1e-11
		case steps == 3:
			r.accuracy += 1e-8
		}
		rows = append(rows, r)
	}
	return rows, source
}

// TestSlowCheck compares with 20 rows and more of a brute-force computation in ball
// arithmetic that shares no code, each direction by itself, and ε through both.
func TestSlowCheck(t *testing.T) {
	rows, source := readSlowRows(t, "slow_check.csv")
	if len(rows) < 20 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, r := range rows {
		program, err := compiled(r.event())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range program.problems() {
			got, want := p.logDeltaAt(r.epsilon, math.Inf(-1)).out, r.logDelta[i]
			if got.lower > want+r.accuracy || got.upper < want-r.accuracy {
				t.Errorf("%s, %v: log δ in [%.15g, %.15g], want %.15g\n%s", r.id, p.Dir, got.lower, got.upper, want, source)
			}
			if got.upper-got.lower > 1e-6 && i == 0 {
				t.Errorf("%s, %v: log δ in [%.15g, %.15g], wider than 1e-6", r.id, p.Dir, got.lower, got.upper)
			}
		}
		target := math.Max(r.logDelta[0], r.logDelta[1])
		g, err := search.EpsilonAtLogDelta(r.event(), target)
		if err != nil {
			t.Fatal(err)
		}
		// The file's error moves ε by that error over the slope of log δ, above 1/3 in all rows.
		slop := 3*r.accuracy + 1e-15*r.epsilon
		if r.epsilon < g.Epsilon.Lower-slop || r.epsilon > g.Epsilon.Upper+slop || g.Epsilon.Width() > 1e-6*r.epsilon+1e-12 {
			t.Errorf("%s: ε in [%.15g, %.15g] at log δ %.15g, want %.15g\n%s", r.id, g.Epsilon.Lower, g.Epsilon.Upper, target, r.epsilon, source)
		}
	}
}
