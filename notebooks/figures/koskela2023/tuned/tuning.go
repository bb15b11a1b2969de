package tuned

import (
	"errors"
	"math"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
)

// TuningConfig is how the runs of a bank are priced, for Figures 2 to 8. K has a Poisson law.
type TuningConfig struct {
	Name        string // of the figure's files
	Figures     string // of the paper, such as "Figures 2 and 5"; empty for none
	Task        string // data, model, optimizer, and what is tuned
	Delta       float64
	MeanRepeats float64   // µ >= 1
	MaxOrder    int       // the paper's bounds are taken over the integer orders 2 to this, 3 to 512
	Epsilons    []float64 // final ε at which the methods are compared
	Resamples   int       // of the bootstrap, >= 2
}

// Validate returns every fault, joined.
func (c TuningConfig) Validate() error {
	f := check.In("koskela2023: TuningConfig.")
	f.That(c.Name != "", "Name", `""`, "must name the figure")
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.Number("MeanRepeats", c.MeanRepeats, check.Between(1, math.MaxFloat64))
	f.Number("MaxOrder", float64(c.MaxOrder), check.Between(3, 512))
	f.Each("Epsilons", c.Epsilons, check.Positive)
	f.Count("Resamples", c.Resamples, 2)
	return f.Err()
}

// Method is one way to tune and train. Lists have one value for each level of noise.
type Method struct {
	Name         string
	Paper, Least []float64 // final ε, by the paper's bounds and by the least known
	Accuracy     []float64 // of the final model, averaged over all draws
	StdErr       []float64 // by the bootstrap; NaN if not known

	// Each holds the accuracies of each repeat by itself, by repeat and level. It is empty if there
	// are errors, or only one repeat.
	Each [][]float64

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
	} else if err := r.price(); err != nil {
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

// pricePaper fills in the final ε by the paper's bounds.
func (r *TuningResult) pricePaper() error {
	c, q, levels := r.Config, r.Bank.TuningRate, r.Bank.Levels()
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
		return err
	})
}

// price fills in the final ε, by the paper's bounds and by the least known.
func (r *TuningResult) price() error {
	if err := r.pricePaper(); err != nil {
		return err
	}
	c, q := r.Config, r.Bank.TuningRate
	runs := law.Poisson{MeanRepeats: c.MeanRepeats}
	return parallel.Each(r.Bank.Levels()*methodCount, func(i int) error {
		level, m := i/methodCount, i%methodCount
		least, err := auto.NewAccountant().EpsilonAt(methods.Around(r.base(level), runs, q)[m], c.Delta)
		r.Methods[m].Least[level] = least.Epsilon.Upper
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
	errs, each := b.Errors(r.Config.Resamples, rng, statistics), b.Each(statistics)
	next := func(n int) (theirs []float64, alone [][]float64) {
		theirs, errs = errs[:n], errs[n:]
		for i, list := range each {
			alone, each[i] = append(alone, list[:n]), list[n:]
		}
		return theirs, alone
	}
	for m := range r.Methods {
		r.Methods[m].StdErr, r.Methods[m].Each = next(b.Config.Levels())
		r.Bend = math.Max(r.Bend, bend(r.Methods[m].Least, r.Methods[m].Accuracy))
	}
	var mine [methodCount][]float64
	for m := range mine {
		mine[m] = r.Methods[m].Accuracy
	}
	for _, priced := range []*[]Differences{&r.Paper, &r.Least} {
		for _, d := range r.differences(mine, priced == &r.Paper) {
			for _, p := range d.list() {
				theirs, alone := next(1)
				p.StdErr = theirs[0]
				for _, one := range alone {
					p.Each = append(p.Each, one[0])
				}
			}
			*priced = append(*priced, d)
		}
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
