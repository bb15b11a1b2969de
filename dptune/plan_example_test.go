package dptune_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// meanOf returns a search of how to clip a mean: one run adds normal noise with σ times the
// sensitivity.
func meanOf(sigma float64) dptune.Search[float64, float64] {
	run := func(_ context.Context, clip float64, root streams.Root) (dptune.Outcome[float64], error) {
		noisy := min(clip, 3) + sigma*clip/100*root.Rand("noise").NormFloat64()
		return dptune.Outcome[float64]{Output: noisy, Score: noisy}, nil
	}
	return dptune.Search[float64, float64]{
		Law: law.Truncated{Law: law.TNB{Eta: 1, Gamma: 0.1}, Max: 30}, Prior: dptune.LogGrid(1, 10, 4),
		Candidate: dptune.CandidateFunc(accounting.Gaussian{NoiseMultiplier: sigma}, run), Delta: 1e-6, Unit: "one patient",
	}
}

// The noise for a search that costs ε 1 in all, and what it takes: known before anything is drawn.
func ExampleCalibrate() {
	search, sigma, err := dptune.Calibrate(meanOf, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := search.Plan(dptune.Budget{RunTime: time.Minute, MaxRuns: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("σ %.3f for each run\n%v\n", sigma, plan)
	// Output:
	// σ 6.069 for each run
	// 8.67 runs on average, more than 30 with a chance of at most 0.001; 8m40.318s on average and 30m0s for 30 runs, one after the other; ε <= 1.0000 at δ = 1e-06
}

// A search of your own code that was stopped is started again: finished runs are not run again.
func ExampleCachedCandidate() {
	dir, err := os.MkdirTemp("", "kept")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := streams.SecretFile(filepath.Join(dir, "root")) // the same whenever it is asked
	if err != nil {
		fmt.Println(err)
		return
	}
	ran := 0
	search := dptune.Search[int, int]{
		Law: law.Fixed{Count: 1}, Prior: dptune.Grid[int]{7}, Delta: 1e-5, Unit: "one record", Identity: []byte("the data's hash"),
		Candidate: dptune.CachedCandidate(filepath.Join(dir, "runs"), accounting.Gaussian{NoiseMultiplier: 5}, func(_ context.Context, h int, _ streams.Root) (dptune.Outcome[int], error) {
			ran++
			return dptune.Outcome[int]{Output: h}, nil
		}),
	}
	for range 2 {
		release, err := search.Run(context.Background(), root)
		fmt.Println(release.Output, err)
	}
	fmt.Println("runs:", ran)
	// Output:
	// 7 <nil>
	// 7 <nil>
	// runs: 1
}
