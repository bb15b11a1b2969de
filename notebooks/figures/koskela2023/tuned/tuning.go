package tuned

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
)

// TuningConfig is how the runs of a bank are priced, for Figures 2 to 8. K has a Poisson law.
type TuningConfig struct {
	Name        string    // of the figure's files
	Figures     string    // of the paper, such as "Figures 2 and 5"; empty for none
	Task        string    // data, model, optimizer, and what is tuned
	Delta       float64   `rule:"in (0, 1)"`
	MeanRepeats float64   `rule:">= 1; finite"` // µ >= 1
	MaxOrder    int       `rule:"in [3, 512]"`  // the paper's bounds are taken over the integer orders 2 to this, 3 to 512
	Epsilons    []float64 `rule:"> 0"`          // final ε at which the methods are compared
	Resamples   int       `rule:">= 2"`         // of the bootstrap, >= 2
}

// Validate returns every fault, joined.
func (c TuningConfig) Validate() error {
	f := figures.Faults(c)
	f.That(c.Name != "", "Name", `""`, "must name the figure")
	return f.Err()
}

// Method is one way to tune and train. Lists have one value for each level of noise.
type Method struct {
	Name         string
	Paper, Least []float64    // final ε, by the paper's bounds and by the least known
	Accuracy     []float64    // of the final model, averaged over all draws
	Errors       []Difference // Accuracy with what is known of its error

	Settings  []Setting // chosen, averaged
	Gradients float64   // that it evaluates on average, in those of one training on all data
}

// Setting is the mean of what is chosen: the learning rate that the tuning sees, geometric, and the
// others.
type Setting struct {
	LearningRate, SamplingRate, Epochs, NoiseMultiplier float64
}

// The methods, in the order of results.
const (
	oneRun = iota
	variant1
	variant2
	baseline
	methodCount
)

var methodNames = [methodCount]string{"one run, η known", "variant 1", "variant 2", "baseline"}

// TuningResult has the four methods.
type TuningResult struct {
	Config  TuningConfig
	Bank    bank.Config
	Repeats int    // of the bank that are trained
	Account string // of the shards: how many, where, when

	Public, MostPublic float64 // as in bank.Bank
	Methods            [methodCount]Method

	// Differences of accuracies at each of Config.Epsilons, by the paper's bounds and by ours.
	Paper, Least []Differences

	Choices []Choice // of variant 2, by level

	// OnScores is Accuracy if the choice sees one half of the test examples and the report is on the
	// other, averaged over which half is which.
	OnScores [methodCount][]float64

	// BaselineBias estimates by how much the baseline's accuracy differs from that of searches with
	// new runs, by level: see bank.SearchBias.
	BaselineBias []float64

	Bend float64 // the most that a level differs from the line between its neighbors, in accuracy
}

// Differences are those of interpolated accuracies at one ε, with their standard errors; NaN where
// a method has no level on both sides.
type Differences struct {
	Epsilon                      float64
	Accuracy                     [methodCount]float64
	BaselineBias                 float64    // as in TuningResult
	OverBaseline1, OverBaseline2 Difference // of variants 1 and 2
	Variants                     Difference // variant 1 minus variant 2
	BaselineLoss                 Difference // one run minus baseline
}

// Difference is a number with its standard error. If there are too few repeats for an error, Each
// has the number of each repeat.
type Difference struct {
	Value, StdErr float64
	Each          []float64
}

// Tuning prices and evaluates the methods on the runs of a bank. As in the paper the choice sees
// the test accuracy that is reported.
func Tuning(b bank.Bank, account string, cfg TuningConfig) (TuningResult, error) {
	return tuning(b, account, cfg, TuningResult{})
}

// tuning takes the prices of another result where the same is priced.
func tuning(b bank.Bank, account string, cfg TuningConfig, other TuningResult) (TuningResult, error) {
	if err := cfg.Validate(); err != nil {
		return TuningResult{}, err
	}
	if b.Repeats == 0 || b.Config.TuningRate == 0 {
		return TuningResult{}, errors.New("koskela2023: the bank has no repeat of a tuning on a sample and the trainings after it")
	}
	r := TuningResult{Config: cfg, Bank: b.Config, Repeats: b.Repeats, Public: b.Public, MostPublic: b.MostPublic, Account: account}
	if r.pricedAs(other) {
		r.Methods = other.prices()
	} else if err := r.price(true); err != nil {
		return TuningResult{}, err
	}
	r.evaluate(b)
	return r, nil
}

// base is what one run does at a level, whatever point of the grid it has.
func (r TuningResult) base(level int) accounting.Event {
	var all []accounting.Event
	for _, t := range r.Bank.Trainings {
		all = append(all, methods.Training(t.SamplingRate, t.NoiseMultipliers[level], t.Steps))
	}
	if len(all) == 1 {
		return all[0]
	}
	return accounting.WorstCase{Events: all} // Lemma 9
}

// pricedAs reports whether the final ε are those of another result: the optimizer, the data and the
// learning rates have no part in them.
func (r TuningResult) pricedAs(other TuningResult) bool {
	a, b := r.Config, other.Config
	return a.Delta == b.Delta && a.MeanRepeats == b.MeanRepeats && a.MaxOrder == b.MaxOrder && r.Bank.TuningRate == other.Bank.TuningRate &&
		reflect.DeepEqual(r.Bank.Trainings, other.Bank.Trainings)
}

// prices are the methods with only their final ε.
func (r TuningResult) prices() (methods [methodCount]Method) {
	for m, method := range r.Methods {
		methods[m] = Method{Name: method.Name, Gradients: method.Gradients, Paper: method.Paper, Least: method.Least}
	}
	return methods
}

// price fills in the final ε by the paper's bounds, and by the least known if they are asked for.
func (r *TuningResult) price(least bool) error {
	c, q, levels, runs := r.Config, r.Bank.TuningRate, r.Bank.Levels(), law.Poisson{MeanRepeats: r.Config.MeanRepeats}
	for m := range r.Methods {
		gradients := [methodCount]float64{1, c.MeanRepeats*q + 1 - q, c.MeanRepeats*q + 1, c.MeanRepeats}[m] // Section 3.4
		r.Methods[m] = Method{Name: methodNames[m], Gradients: gradients, Paper: make([]float64, levels), Least: make([]float64, levels)}
	}
	published := methods.Published(c.MeanRepeats, q, c.MaxOrder)
	return parallel.Each(levels*methodCount, func(i int) error {
		level, m := i/methodCount, i%methodCount
		base := r.base(level)
		paper, err := published[m].EpsilonAt(base, c.Delta)
		r.Methods[m].Paper[level] = paper.Epsilon.Upper
		if err != nil || !least {
			return err
		}
		ours, err := auto.NewAccountant().EpsilonAt(methods.Around(base, runs, q)[m], c.Delta)
		r.Methods[m].Least[level] = ours.Epsilon.Upper
		return err
	})
}

// outcomes returns what each method reaches at a level.
func outcomes(b bank.Bank, runs law.Law, level int) [methodCount]bank.Outcome {
	return [methodCount]bank.Outcome{
		oneRun: b.Known(level), variant1: b.TuneThenTrain(runs, level, bank.Rest), variant2: b.TuneThenTrain(runs, level, bank.All), baseline: b.BestOfK(runs, level),
	}
}

// accuracies returns the accuracy of each method at each level.
func accuracies(b bank.Bank, runs law.Law) (all [methodCount][]float64) {
	for level := range b.Config.Levels() {
		for m, out := range outcomes(b, runs, level) {
			all[m] = append(all[m], out.Accuracy)
		}
	}
	return all
}

// evaluate fills in accuracies, settings and errors.
func (r *TuningResult) evaluate(b bank.Bank) {
	runs := law.Poisson{MeanRepeats: r.Config.MeanRepeats}
	r.OnScores = accuracies(b, runs)
	for m, list := range accuracies(b.Swapped(), runs) {
		for level, accuracy := range list {
			r.OnScores[m][level] = (r.OnScores[m][level] + accuracy) / 2
		}
	}
	b = b.OnTestData()
	r.choose(b, runs)
	r.BaselineBias = baselineBias(b, runs, b.Config.Runs*b.Repeats)
	rng := streams.Fixed("koskela2023 " + r.Config.Name).Rand("bootstrap")
	statistics := func(b bank.Bank) []float64 { return r.statistics(accuracies(b, runs)) }
	next := uncertain(b, r.Config.Resamples, rng, statistics)
	for m := range r.Methods {
		for range b.Config.Levels() {
			r.Methods[m].Errors = append(r.Methods[m].Errors, next())
		}
		r.Bend = math.Max(r.Bend, bend(r.Methods[m].Least, r.Methods[m].Accuracy))
	}
	r.Paper, r.Least = r.differences(accuracies(b, runs), true), r.differences(accuracies(b, runs), false)
	for _, list := range [][]Differences{r.Paper, r.Least} {
		for i := range list {
			for _, d := range list[i].list() {
				*d = next()
			}
		}
	}
}

// uncertain returns the statistics of a bank one by one, each with what is known of its error.
func uncertain(b bank.Bank, resamples int, rng *rand.Rand, statistics func(bank.Bank) []float64) (next func() Difference) {
	values, errs, each, at := statistics(b), b.Errors(resamples, rng, statistics), b.Each(statistics), -1
	return func() Difference {
		at++
		return Difference{values[at], errs[at], figures.Map(each, func(list []float64) float64 { return list[at] })}
	}
}

// baselineBias estimates the bias of the baseline at each level, for some runs of each point.
func baselineBias(b bank.Bank, runs law.Law, each int) []float64 {
	bias := make([]float64, b.Config.Levels())
	rng := streams.Fixed("koskela2023 " + b.Config.Seed).Rand("bias of the baseline")
	for level := range bias {
		bias[level] = b.SearchBias(runs, level, each, rng)
	}
	return bias
}

// choose fills in accuracies and what is chosen. The choice sees the scores of the bank.
func (r *TuningResult) choose(b bank.Bank, runs law.Law) {
	for level := range b.Config.Levels() {
		for m, out := range outcomes(b, runs, level) {
			r.Methods[m].Accuracy = append(r.Methods[m].Accuracy, out.Accuracy)
			r.Methods[m].Settings = append(r.Methods[m].Settings, r.setting(out.Chances, level))
		}
	}
	r.Choices = choices(b, runs)
}

// statistics are the accuracies by method and level, and the differences.
func (r *TuningResult) statistics(all [methodCount][]float64) (list []float64) {
	for _, a := range all {
		list = append(list, a...)
	}
	for _, paper := range []bool{true, false} {
		for _, d := range r.differences(all, paper) {
			for _, p := range d.list() {
				list = append(list, p.Value)
			}
		}
	}
	return list
}

func (d *Differences) list() []*Difference {
	return []*Difference{&d.OverBaseline1, &d.OverBaseline2, &d.Variants, &d.BaselineLoss}
}

// differences compares interpolated accuracies at equal ε.
func (r *TuningResult) differences(all [methodCount][]float64, paper bool) (list []Differences) {
	for _, epsilon := range r.Config.Epsilons {
		d := Differences{Epsilon: epsilon}
		for m := range all {
			prices := r.Methods[m].Least
			if paper {
				prices = r.Methods[m].Paper
			}
			d.Accuracy[m] = at(prices, all[m], epsilon)
			if m == baseline && r.BaselineBias != nil {
				d.BaselineBias = at(prices, r.BaselineBias, epsilon)
			}
		}
		a := d.Accuracy
		d.OverBaseline1.Value, d.OverBaseline2.Value = a[variant1]-a[baseline], a[variant2]-a[baseline]
		d.Variants.Value, d.BaselineLoss.Value = a[variant1]-a[variant2], a[oneRun]-a[baseline]
		list = append(list, d)
	}
	return list
}

// at returns y at a price, on straight lines in the logarithm of the price between levels; NaN
// beyond them.
func at(prices, y []float64, price float64) float64 {
	for i := 1; i < len(prices); i++ {
		a, b := prices[i-1], prices[i]
		if low, high := math.Min(a, b), math.Max(a, b); low <= price && price <= high && !math.IsInf(high, 1) {
			share := math.Log(price/a) / math.Log(b/a)
			return y[i-1] + share*(y[i]-y[i-1])
		}
	}
	return math.NaN()
}

// bend returns the most that an inner level is off the line between its neighbors.
func bend(prices, y []float64) (most float64) {
	for i := 1; i+1 < len(y); i++ {
		between := at([]float64{prices[i-1], prices[i+1]}, []float64{y[i-1], y[i+1]}, prices[i])
		most = math.Max(most, math.Abs(between-y[i]))
	}
	return most
}

// setting averages over the chosen points; K = 0 is left out.
func (r TuningResult) setting(chances []float64, level int) (s Setting) {
	total := 0.0
	for i, chance := range chances {
		t, rate := r.Bank.Point(i)
		total += chance
		s.LearningRate += chance * math.Log(rate)
		s.SamplingRate += chance * t.SamplingRate
		s.Epochs += chance * t.SamplingRate * float64(t.Steps)
		s.NoiseMultiplier += chance * t.NoiseMultipliers[level]
	}
	return Setting{math.Exp(s.LearningRate / total), s.SamplingRate / total, s.Epochs / total, s.NoiseMultiplier / total}
}
