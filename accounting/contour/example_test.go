package contour_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

func ExampleAccountant_EpsilonAt() {
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
		Count: 5000,
	}
	g, err := contour.NewAccountant().EpsilonAt(event, 1e-5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε in [%.8f, %.8f]\n", g.Epsilon.Lower, g.Epsilon.Upper)
	fmt.Println(g.Method)
	// Output:
	// ε in [1.47737697, 1.47737698]
	// contour, line integral of the moment generating function, larger of add and remove
}

func ExampleAccountant_LogDeltaAt() {
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}},
		Count: 1000,
	}
	logDelta, err := contour.NewAccountant().LogDeltaAt(event, 29.6)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("log δ = %.6f\n", logDelta.Estimate)
	// Output:
	// log δ = -230.268916
}

// A δ below the least float64.
func ExampleAccountant_EpsilonAtLogDelta() {
	event := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
		Count: 5000,
	}
	g, err := contour.NewAccountant().EpsilonAtLogDelta(event, -1000)
	fmt.Println(g.Epsilon, err)
	// Output:
	// in [31.1562664, 31.1562665] <nil>
}
