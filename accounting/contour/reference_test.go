package contour

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour/internal/transform"
	"github.com/dplab/dplab/accounting/numeric"
)

// sgd is T Poisson-sampled Gaussian steps.
func sgd(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: q, Event: accounting.Gaussian{NoiseMultiplier: sigma}},
		Count: steps,
	}
}

// row is one line of a table in testdata.
type row struct {
	id                                             string
	q, sigma, steps, delta, eps, epsRemove, epsAdd float64
}

// readRows reads a table of testdata; lines that start with # are its source.
func readRows(t testing.TB, name string) (rows []row, source string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			source += line + "\n"
			continue
		}
		cells := strings.Split(line, ",")
		if cells[0] == "id" {
			continue
		}
		var v [7]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(cells[i+1], 64); err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
		}
		rows = append(rows, row{cells[0], v[0], v[1], v[2], v[3], v[4], v[5], v[6]})
	}
	if len(rows) < 10 {
		t.Fatalf("%s: only %d rows", name, len(rows))
	}
	return rows, source
}

// TestReference holds every row of the reference: the truth, known to 1e-8 or 1e-10
// relative, lies in the interval widened by that error, and the width is at most 1e-6.
func TestReference(t *testing.T) {
	rows, source := readRows(t, "reference.csv")
	for _, r := range rows {
		g, err := search.EpsilonAt(sgd(r.q, r.sigma, int(r.steps)), r.delta)
		if err != nil {
			t.Fatal(r.id, err)
		}
		slop := math.Max(1e-8, 1e-10*r.eps)
		if r.eps < g.Epsilon.Lower-slop || r.eps > g.Epsilon.Upper+slop {
			t.Errorf("%s: %v does not hold %.12g\n%s", r.id, g.Epsilon, r.eps, source)
		}
		if g.Epsilon.Width() > 1e-6*r.eps {
			t.Errorf("%s: width %g of %v, want at most 1e-6 relative", r.id, g.Epsilon.Width(), g.Epsilon)
		}
		if len(g.Warnings) > 0 {
			t.Errorf("%s: warnings %v", r.id, g.Warnings)
		}
	}
}

// TestDirections compares each direction with the reference by itself.
func TestDirections(t *testing.T) {
	rows, source := readRows(t, "reference.csv")
	for _, r := range rows {
		if r.q == 1 || r.steps == 1 {
			continue
		}
		both := program{phases: []transform.Phase{{Q: r.q, Sigma: r.sigma, Count: r.steps}}}.problems()
		for i, want := range [...]float64{r.epsRemove, r.epsAdd} {
			got := both[i].epsilonAt(numeric.Log(r.delta), math.Inf(-1)).out
			if math.Abs(got.estimate-want) > math.Max(1e-8, 1e-10*want) || got.fallback {
				t.Errorf("%s, %v: %+v, want %.12g\n%s", r.id, transform.Direction(i), got, want, source)
			}
		}
	}
}
