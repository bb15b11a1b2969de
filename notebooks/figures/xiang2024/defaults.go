package xiang2024

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/dplab/dplab/data/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Table4  Table4Config
	Figure6 Figure6Config
}

// Defaults returns the configs of a profile. Both have the paper's size: a million games an
// audit, three trials. The paper prints neither the base ε of Figure 6 nor its laws.
func Defaults(profile string) (Configs, error) {
	if profile != "quick" && profile != "full" {
		return Configs{}, fmt.Errorf("xiang2024: profile %q: must be quick or full", profile)
	}
	p := papers.Xiang2024
	return Configs{
		Table4: Table4Config{Delta: p.Delta, Steps: p.Steps, Cells: p.Table4},
		Figure6: Figure6Config{
			Delta: p.Delta, Steps: p.Steps, SamplingRates: []float64{1, 0.5, 0.1},
			Laws:         []LawSpec{{Eta: 0, Nu: 0.01}, {Eta: 1, Nu: 0.01}},
			BaseEpsilons: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4},
			Games:        p.Figure6.Games, Trials: 3, Confidence: 0.95, Seed: 1,
		},
	}, nil
}

// forEach runs f(0), ..., f(n-1) on all cores and returns the first error by index.
func forEach(n int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
