package koskela2023

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/figures/koskela2023/internal/methods"
	"github.com/dplab/dplab/notebooks/papers"
)

// NoiseConfig describes the second column of Figures 5 and 6: the noise that each method needs for
// a final ε. Only the learning rate is tuned. K has a Poisson law.
type NoiseConfig struct {
	Trainings   []Training // one panel each
	Epsilons    []float64  `rule:"> 0; increasing; at least 2"` // final ε, increasing, each > 0
	Delta       float64    `rule:"in (0, 1)"`                   // δ in (0, 1)
	MeanRepeats float64    `rule:">= 1; finite"`                // µ >= 1
	TuningRate  float64    `rule:"in (0, 1)"`                   // q in (0, 1)
	MaxOrder    int        `rule:"in [3, 512]"`                 // the paper's bounds are taken over the integer orders 2 to this, 3 to 512
}

// Training is one run of DP-SGD or DP-Adam, but for its noise.
type Training struct {
	Name         string
	SamplingRate float64 // γ in (0, 1]
	Steps        int     // T >= 1
}

func (t Training) event(sigma float64) accounting.Event {
	return methods.Training(t.SamplingRate, sigma, t.Steps)
}

// Validate returns every fault, joined.
func (t Training) Validate() error { return t.event(1).Validate() }

// Validate returns every fault, joined.
func (c NoiseConfig) Validate() error { return figures.Faults(c).Err() }

// papersSettings reports whether all but the final ε and the orders, which the text does not
// have, is the paper's.
func (c NoiseConfig) papersSettings() bool {
	p := papers.Koskela2023
	return c.Delta == p.Delta && c.MeanRepeats == p.MeanRepeats && c.TuningRate == p.TuningRate && slices.Equal(c.Trainings, papersTrainings())
}

// papersTrainings are the columns of Table 1, those with the same settings as one.
func papersTrainings() (out []Training) {
	for _, column := range papers.Koskela2023.Table1 {
		rate := column.SamplingRate.Number
		t := Training{column.Dataset, rate, int(math.Round(float64(column.Epochs) / rate))}
		if n := len(out); n > 0 && out[n-1].SamplingRate == t.SamplingRate && out[n-1].Steps == t.Steps {
			out[n-1].Name += " and " + t.Name
			continue
		}
		out = append(out, t)
	}
	return out
}

// Noise has a noise multiplier for each final ε: the least, rounded up by a part in ten million.
type Noise struct {
	OneRun, Variant1, Variant2, Baseline []float64
}

// TrainingNoise is the noise of one training, by the paper's bounds and by ours.
type TrainingNoise struct {
	Training     Training
	Paper, Least Noise
}

// NoiseResult has one entry for each training.
type NoiseResult struct {
	Config    NoiseConfig
	Trainings []TrainingNoise
}

// NoiseMultipliers reproduces the second column of Figures 5 and 6, which is the same for DP-SGD
// and DP-Adam, and adds the noise that the least bounds known ask for. An ε that the paper's bounds
// cannot reach with any noise, because of their last order, is an error.
func NoiseMultipliers(cfg NoiseConfig) (NoiseResult, error) {
	if err := cfg.Validate(); err != nil {
		return NoiseResult{}, err
	}
	r := NoiseResult{Config: cfg}
	n := len(cfg.Epsilons)
	var least []pricing
	for _, training := range cfg.Trainings {
		r.Trainings = append(r.Trainings, TrainingNoise{training, newNoise(n), newNoise(n)})
		least = append(least, cfg.least(training))
	}
	return r, parallel.Each(n*len(cfg.Trainings), func(i int) error {
		t, k := r.Trainings[i/n], i%n
		return errors.Join(
			t.Paper.calibrate(k, cfg.published(t.Training), cfg.Epsilons[k], cfg.Delta),
			t.Least.calibrate(k, least[i/n], cfg.Epsilons[k], cfg.Delta))
	})
}

func newNoise(n int) Noise {
	return Noise{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// priced is a method: its event at a noise multiplier, and the accountant that prices it.
type priced struct {
	accountant accounting.Accountant
	event      func(sigma float64) accounting.Event
}

// pricing is how one run, variants 1 and 2, and the baseline are priced.
type pricing [4]priced

// calibrate fills place k.
func (n Noise) calibrate(k int, all pricing, epsilon, delta float64) error {
	for i, out := range [][]float64{n.OneRun, n.Variant1, n.Variant2, n.Baseline} {
		sigma, err := auto.CalibrateNoiseMultiplier(all[i].event, accounting.Target{Epsilon: epsilon, Delta: delta}, all[i].accountant)
		if err != nil {
			return err
		}
		out[k] = sigma
	}
	return nil
}

// least prices the events of the four methods.
func (c NoiseConfig) least(t Training) (all pricing) {
	runs := law.Poisson{MeanRepeats: c.MeanRepeats}
	for i := range all {
		all[i] = priced{remembering{auto.NewAccountant(), new(sync.Map)}, func(sigma float64) accounting.Event { return methods.Around(t.event(sigma), runs, c.TuningRate)[i] }}
	}
	return all
}

// remembering asks an accountant once about an event and a δ: the calibrations for all ε begin with
// the same noise. Events must be comparable.
type remembering struct {
	accounting.Accountant
	answers *sync.Map // of question to func() (accounting.Guarantee, error)
}

type question struct {
	event accounting.Event
	delta float64
	by    accounting.Options
}

func (r remembering) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	answer, _ := r.answers.LoadOrStore(question{event, delta, r.Options()}, sync.OnceValues(func() (accounting.Guarantee, error) {
		return r.Accountant.EpsilonAt(event, delta)
	}))
	return answer.(func() (accounting.Guarantee, error))()
}

// Options returns those of the accountant.
func (r remembering) Options() accounting.Options { return accounting.OptionsOf(r.Accountant) }

// WithOptions returns the accountant with other options.
func (r remembering) WithOptions(o accounting.Options) accounting.Accountant {
	r.Accountant = accounting.WithOptions(r.Accountant, o)
	return r
}

// published prices one training as the paper prices a method around it.
func (c NoiseConfig) published(t Training) (all pricing) {
	for i, accountant := range methods.Published(c.MeanRepeats, c.TuningRate, c.MaxOrder) {
		all[i] = priced{accountant, t.event}
	}
	return all
}

// Figure draws one panel for each training.
func (r NoiseResult) Figure() chart.Figure {
	p := chart.Panels{
		Name: "koskela2023-noise", Title: "Figures 5 and 6, second column: the noise for a final ε", Columns: 3,
		Notes: []string{fmt.Sprintf("δ = %s, µ = %g, q = %g, K from a Poisson law. Computed at the marked ε: the lines only join them. Paper's bounds at the integer orders 2 to %d; ours: the least bound known.",
			chart.Scientific(r.Config.Delta), r.Config.MeanRepeats, r.Config.TuningRate, r.Config.MaxOrder)},
	}
	for i, t := range r.Trainings {
		p.Notes[0] += fmt.Sprintf(" %s: γ = %g, T = %d.", t.Training.Name, t.Training.SamplingRate, t.Training.Steps)
		p.Charts = append(p.Charts, chart.Chart{
			Name: fmt.Sprintf("koskela2023-noise-%d", i+1), Title: t.Training.Name,
			XLabel: "final ε", YLabel: "noise multiplier σ", XLog: true, YLog: true,
			Curves: []chart.Curve{
				{Label: "baseline, paper", X: r.Config.Epsilons, Y: t.Paper.Baseline, Color: 1},
				{Label: "variant 2, paper", X: r.Config.Epsilons, Y: t.Paper.Variant2, Color: 2},
				{Label: "variant 1, paper", X: r.Config.Epsilons, Y: t.Paper.Variant1, Color: 3},
				{Label: "baseline, ours", X: r.Config.Epsilons, Y: t.Least.Baseline, Color: 6},
				{Label: "variant 2, ours", X: r.Config.Epsilons, Y: t.Least.Variant2, Color: 4},
				{Label: "variant 1, ours", X: r.Config.Epsilons, Y: t.Least.Variant1, Color: 5},
				{Label: "one training, least known", X: r.Config.Epsilons, Y: t.Least.OneRun, Reference: true},
			},
		})
	}
	return p
}

// Table lists σ.
func (r NoiseResult) Table() figures.Table {
	t := figures.Table{
		Name: "koskela2023-noise-multipliers", Title: "The least noise multiplier σ for a final ε",
		Columns: []string{"data", "ε", "one run, paper's", "variant 1, paper's", "variant 2, paper's", "baseline, paper's", "one run, ours", "variant 1, ours", "variant 2, ours", "baseline, ours"},
	}
	for _, n := range r.Trainings {
		for k, epsilon := range r.Config.Epsilons {
			row := []string{n.Training.Name, figures.Short(epsilon)}
			for _, by := range []Noise{n.Paper, n.Least} {
				for _, sigmas := range [][]float64{by.OneRun, by.Variant1, by.Variant2, by.Baseline} {
					row = append(row, fmt.Sprintf("%.3f", sigmas[k]))
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// otherSettings is why a row has no verdict.
const otherSettings = "the settings are not the paper's"

// Compare sets the sentences of the captions next to σ by the paper's bounds. They have a verdict
// if the settings are the paper's.
func (r NoiseResult) Compare() figures.Comparison {
	var below, lower figures.Cases
	for _, t := range r.Trainings {
		n := t.Paper
		for k := range n.Baseline {
			below.AddIf(n.Baseline[k] > math.Max(n.Variant1[k], n.Variant2[k])*(1+1e-9))
			lower.AddIf(n.Variant2[k] > n.Variant1[k]*(1+1e-9))
		}
	}
	p := papers.Koskela2023.Noise
	first, second := below.Against(p.LessThanBaseline).WithNote("“significantly” is not tested"), lower.Against(p.Variant1Lower)
	if !r.Config.papersSettings() {
		first, second = first.WithoutReference(otherSettings), second.WithoutReference(otherSettings)
	}
	return figures.Comparison{Name: "koskela2023-noise", Title: "Figures 5 and 6, captions: the noise of the methods, by the paper's bounds",
		Rows: []figures.ComparisonRow{first, second}}
}
