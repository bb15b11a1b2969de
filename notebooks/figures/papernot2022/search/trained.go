package search

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/laws"
	"github.com/dplab/dplab/notebooks/papers"
)

// The trainings of Figure 7. The first has the feature maps that the paper prints (models.AllConv);
// mid is one epoch, in shards of about two minutes of one processor. The others have Opacus's
// network for MNIST, whose steps take a tenth of the time, and a perceptron.
var (
	Figure7AllConv = bank.NewExperiment("papernot2022/figure7-allconv", "Figure 7: a learning rate for MNIST, the paper's network", map[string]bank.Config{
		"mid": oneEpoch("all-conv", 9, 3), "full": mnistBank("all-conv", 25, 3, 1)})
	Figure7CNN = bank.NewExperiment("papernot2022/figure7-cnn", "Figure 7: a learning rate for MNIST, 26,010 weights", map[string]bank.Config{
		"quick": digitsBank(), "full": mnistBank("mnist-cnn", 25, 3, 1)})
	Figure7MLP = bank.NewExperiment("papernot2022/figure7-mlp", "Figure 7: a learning rate for MNIST, 784-120-120-10", map[string]bank.Config{
		"mid": shortBank("mlp", 9, 4, 1), "full": mnistBank("mlp", 25, 3, 4)})
)

// mnistBank is the bank of Figure 7 with a network: so many learning rates with equal ratios in the
// paper's range, everything else as the paper has it.
func mnistBank(model string, rates, repeats, runs int) bank.Config {
	p := papers.Papernot2022.Figure7
	return bank.Config{
		Data: "mnist", Model: model, ClipNorm: p.ClipNorm, Optimizer: "sgd",
		Trainings: []bank.Training{{
			SamplingRate: float64(p.BatchSize) / float64(p.TrainingImages), Steps: (p.Epochs*p.TrainingImages + p.BatchSize - 1) / p.BatchSize,
			NoiseMultipliers: []float64{p.NoiseMultiplier},
		}},
		LearningRates: laws.LogSpace(p.LearningRates[0], p.LearningRates[1], rates),
		Repeats:       repeats, Runs: runs, Seed: "papernot2022 figure 7",
	}
}

// shortBank has a tenth of the paper's epochs, with so much less noise that one run costs what the
// paper's does: the axis of ε begins where it did.
func shortBank(model string, rates, repeats, runs int) bank.Config {
	c := mnistBank(model, rates, repeats, runs)
	c.Seed += ", 6 epochs"
	c.Trainings[0].Steps = (c.Trainings[0].Steps + 5) / 10
	c.Trainings[0].NoiseMultipliers = []float64{0.7054}
	return c
}

// oneEpoch has one of the paper's 60 epochs. Its noise is such that one run costs what the paper's
// does.
func oneEpoch(model string, rates, repeats int) bank.Config {
	c := mnistBank(model, rates, repeats, 1)
	c.Seed += ", 1 epoch"
	c.Trainings[0].Steps = (c.Trainings[0].Steps + 59) / 60
	c.Trainings[0].NoiseMultipliers = []float64{0.6266}
	c.PerRate = true
	return c
}

// digitsBank is for seconds: the embedded digits, with a batch of 144 of 1,437, and 10 epochs.
func digitsBank() bank.Config {
	return bank.Config{
		Data: "digits", Model: "digits-mlp", ClipNorm: 1, Optimizer: "sgd",
		Trainings:     []bank.Training{{SamplingRate: 0.1, Steps: 100, NoiseMultipliers: []float64{1.8}}},
		LearningRates: laws.LogSpace(0.05, 5, 13), Repeats: 2, Runs: 3, Seed: "papernot2022 figure 7, digits",
	}
}

// StoredFigure7 returns the figure of what is stored of one of the trainings. It takes the profile
// full, or else mid.
func StoredFigure7(e bank.Experiment) (Trained7Result, error) {
	stored, err := bank.Largest(e)
	if err != nil {
		return Trained7Result{}, err
	}
	return figure7Of(stored, bank.AccountOf(stored), strings.ReplaceAll(e.Name, "/", "-"))
}

// Figure7OnDigits trains the quick profile, on the embedded digits, and returns its figure.
// progress reports how much is done; nil for none.
func Figure7OnDigits(ctx context.Context, progress func(done, total int, detail string)) (Trained7Result, error) {
	stored, err := Figure7CNN.Compute(ctx, "quick", experiments.Env{Progress: progress})
	if err != nil {
		return Trained7Result{}, err
	}
	return figure7Of(stored, bank.AccountOf(stored), "papernot2022-figure7-digits")
}

func figure7Of(stored bank.Stored, account, name string) (Trained7Result, error) {
	return Trained7(stored.Result, account, Trained7Config{
		Name: name, Delta: 1e-5, Families: []laws.Family{laws.TNB(0), laws.TNB(1), laws.TNB(0.5), laws.Poisson, laws.Fixed}, Points: 16, Resamples: 200,
	})
}

// Trained7Config is how the runs of a bank are priced.
type Trained7Config struct {
	Name     string  // of the figure's files
	Delta    float64 `rule:"in (0, 1)"`
	Families []laws.Family
	// Points are means of each family, from 1.1 to the number of runs in the bank; of a fixed number
	// of runs 1, 2, 3 and so on.
	Points    int `rule:">= 2"`
	Resamples int `rule:">= 2"` // of the bootstrap
}

// Trained7Result has one curve for each family.
type Trained7Result struct {
	Config  Trained7Config
	Bank    bank.Config
	Repeats int     // of the bank that are trained
	Account string  // of the shards: how many, where, when
	Base    float64 // ε of one run
	Curves  []TrainedCurve

	ByRate []RateAccuracy
	Drawn  float64 // accuracy of one run with a drawn learning rate, on average
	Known  float64 // of one run with the best learning rate

	// OnScores are the accuracies if the choice sees one half of the test images and the report is on
	// the other, averaged over which half is which, by family and mean.
	OnScores [][]float64

	// Bias estimates by how much the accuracies differ from those of searches with new runs, by family
	// and mean: see bank.SearchBias.
	Bias [][]float64

	Compared []float64 // the ε at which families are compared

	published []publishedAccuracy
}

// TrainedCurve is SearchCurve with the standard errors of its accuracies. At each of
// Trained7Result.Compared it has its accuracy and its lead over the first family, by the paper's
// theorems and by the least known bound.
type TrainedCurve struct {
	SearchCurve
	StdErr               []float64
	PaperAt, LeastAt     []Lead // on lines between the means
	PaperLead, LeastLead []Lead
}

// Lead is an accuracy at one ε, or a difference of two, with its standard error; NaN where it is
// not drawn.
type Lead struct{ Value, StdErr float64 }

// RateAccuracy is the mean accuracy of the runs with one learning rate.
type RateAccuracy struct{ LearningRate, Mean, StdErr float64 }

// publishedAccuracy is our accuracy with a law whose accuracy the paper has.
type publishedAccuracy struct {
	paper papers.Value
	runs  law.TNB
	ours  Lead
}

// Trained7 prices searches for a learning rate and evaluates them on the runs of a bank. As in the
// paper the choice sees the test accuracy that is reported. A mean number of runs above that of the
// bank is not drawn: there the best of K is the best of the bank.
func Trained7(b bank.Bank, account string, cfg Trained7Config) (Trained7Result, error) {
	if b.Repeats == 0 {
		return Trained7Result{}, fmt.Errorf("papernot2022: the bank has no complete repeat")
	}
	if err := figures.Faults(cfg).Err(); err != nil {
		return Trained7Result{}, err
	}
	r := Trained7Result{Config: cfg, Bank: b.Config, Repeats: b.Repeats, Account: account}
	if err := r.price(); err != nil {
		return Trained7Result{}, err
	}
	r.evaluate(b)
	return r, nil
}

// price fills in the prices of one run and of the searches.
func (r *Trained7Result) price() error {
	t := r.Bank.Trainings[0]
	event := figures.SGD(t.SamplingRate, t.NoiseMultipliers[0], t.Steps)
	base, err := baserun.New(event)
	if err != nil {
		return err
	}
	r.Base = base.Guarantee(r.Config.Delta).Epsilon.Upper
	runs := float64(len(r.Bank.LearningRates) * r.Repeats * r.Bank.Runs)
	means := laws.LogSpace(1.1, runs, r.Config.Points)
	for _, f := range r.Config.Families {
		c, err := newSearchCurve(f, meansOf(f, means), base, r.Config.Delta)
		if err != nil {
			return err
		}
		r.Curves = append(r.Curves, TrainedCurve{SearchCurve: c})
	}
	return nil
}

// meansOf returns the means at which a family is evaluated: a fixed number of runs is a whole one.
func meansOf(f laws.Family, means []float64) []float64 {
	if f != laws.Fixed {
		return f.Means(means)
	}
	return figures.UpTo(len(means))
}

// evaluate fills in accuracies and their errors.
func (r *Trained7Result) evaluate(b bank.Bank) {
	for _, c := range r.Curves {
		swapped := accuraciesOf(b.Swapped(), c)
		for k, accuracy := range accuraciesOf(b, c) {
			swapped[k] = (swapped[k] + accuracy) / 2
		}
		r.OnScores = append(r.OnScores, swapped)
	}
	for _, factor := range []float64{1.25, 1.5, 2, 3} {
		r.Compared = append(r.Compared, chart.Round(factor*r.Base, 2))
	}
	b = b.OnTestData()
	r.Bias = r.bias(b)
	values := r.statistics(b)
	errs := b.Errors(r.Config.Resamples, streams.Fixed("papernot2022 figure 7").Rand("bootstrap"), r.statistics)
	next := func() Lead {
		first := Lead{values[0], errs[0]}
		values, errs = values[1:], errs[1:]
		return first
	}
	for i := range r.Curves {
		c := &r.Curves[i]
		for range c.Means {
			x := next()
			c.Accuracy, c.StdErr = append(c.Accuracy, x.Value), append(c.StdErr, x.StdErr)
		}
	}
	for i := range r.Curves {
		c := &r.Curves[i]
		for range r.Compared {
			for _, list := range []*[]Lead{&c.PaperAt, &c.LeastAt, &c.PaperLead, &c.LeastLead} {
				*list = append(*list, next())
			}
		}
	}
	for _, rate := range r.Bank.LearningRates {
		x := next()
		r.ByRate = append(r.ByRate, RateAccuracy{rate, x.Value, x.StdErr})
	}
	for _, p := range publishedAccuracies() {
		p.ours = next()
		r.published = append(r.published, p)
	}
	r.Drawn, r.Known = b.BestOfK(law.Fixed{Count: 1}, 0).Accuracy, b.Known(0).Accuracy
}

// bias estimates that of each family at each mean.
func (r *Trained7Result) bias(b bank.Bank) [][]float64 {
	rng := streams.Fixed("papernot2022 figure 7").Rand("bias of searches")
	return figures.Map(r.Curves, func(c TrainedCurve) []float64 {
		return figures.Map(c.laws, func(k law.Law) float64 { return b.SearchBias(k, 0, b.Config.Runs*b.Repeats, rng) })
	})
}

// statistics are, in this order: the accuracies by family and mean; those at equal ε with the
// leads, by family and ε; those by learning rate; those with the published laws.
func (r *Trained7Result) statistics(b bank.Bank) (list []float64) {
	var all [][]float64
	for _, c := range r.Curves {
		all = append(all, accuraciesOf(b, c))
		list = append(list, all[len(all)-1]...)
	}
	for i, c := range r.Curves {
		for _, epsilon := range r.Compared {
			paper, least := reached(c.Paper, all[i], epsilon), reached(c.Least, all[i], epsilon)
			list = append(list, paper, least, paper-reached(r.Curves[0].Paper, all[0], epsilon), least-reached(r.Curves[0].Least, all[0], epsilon))
		}
	}
	for _, rate := range r.Bank.LearningRates {
		list = append(list, bank.MeanAccuracy(b.At(bank.All, 0, 0, rate)))
	}
	for _, p := range publishedAccuracies() {
		list = append(list, b.BestOfK(p.runs, 0).Accuracy)
	}
	return list
}

// reached is interpolate, and NaN beyond the ends of the curve.
func reached(prices, accuracies []float64, price float64) float64 {
	if price < prices[0] || price > prices[len(prices)-1] {
		return math.NaN()
	}
	return laws.Interpolate(prices, accuracies, price)
}

func accuraciesOf(b bank.Bank, c TrainedCurve) []float64 {
	return figures.Map(c.laws, func(k law.Law) float64 { return b.BestOfK(k, 0).Accuracy })
}

// publishedAccuracies are those compared that a small bank can evaluate, means up to 30, without
// ours.
func publishedAccuracies() (list []publishedAccuracy) {
	for _, p := range papers.Papernot2022.Figure7.Accuracies {
		for _, k := range drawnLaws {
			if runs := (law.TNB{Eta: k.eta, Gamma: p.Gamma}); compared(p.Gamma) && runs.Distribution().Mean() <= 30 {
				quantity := fmt.Sprintf("expected accuracy, %s, γ = %g", laws.TNB(k.eta).Label(), p.Gamma)
				list = append(list, publishedAccuracy{paper: papers.Value{Quantity: quantity, Number: k.accuracy(p), Source: p.Source}, runs: runs})
			}
		}
	}
	return list
}

// paperSetup reports whether the run is that of the paper, but for the network.
func (r Trained7Result) paperSetup() bool {
	want := mnistBank(r.Bank.Model, 2, 1, 1)
	return r.Bank.Data == want.Data && r.Bank.Examples == 0 && r.Bank.ClipNorm == want.ClipNorm &&
		fmt.Sprint(r.Bank.Trainings) == fmt.Sprint(want.Trainings)
}
