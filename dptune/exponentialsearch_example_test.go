package dptune_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/streams"
)

// A learning rate is chosen by its mean score over 200 parts of the records, and trained with once.
// A release would take its root from streams.Secret.
func ExampleExponentialSearch() {
	search := dptune.ExponentialSearch[float64, string]{
		Candidates: dptune.LogGrid(0.01, 1, 5),
		Scores: dptune.PartScores[float64]{Records: 50_000, Parts: 200, Score: func(_ context.Context, _ []int, rate float64, _ streams.Root) (float64, error) {
			return 0.9 - 0.2*math.Abs(math.Log10(rate/0.1)), nil // replaces a training on one part, and its accuracy
		}},
		Epsilon:  0.5, // of the choice
		Training: accounting.Gaussian{NoiseMultiplier: 4},
		Train: func(_ context.Context, rate float64, _ streams.Root) (string, error) {
			return fmt.Sprintf("model of rate %.2g", rate), nil // replaces a private training on all records
		},
		Delta: 1e-5, Unit: "one labelled image",
	}
	out, err := search.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, ε <= %s for the choice and the training\n", out.Output, accounting.FormatUpper(out.Statement.Guarantee.Epsilon.Upper))
	// Output:
	// model of rate 0.1, ε <= 1.2417 for the choice and the training
}
