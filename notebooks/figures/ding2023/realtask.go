package ding2023

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

// RealTaskConfig describes searches for a learning rate among scores of trained models, where the
// paper has uniform scores.
type RealTaskConfig struct {
	Level       int       `rule:">= 0"`      // of the bank's noise
	Epsilons    []float64 `rule:"> 0"`       // of the search without the training, increasing, > 0; for Algorithm 1, of one test
	Delta       float64   `rule:"in (0, 1)"` // δ of the search, in (0, 1)
	Granularity float64   `rule:"in (0, 1)"` // g in (0, 1)
	MaxTests    int       `rule:">= 1"`      // T_max >= 1
	Searches    int       `rule:">= 2"`      // of each kind at each ε, >= 2
	Seed        string
}

// Validate returns every fault, joined.
func (c RealTaskConfig) Validate() error { return figures.Faults(c).Err() }

// RealTaskResult has how good the winners are.
type RealTaskResult struct {
	Config   RealTaskConfig
	Bank     bank.Config
	Account  string    // of the bank's shards
	Scores   []float64 // mean score of each candidate on one part of the data
	Trained  []float64 // mean accuracy of a training on all data with each candidate
	Searches []RealSearch
}

// RealSearch is one kind of search, with one value for each ε.
type RealSearch struct {
	Name     string
	Winners  [][]float64        // chance of each candidate
	Fidelity []float64          // mean score of the winner over the best candidate's
	Accuracy []figures.Estimate // of the training on all data with the winner; its error is from the number of searches only
}

// quickTask is a bank of runs on the embedded digits: nine learning rates, ten parts of the data.
var quickTask = bank.NewExperiment("ding2023/digits", "searches for a learning rate on the embedded digits", map[string]bank.Config{"quick": {
	Data: "digits", Model: "digits-mlp", ClipNorm: 1, Optimizer: "sgd", TuningRate: 0.1,
	Trainings:     []bank.Training{{SamplingRate: 0.1, Steps: 100, NoiseMultipliers: []float64{1.57}}},
	LearningRates: powersOfTen(-2.5, 0.5, 9), Repeats: 2, Runs: 2, Seed: "ding2023 digits",
}})

// powersOfTen returns 10^first, 10^(first+step), ...
func powersOfTen(first, step float64, count int) (list []float64) {
	for i := range count {
		list = append(list, math.Pow(10, first+step*float64(i)))
	}
	return list
}

// OnDigits trains the candidates on the embedded digits and searches among them. progress reports
// how much is done; nil for none.
func OnDigits(ctx context.Context, cfg RealTaskConfig, progress func(done, total int, detail string)) (RealTaskResult, error) {
	if err := cfg.Validate(); err != nil {
		return RealTaskResult{}, err
	}
	stored, err := quickTask.Compute(ctx, "quick", experiments.Env{Progress: progress})
	if err != nil {
		return RealTaskResult{}, err
	}
	return RealTask(ctx, stored.Result, bank.AccountOf(stored), cfg)
}

// RealTask runs searches whose scores are means over parts of the data, each of a model of the
// bank. Their winner is trained on all data.
func RealTask(ctx context.Context, b bank.Bank, account string, cfg RealTaskConfig) (RealTaskResult, error) {
	if err := cfg.Validate(); err != nil {
		return RealTaskResult{}, err
	}
	if b.Repeats == 0 || b.Config.TuningRate == 0 || cfg.Level >= b.Config.Levels() || len(b.Config.Trainings) != 1 {
		return RealTaskResult{}, errors.New("ding2023: the bank must have a complete repeat of one training, on a sample too, and the level of noise")
	}
	r := RealTaskResult{Config: cfg, Bank: b.Config, Account: account}
	for i, rate := range b.Config.LearningRates {
		mean := 0.0
		runs := b.At(bank.Sample, 0, cfg.Level, rate)
		for _, run := range runs {
			mean += run.Score / float64(len(runs))
		}
		only := make([]float64, len(b.Config.LearningRates))
		only[i] = 1
		r.Scores, r.Trained = append(r.Scores, mean), append(r.Trained, b.After(only, cfg.Level, bank.All))
	}
	for _, kind := range []struct {
		name string
		run  func(epsilon float64) (bank.Outcome, error)
	}{
		{"Algorithm 1, ε for each test", func(epsilon float64) (bank.Outcome, error) { return r.algorithm1(b, epsilon), nil }},
		{fmt.Sprintf("at most %d tests, noise drawn once", cfg.MaxTests), func(epsilon float64) (bank.Outcome, error) { return r.capped(ctx, b, epsilon) }},
		{"exponential mechanism", func(epsilon float64) (bank.Outcome, error) {
			rng := streams.Fixed(cfg.Seed).Rand(fmt.Sprintf("exponential, ε %g", epsilon))
			return b.Exponential(epsilon, cfg.Level, cfg.Searches, rng), nil
		}},
	} {
		s := RealSearch{Name: kind.name}
		for _, epsilon := range cfg.Epsilons {
			out, err := kind.run(epsilon)
			if err != nil {
				return RealTaskResult{}, err
			}
			s.add(r, out.Chances)
		}
		r.Searches = append(r.Searches, s)
	}
	return r, nil
}

// algorithm1 runs the search as printed, with new scores and a new order of the candidates each
// time.
func (r RealTaskResult) algorithm1(b bank.Bank, epsilon float64) bank.Outcome {
	parts := b.Config.Parts()
	search := Algorithm1(float64(parts)*epsilon, 0, r.Config.Granularity)
	out := bank.Outcome{Chances: make([]float64, len(r.Scores))}
	root := streams.Fixed(r.Config.Seed).Child(fmt.Sprintf("Algorithm 1, ε %g", epsilon))
	for i := range r.Config.Searches {
		rng := root.Rand(fmt.Sprintf("search %d", i))
		order, scores := rng.Perm(len(r.Scores)), make([]float64, len(r.Scores))
		for at, candidate := range order {
			runs := b.At(bank.Sample, 0, r.Config.Level, b.Config.LearningRates[candidate])
			for range parts {
				scores[at] += runs[rng.IntN(len(runs))].Score / float64(parts)
			}
		}
		out.Chances[order[max(0, search.Run(scores, rng).Winner())]] += 1 / float64(r.Config.Searches)
	}
	return out
}

// capped runs dptune.ThresholdSearch, calibrated to ε.
func (r RealTaskResult) capped(ctx context.Context, b bank.Bank, epsilon float64) (bank.Outcome, error) {
	search, _, err := b.Config.ThresholdSearch(accounting.Target{Epsilon: epsilon, Delta: r.Config.Delta}, r.Config.Granularity, r.Config.MaxTests)
	if err != nil {
		return bank.Outcome{}, err
	}
	return b.Threshold(ctx, search, r.Config.Level, r.Config.Searches, streams.Fixed(r.Config.Seed).Child(fmt.Sprintf("capped, ε %g", epsilon)))
}

// add adds the winners of one ε.
func (s *RealSearch) add(r RealTaskResult, chances []float64) {
	score, mean, square := 0.0, 0.0, 0.0
	for i, chance := range chances {
		score += chance * r.Scores[i]
		mean += chance * r.Trained[i]
		square += chance * r.Trained[i] * r.Trained[i]
	}
	s.Winners, s.Fidelity, s.Accuracy = append(s.Winners, chances), append(s.Fidelity, score/slices.Max(r.Scores)),
		append(s.Accuracy, figures.Estimate{Mean: mean, StdDev: math.Sqrt(math.Max(0, square-mean*mean)), N: r.Config.Searches})
}

// drawn is what a candidate drawn at random gives, best what the best one does.
func (r RealTaskResult) drawn() float64 { return stat.Mean(r.Trained, nil) }
func (r RealTaskResult) best() float64 {
	return r.Trained[slices.Index(r.Scores, slices.Max(r.Scores))]
}

// Figure draws the candidates, the fidelity of the winners, and the accuracy after training with
// them.
func (r RealTaskResult) Figure() chart.Figure {
	name := "ding2023-" + r.Bank.Data
	p := chart.Panels{Name: name, Title: "Searches for a learning rate among trained models: " + r.Bank.Data, Columns: 3, Sources: []string{r.Account},
		Notes: []string{
			fmt.Sprintf("σ = %g, γ = %g, %d steps, clip norm %g; k = %d parts; g = %g, δ = %s; %d searches a point.",
				r.Bank.Trainings[0].NoiseMultipliers[r.Config.Level], r.Bank.Trainings[0].SamplingRate, r.Bank.Trainings[0].Steps, r.Bank.ClipNorm, r.Bank.Parts(), r.Config.Granularity,
				chart.Scientific(r.Config.Delta), r.Config.Searches),
			"ε is that of the search, without the training; of Algorithm 1, which has no cap, that of one test. Each search draws the order of its candidates, and takes the first if it finds none. The winner is trained once more, on all data. Band: two standard errors of the searches, not of the trainings.",
		}}
	rates := chart.Series(r.Bank.LearningRates)
	candidates := chart.Chart{Name: name + "-candidates", Title: "Candidates", XLabel: "learning rate η", YLabel: "accuracy", XLog: true, YMin: 0, YMax: 1,
		Curves: []chart.Curve{{Label: "score, one part", X: rates, Y: r.Scores, Color: 2}, {Label: "trained on all data", X: rates, Y: r.Trained, Color: 4}}}
	fidelity := chart.Chart{Name: name + "-fidelity", Title: "Score of the winner over the best", XLabel: "ε", YLabel: "fidelity α", XLog: true, YMin: 0, YMax: 1.05}
	accuracy := chart.Chart{Name: name + "-accuracy", Title: "Training with the winner", XLabel: "ε", YLabel: "test accuracy", XLog: true, YMin: 0, YMax: 1}
	for i, s := range r.Searches {
		color := []int{1, 6, 8}[i]
		fidelity.Curves = append(fidelity.Curves, chart.Curve{Label: s.Name, X: r.Config.Epsilons, Y: s.Fidelity, Color: color})
		accuracy.Curves = append(accuracy.Curves, figures.Means(chart.Curve{Label: s.Name, X: r.Config.Epsilons, Color: color}, s.Accuracy, 2, figures.Estimate.StdErr))
	}
	p.Notes = append(p.Notes, figures.Falls("test accuracy", "ε", "two errors", accuracy.Curves...)...)
	fidelity.Curves = append(fidelity.Curves, figures.Level("a random candidate", r.Config.Epsilons, stat.Mean(r.Scores, nil)/slices.Max(r.Scores)))
	accuracy.Curves = append(accuracy.Curves, figures.Level("random candidate, and the best", r.Config.Epsilons, r.drawn()), figures.Level("", r.Config.Epsilons, r.best()))
	p.Charts = []chart.Chart{candidates, fidelity, accuracy}
	return p
}

// Table lists accuracies by search and ε.
func (r RealTaskResult) Table() figures.Table {
	t := figures.Table{Name: "ding2023-" + r.Bank.Data + "-accuracies", Title: "Test accuracy of the training with the winner", Columns: []string{"search"},
		Notes: []string{fmt.Sprintf("± one standard error, from %d searches. A random candidate: %.1f %%; the one with the best mean score: %.1f %%.", r.Config.Searches, 100*r.drawn(), 100*r.best())}}
	for _, epsilon := range r.Config.Epsilons {
		t.Columns = append(t.Columns, fmt.Sprintf("ε = %g", epsilon))
	}
	for _, s := range r.Searches {
		row := []string{s.Name}
		for i := range s.Accuracy {
			row = append(row, fmt.Sprintf("%.1f ± %.1f %%", 100*s.Accuracy[i].Mean, 100*s.Accuracy[i].StdErr()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
