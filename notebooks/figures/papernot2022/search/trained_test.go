package search

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
)

// risingBank has accuracies that rise with the learning rate, with a little noise: for prices and
// arithmetic.
func risingBank(t *testing.T, cfg bank.Config) bank.Bank {
	t.Helper()
	rng := streams.Fixed("rising").Rand("accuracies")
	var shards []bank.Shard
	for repeat := range cfg.Repeats {
		s := bank.Shard{Part: bank.All, Repeat: repeat}
		for i := range cfg.LearningRates {
			for range cfg.Runs {
				s.Scores = append(s.Scores, 0.8+0.01*float32(i)+0.001*rng.Float32())
				s.Accuracies = append(s.Accuracies, 0.8+0.01*float32(i)+0.001*rng.Float32())
			}
		}
		shards = append(shards, s)
	}
	b, err := bank.New(cfg, shards)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func trained7Config() Trained7Config {
	return Trained7Config{Name: "papernot2022-test", Delta: 1e-5, Families: []laws.Family{laws.TNB(0), laws.TNB(1), laws.Poisson, laws.Fixed}, Points: 5, Resamples: 20}
}

func TestTrained7(t *testing.T) {
	r, err := Trained7(risingBank(t, mnistBank("mnist-cnn", 25, 3, 1)), "made up", trained7Config())
	if err != nil {
		t.Fatal(err)
	}
	// Figure7, without any training, has the same run and the same prices.
	cfg := DefaultFigure7(2)
	cfg.Families, cfg.Means = []laws.Family{laws.TNB(1)}, r.Curves[1].Means
	axes, err := Figure7(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Base, axes.Base.Epsilon.Upper; math.Abs(got/want-1) > 1e-3 {
		t.Errorf("ε of one run: %g, Figure 7 has %g", got, want)
	}
	for i, c := range r.Curves[1].Paper {
		if math.Abs(c/axes.Curves[0].Paper[i]-1) > 1e-9 || r.Curves[1].Least[i] > c {
			t.Errorf("mean %g: ε %g and %g, Figure 7 has %g and %g", r.Curves[1].Means[i], c, r.Curves[1].Least[i], axes.Curves[0].Paper[i], axes.Curves[0].Least[i])
		}
	}
	if r.Known <= r.Drawn || math.Abs(r.Drawn-0.92) > 0.002 { // the middle of 0.8 to 1.04
		t.Errorf("one run with the best rate %g, with a drawn one %g", r.Known, r.Drawn)
	}
	for _, c := range r.Curves {
		if last := len(c.Accuracy) - 1; c.Accuracy[last] <= c.Accuracy[0] || !(c.StdErr[0] > 0) {
			t.Errorf("%s: accuracies %v, errors %v", c.Family.Label(), c.Accuracy, c.StdErr)
		}
	}
	// The best of a fixed number of runs costs at most what all of them cost, and of one run as much.
	naive := r.Curves[3]
	for i, count := range []int{1, 2, 3, 4, 5} {
		whole, err := auto.NewAccountant().EpsilonAt(accounting.SelfComposed{Event: figures.SGD(256./60000, 1.1, 14063), Count: count}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if share := naive.Least[i] / whole.Epsilon.Upper; share > 1+1e-6 || i == 0 && share < 1-1e-6 || naive.Means[i] != float64(count) {
			t.Errorf("best of %g runs: ε %g, of all of them %g", naive.Means[i], naive.Least[i], whole.Epsilon.Upper)
		}
	}
	if math.Abs(naive.Accuracy[0]-r.Drawn) > 1e-12 {
		t.Errorf("one run has accuracy %g, and %g", naive.Accuracy[0], r.Drawn)
	}
	if c := r.Compare(); len(c.Rows) == 0 || math.IsNaN(c.Rows[0].Reference) {
		t.Errorf("the paper's setup has no reference: %+v", c.Rows)
	}
	shows(t, r)
}

// A tenth and a sixtieth of the epochs cost what the paper's run does, within a thousandth.
func TestShortBankCostsThePapersRun(t *testing.T) {
	of := func(c bank.Config) float64 {
		run := c.Trainings[0]
		g, err := auto.NewAccountant().EpsilonAt(figures.SGD(run.SamplingRate, run.NoiseMultipliers[0], run.Steps), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon.Upper
	}
	long, short, least := mnistBank("mlp", 9, 4, 1), shortBank("mlp", 9, 4, 1), oneEpoch("mlp", 9, 4)
	if a, b, c := of(long), of(short), of(least); math.Abs(a/b-1) > 1e-3 || math.Abs(a/c-1) > 1e-3 {
		t.Errorf("ε %g, %g and %g", a, b, c)
	}
	for c, want := range map[*bank.Config]int{&long: 14063, &short: 1406, &least: 235} {
		if got := c.Trainings[0].Steps; got != want {
			t.Errorf("%d steps, want %d", got, want)
		}
	}
}

// Trained for real, at the smallest size: tuning beats a drawn learning rate, and nothing stands
// beside ours.
func TestTrained7OnDigits(t *testing.T) {
	cfg := digitsBank()
	cfg.LearningRates, cfg.Runs, cfg.Trainings[0].Steps = []float64{0.05, 0.5, 5}, 2, 20
	var shards []bank.Shard
	for i := range cfg.Shards() {
		s, err := bank.Train(t.Context(), cfg, i, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	b, err := bank.New(cfg, shards)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Trained7(b, "made here", trained7Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Curves {
		if last := len(c.Accuracy) - 1; c.Accuracy[last] <= r.Drawn {
			t.Errorf("%s: %g runs in the mean have %.3f, one drawn run %.3f", c.Family.Label(), c.Means[last], c.Accuracy[last], r.Drawn)
		}
	}
	for _, row := range r.Compare().Rows {
		if !math.IsNaN(row.Reference) {
			t.Errorf("%s: the paper's number stands beside another setup", row.Quantity)
		}
	}
	shows(t, r)
}

func shows(t *testing.T, r Trained7Result) {
	t.Helper()
	if err := errors.Join(r.Figure().Validate(), r.Table().Validate(), r.Leads().Validate()); err != nil {
		t.Error(err)
	}
}

// With two runs of each rate there are no bands, and the figure says so.
func TestTwoRunsHaveNoBands(t *testing.T) {
	r, err := Trained7(risingBank(t, mnistBank("all-conv", 9, 2, 1)), "made up", trained7Config())
	if err != nil {
		t.Fatal(err)
	}
	p := r.Figure().(chart.Panels)
	for _, c := range p.Charts {
		for _, k := range c.Curves {
			if k.Low != nil || k.High != nil {
				t.Errorf("%s: %s has a band", c.Title, k.Label)
			}
		}
	}
	if !strings.Contains(p.Notes[0], "too few") || !strings.Contains(p.Title, "102,570") {
		t.Errorf("title %q, note %q", p.Title, p.Notes[0])
	}
	shows(t, r)
}

func TestTrained7BadInput(t *testing.T) {
	b := risingBank(t, mnistBank("mlp", 25, 1, 1))
	for name, change := range map[string]func(*Trained7Config){
		"Families": func(c *Trained7Config) { c.Families = nil }, "Points": func(c *Trained7Config) { c.Points = 1 }, "Resamples": func(c *Trained7Config) { c.Resamples = 0 },
	} {
		cfg := trained7Config()
		change(&cfg)
		if _, err := Trained7(b, "", cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Trained7(bank.Bank{}, "", trained7Config()); err == nil {
		t.Error("an empty bank: no error")
	}
}

// What is stored has its figure; what is not is an error that says so.
func TestStoredFigure7(t *testing.T) {
	for i, e := range []bank.Experiment{Figure7CNN, Figure7MLP, Figure7AllConv} {
		if testing.Short() && i == 0 {
			continue
		}
		for _, c := range e.Profiles {
			if err := errors.Join(e.Validate(), c.Validate()); err != nil {
				t.Error(err)
			}
		}
		r, err := StoredFigure7(e)
		if errors.Is(err, experiments.ErrNotStored) && strings.Contains(err.Error(), e.Name) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		shows(t, r)
	}
}
