package quickstart

import (
	"context"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// small searches learning rates for 40 steps, twice.
func small(t *testing.T) Comparison[float64] {
	t.Helper()
	all, test, err := digits.Load()
	if err != nil {
		t.Fatal(err)
	}
	root := streams.Fixed("comparison test")
	train, validation, err := data.SplitCoins(all, 0.2, root.Rand("split"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := models.MLP(64, 32, 10)
	if err != nil {
		t.Fatal(err)
	}
	law, err := law.Logarithmic(5)
	if err != nil {
		t.Fatal(err)
	}
	return Comparison[float64]{
		Search: dptune.Search[float64, dpsgd.Parameters]{
			Law: law, Prior: dptune.Grid[float64]{1, 2, 4}, Delta: 1e-5, Unit: "one image",
			Candidate: candidate.DPSGD[float64]{
				Model: model, Train: train, Validation: validation,
				Configure: func(rate float64) dpsgd.Config {
					return dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1.2, Sampling: dpsgd.Poisson{Rate: 0.1}, Steps: 40, ExpectedBatchSize: 115, LearningRate: rate}
				},
				Score: dptune.PrivateAccuracy{NoiseMultiplier: 4},
			},
		},
		Default: 1, Open: 1, Test: test, Seeds: 2, Root: root,
	}
}

func TestComparisonOfTwoSeeds(t *testing.T) {
	c := small(t)
	var last, of int
	c.Progress = func(done, all int) {
		if done < last {
			t.Errorf("progress falls from %d to %d", last, done)
		}
		last, of = done, all
	}
	r, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A search counts as one run, whatever number of runs was drawn.
	if want := 2 * 3 * 40; last != want || of != want {
		t.Errorf("progress ends with %d of %d, want %d steps", last, of, want)
	}
	means := map[string]float64{}
	for _, arm := range r.Arms {
		if len(arm.Accuracies) != 2 {
			t.Errorf("%s: %d accuracies, want 2", arm.Name, len(arm.Accuracies))
		}
		means[arm.Name] = stat.Mean(arm.Accuracies, nil)
	}
	// 40 steps of full-precision training on an easy data set; a broken arm is near 0.1.
	if means["not private"] < 0.8 || means[tunedArm] < 0.5 {
		t.Errorf("mean accuracies %v: not private must reach 0.8, tuned 0.5", means)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	testExportedEpsilons(t, c, r)
}

// What a reader takes from the figure's file must be the ε that the statement of the search has,
// and that of one run.
func testExportedEpsilons(t *testing.T, c Comparison[float64], r Accuracies) {
	statement, err := c.Search.Statement()
	if err != nil {
		t.Fatal(err)
	}
	event, err := c.Search.Candidate.Event(c.Default)
	if err != nil {
		t.Fatal(err)
	}
	single, err := auto.NewAccountant().EpsilonAt(event, c.Search.Delta*(1-1e-6)) // a part of δ is set aside
	if err != nil {
		t.Fatal(err)
	}
	search, one := statement.Guarantee.Epsilon.Upper, single.Epsilon.Upper
	want := map[string]float64{tunedArm: search, "drawn from the grid, the search's ε": search, "default": one, "default, the search's ε": search}
	var text strings.Builder
	if err := r.Figure().(chart.Chart).WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range rows {
		if epsilon, ok := want[row[1]]; ok {
			found++
			if got, err := strconv.ParseFloat(row[2], 64); err != nil || !(got > epsilon*(1-1e-6) && got <= epsilon) {
				t.Errorf("%s: exported ε %s (%v), want %v", row[1], row[2], err, epsilon)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d private arms in the file, want %d:\n%s", found, len(want), text.String())
	}
}

type other struct {
	dptune.Candidate[float64, dpsgd.Parameters]
}

func TestComparisonFaultsAreNamed(t *testing.T) {
	for field, spoil := range map[string]func(*Comparison[float64]){
		"Delta":     func(c *Comparison[float64]) { c.Search.Delta = 0 },
		"Candidate": func(c *Comparison[float64]) { c.Search.Candidate = other{} },
		"Seeds":     func(c *Comparison[float64]) { c.Seeds = 1 },
		"Test":      func(c *Comparison[float64]) { c.Test = data.Dataset{} },
	} {
		c := small(t)
		spoil(&c)
		if _, err := c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("fault in %s: error %v must name it", field, err)
		}
	}
}

// Without its score a run costs no more than with it, and to publish ten runs costs what an
// accountant says of ten.
func TestTuningBesideTwoOthers(t *testing.T) {
	c := small(t)
	price, err := c.Search.Price()
	if err != nil {
		t.Fatal(err)
	}
	run := c.Search.Candidate.(candidate.DPSGD[float64]).Configure(1)
	r, err := NewTuning(c.Search.Law, price, run.Event())
	if err != nil {
		t.Fatal(err)
	}
	five := run // of 40 steps each
	five.Steps *= 5
	all, err := auto.NewAccountant().EpsilonAt(five.Event(), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	least := price.Least().Epsilon
	if r.WithoutScore > least || !(r.Published > least) || r.Published < all.Epsilon.Lower || r.Published > all.Epsilon.Upper*(1+1e-6) {
		t.Errorf("search ε %g, without scores %g, five published %g: want no more than the search, and %v", least, r.WithoutScore, r.Published, all.Epsilon)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}
