package quickstart

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
)

// Tuning is what a private search costs, beside two others.
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
	free, err := selection.EventAt(selection.Event{Law: k, Base: training}, delta)
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

// Table lists every bound on the price of the search, least first, after one run's.
func (r Tuning) Table() figures.Table {
	t := figures.Table{
		Name: "quickstart-price", Title: fmt.Sprintf("What the search costs, at δ = %s", chart.Scientific(r.Price.Guarantee.Delta)),
		Columns: []string{"bound", "ε at most", "source"},
		Rows:    [][]string{{"one run, nothing chosen", accounting.FormatUpper(r.Price.OneRun.Epsilon.Upper), r.Price.OneRun.Method}},
	}
	for _, b := range r.Price.Bounds {
		t.Rows = append(t.Rows, []string{b.Name, accounting.FormatUpper(b.Epsilon), b.Theorem})
	}
	return t
}

// Findings says which bound prices the search, and what the others say.
func (r Tuning) Findings() []string {
	least := r.Price.Least()
	epsilon := accounting.FormatUpper(least.Epsilon)
	list := []string{
		fmt.Sprintf("The number of runs is drawn from the %v.", r.Law),
		fmt.Sprintf("The search costs ε <= %s, %.2f times what one run costs (ε <= %s).",
			epsilon, least.Epsilon/r.Price.OneRun.Epsilon.Upper, accounting.FormatUpper(r.Price.OneRun.Epsilon.Upper)) + r.proof(),
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
func (r Tuning) theorem2() (accounting.Bound, int) {
	for i, b := range r.Price.Bounds {
		if b.Name == "Theorem 2" {
			return b, i + 1
		}
	}
	return accounting.Bound{}, 0
}

// publishing says what the secrecy of the losers is worth.
func (r Tuning) publishing() string {
	n, all := r.runs(), accounting.FormatUpper(r.Published)
	if r.Published > r.Price.Least().Epsilon {
		return fmt.Sprintf("Secrecy makes the search cheap: to publish %d models, however well they do, costs ε <= %s.", n, all)
	}
	return fmt.Sprintf("To publish %d models, however well they do, costs ε <= %s: no more than the search.", n, all)
}

// Released is what a search let out, and how well it does on examples that the guarantee does not cover.
type Released struct {
	Hyperparameters any
	TestAccuracy    float64
	TestExamples    int
}

// Findings says what was released.
func (r Released) Findings() []string {
	return []string{fmt.Sprintf("Released: %+v. Its test accuracy is %s.", r.Hyperparameters, accuracyText(r.TestAccuracy, r.TestExamples))}
}
