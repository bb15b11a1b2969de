package auto_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/internal/emulated"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

var portableCases = flag.Int("auto.portable", 50, "number of drawn events of TestArm64")

var printNumbers = flag.Bool("auto.numbers", false, "print the numbers that TestArm64 compares, and test nothing")

// portable are events of every kind that auto prices, each by its own method.
func portable(t testing.TB) map[string]accounting.Event {
	tuning := selection.BestOf{Law: tnb(t, 0, 5), Base: sgd(0.01, 1.5, 1000)}
	laplace := accounting.Laplace{NoiseMultiplier: 5}
	clipped := accounting.ClippedSum{NoiseMultiplier: 2}
	return map[string]accounting.Event{
		"mnist":                sgd(0.004266666666666667, 1.1, 14062),
		"small noise":          sgd(0.004, 0.5, 3000),
		"many steps":           sgd(0.001, 1, 100000),
		"large ε":              sgd(0.0473, 0.51, 2000),
		"small ε":              sgd(0.0021, 3.3, 900),
		"half of the data":     sgd(0.5, 5, 200),
		"one step":             sgd(0.2, 0.6, 1),
		"Gaussian":             gaussian(3),
		"Laplace":              laplace,
		"randomized response":  accounting.RandomizedResponse{Truth: 0.8},
		"sampled Laplace":      accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Laplace{NoiseMultiplier: 1}}},
		"Laplace and training": accounting.Composed{Events: []accounting.Event{laplace, sgd(0.01, 2, 500)}},
		"zCDP and training":    accounting.Composed{Events: []accounting.Event{accounting.ZCDP{Rho: 0.005}, sgd(0.01, 2, 500)}},
		"choice first":         accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 0.5}, sgd(0.01, 2, 500)}},
		"mixture":              accounting.MixtureOfGaussians{NoiseMultiplier: 3, Distances: []float64{0, 1, 2}, Chances: []float64{0.5, 0.4, 0.1}},
		"random allocation":    accounting.SelfComposed{Count: 2, Event: accounting.RandomAllocation{Period: 20, Steps: 20, Participations: 1, Event: clipped}},
		"shuffled":             accounting.Shuffled{Batches: 10, Epochs: 2, Event: clipped},
		"best of TNB":          tuning,
		"best of Poisson":      selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: sgd(0.01, 2, 500)},
		"best of three":        selection.BestOf{Law: law.Fixed{Count: 3}, Base: gaussian(4)},
		"tuning and training":  accounting.Composed{Events: []accounting.Event{tuning, sgd(0.01, 2, 500)}},
		"tuning on a sample":   subsample.Event{TuningRate: 0.1, Tuning: tuning, Training: sgd(0.01, 1.5, 1000), Variant: subsample.RestOfData},
		"sparse vector":        threshold.Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 60, MaxTests: 30, MaxPositives: 3, Refresh: threshold.Once},
	}
}

// portableReplaced are events that auto prices under replace-one or replace-special.
func portableReplaced() map[string]accounting.Event {
	clipped := accounting.ClippedSum{NoiseMultiplier: 2}
	return map[string]accounting.Event{
		"clipped sums":       accounting.SelfComposed{Count: 500, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: clipped}},
		"fixed size":         accounting.SelfComposed{Count: 200, Event: accounting.SampledWithoutReplacement{SampleSize: 10, PopulationSize: 1000, Event: clipped}},
		"drawn with returns": accounting.SelfComposed{Count: 50, Event: accounting.SampledWithReplacement{SampleSize: 10, PopulationSize: 1000, Event: clipped}},
		"capped":             accounting.SelfComposed{Count: 50, Event: accounting.TruncatedPoisson{SamplingRate: 0.01, PopulationSize: 1000, Cap: 20, Event: clipped}},
	}
}

// drawPortable draws by whole numbers and quotients, which have the same bits everywhere.
func drawPortable(rng *rand.Rand) (delta float64, event accounting.Event) {
	scales := []float64{10, 100, 1e4, 1e6, 1e8, 1e11}
	sigma, rate := float64(3+rng.IntN(100))/10, float64(1+rng.IntN(9))/scales[rng.IntN(3)]
	delta = float64(1+rng.IntN(9)) / scales[rng.IntN(len(scales))]
	switch rng.IntN(5) {
	case 0:
		return delta, gaussian(sigma)
	case 1:
		return delta, accounting.Laplace{NoiseMultiplier: sigma}
	case 2:
		return delta, accounting.RandomizedResponse{Truth: float64(51+rng.IntN(49)) / 100}
	case 3:
		return delta, accounting.PoissonSampled{SamplingRate: rate, Event: gaussian(sigma)}
	}
	return delta, sgd(rate, sigma, 2+rng.IntN(10000))
}

// numbers are the ends of ε, δ at an ε, and calibrated values.
func numbers(t testing.TB) map[string]float64 {
	found := map[string]float64{}
	keep := func(name string, value float64, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = value
	}
	ask := func(a accounting.Accountant, name string, event accounting.Event) {
		g, err := a.EpsilonAt(event, delta)
		keep("ε of "+name+", upper", g.Epsilon.Upper, err)
		keep("ε of "+name+", lower", g.Epsilon.Lower, err)
	}
	for name, event := range portable(t) {
		ask(auto.NewAccountant(), name, event)
	}
	for _, relation := range []accounting.Neighboring{accounting.ReplaceOne, accounting.ReplaceSpecial} {
		a, err := auto.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		for name, event := range portableReplaced() {
			ask(a, fmt.Sprintf("%s under %v", name, relation), event)
		}
	}
	for i := range *portableCases {
		delta, event := drawPortable(rand.New(rand.NewPCG(64, uint64(i))))
		g, err := auto.NewAccountant().EpsilonAt(event, delta)
		name := fmt.Sprintf("%d: %v at δ %g", i, event, delta)
		keep("ε of "+name+", upper", g.Epsilon.Upper, err)
		keep("ε of "+name+", lower", g.Epsilon.Lower, err)
	}
	d, err := auto.NewAccountant().DeltaAt(sgd(0.01, 2, 5000), 1)
	keep("δ at 1", d.Upper, err)
	sigma, err := auto.CalibrateNoiseMultiplier(func(sigma float64) accounting.Event { return sgd(0.01, sigma, 1000) }, accounting.Target{Epsilon: 2, Delta: delta})
	keep("σ of a calibration", sigma, err)
	steps, err := auto.CalibrateSteps(func(n int) accounting.Event { return sgd(0.01, 2, n) }, accounting.Target{Epsilon: 2, Delta: delta}, 1e6)
	keep("steps of a calibration", float64(steps), err)
	return found
}

// Arm64 gives the numbers that amd64 gives: each ε to 1e-12, of itself if it is above 1, and each δ
// and calibrated value to 1e-12 of itself. Its Exp and Log differ in last
// places, and its compiler fuses products and sums.
func TestArm64(t *testing.T) {
	if *printNumbers {
		for name, value := range numbers(t) {
			fmt.Printf("number\t%s\t%x\n", name, value)
		}
		return
	}
	out := emulated.Arm64(t, "-test.run", "^TestArm64$", "-auto.numbers", fmt.Sprintf("-auto.portable=%d", *portableCases))
	want, seen, worst := numbers(t), 0, 0.0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 || fields[0] != "number" {
			continue
		}
		got, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		here, known := want[fields[1]]
		if seen++; !known {
			t.Errorf("%s: unknown here", fields[1])
			continue
		}
		off := math.Abs(got - here)
		if scale := math.Abs(here); scale > 1 || !strings.HasPrefix(fields[1], "ε") {
			off /= scale
		}
		if got == here {
			off = 0
		}
		worst = max(worst, off)
		if !(off <= 1e-12) {
			t.Errorf("%s: %.17g, %.17g on arm64, %.2g apart", fields[1], here, got, off)
		}
	}
	if t.Logf("%d numbers, at most %.2g apart", seen, worst); seen != len(want) {
		t.Errorf("%d numbers of %d", seen, len(want))
	}
}
