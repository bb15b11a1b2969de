package auto_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
)

// What does DP-SGD cost, and what the best of ten such runs on average?
func Example() {
	run := accounting.SelfComposed{Count: 5000, Event: accounting.PoissonSampled{
		SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}}}
	law, err := law.Logarithmic(10) // 10 runs on average
	if err != nil {
		panic(err)
	}
	for _, event := range []accounting.Event{run, selection.BestOf{Law: law, Base: run}} {
		g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil {
			panic(err)
		}
		fmt.Println(accounting.FormatUpper(g.Epsilon.Upper))
	}
	// Output:
	// 1.4774
	// 2.1228
}

// The least noise for a whole tuning.
func ExampleCalibrateNoiseMultiplier() {
	noise, err := auto.CalibrateNoiseMultiplier(func(noise float64) accounting.Event {
		return selection.BestOf{Law: law.Poisson{MeanRepeats: 5}, Base: accounting.SelfComposed{
			Count: 1000, Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: noise}},
		}}
	}, accounting.Target{Epsilon: 3, Delta: 1e-5})
	if err != nil {
		panic(err)
	}
	fmt.Printf("σ = %.3f\n", noise)
	// Output: σ = 0.939
}

// Samples of a fixed size are about replaced records.
func ExampleNewAccountantFor() {
	accountant, err := auto.NewAccountantFor(accounting.ReplaceOne)
	if err != nil {
		panic(err)
	}
	g, err := accountant.EpsilonAt(accounting.SelfComposed{Count: 1000, Event: accounting.SampledWithoutReplacement{
		SampleSize: 100, PopulationSize: 10000, Event: accounting.Gaussian{NoiseMultiplier: 2},
	}}, 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("ε at most %.1f, %v\n", g.Epsilon.Upper, g.Neighboring)
	// Output: ε at most 0.7, replace-one
}
