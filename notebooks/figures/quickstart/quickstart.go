// Package quickstart draws and lists what the notebook quickstart computes: the noise of one run, a
// private search with its price, one step under attack, and a convolutional network. The notebook's
// cells call the library themselves and put its results in here. Only [Comparison] computes: it
// repeats a search and the ways to do without one, over many seeds.
//
// Test accuracies are for research on the method: they are computed on data that the guarantee does
// not cover.
//
// It promises nothing to other modules.
package quickstart

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures"
)

// Sizes are how often the notebook repeats what is random, and how long it trains on full data.
type Sizes struct {
	Seeds  int // behind the spread of accuracies
	Games  int // of an audit, half of them with the canary
	Epochs int // passes over MNIST of the convolutional network, on average
}

// SizesOf returns the sizes of a profile, "quick" or "full".
func SizesOf(profile string) Sizes {
	if profile == "full" {
		return Sizes{Seeds: 100, Games: 20000, Epochs: 20}
	}
	return Sizes{Seeds: 25, Games: 2000, Epochs: 2}
}

// accuracyText writes an accuracy with its standard error over the test examples.
func accuracyText(accuracy float64, examples int) string {
	return fmt.Sprintf("%s ± %s (standard error of %d test examples)", figures.Percent(accuracy, 1),
		figures.Percent(math.Sqrt(accuracy*(1-accuracy)/float64(examples)), 1), examples)
}

// Tuning has the price of a private search, and two others.
type Tuning struct {
	Law          law.Law // of the number of runs
	Price        accounting.Price
	WithoutScore float64 // upper bound on the ε of the search if the runs' scores cost nothing
	Published    float64 // upper bound on ε if as many runs as the law's mean, rounded up, were published
}

// NewTuning returns the price of a search over k runs with that of the two others. training is one
// run without its score.
func NewTuning(k law.Law, price accounting.Price, training accounting.Event) (Tuning, error) {
	delta := price.Guarantee.Delta
	free, err := selection.EventAt(selection.BestOf{Law: k, Base: training}, delta)
	if err != nil {
		return Tuning{}, err
	}
	r := Tuning{Law: k, Price: price, WithoutScore: free.Guarantee.Epsilon.Upper}
	all, err := auto.NewAccountant().EpsilonAt(accounting.SelfComposed{Count: r.runs(), Event: training}, delta)
	r.Published = all.Epsilon.Upper
	return r, err
}

// runs is the mean number of runs, rounded up. A mean that is whole up to rounding stays as it is.
func (r Tuning) runs() int { return int(math.Ceil(r.Law.Distribution().Mean() * (1 - 1e-9))) }

// Table lists every bound on the price of the search, least first, after one run's, and what it
// would cost without its scores and without its secrecy.
func (r Tuning) Table() figures.Table {
	t := figures.Table{
		Name: "quickstart-price", Title: fmt.Sprintf("What the search costs, at δ = %s", chart.Scientific(r.Price.Guarantee.Delta)),
		Columns: []string{"bound", "ε at most", "source"},
		Rows:    [][]string{{"one run, nothing chosen", accounting.FormatUpper(r.Price.OneRun.Epsilon.Upper), r.Price.OneRun.Method}},
	}
	for _, b := range r.Price.Bounds {
		t.Rows = append(t.Rows, []string{b.Name, accounting.FormatUpper(b.Epsilon), b.Theorem})
	}
	t.Rows = append(t.Rows,
		[]string{"if the noisy scores cost nothing", accounting.FormatUpper(r.WithoutScore), "the least bound, without the scores"},
		[]string{fmt.Sprintf("%d models, all published", r.runs()), accounting.FormatUpper(r.Published), "composition, without the secrecy of the losers"})
	t.Notes = []string{fmt.Sprintf("K from the %v. The search costs %.2f times the ε of one run.", r.Law, r.Price.Least().Epsilon/r.Price.OneRun.Epsilon.Upper) + r.proof()}
	return t
}

// proof is empty if the least bound is published.
func (r Tuning) proof() string {
	least := r.Price.Least()
	if least.Published {
		return ""
	}
	text := fmt.Sprintf(" Part of the proof of the least bound, “%s”, is ours", least.Name)
	if published, ok := r.Price.LeastPublished(); ok {
		text += fmt.Sprintf("; by published results only it costs ε <= %s", accounting.FormatUpper(published.Epsilon))
	}
	return text + "."
}

// Released is what a search let out, and how well it does on examples that the guarantee does not
// cover.
type Released struct {
	Hyperparameters any
	TestAccuracy    float64
	TestExamples    int
}

// Table lists what was released.
func (r Released) Table() figures.Table {
	return figures.Table{Name: "quickstart-released", Title: "What the search released", Columns: []string{"quantity", "value"}, Rows: [][]string{
		{"hyper-parameters", fmt.Sprintf("%+v", r.Hyperparameters)}, {"test accuracy", accuracyText(r.TestAccuracy, r.TestExamples)},
	}}
}

// OneRun is the price of one training.
type OneRun struct {
	Config    dpsgd.Config
	Target    float64              // ε that the noise was calibrated to
	Guarantee accounting.Guarantee // of the run
	Unsampled accounting.Guarantee // of the same steps if every example joins each of them
}

// Answers returns both prices.
func (r OneRun) Answers() []accounting.Guarantee {
	return []accounting.Guarantee{r.Guarantee, r.Unsampled}
}

// Table lists what the run is, and its price.
func (r OneRun) Table() figures.Table {
	return figures.Table{
		Name: "quickstart-calibration", Title: "One run of DP-SGD",
		Columns: []string{"quantity", "value"},
		Rows: [][]string{
			{"sampling rate q", fmt.Sprint(r.Config.Sampling.Share())},
			{"steps T", fmt.Sprint(r.Config.Steps)},
			{"target", fmt.Sprintf("ε = %g at δ = %s", r.Target, chart.Scientific(r.Guarantee.Delta))},
			{"least noise multiplier σ", fmt.Sprintf("%.6f", r.Config.NoiseMultiplier)},
			{"ε of one run", fmt.Sprintf("%.6f", r.Guarantee.Epsilon.Upper)},
			{"accountant", r.Guarantee.Method},
			{"ε of the same steps if every image joins each", accounting.FormatUpper(r.Unsampled.Epsilon.Upper)},
		},
	}
}
