package quickstart

import (
	"context"
	"fmt"
	"math"

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
	TestExamples    int             // behind TestAccuracy
	Price           selection.Price
	WithoutScore    float64 // upper bound on the ε of the search if the runs' scores cost nothing
	Published       float64 // upper bound on ε if as many runs as the law's mean, rounded up, were published
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
	r := Tuning{Config: c, NoiseMultiplier: sigma}
	if err := r.price(search); err != nil {
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
	r.Hyperparameters, r.TestAccuracy, r.TestExamples, r.Statement = release.Hyperparameters, accuracy[0], p.test.Len(), release.Statement
	return r, nil
}

// price fills in what the search costs, and what two others would.
func (r *Tuning) price(search dptune.Search[Hyperparameters, dpsgd.Parameters]) (err error) {
	if r.Price, err = search.Price(); err != nil {
		return err
	}
	training := r.Config.run(r.NoiseMultiplier, Hyperparameters{}).Event()
	free, err := selection.EventAt(selection.Event{Law: search.Law, Base: training}, r.Config.Delta)
	if err != nil {
		return err
	}
	r.WithoutScore = free.Guarantee.Epsilon.Upper
	all, err := accountant.EpsilonAt(accounting.SelfComposed{Count: r.runs(), Event: training}, r.Config.Delta)
	r.Published = all.Epsilon.Upper
	return err
}

// runs is the mean number of runs, rounded up.
func (r Tuning) runs() int { return int(math.Ceil(r.Config.MeanRepeats)) }

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
		Name: "quickstart-price", Title: fmt.Sprintf("What the search costs, at δ = %s", figures.Scientific(r.Config.Delta)),
		Columns: []string{"bound", "ε at most", "source"},
		Rows:    [][]string{{"one run, nothing chosen", accounting.FormatUpper(r.Price.Base.Epsilon.Upper), r.Price.Base.Method}},
	}
	for _, b := range r.Price.Bounds {
		t.Rows = append(t.Rows, []string{b.Name, accounting.FormatUpper(b.Epsilon), b.Theorem})
	}
	return t
}

// Findings says what was released and which bound prices it.
func (r Tuning) Findings() []string {
	least := r.Price.Least()
	epsilon := accounting.FormatUpper(least.Epsilon)
	list := []string{
		fmt.Sprintf("Released: %v. Its test accuracy is %s.", r.Hyperparameters, accuracyText(r.TestAccuracy, r.TestExamples)),
		fmt.Sprintf("The number of runs was drawn from the %v.", r.Price.Law),
		fmt.Sprintf("The search costs ε <= %s, %.2f times what one run costs (ε <= %s).",
			epsilon, least.Epsilon/r.Price.Base.Epsilon.Upper, accounting.FormatUpper(r.Price.Base.Epsilon.Upper)) + r.proof(),
	}
	if theorem, place := r.theorem2(); place > 0 {
		list = append(list, fmt.Sprintf("Theorem 2 of Papernot and Steinke (2022) alone gives ε <= %s, number %d of the %d bounds.",
			accounting.FormatUpper(theorem.Epsilon), place, len(r.Price.Bounds)))
	}
	if free := accounting.FormatUpper(r.WithoutScore); free == epsilon {
		list = append(list, fmt.Sprintf("The noisy scores cost nothing here: were they for free, the search would cost the same ε <= %s.", free))
	} else {
		list = append(list, fmt.Sprintf("The noisy scores are part of the price: were they for free, the search would cost ε <= %s.", free))
	}
	return append(list, r.publishing())
}

// proof says who proved the least bound.
func (r Tuning) proof() string {
	least := r.Price.Least()
	if least.Published {
		return fmt.Sprintf(" The least bound, “%s”, stands in a paper.", least.Name)
	}
	text := fmt.Sprintf(" Part of the proof of the least bound, “%s”, is ours", least.Name)
	if published, ok := r.Price.LeastPublished(); ok {
		text += fmt.Sprintf("; by published results alone it costs ε <= %s", accounting.FormatUpper(published.Epsilon))
	}
	return text + "."
}

// theorem2 returns that bound and its place in the list, 0 if it is not there.
func (r Tuning) theorem2() (selection.Bound, int) {
	for i, b := range r.Price.Bounds {
		if b.Name == "Theorem 2" {
			return b, i + 1
		}
	}
	return selection.Bound{}, 0
}

// publishing says what the secrecy of the losers is worth.
func (r Tuning) publishing() string {
	n, all := r.runs(), accounting.FormatUpper(r.Published)
	if r.Published > r.Price.Least().Epsilon {
		return fmt.Sprintf("Secrecy makes the search cheap: to publish %d models, however well they do, costs ε <= %s.", n, all)
	}
	return fmt.Sprintf("To publish %d models, however well they do, costs ε <= %s: no more than the search.", n, all)
}

// accuracyText writes an accuracy with its standard error over the test examples.
func accuracyText(accuracy float64, examples int) string {
	return fmt.Sprintf("%s ± %s (standard error of %d test examples)", percent(accuracy),
		percent(math.Sqrt(accuracy*(1-accuracy)/float64(examples))), examples)
}
