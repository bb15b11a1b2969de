package quickstart

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Tuning is what a private search released, and its price.
type Tuning struct {
	Config          Config
	NoiseMultiplier float64
	Hyperparameters Hyperparameters // of the best run
	TestAccuracy    float64         // of the released model, for research: not covered by the guarantee
	Price           selection.Price
	Statement       accounting.Statement
}

// Tune runs one private search. progress is called now and then with the steps done and to do,
// of all runs together: their number is secret. Nil for none.
func Tune(ctx context.Context, c Config, progress func(done, of int)) (Tuning, error) {
	p, err := c.load()
	if err != nil {
		return Tuning{}, err
	}
	sigma, err := c.calibrateTo(c.Epsilon)
	if err != nil {
		return Tuning{}, err
	}
	search, err := c.search(p, sigma, func(g dpsgd.Progress) {
		if progress != nil {
			progress(g.Step, g.Steps)
		}
	})
	if err != nil {
		return Tuning{}, err
	}
	price, err := search.Price()
	if err != nil {
		return Tuning{}, err
	}
	release, err := search.Run(ctx, c.seed(0))
	if err != nil {
		return Tuning{}, err
	}
	accuracy, err := dpsgd.Accuracy(ctx, p.model, release.Output, p.test, dpsgd.Performance{})
	if err != nil {
		return Tuning{}, err
	}
	return Tuning{
		Config: c, NoiseMultiplier: sigma, Hyperparameters: release.Hyperparameters,
		TestAccuracy: accuracy[0], Price: price, Statement: release.Statement,
	}, nil
}

// search returns the private search over the grid, with noise multiplier sigma.
func (c Config) search(p parts, sigma float64, progress func(dpsgd.Progress)) (dptune.Search[Hyperparameters, dpsgd.Parameters], error) {
	law, err := c.law()
	if err != nil {
		return dptune.Search[Hyperparameters, dpsgd.Parameters]{}, err
	}
	return dptune.Search[Hyperparameters, dpsgd.Parameters]{
		Law: law, Prior: c.prior(), Delta: c.Delta, Unit: "one labelled image",
		Candidate: candidate.DPSGD[Hyperparameters]{
			Model: p.model, Train: p.train, Validation: p.validation,
			Configure: func(h Hyperparameters) dpsgd.Config { return c.run(sigma, h) },
			Score:     dptune.PrivateAccuracy{NoiseMultiplier: c.ScoreNoise},
			Progress:  progress,
		},
	}, nil
}

func (c Config) seed(i int) streams.Root { return c.root().Child(fmt.Sprintf("seed %d", i)) }

// Table lists every bound on the price of the search, least first, after one run's.
func (r Tuning) Table() figures.Table {
	t := figures.Table{
		Name: "quickstart-price", Title: fmt.Sprintf("What the search costs, at δ = %g", r.Config.Delta),
		Columns: []string{"bound", "ε at most", "source"},
		Rows:    [][]string{{"one run, nothing chosen", accounting.FormatUpper(r.Price.Base.Epsilon.Upper), r.Price.Base.Method}},
	}
	for _, b := range r.Price.Bounds {
		t.Rows = append(t.Rows, []string{b.Name, accounting.FormatUpper(b.Epsilon), b.Theorem})
	}
	return t
}
