package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// The first lines of the README: calibrate, train, account.
func Example_readme() {
	train, test, err := digits.Load()
	check(err)
	model, err := models.MLP(64, 32, 10)
	check(err)
	config := dpsgd.Config{ClipNorm: 1, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 100, ExpectedBatchSize: 144, LearningRate: 1}
	config, err = config.Calibrate(model, accounting.Target{Epsilon: 3, Delta: 1e-5})
	check(err)
	trainer, err := engine.NewTrainer(model, train, config)
	check(err)
	root, err := streams.Secret()
	check(err)
	result, err := trainer.Run(context.Background(), root)
	check(err)
	statement, err := result.Statement(1e-5, "one labelled image")
	check(err)
	accuracy, err := result.Accuracy(context.Background(), test)
	check(err)

	// Runs with secret noise differ: the mean accuracy is 0.92, and 0.6 is out of reach of chance.
	fmt.Printf("σ = %.4f, ε <= %s, better than guessing: %v\n", config.NoiseMultiplier, accounting.FormatUpper(statement.Guarantee.Epsilon.Upper), accuracy > 0.6)
	// Output: σ = 1.6747, ε <= 3.0000, better than guessing: true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
