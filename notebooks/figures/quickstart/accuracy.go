package quickstart

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Arm is one way to choose the hyper-parameters, and the test accuracies it reached.
type Arm struct {
	Name       string
	Epsilon    float64   // of all that was done, at Config.Delta; +Inf if not private
	Accuracies []float64 // one for each seed
}

// Accuracies compares ways to choose the hyper-parameters.
type Accuracies struct {
	Config Config
	Arms   []Arm
}

// CompareAccuracies trains, for each seed: the model of a private search; models with the middle
// of the grid and with hyper-parameters drawn from the prior, at the ε of one run; one drawn from
// the prior at the ε of the whole search; and a model without clipping and noise. progress is called
// now and then with the steps done and to do; the search counts as one run, whatever it draws. Nil for none.
func CompareAccuracies(ctx context.Context, c Config, progress func(done, of int)) (Accuracies, error) {
	p, err := c.load()
	if err != nil {
		return Accuracies{}, err
	}
	e, err := newExperiment(c, p)
	if err != nil {
		return Accuracies{}, err
	}
	e.counter = counter{of: stages * c.Steps * c.Seeds, report: progress}
	arms := []Arm{
		{Name: tunedArm, Epsilon: e.tuned},
		{Name: "middle of the grid", Epsilon: e.single},
		{Name: "drawn from the grid", Epsilon: e.single},
		{Name: "drawn from the grid, the search's ε", Epsilon: e.tuned},
		{Name: "not private", Epsilon: math.Inf(1)},
	}
	for i := range c.Seeds {
		accuracies, err := e.run(ctx, c.seed(i))
		if err != nil {
			return Accuracies{}, err
		}
		for a, accuracy := range accuracies {
			arms[a].Accuracies = append(arms[a].Accuracies, accuracy)
		}
	}
	return Accuracies{Config: c, Arms: arms}, nil
}

const tunedArm = "tuned privately"

// experiment holds what all seeds share.
type experiment struct {
	Config
	parts
	single, tuned           float64 // ε of one run, and of the search
	singleNoise, tunedNoise float64 // noise multipliers of one run with these
	counter                 counter
}

// stages is how many trainings follow each other for one seed: the search, the private arms, the open one.
const stages = 3

// counter adds up the steps of trainings that follow each other.
type counter struct {
	base, of int // steps of the trainings that are done, and of all
	report   func(done, of int)
}

// at reports the progress of the present training.
func (k *counter) at(p dpsgd.Progress) {
	if k.report != nil {
		k.report(k.base+p.Step, k.of)
	}
}

// next ends the present training, which had so many steps.
func (k *counter) next(steps int) { k.base += steps }

func newExperiment(c Config, p parts) (experiment, error) {
	e := experiment{Config: c, parts: p, single: c.Epsilon}
	var err error
	if e.singleNoise, err = c.calibrateTo(e.single); err != nil {
		return experiment{}, err
	}
	search, err := c.search(p, e.singleNoise, nil)
	if err != nil {
		return experiment{}, err
	}
	price, err := search.Price()
	if err != nil {
		return experiment{}, err
	}
	e.tuned = price.Guarantee.Epsilon.Upper
	e.tunedNoise, err = c.calibrateTo(e.tuned)
	return e, err
}

// run returns the test accuracy of each arm for one seed.
func (e *experiment) run(ctx context.Context, root streams.Root) ([]float64, error) {
	search, err := e.search(e.parts, e.singleNoise, e.counter.at)
	if err != nil {
		return nil, err
	}
	release, err := search.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	e.counter.next(e.Steps)
	tuned, err := dpsgd.Accuracy(ctx, e.model, release.Output, e.test, dpsgd.Performance{})
	if err != nil {
		return nil, err
	}
	drawn := e.prior().Draw(root.Rand("drawn from the grid"))
	private, err := e.train(ctx, root.Child("one run"),
		e.Config.run(e.singleNoise, e.middle()), e.Config.run(e.singleNoise, drawn), e.Config.run(e.tunedNoise, drawn))
	if err != nil {
		return nil, err
	}
	open := e.Config.run(0, Hyperparameters{LearningRate: e.middle().LearningRate})
	open.NonPrivate = true
	free, err := e.train(ctx, root.Child("not private"), open)
	return append(append(tuned, private...), free...), err
}

// middle returns the middle of the sorted grid, a guess that has not seen the data.
func (c Config) middle() Hyperparameters {
	return Hyperparameters{
		LearningRate: c.LearningRates[len(c.LearningRates)/2],
		ClipNorm:     c.ClipNorms[len(c.ClipNorms)/2],
	}
}

func (e *experiment) train(ctx context.Context, root streams.Root, configs ...dpsgd.Config) ([]float64, error) {
	trainer, err := dpsgd.NewTrainer(e.model, e.parts.train, dpsgd.Plan{Replicas: configs, Progress: e.counter.at}, dpsgd.Performance{})
	if err != nil {
		return nil, err
	}
	result, err := trainer.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	e.counter.next(e.Steps)
	return result.Accuracy(ctx, e.test)
}

// Table lists each arm with the mean, standard deviation and range over the seeds.
func (r Accuracies) Table() figures.Table {
	t := figures.Table{
		Name:    "quickstart-accuracies",
		Title:   fmt.Sprintf("Test accuracy over %d seeds, δ = %s", r.Config.Seeds, figures.Scientific(r.Config.Delta)),
		Columns: []string{"hyper-parameters", "ε", "mean", "standard deviation", "lowest", "highest"},
	}
	for _, arm := range r.Arms {
		mean, deviation := stat.MeanStdDev(arm.Accuracies, nil)
		low, high := bounds(arm.Accuracies)
		t.Rows = append(t.Rows, []string{arm.Name, epsilonText(arm.Epsilon),
			percent(mean), percent(deviation), percent(low), percent(high)})
	}
	return t
}

// Chart draws each private arm's mean and range against its ε.
func (r Accuracies) Chart() figures.Chart {
	chart := figures.Chart{
		Name: "quickstart-accuracies-figure", Title: "Tuning privately, and not tuning",
		XLabel: fmt.Sprintf("ε at δ = %s", figures.Scientific(r.Config.Delta)), YLabel: "test accuracy",
		Notes: []string{fmt.Sprintf("Mean and range of %d seeds. Points of equal ε are drawn side by side, a little beside it.", r.Config.Seeds)},
	}
	widest := 0.0
	for _, arm := range r.Arms {
		if !math.IsInf(arm.Epsilon, 1) {
			widest = max(widest, arm.Epsilon)
		}
	}
	seen := map[float64]int{}
	for _, arm := range r.Arms {
		mean := stat.Mean(arm.Accuracies, nil)
		low, high := bounds(arm.Accuracies)
		if math.IsInf(arm.Epsilon, 1) {
			chart.Curves = append(chart.Curves, figures.Curve{Label: arm.Name, Reference: true,
				X: []float64{0, widest * 1.1}, Y: []float64{mean, mean}})
			continue
		}
		chart.Curves = append(chart.Curves, figures.Curve{Label: arm.Name, Kind: figures.Points, Dodge: 2*seen[arm.Epsilon] - 1,
			X: []float64{arm.Epsilon}, Y: []float64{mean}, Low: []float64{low}, High: []float64{high}})
		seen[arm.Epsilon]++
	}
	return chart
}

func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func epsilonText(epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return "not private"
	}
	return fmt.Sprintf("%.3f", epsilon)
}
