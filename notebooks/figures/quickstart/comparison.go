package quickstart

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
)

// Comparison repeats a private search over many seeds, and four ways to do without one. Two train
// with the default: at the ε of one run, and at the ε of the whole search. One draws from the
// prior, also at the search's ε. The last way has no privacy.
type Comparison[H any] struct {
	Search   dptune.Search[H, dpsgd.Parameters] // its Candidate must be a candidate.DPSGD[H]
	Default  H                                  // chosen without looking at the data
	Open     H                                  // of the training without privacy, which does not clip
	Test     data.Dataset                       // outside of the guarantee
	Seeds    int                                // at least 2, to have a spread
	Root     streams.Root                       // seed i draws from its child "seed i"
	Progress func(done, of int)                 // steps; a search counts as one run, whatever it draws. Nil for none
}

// Validate returns every fault that the search does not name itself.
func (c Comparison[H]) Validate() error {
	f := check.In("quickstart: Comparison.")
	sgd, ok := c.Search.Candidate.(candidate.DPSGD[H])
	if ok {
		f.That(sgd.Configure != nil && sgd.ModelFor == nil, "Search.Candidate", "has no Configure or no Model", "must have both")
	}
	f.That(ok, "Search.Candidate", fmt.Sprintf("is a %T", c.Search.Candidate), fmt.Sprintf("must be a %T", candidate.DPSGD[H]{}))
	f.That(c.Test.Len() > 0, "Test", "is empty", "must hold at least one example")
	f.That(c.Seeds >= 2, "Seeds", c.Seeds, "must be >= 2, to have a spread")
	f.Add(c.Root.Validate())
	return f.Err()
}

// Arm is one way to choose the hyper-parameters, and the test accuracies it reached.
type Arm struct {
	Name       string
	Epsilon    float64   // of all that was done, at Accuracies.Delta; +Inf if not private
	Accuracies []float64 // one for each seed
}

// Accuracies compares ways to choose the hyper-parameters.
type Accuracies struct {
	Delta float64
	Arms  []Arm // with as many accuracies each
}

const tunedArm = "tuned privately"

// Run searches and trains, for each seed.
func (c Comparison[H]) Run(ctx context.Context) (Accuracies, error) {
	e, err := c.experiment()
	if err != nil {
		return Accuracies{}, err
	}
	arms := []Arm{
		{Name: tunedArm, Epsilon: e.tuned},
		{Name: "default", Epsilon: e.single},
		{Name: "default, the search's ε", Epsilon: e.tuned},
		{Name: "drawn from the grid, the search's ε", Epsilon: e.tuned},
		{Name: "not private", Epsilon: math.Inf(1)},
	}
	for i := range c.Seeds {
		accuracies, err := e.run(ctx, c.Root.Child(fmt.Sprintf("seed %d", i)))
		if err != nil {
			return Accuracies{}, err
		}
		for a, accuracy := range accuracies {
			arms[a].Accuracies = append(arms[a].Accuracies, accuracy)
		}
	}
	return Accuracies{Delta: c.Search.Delta, Arms: arms}, nil
}

// experiment holds what all seeds share.
type experiment[H any] struct {
	Comparison[H]
	sgd           candidate.DPSGD[H]
	single, tuned float64 // ε of one run, and of the search
	tunedNoise    float64 // noise multiplier of one run with the search's
	counter       counter
}

// stages is how many trainings follow each other for one seed: the search, the private arms, the
// open one.
const stages = 3

func (c Comparison[H]) experiment() (*experiment[H], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	price, err := c.Search.Price()
	if err != nil {
		return nil, err
	}
	e := &experiment[H]{Comparison: c, sgd: c.Search.Candidate.(candidate.DPSGD[H]), single: price.OneRun.Epsilon.Upper, tuned: price.Guarantee.Epsilon.Upper}
	usual := e.sgd.Configure(c.Default)
	calibrated, err := usual.Calibrate(e.sgd.Model, accounting.Target{Epsilon: e.tuned, Delta: c.Search.Delta})
	if err != nil {
		return nil, err
	}
	e.tunedNoise = calibrated.NoiseMultiplier
	e.counter = counter{of: stages * usual.Steps * c.Seeds, report: c.Progress}
	e.sgd.Progress = e.counter.at
	e.Search.Candidate = e.sgd
	return e, nil
}

// run returns the test accuracy of each arm for one seed.
func (e *experiment[H]) run(ctx context.Context, root streams.Root) ([]float64, error) {
	release, err := e.Search.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	usual, drawn := e.sgd.Configure(e.Default), e.sgd.Configure(e.Search.Prior.Draw(root.Rand("drawn from the grid")))
	e.counter.next(usual.Steps)
	tuned, err := engine.Accuracy(ctx, e.sgd.Model, release.Output, e.Test)
	if err != nil {
		return nil, err
	}
	dear := usual
	dear.NoiseMultiplier, drawn.NoiseMultiplier = e.tunedNoise, e.tunedNoise
	private, err := e.train(ctx, root.Child("one run"), usual, dear, drawn)
	if err != nil {
		return nil, err
	}
	open := e.sgd.Configure(e.Open)
	open.NonPrivate, open.NoiseMultiplier, open.ClipNorm = true, 0, 0
	free, err := e.train(ctx, root.Child("not private"), open)
	return append(append(tuned, private...), free...), err
}

func (e *experiment[H]) train(ctx context.Context, root streams.Root, configs ...dpsgd.Config) ([]float64, error) {
	trainer, err := engine.NewReplicas(e.sgd.Model, e.sgd.Train, dpsgd.Plan{Replicas: configs, Progress: e.counter.at})
	if err != nil {
		return nil, err
	}
	result, err := trainer.Run(ctx, root)
	if err != nil {
		return nil, err
	}
	e.counter.next(configs[0].Steps)
	return result.Accuracy(ctx, e.Test)
}

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

// Table lists each arm with the mean, standard deviation and range over the seeds.
func (r Accuracies) Table() figures.Table {
	t := figures.Table{
		Name:  "quickstart-accuracies",
		Title: fmt.Sprintf("Test accuracy over %d seeds, δ = %s", r.seeds(), chart.Scientific(r.Delta)),
		Columns: []string{"hyper-parameters", "ε", "mean", "standard deviation", "lowest", "highest",
			"tuned privately less this, points (95 %)", "ratio of standard deviations (95 %)"},
		Notes: []string{"Intervals are over seeds, which the arms share. They cover what another seed would change, not what other images would."},
	}
	for i, arm := range r.Arms {
		e := figures.EstimateOf(arm.Accuracies)
		low, high := slices.Min(arm.Accuracies), slices.Max(arm.Accuracies)
		t.Rows = append(t.Rows, []string{arm.Name, epsilonText(arm.Epsilon),
			figures.Percent(e.Mean, 1), figures.Percent(e.StdDev, 1), figures.Percent(low, 1), figures.Percent(high, 1), "", ""})
		if i > 0 {
			d, ratio := pairedDifference(r.Arms[0].Accuracies, arm.Accuracies), spreadRatio(r.Arms[0].Accuracies, arm.Accuracies)
			t.Rows[i][6] = fmt.Sprintf("%+.1f (%+.1f to %+.1f)", 100*d.Estimate, 100*d.Low, 100*d.High)
			t.Rows[i][7] = fmt.Sprintf("%.2f", ratio.Estimate)
			if !math.IsInf(ratio.High, 1) {
				t.Rows[i][7] += fmt.Sprintf(" (%.2f to %.2f)", ratio.Low, ratio.High)
			}
		}
	}
	return t
}

// Figure draws each private arm's mean and range against its ε.
func (r Accuracies) Figure() chart.Figure {
	c := chart.Chart{
		Name: "quickstart-accuracies-figure", Title: "Tuning privately, and not tuning",
		XLabel: fmt.Sprintf("ε at δ = %s", chart.Scientific(r.Delta)), YLabel: "test accuracy",
		Notes: []string{fmt.Sprintf("Mean and range of %d seeds. Points of equal ε are drawn side by side.", r.seeds())},
	}
	widest, equal, seen := 0.0, map[float64]int{}, map[float64]int{}
	for _, arm := range r.Arms {
		equal[arm.Epsilon]++
		if !math.IsInf(arm.Epsilon, 1) {
			widest = max(widest, arm.Epsilon)
		}
	}
	for _, arm := range r.Arms {
		mean := figures.EstimateOf(arm.Accuracies).Mean
		if math.IsInf(arm.Epsilon, 1) {
			c.Curves = append(c.Curves, figures.Level(arm.Name, []float64{0, widest * 1.1}, mean))
			continue
		}
		c.Curves = append(c.Curves, chart.Curve{Label: arm.Name, Kind: chart.Points, Dodge: 2*seen[arm.Epsilon] + 1 - equal[arm.Epsilon],
			X: []float64{arm.Epsilon}, Y: []float64{mean}, Low: []float64{slices.Min(arm.Accuracies)}, High: []float64{slices.Max(arm.Accuracies)}})
		seen[arm.Epsilon]++
	}
	return c
}

// seeds is how often each arm was tried.
func (r Accuracies) seeds() int { return len(r.Arms[0].Accuracies) }

func epsilonText(epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return "not private"
	}
	return fmt.Sprintf("%.3f", epsilon)
}

// interval is an estimate with its two-sided 95 % interval, by Student's law.
type interval struct{ Estimate, Low, High float64 }

func intervalOf(e figures.Estimate) interval {
	return interval{e.Mean, e.Mean - e.HalfWidth(), e.Mean + e.HalfWidth()}
}

// pairedDifference is the mean of a less that of b, whose values of one index share a seed.
func pairedDifference(a, b []float64) interval {
	return intervalOf(figures.EstimateOf(floats.SubTo(make([]float64, len(a)), a, b)))
}

// spreadRatio is the standard deviation of a over that of b, of values paired as in
// pairedDifference. Its interval is the jackknife's for the logarithm of the ratio, since
// accuracies are far from normal. Where a standard deviation is 0 the interval is from 0 to +Inf.
func spreadRatio(a, b []float64) interval {
	n := len(a)
	if n < 3 { // leaving one out leaves no spread
		return interval{figures.EstimateOf(a).StdDev / figures.EstimateOf(b).StdDev, 0, math.Inf(1)}
	}
	logRatio := func(a, b []float64) float64 {
		return math.Log(figures.EstimateOf(a).StdDev / figures.EstimateOf(b).StdDev)
	}
	all, pseudo := logRatio(a, b), make([]float64, n)
	for i := range n {
		pseudo[i] = float64(n)*all - float64(n-1)*logRatio(slices.Concat(a[:i], a[i+1:]), slices.Concat(b[:i], b[i+1:]))
	}
	e := figures.EstimateOf(pseudo)
	if math.IsNaN(e.StdDev) || math.IsInf(e.Mean, 0) {
		return interval{math.Exp(all), 0, math.Inf(1)}
	}
	log := intervalOf(e)
	return interval{math.Exp(all), math.Exp(log.Low), math.Exp(log.High)}
}
