package exact_test

import (
	"fmt"

	"github.com/dplab/dplab/audit/exact"
)

// A gradient that is crafted once, and a loss that keeps the worlds apart: after 25 steps
// nearly the same total variation is left, but little of ε at δ = 1e-5.
func ExampleProcess_Laws() {
	laws, err := exact.Process{NoiseMultiplier: 1, BatchSize: 1, Drift: exact.Away}.Laws(25)
	if err != nil {
		panic(err)
	}
	for _, t := range []int{1, 25} {
		epsilon, err := laws[t-1].EpsilonAt(1e-5)
		if err != nil {
			panic(err)
		}
		fmt.Printf("step %d: total variation %.4f, ε %.4f\n", t, laws[t-1].TotalVariation().Estimate, epsilon.Estimate)
	}
	// Output:
	// step 1: total variation 0.3829, ε 4.3772
	// step 25: total variation 0.3552, ε 1.0846
}

// One law of the canary's coordinate: its density, the rates of a threshold, its privacy profile.
func ExampleLaw() {
	laws, err := exact.Process{NoiseMultiplier: 1, BatchSize: 1, Drift: exact.Away}.Laws(10)
	if err != nil {
		panic(err)
	}
	last := laws[9]
	fpr, tpr := last.Rates(2)
	delta, err := last.DeltaAt(1)
	fmt.Printf("after %d steps: density %.4f at 0 without the canary, above 2 with chance %.4f and %.4f, δ(1) = %.4f %v\n",
		last.Steps(), last.Density(false, 0), fpr[0], tpr[0], delta.Estimate, err)
	// Output:
	// after 10 steps: density 0.0003 at 0 without the canary, above 2 with chance 0.3218 and 0.6768, δ(1) = 0.0029 <nil>
}

// A canary in one of 5 steps, on a coordinate that only noise and canary move. An initial weight
// that is unknown, and uniform on twice the canary's shift to either side, hides little of ε.
func ExampleCoordinate() {
	game := exact.Coordinate{NoiseMultiplier: 4, Steps: 1250, Every: 5}
	mu, err := game.Mu()
	if err != nil {
		panic(err)
	}
	fmt.Printf("µ = %.3f\n", mu)
	for _, initial := range []float64{0, 500} { // the canary's shift is 1250/5 = 250
		game.Initial = initial
		law, err := game.Law()
		if err != nil {
			panic(err)
		}
		epsilon, err := law.EpsilonAt(1e-5)
		if err != nil {
			panic(err)
		}
		fmt.Printf("initial weight within %.0f: total variation %.4f, ε %.4f\n", initial, law.TotalVariation().Estimate, epsilon.Estimate)
	}
	// Output:
	// µ = 1.768
	// initial weight within 0: total variation 0.6232, ε 8.5959
	// initial weight within 500: total variation 0.2496, ε 7.5156
}
