package tuned

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// ProtocolsResult has all protocols of private tuning on one task, which no paper sets side by
// side.
type ProtocolsResult struct {
	Tuning    TuningResult // the config, and what the bank is
	Protocols []Protocol
}

// Protocol is one way to tune and train. Lists have one value for each level of noise, or for each
// of Config.Epsilons.
type Protocol struct {
	Name             string
	Published, Least []float64    // final ε, by the least bound in print and by the least known
	Accuracy         []Difference // on images that the choice did not see, by level
	Gradients        float64      // evaluated on average, in those of one training on all data

	AtPublished, AtLeast []Difference // accuracy at equal ε, with its error; NaN without a level on both sides

	price  func(base accounting.Event, delta float64) (published, least float64, err error)
	values func(b bank.Bank, level int) float64
}

// protocols lists them. K has the same mean wherever there is one.
func (r TuningResult) protocols(b bank.Bank) ([]Protocol, error) {
	mean, q, points := r.Config.MeanRepeats, r.Bank.TuningRate, float64(r.Bank.Points())
	runs := map[string]law.Law{"Poisson": law.Poisson{MeanRepeats: mean}}
	for name, eta := range map[string]float64{"geometric": 1, "logarithmic": 0} {
		tnb, err := law.TNBFromMean(eta, mean)
		if err != nil {
			return nil, err
		}
		runs[name] = tnb
	}
	list := []Protocol{
		{Name: methodNames[oneRun], Gradients: 1, price: oneTraining, values: func(b bank.Bank, level int) float64 { return b.Known(level).Accuracy }},
		{Name: "one run, η drawn", Gradients: 1, price: oneTraining, values: func(b bank.Bank, level int) float64 { return b.BestOfK(law.Fixed{Count: 1}, level).Accuracy }},
	}
	for _, name := range []string{"Poisson", "geometric", "logarithmic"} {
		list = append(list, bestOf("best of K, "+name, runs[name], mean))
	}
	list = append(list, bestOf(fmt.Sprintf("best of %.0f, fixed number", mean), law.Fixed{Count: int(math.Round(mean))}, math.Round(mean)),
		tunedOn(methodNames[variant1]+", Poisson", runs["Poisson"], q, subsample.RestOfData, mean*q+1-q),
		tunedOn(methodNames[variant1]+", logarithmic", runs["logarithmic"], q, subsample.RestOfData, mean*q+1-q),
		tunedOn(methodNames[variant2]+", Poisson", runs["Poisson"], q, subsample.AllData, mean*q+1))
	for _, epsilon := range []float64{0.5, 2} {
		list = append(list, exponential(epsilon, points+1))
	}
	search, err := r.thresholds(b, points+1)
	return append(list, search), err
}

// oneTraining is the price of one run. The published one is the Rényi accountant's.
func oneTraining(base accounting.Event, delta float64) (published, least float64, err error) {
	b, err := baserun.New(base)
	if err != nil {
		return 0, 0, err
	}
	one, err := auto.NewAccountant().EpsilonAt(base, delta)
	b.Profiles = nil
	return b.Guarantee(delta).Epsilon.Upper, one.Epsilon.Upper, err
}

func bestOf(name string, runs law.Law, gradients float64) Protocol {
	return Protocol{
		Name: name, Gradients: gradients,
		values: func(b bank.Bank, level int) float64 { return b.BestOfK(runs, level).Accuracy },
		price: func(base accounting.Event, delta float64) (float64, float64, error) {
			return leastOf(selection.EventAt(selection.BestOf{Law: runs, Base: base}, delta))
		},
	}
}

func tunedOn(name string, runs law.Law, q float64, v subsample.Variant, gradients float64) Protocol {
	last := map[subsample.Variant]bank.Part{subsample.RestOfData: bank.Rest, subsample.AllData: bank.All}[v]
	return Protocol{
		Name: name, Gradients: gradients,
		values: func(b bank.Bank, level int) float64 { return b.TuneThenTrain(runs, level, last).Accuracy },
		price: func(base accounting.Event, delta float64) (float64, float64, error) {
			event := subsample.Event{TuningRate: q, Tuning: selection.BestOf{Law: runs, Base: base}, Training: base, Variant: v}
			return leastOf(subsample.PriceAt(event, delta))
		},
	}
}

// leastOf returns the ε of the least published bound, +Inf if there is none, and of the least
// bound.
func leastOf(price accounting.Price, err error) (published, least float64, _ error) {
	if err != nil {
		return 0, 0, err
	}
	published = math.Inf(1)
	if bound, ok := price.LeastPublished(); ok {
		published = bound.Epsilon
	}
	return published, price.Least().Epsilon, nil
}

// exponential chooses by the exponential mechanism on scores of parts of the data. The published
// price is basic composition.
func exponential(epsilon, gradients float64) Protocol {
	return Protocol{
		Name: fmt.Sprintf("exponential mechanism, ε %g", epsilon), Gradients: gradients,
		values: func(b bank.Bank, level int) float64 {
			return b.Exponential(epsilon, level, 40, streams.Fixed("koskela2023 protocols").Rand("scores")).Accuracy
		},
		price: func(base accounting.Event, delta float64) (float64, float64, error) {
			published, _, err := oneTraining(base, delta)
			if err != nil {
				return 0, 0, err
			}
			whole, err := auto.NewAccountant().EpsilonAt(accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: epsilon}, base}}, delta)
			return published + epsilon, whole.Epsilon.Upper, err
		},
	}
}

// thresholdEpsilon is the ε of the threshold tests, without the training.
const thresholdEpsilon = 2

// thresholds is a search by noisy thresholds on the same scores. How often each point wins is
// counted in 200 searches a level, on the bank as it is; errors are those of the last training.
func (r TuningResult) thresholds(b bank.Bank, gradients float64) (Protocol, error) {
	search, tests, err := r.Bank.ThresholdSearch(accounting.Target{Epsilon: thresholdEpsilon, Delta: r.Config.Delta}, 0.1, 9)
	if err != nil {
		return Protocol{}, err
	}
	chances := make([][]float64, r.Bank.Levels())
	err = parallel.Each(len(chances), func(level int) error {
		out, err := b.Threshold(context.Background(), search, level, 200, streams.Fixed("koskela2023 protocols").Child(fmt.Sprintf("level %d", level)))
		chances[level] = out.Chances
		return err
	})
	return Protocol{
		Name: fmt.Sprintf("noisy thresholds, ε %g", float64(thresholdEpsilon)), Gradients: gradients,
		values: func(b bank.Bank, level int) float64 { return b.After(chances[level], level, bank.All) },
		price: func(base accounting.Event, delta float64) (float64, float64, error) {
			return leastOf(threshold.PriceAt(tests, base, delta))
		},
	}, err
}

// Protocols compares all protocols on what is stored of an experiment. Choices see one half of the
// test images, reports are of the other.
func (t Trained) Protocols() (ProtocolsResult, error) {
	stored, err := bank.Largest(t.Experiment)
	if err != nil {
		return ProtocolsResult{}, err
	}
	return t.protocols(stored, t.Title)
}

// DigitsProtocols is Protocols on the quick profile, on the embedded digits.
func (t Trained) DigitsProtocols() (ProtocolsResult, error) {
	stored, err := t.Load("quick")
	if err != nil {
		return ProtocolsResult{}, err
	}
	return t.protocols(stored, t.onDigits())
}

func (t Trained) protocols(stored bank.Stored, task string) (ProtocolsResult, error) {
	tuning, err := t.figure(stored, task, TuningResult{})
	if err != nil {
		return ProtocolsResult{}, err
	}
	return protocolsOf(stored.Result, tuning)
}

func protocolsOf(b bank.Bank, tuning TuningResult) (ProtocolsResult, error) {
	list, err := tuning.protocols(b)
	r := ProtocolsResult{Tuning: tuning, Protocols: list}
	if err != nil {
		return r, err
	}
	if err := r.price(); err != nil {
		return r, err
	}
	r.evaluate(b)
	return r, nil
}

func (r ProtocolsResult) price() error {
	levels := r.Tuning.Bank.Levels()
	for i := range r.Protocols {
		p := &r.Protocols[i]
		p.Published, p.Least = make([]float64, levels), make([]float64, levels)
	}
	return parallel.Each(levels*len(r.Protocols), func(k int) (err error) {
		p, level := r.Protocols[k/levels], k%levels
		p.Published[level], p.Least[level], err = p.price(r.Tuning.base(level), r.Tuning.Config.Delta)
		return err
	})
}

// evaluate fills in accuracies, and those at equal ε with their errors.
func (r ProtocolsResult) evaluate(b bank.Bank) {
	next := uncertain(b, r.Tuning.Config.Resamples, streams.Fixed("koskela2023 protocols").Rand("bootstrap"), r.statistics)
	for i := range r.Protocols {
		p := &r.Protocols[i]
		for range r.Tuning.Bank.Levels() {
			p.Accuracy = append(p.Accuracy, next())
		}
		for range r.Tuning.Config.Epsilons {
			p.AtPublished = append(p.AtPublished, next())
			p.AtLeast = append(p.AtLeast, next())
		}
	}
}

// statistics are, for each protocol, the accuracies by level and those at equal ε by both prices.
func (r ProtocolsResult) statistics(b bank.Bank) (list []float64) {
	for _, p := range r.Protocols {
		accuracies := make([]float64, r.Tuning.Bank.Levels())
		for level := range accuracies {
			accuracies[level] = p.values(b, level)
		}
		list = append(list, accuracies...)
		for _, epsilon := range r.Tuning.Config.Epsilons {
			list = append(list, at(p.Published, accuracies, epsilon), at(p.Least, accuracies, epsilon))
		}
	}
	return list
}

// Figure draws accuracy against ε by the least bounds: searches on all data, and the others.
func (r ProtocolsResult) Figure() chart.Figure {
	c := r.Tuning.Config
	p := chart.Panels{
		Name: c.Name + "-protocols", Title: "All protocols: " + c.Task, Columns: 2, Sources: []string{r.Tuning.Account},
		Notes: []string{
			fmt.Sprintf("Trained: %s. ε by the least known bounds, δ = %s, µ = %g, q = %g. Scores of the exponential mechanism and of thresholds are means over %d parts of the data.",
				r.Tuning.size(), chart.Scientific(c.Delta), c.MeanRepeats, r.Tuning.Bank.TuningRate, r.Tuning.Bank.Parts()),
			"The choice sees one half of the test images, the accuracy is that of the other. The table has what is known of errors.",
		},
	}
	p.Notes = append(p.Notes, r.falls()...)
	one, all, parts := r.Protocols[0], r.Protocols[1:6], r.Protocols[6:]
	for i, list := range [][]Protocol{all, parts} {
		chart := r.Tuning.chart([]string{"on-all-data", "on-parts"}[i], []string{"Searches on all data", "Searches on parts of the data"}[i], "test accuracy")
		for _, protocol := range list {
			chart.Curves = append(chart.Curves, protocol.curve())
		}
		last := one.curve()
		last.Reference = true
		chart.Curves = append(chart.Curves, last)
		p.Charts = append(p.Charts, chart)
	}
	return p
}

// curve is the accuracy over the least known ε.
func (p Protocol) curve() chart.Curve {
	return chart.Curve{Label: p.Name, X: p.Least, Y: figures.Map(p.Accuracy, func(a Difference) float64 { return a.Value })}
}

// falls reports where an accuracy falls by more than its errors as ε grows.
func (r ProtocolsResult) falls() []string {
	var curves []chart.Curve
	for _, p := range r.Protocols {
		k := p.curve()
		for _, a := range p.Accuracy {
			low, high := a.ends()
			k.Low, k.High = append(k.Low, low), append(k.High, high)
		}
		curves = append(curves, k)
	}
	return figures.Falls("test accuracy", "ε", r.Tuning.errorsAre(), curves...)
}

// Table lists, at equal ε, what each protocol reaches by published and by the least bounds, and
// what it computes.
func (r ProtocolsResult) Table() figures.Table {
	t := figures.Table{
		Name: r.Tuning.Config.Name + "-protocols-accuracies", Title: "Test accuracy at equal ε, by published and by the least known bounds",
		Columns: []string{"protocol", "gradients, in trainings"},
		Notes:   []string{fmt.Sprintf("One training is on all data; gradients are on average. %s Of noisy thresholds, what follows the accuracy is that of the last training. Empty: no trained level of noise on both sides.", r.Tuning.errorNote())},
	}
	for _, epsilon := range r.Tuning.Config.Epsilons {
		t.Columns = append(t.Columns, "ε = "+figures.Short(epsilon)+", published", "ε = "+figures.Short(epsilon)+", least")
	}
	for _, p := range r.Protocols {
		row := []string{p.Name, fmt.Sprintf("%.3g", p.Gradients)}
		for i := range r.Tuning.Config.Epsilons {
			row = append(row, p.AtPublished[i].share(), p.AtLeast[i].share())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// share writes an accuracy with its standard error, or with those of each repeat.
func (d Difference) share() string { return d.write("%.2f", " %") }
