package intersected_test

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/internal/intersected"
)

// corner is a question at the ends of what is promised: δ from 0.1 to 1e-300, ε from 1e-4 to
// 1e4, T to 1e9, q to 1e-7, few-shot tails, tiny noise, two steps.
type corner struct {
	q, sigma float64
	steps    int
	delta    float64
}

func corners() []corner {
	list := []corner{
		{1e-7, 0.3, 1e7, 1e-10}, {1e-6, 0.7, 1e5, 1e-12}, {1e-6, 0.7, 100, 1e-12}, {1e-4, 0.05, 1000, 1e-5},
		{0.01, 0.05, 1e6, 1e-5}, {0.01, 0.05, 1e9, 0.1}, {0.5, 0.05, 1000, 1e-100}, {1e-7, 0.3, 10, 1e-100},
		{1e-4, 10, 2, 1e-12}, {0.001, 0.7, 2, 1e-30}, {0.001, 1, 3, 1e-8}, {0.5, 0.3, 1e4, 1e-5}, {0.01, 100, 1e8, 1e-5},
		{0.99, 0.1, 1e6, 1e-300}, {1, 1e-3, 1e9, 1e-300}, {1e-7, 1000, 1, 0.1}, {0.9, 1e-3, 10, 1e-5},
	}
	if testing.Short() {
		return []corner{list[0], list[3], list[7], list[9], list[12], list[16]}
	}
	every := os.Getenv("DPLAB_CASES") != ""
	i := 0
	for _, q := range []float64{1e-7, 1e-4, 0.01, 0.5, 1} {
		for _, sigma := range []float64{0.05, 0.3, 1, 10, 1000} {
			for _, steps := range []int{1, 2, 10, 1000, 1e6, 1e9} {
				for _, delta := range []float64{0.1, 1e-5, 1e-12, 1e-100, 1e-300} {
					if i++; every || i%199 == 0 {
						list = append(list, corner{q, sigma, steps, delta})
					}
				}
			}
		}
	}
	return list
}

// TestCorners asks each corner: the answer is an interval, with a warning where it is wide, or
// an error. DPLAB_CASES asks all 767. BenchmarkCorners says what they take.
func TestCorners(t *testing.T) {
	for _, c := range corners() {
		g, err := intersected.NewAccountant().EpsilonAt(sgd(c.q, c.sigma, c.steps), c.delta)
		if err != nil {
			continue
		}
		e := g.Epsilon
		if !(e.Upper >= 0) || e.HasLower && !(e.Lower >= 0 && e.Lower <= e.Upper) {
			t.Errorf("%+v: %v: must be 0 <= lower <= upper", c, e)
		}
		// Each end may move by a share of 1e-6 where it is checked.
		if e.Width() > 0.01*(1+1e-9) && e.Width() > 2e-6*(1+1e-9)*e.Upper && len(g.Warnings) == 0 {
			t.Errorf("%+v: %v: is wide, and no warning says so", c, e)
		}
	}
}

// BenchmarkCorners asks each corner; DPLAB_CASES all 767. Besides their sum it reports the dearest. Aim: under
// a second of processor time each.
func BenchmarkCorners(b *testing.B) {
	var most time.Duration
	for b.Loop() {
		for _, c := range corners() {
			before := processorTime()
			_, _ = intersected.NewAccountant().EpsilonAt(sgd(c.q, c.sigma, c.steps), c.delta)
			most = max(most, processorTime()-before)
		}
	}
	b.ReportMetric(most.Seconds()*1e3, "ms/dearest")
}

// TestCornersOfDelta asks for δ at ε from 0 to 1e4.
func TestCornersOfDelta(t *testing.T) {
	for i, c := range corners() {
		if i%3 != 0 && os.Getenv("DPLAB_CASES") == "" {
			continue
		}
		epsilon := []float64{1e-4, 0, 1, 100, 1e4}[i%5]
		d, err := intersected.NewAccountant().DeltaAt(sgd(c.q, c.sigma, c.steps), epsilon)
		if err == nil && (!(d.Upper > 0 && d.Upper <= 1) || d.HasLower && !(d.Lower >= 0 && d.Lower <= d.Upper)) {
			t.Errorf("%+v, ε %g: δ %v: must be in [0, 1], the upper end above 0", c, epsilon, d)
		}
	}
}

// Below the least float64 δ is given as its logarithm. One step is a closed form: δ is at most that
// of the Gaussian inside, whose tail gives ε <= µ²/2 + µ√(2 log(1/δ)); see gdp.EpsilonAt.
func TestLogDeltaBeyondFloat64(t *testing.T) {
	const logDelta = -5000.
	g, err := contour.NewAccountant().EpsilonAtLogDelta(sgd(0.01, 1, 1), logDelta)
	if bound := 0.5 + math.Sqrt(-2*logDelta); err != nil || !(g.Epsilon.Lower > 0 && g.Epsilon.Upper <= bound) {
		t.Errorf("ε at log δ = %g: %v, %v, want at most %g", logDelta, g.Epsilon, err, bound)
	}
}

func tinyRate(sigma float64) accounting.Event { return sgd(1e-6, sigma, 1e5) }

// BenchmarkCalibrateTinyRate: at tiny rates the accountant is asked in its slow corners.
func BenchmarkCalibrateTinyRate(b *testing.B) {
	for b.Loop() {
		if _, err := (accounting.Calibration{Accountant: intersected.NewAccountant(), Event: tinyRate, Target: accounting.Target{Epsilon: 1, Delta: 1e-12}}).NoiseMultiplier(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCalibrateTinyRate(t *testing.T) {
	sigma, err := accounting.Calibration{Accountant: intersected.NewAccountant(), Event: tinyRate, Target: accounting.Target{Epsilon: 1, Delta: 1e-12}}.NoiseMultiplier()
	if err != nil {
		t.Fatal(err)
	}
	for factor, meets := range map[float64]bool{1: true, 1 - 1e-6: false} {
		g, err := contour.NewAccountant().EpsilonAt(tinyRate(sigma*factor), 1e-12)
		if err != nil || (g.Epsilon.Upper <= 1) != meets {
			t.Errorf("ε at %.10g times the answer %g: %v, %v, want at most 1: %t", factor, sigma, g.Epsilon, err, meets)
		}
	}
}
