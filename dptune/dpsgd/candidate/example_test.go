package candidate_test

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// A learning rate, tuned in private. A release would take its root from streams.Secret.
func ExampleDPSGD() {
	root := streams.Fixed("example")
	all, test, err := digits.Load()
	check(err)
	train, validation, err := data.SplitCoins(all, 0.1, root.Rand("split"))
	check(err)
	model, err := models.MLP(64, 10)
	check(err)
	law, err := law.Geometric(3) // 3 runs on average
	check(err)
	search := dptune.Search[float64, dpsgd.Parameters]{
		Law: law, Prior: dptune.Grid[float64]{0.5, 1, 2}, Delta: 1e-5, Unit: "one labelled image",
		Candidate: candidate.DPSGD[float64]{
			Model: model, Train: train, Validation: validation, Score: dptune.PrivateAccuracy{NoiseMultiplier: 5},
			Configure: func(rate float64) dpsgd.Config {
				return dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 30, ExpectedBatchSize: 129, LearningRate: rate}
			},
		},
	}
	release, err := search.Run(context.Background(), root.Child("search"))
	check(err)
	accuracy, err := engine.Accuracy(context.Background(), model, release.Output, test)
	check(err)
	fmt.Printf("ε <= %s, accuracy above a half: %v\n", accounting.FormatUpper(release.Statement.Guarantee.Epsilon.Upper), accuracy[0] > 0.5)
	// Output:
	// ε <= 1.5926, accuracy above a half: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
