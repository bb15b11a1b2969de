package candidate_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/table"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// A price is predicted from a size. The search is scored by how near the predictions are, on examples that are public.
func ExampleNearness() {
	price := table.Real{Column: "price", Low: 0, High: 100, Levels: 101}
	schema := table.Schema{Features: []table.Feature{table.Number{Column: "size", Low: 0, High: 50}}, Target: price}
	read := func(name string, first, last int) data.Dataset {
		var file strings.Builder
		file.WriteString("size,price\n")
		for i := first; i < last; i++ {
			size := i * 37 % 50
			fmt.Fprintf(&file, "%d,%d\n", size, 20+size)
		}
		d, err := schema.Read(name, strings.NewReader(file.String()))
		check(err)
		return d
	}
	train, known := read("flats.csv", 0, 500), read("published.csv", 0, 50)
	model, err := models.Sequential("line", []int{1}, nn.Dense(1, 1))
	check(err)
	model.Loss = nn.SquaredError(price.Targets()...)
	search := dptune.Search[float64, dpsgd.Parameters]{
		Law: law.TNB{Eta: 1, Gamma: 0.25}, Prior: dptune.Grid[float64]{0.1, 0.5}, Delta: 1e-5, Unit: "one flat",
		Candidate: candidate.DPSGD[float64]{
			Model: model, Train: train, Validation: known, PublicValidation: true, EqualAreOthers: true,
			Measure: candidate.Nearness(1, price.Targets()...),
			Configure: func(rate float64) dpsgd.Config {
				return dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 60, ExpectedBatchSize: 50, LearningRate: rate}
			},
		},
	}
	release, err := search.Run(context.Background(), streams.Fixed("flats"))
	check(err)
	outputs, err := engine.Outputs(context.Background(), model, release.Output, read("one.csv", 20, 21)) // of size 40
	check(err)
	predicted := price.Unscaled(outputs[0][0])
	fmt.Printf("ε <= %s; a flat of 40 costs 60, and 50 to 70 are predicted: %v\n", accounting.FormatUpper(release.Statement.Guarantee.Epsilon.Upper), 50 < predicted && predicted < 70)
	// Output:
	// ε <= 2.3323; a flat of 40 costs 60, and 50 to 70 are predicted: true
}
