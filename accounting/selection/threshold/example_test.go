package threshold_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// A search over any number of candidates, then one DP-SGD run with the winner. Scores are
// means over 50 parts of the data, so that one record moves them by at most 0.02.
func ExamplePriceAt() {
	search := threshold.Event{
		Sensitivity: 0.02, ThresholdNoise: 0.2, ScoreNoise: 0.8,
		MaxTests: 21, MaxPositives: threshold.DoublingPositives(21), Refresh: threshold.Once,
	}
	training := accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
		Count: 5000,
	}
	price, err := threshold.PriceAt(search, training, 1e-5, contour.NewAccountant())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("training alone: ε <= %s\n", accounting.FormatUpper(price.OneRun.Epsilon.Upper))
	fmt.Printf("with the search: ε <= %s (%s)\n", accounting.FormatUpper(price.Guarantee.Epsilon.Upper), price.Least().Name)
	// Output:
	// training alone: ε <= 1.4774
	// with the search: ε <= 1.7218 (PLD, contour)
}
