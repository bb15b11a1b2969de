package koskela2023

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/papers"
)

// StepTimes measures how long a step takes on the sample, on the rest and on all data. The time
// ratios in the legends of Figures 2 to 8 follow from these times. Shard i measures Settings[i].
//
// The result is a time, so it is another one on another machine.
var StepTimes = experiments.Experiment[TimesConfig, StepTime, TimesResult]{
	Name: "koskela2023/times", Title: "Figures 2 to 8: the time of a step", Version: 1,
	Profiles: map[string]TimesConfig{"quick": digitsTimes(), "full": papersTimes()},
	Shards:   func(c TimesConfig) int { return len(c.Settings) },
	ModelSteps: func(c TimesConfig) (mean float64) {
		for _, s := range c.Settings {
			mean += float64(3*(c.Rounds+1)*s.Steps) / float64(len(c.Settings))
		}
		return mean
	},
	Run: func(ctx context.Context, c TimesConfig, shard int, env experiments.Env) (StepTime, error) {
		return c.measure(ctx, c.Settings[shard], env)
	},
	Merge: func(c TimesConfig, parts []experiments.Part[StepTime]) (TimesResult, error) {
		r := TimesResult{Config: c, Times: make([]StepTime, len(c.Settings))}
		for _, p := range parts {
			r.Times[p.Index] = p.Result
		}
		return r, nil
	},
}

// TimesConfig describes what is timed.
type TimesConfig struct {
	Settings   []TimeSetting
	TuningRate float64 // q in (0, 1)
	Rounds     int     // >= 1; the shortest one counts
}

// TimeSetting is a task with one sampling rate.
type TimeSetting struct {
	Dataset      string // as in Table 2, or digits
	Optimizer    string // "sgd" or "adam"
	SamplingRate float64
	Steps        int // >= 1, in one round
}

// StepTime has the seconds that one step takes on each part. They are processor time, or by the
// clock on a GPU. What is not measured is 0.
type StepTime struct{ Sample, Rest, All float64 }

// timed are the model and the number of examples of each data set.
var timed = map[string]struct {
	model    string
	examples int
	steps    int // in one round
}{
	"MNIST":        {"mnist-cnn", 60000, 4},
	"FashionMNIST": {"mlp", 60000, 20},
	"CIFAR-10":     {"last-layer", 50000, 400},
	"IMDB":         {"imdb", 25000, 20},
	"digits":       {"last-layer", 1437, 20},
}

// papersTimes has both sampling rates of every data set, with both optimizers.
func papersTimes() TimesConfig {
	c := TimesConfig{TuningRate: papers.Koskela2023.TuningRate, Rounds: 5}
	for _, optimizer := range []string{"sgd", "adam"} {
		for _, g := range papers.Koskela2023.Table2 {
			for _, batch := range g.Batches {
				rate := float64(batch) / (c.TuningRate * float64(g.Train))
				c.Settings = append(c.Settings, TimeSetting{g.Dataset, optimizer, rate, timed[g.Dataset].steps})
			}
		}
	}
	return c
}

// digitsTimes is for a second: as many examples as the embedded digits have.
func digitsTimes() TimesConfig {
	return TimesConfig{TuningRate: papers.Koskela2023.TuningRate, Rounds: 2, Settings: []TimeSetting{{"digits", "sgd", 0.1, timed["digits"].steps}}}
}

// measure times the steps of one setting. The examples are random. The time of a step depends on
// their number and shape only.
func (c TimesConfig) measure(ctx context.Context, s TimeSetting, env experiments.Env) (t StepTime, err error) {
	task, known := timed[s.Dataset]
	if !known || c.Rounds < 1 {
		return t, fmt.Errorf("koskela2023: TimesConfig: data set %q, %d rounds: must be one of Table 2 or digits, and at least 1", s.Dataset, c.Rounds)
	}
	named, err := models.ByName(task.model)
	if err != nil {
		return t, err
	}
	model, err := named.Build()
	if err != nil {
		return t, err
	}
	rng := streams.Fixed("koskela2023 times").Rand("examples")
	whole := data.Dataset{Name: "random", Shape: named.Input, Classes: named.Classes, Labels: make([]int32, task.examples)}
	whole.Features = make([]float32, task.examples*whole.Width())
	for i := range whole.Labels {
		whole.Labels[i] = int32(rng.IntN(named.Classes))
		model.DrawRow(rng, whole.Features[i*whole.Width():(i+1)*whole.Width()])
	}
	for i, part := range []struct {
		share float64
		out   *float64
	}{{c.TuningRate, &t.Sample}, {1 - c.TuningRate, &t.Rest}, {1, &t.All}} {
		env.Report(i, 3, s.Dataset)
		n := int(math.Round(part.share * float64(task.examples)))
		some := whole
		some.Labels, some.Features = whole.Labels[:n], whole.Features[:n*whole.Width()]
		if *part.out, err = c.step(ctx, model, some, s, env); err != nil {
			return t, err
		}
	}
	return t, nil
}

// step returns the seconds of one step on the examples: of the shortest round. The first one, which
// compiles, does not count.
func (c TimesConfig) step(ctx context.Context, model dpsgd.Model, examples data.Dataset, s TimeSetting, env experiments.Env) (float64, error) {
	run := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: s.SamplingRate}, Steps: s.Steps,
		ExpectedBatchSize: s.SamplingRate * float64(examples.Len()), LearningRate: 0.01,
	}
	if s.Optimizer == "adam" {
		run.Optimizer = dpsgd.Adam{}
	}
	trainer, err := engine.NewReplicas(model, examples, run.Plan(), env.Performance)
	if err != nil {
		return 0, err
	}
	now := clock
	if strings.Contains(env.Performance.Backend, "cuda") { // its work takes no processor time
		began := time.Now()
		now = func() time.Duration { return time.Since(began) }
	}
	least := math.Inf(1)
	for round := range c.Rounds + 1 {
		start := now()
		if _, err := trainer.Run(ctx, streams.Fixed(fmt.Sprintf("koskela2023 times, round %d", round))); err != nil {
			return 0, err
		}
		if seconds := (now() - start).Seconds(); round > 0 {
			least = math.Min(least, seconds/float64(s.Steps))
		}
	}
	return least, nil
}

// TimesResult has one time for each setting.
type TimesResult struct {
	Config  TimesConfig
	Times   []StepTime
	Account string // of the shards: how many, where, when
}

// Times returns what is stored of StepTimes.
func Times() (TimesResult, error) {
	stored, err := StepTimes.Load("full")
	if err != nil {
		return TimesResult{}, err
	}
	if stored.Account.Done < stored.Account.Shards {
		return TimesResult{}, errors.New("koskela2023: the stored times lack settings: go run ./notebooks/train koskela2023/times -profile full measures them")
	}
	r := stored.Result
	r.Account = "Profile full: " + stored.Account.String()
	return r, nil
}

// work is what the methods compute on one data set with one optimizer, for one grid of candidates.
// Times are of one candidate, averaged over the grid.
type work struct {
	Dataset, Optimizer string
	Joint              bool     // γ and the epochs are tuned too
	MeanRepeats        float64  // µ
	Candidate          StepTime // seconds of one training
}

// methodTimes are the seconds of variant 1, variant 2 and the baseline.
func (w work) methodTimes() (first, second, base float64) {
	tuning := w.MeanRepeats * w.Candidate.Sample
	return tuning + w.Candidate.Rest, tuning + w.Candidate.All, w.MeanRepeats * w.Candidate.All
}

// ratio is the paper's number: the time of the baseline over that of the faster variant.
func (w work) ratio() float64 {
	first, second, base := w.methodTimes()
	return base / math.Min(first, second)
}

// counted is the same ratio for gradients (Section 3.4): variant 1 evaluates the fewest.
func (w work) counted(q float64) float64 {
	return w.MeanRepeats / (w.MeanRepeats*q + 1 - q)
}

// work lists the columns of Figures 5 to 8. A candidate takes E/γ steps of E epochs. If γ and E are
// tuned too, each is drawn uniformly, and the last training is like an average candidate.
func (r TimesResult) work() (list []work) {
	p := papers.Koskela2023
	for _, joint := range []bool{false, true} {
		for _, optimizer := range []string{"sgd", "adam"} {
			for _, g := range p.Table2 {
				w := work{Dataset: g.Dataset, Optimizer: optimizer, Joint: joint, MeanRepeats: p.MeanRepeats}
				var at []int // in Settings: one for each γ
				for i, s := range r.Config.Settings {
					if s.Dataset == g.Dataset && s.Optimizer == optimizer {
						at = append(at, i)
					}
				}
				epochs := []int{fixed(g.Dataset).Epochs}
				if joint {
					w.MeanRepeats, epochs = p.Figure1.CrossingMean, g.Epochs
				} else {
					at = []int{r.nearest(at, fixed(g.Dataset).SamplingRate.Number)}
				}
				w.Candidate = r.candidate(at, epochs)
				list = append(list, w)
			}
		}
	}
	return list
}

// fixed is the column of Table 1.
func fixed(dataset string) papers.Koskela2023Fixed {
	table := papers.Koskela2023.Table1
	return table[slices.IndexFunc(table, func(f papers.Koskela2023Fixed) bool { return f.Dataset == dataset })]
}

// nearest is the setting whose sampling rate is nearest to the printed one, which is rounded.
func (r TimesResult) nearest(at []int, rate float64) int {
	off := func(i int) float64 { return math.Abs(r.Config.Settings[i].SamplingRate - rate) }
	return slices.MinFunc(at, func(a, b int) int { return cmp.Compare(off(a), off(b)) })
}

// candidate averages the seconds of a training over sampling rates and epochs.
func (r TimesResult) candidate(at []int, epochs []int) (mean StepTime) {
	n := float64(len(at) * len(epochs))
	for _, i := range at {
		for _, e := range epochs {
			steps, t := float64(e)/r.Config.Settings[i].SamplingRate, r.Times[i]
			mean.Sample += steps * t.Sample / n
			mean.Rest += steps * t.Rest / n
			mean.All += steps * t.All / n
		}
	}
	return mean
}
