package dptune_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	law, err := law.Logarithmic(5) // 5 runs on average
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := dptune.Search[float64, float64]{
		Law:       law,
		Prior:     dptune.LogGrid(0.5, 2, 3),
		Candidate: dptune.CandidateFunc(accounting.Gaussian{NoiseMultiplier: 2}, clippedSum),
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

// A learning rate from a continuous law: its values cannot be listed, so the event of a run is
// given. UnsafeDiagnostics are for studies of the search itself. Do not publish them.
func ExampleRelease_UnsafeDiagnostics() {
	rates := dptune.Sampler[float64](func(rng *rand.Rand) float64 { return math.Exp(4*rng.Float64() - 4) })
	one := accounting.Gaussian{NoiseMultiplier: 2}
	release, err := dptune.Search[float64, float64]{
		Law:   law.Fixed{Count: 20},
		Prior: rates,
		Base:  one,
		Candidate: dptune.CandidateFunc(one, func(_ context.Context, rate float64, root streams.Root) (dptune.Outcome[float64], error) {
			return dptune.Outcome[float64]{Score: -math.Abs(rate-0.3) + 0.1*root.Rand("noise").NormFloat64()}, nil
		}),
		Delta:                 1e-5,
		Unit:                  "one record",
		KeepUnsafeDiagnostics: true,
	}.Run(context.Background(), streams.Fixed("continuous"))
	if err != nil {
		fmt.Println(err)
		return
	}
	d, ok := release.UnsafeDiagnostics()
	best := slices.Index(d.Scores, slices.Max(d.Scores))
	fmt.Println(ok, d.Repeats, "runs, the best is released:", d.Hyperparameters[best] == release.Hyperparameters)
	// Output:
	// true 20 runs, the best is released: true
}

func ExampleUnsafeCause() {
	err := dptune.Hidden("training failed", errors.New("no memory for 40 models"))
	fmt.Println("to publish:", err)
	fmt.Println("to keep:", dptune.UnsafeCause(err))
	// Output:
	// to publish: training failed
	// to keep: no memory for 40 models
}
