package dptune_test

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// A mean with normal noise, whose clipping bound is tuned. A release would take its root
// from streams.Secret; the fixed one makes the example reproduce.
func ExampleSearch() {
	values := []float64{0.2, 0.4, 0.9, 0.7, 3.1}
	clippedSum := func(_ context.Context, clip float64, root streams.Root) (dptune.Outcome[float64], error) {
		sum := 0.0
		for _, v := range values {
			sum += min(v, clip)
		}
		noisy := sum + 2*clip*root.Rand("noise").NormFloat64()
		return dptune.Outcome[float64]{Output: noisy, Score: -clip}, nil
	}
	law, err := law.TNBFromMean(0, 5) // logarithmic, 5 runs in the mean
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := dptune.Search[float64, float64]{
		Law:       law,
		Prior:     dptune.LogGrid(0.5, 2, 3),
		Candidate: dptune.Each(accounting.Gaussian{NoiseMultiplier: 2}, clippedSum),
		Delta:     1e-5,
		Unit:      "one value",
	}.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("clip %g, reproducible: %v\n", release.Hyperparameters, release.Seeded)
	fmt.Println("all of it costs more than one run:", release.Statement.Guarantee.Epsilon.Upper > 1.98)
	// Output:
	// clip 1, reproducible: true
	// all of it costs more than one run: true
}
