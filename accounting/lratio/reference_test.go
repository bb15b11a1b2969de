package lratio

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/splitlaw"
	"github.com/dplab/dplab/accounting/numeric"
)

var allPrices = flag.Bool("lratio.all", false, "compare every row of prices.csv with 5000 cells, not every fourth with 1000, as CI does")

// priceRow is a row of prices.csv. The ends are those of ε, or of δ if kind is delta.
type priceRow struct {
	kind                           string
	sigma, at                      float64
	period, steps                  int
	removeLo, removeHi, addLo, add float64
}

func readPrices(t *testing.T) (rows []priceRow) {
	t.Helper()
	file, err := os.Open("testdata/prices.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		var x [8]float64
		for i := range x {
			if x[i], err = strconv.ParseFloat(line[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, priceRow{line[0], x[0], x[3], int(x[1]), int(x[2]), x[4], x[5], x[6], x[7]})
	}
	return rows
}

func (r priceRow) program(t *testing.T) program {
	t.Helper()
	var event accounting.Event = accounting.RandomAllocation{Period: r.period, Steps: r.steps, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: r.sigma}}
	if r.period == 1 {
		event = accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: r.sigma}, Count: r.steps}
	}
	q, err := ask.Of("lratio", event, accounting.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sides are the laws below and above a likelihood ratio.
type sides struct {
	below profile
	above splitlaw.Curve
}

func (p program) sides(t *testing.T, cells int, logTail float64) sides {
	t.Helper()
	below, err := p.below(cells, logTail)
	if err != nil {
		t.Fatal(err)
	}
	above, err := p.above(cells, logTail)
	if err != nil {
		t.Fatal(err)
	}
	return sides{below, above}
}

// delta returns the ends of δ in one direction, and epsilon those of ε.
func (s sides) delta(to direction, epsilon float64) (lower, upper float64) {
	return fromLog(s.below.logDelta(to, epsilon), -1), s.most(to, epsilon)
}

// most adds up δ of the law above Z.
func (s sides) most(to direction, epsilon float64) (sum float64) {
	for place, masses := range s.above.Points() {
		p, loss := masses[0], place.Hi
		if to == add {
			p, loss = masses[1], -place.Lo
		}
		if p > 0 && loss > epsilon {
			sum += p * -math.Expm1(epsilon-loss)
		}
	}
	return sum * (1 + 1e-12)
}

func (s sides) epsilon(to direction, logDelta float64) (lower, upper float64) {
	return s.below.epsilon(to, logDelta), numeric.LeastTrue(1e-13, func(e float64) bool {
		return numeric.Log(s.most(to, e)) <= logDelta
	})
}

// The intervals of ε and δ meet those of an independent program, and hold the values of a second
// method. Source: testdata/prices.csv. The second method's values are good to 1e-6.
func TestPrices(t *testing.T) {
	every, cells := 4, 1000
	if *allPrices {
		every, cells = 1, 5000
	}
	rows := readPrices(t)
	if len(rows) < 97 {
		t.Fatalf("only %d rows", len(rows))
	}
	for i, r := range rows {
		if i%every > 0 {
			continue
		}
		p := r.program(t)
		logTail := -60.0
		if r.kind != "delta" {
			logTail = numeric.Log(r.at) + logCut
		}
		both := p.sides(t, cells, logTail)
		for to, want := range [][2]float64{{r.removeLo, r.removeHi}, {r.addLo, r.add}} {
			to := direction(to)
			var lo, hi float64
			if r.kind == "delta" {
				lo, hi = both.delta(to, r.at)
			} else {
				lo, hi = both.epsilon(to, numeric.Log(r.at))
			}
			slack := 1e-12 * want[1]
			if r.kind == "truth" {
				slack = 1e-6
			}
			if !(lo <= want[1]+slack && want[0] <= hi+slack && lo <= hi) {
				t.Errorf("%+v, direction %v: [%.12g, %.12g], want to meet [%.12g, %.12g]", r, to, lo, hi, want[0], want[1])
			}
			if r.kind == "bounds" && hi-lo > 0.3*hi+0.1*(hi+1)*float64(1000/cells) {
				t.Errorf("%+v, direction %v: [%.12g, %.12g] is wide", r, to, lo, hi)
			}
		}
	}
}

// Two steps of one period, σ = 1, δ = 1e-5: ε of both directions by conditioning on one term, the
// formula of Black and Scholes and one integral (testdata/truth.py, delta2). Derived independently:
// 3.6973852 and 3.0797326.
func TestTwoSteps(t *testing.T) {
	r := priceRow{sigma: 1, period: 2, steps: 2}
	p := r.program(t)
	want := []float64{3.6973852, 3.0797326}
	both := p.sides(t, 2000, numeric.Log(1e-5)+logCut)
	for to, w := range want {
		below, above := both.epsilon(direction(to), numeric.Log(1e-5))
		if !(above >= w-5e-8 && above <= w+2e-4 && below <= w+5e-8 && below >= w-2e-4) {
			t.Errorf("direction %d: [%.9g, %.9g], want %.9g within 2e-4 on each side", to, below, above, w)
		}
	}
}

// asked returns the question about an event, under the relation if one is given.
func asked(t *testing.T, event accounting.Event, relation ...accounting.Neighboring) ask.Question {
	t.Helper()
	q, err := ask.Of("lratio", event, append(relation, accounting.AddOrRemoveOne)[0])
	if err != nil {
		t.Fatal(err)
	}
	return q
}
