package auto_test

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
)

// How much of the data a step may look at, rounded down by at most CalibrationTolerance.
func ExampleCalibrateSamplingRate() {
	sgd := func(rate float64) accounting.Event {
		return accounting.SelfComposed{
			Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: 2}},
			Count: 5000,
		}
	}
	rate, err := auto.CalibrateSamplingRate(sgd, accounting.Target{Epsilon: 3, Delta: 1e-5}, rdp.NewAccountant())
	if err != nil {
		log.Fatal(err)
	}
	more, err := rdp.NewAccountant().EpsilonAt(sgd(rate*(1+2*accounting.CalibrationTolerance)), 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.5f, more costs too much: %v\n", rate, more.Epsilon.Upper > 3)
	// Output:
	// 0.01751, more costs too much: true
}

// How many queries with noise multiplier 30 fit in ε = 1.
func ExampleCalibrateSteps() {
	queries := func(steps int) accounting.Event {
		return accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 30}, Count: steps}
	}
	steps, err := auto.CalibrateSteps(queries, accounting.Target{Epsilon: 1, Delta: 1e-5}, 1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(steps)
	// Output: 64
}

// Which δ goes with ε = 1?
func ExampleCalibrateDelta() {
	event := accounting.SelfComposed{Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	delta, err := auto.CalibrateDelta(event, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3g\n", delta)
	// Output: 3.99e-10
}
