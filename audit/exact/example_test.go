package exact_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting/selection/law"
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

func ExampleBestOfK() {
	epsilon, err := exact.BestOfK{Law: law.Poisson{MeanRepeats: 10}, Mu: 1}.EpsilonAt(1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", epsilon.Estimate)
	// Output: 4.887
}
