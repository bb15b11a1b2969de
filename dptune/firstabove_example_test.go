package dptune_test

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// A noisy mean is repeated until it is above a public threshold, at most a random number of times.
// It costs less than the best of as many runs. A release would take its root from streams.Secret.
func ExampleFirstAbove() {
	noisyMean := func(_ context.Context, noise float64, root streams.Root) (dptune.Outcome[float64], error) {
		mean := 0.4 + noise*root.Rand("noise").NormFloat64()
		return dptune.Outcome[float64]{Output: mean, Score: mean}, nil
	}
	law, err := law.Geometric(10) // 10 runs on average
	if err != nil {
		fmt.Println(err)
		return
	}
	search := dptune.Search[float64, float64]{
		Law: law, Prior: dptune.Grid[float64]{0.2}, Candidate: dptune.CandidateFunc(accounting.Gaussian{NoiseMultiplier: 4}, noisyMean),
		Delta: 1e-5, Unit: "one value",
	}
	release, err := dptune.FirstAbove[float64, float64]{Search: search, Threshold: 0.5}.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := search.Price()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("good:", !release.Empty && release.Output >= 0.5)
	fmt.Println("cheaper than the best of as many runs:", release.Statement.Guarantee.Epsilon.Upper < best.Guarantee.Epsilon.Upper)
	// Output:
	// good: true
	// cheaper than the best of as many runs: true
}
