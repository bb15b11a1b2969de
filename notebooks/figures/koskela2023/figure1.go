package koskela2023

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1Config describes Figure 1: ε of tuning DP-SGD on a Poisson sample and training
// once more, against the rate of the sample. K has a Poisson law.
type Figure1Config struct {
	SamplingRate    float64   // γ of DP-SGD, in (0, 1]
	NoiseMultiplier float64   // σ > 0
	Steps           int       // T >= 1
	Delta           float64   // δ in (0, 1)
	MaxOrder        int       // the paper's bounds are taken over the integer orders 2 to this, >= 3
	MeanRepeats     []float64 // µ, each >= 1: one panel each
	TuningRates     []float64 // q, increasing, in (0, 1)
}

// Validate returns every fault, joined.
func (c Figure1Config) Validate() error {
	errs := []error{c.event().Validate()}
	if err := accounting.ValidateDelta(c.Delta); err != nil {
		errs = append(errs, fmt.Errorf("koskela2023: Figure1Config.Delta %g: must be in (0, 1)", c.Delta))
	}
	if c.MaxOrder < 3 || c.MaxOrder > 512 {
		errs = append(errs, fmt.Errorf("koskela2023: Figure1Config.MaxOrder %d: must be 3 to 512", c.MaxOrder))
	}
	if len(c.MeanRepeats) == 0 || len(c.TuningRates) < 2 {
		errs = append(errs, fmt.Errorf("koskela2023: Figure1Config has %d MeanRepeats and %d TuningRates: must have at least 1 and 2", len(c.MeanRepeats), len(c.TuningRates)))
	}
	for i, mean := range c.MeanRepeats {
		if !(mean >= 1) || math.IsInf(mean, 1) {
			errs = append(errs, fmt.Errorf("koskela2023: Figure1Config.MeanRepeats[%d] %g: must be >= 1 and finite", i, mean))
		}
	}
	for i, rate := range c.TuningRates {
		if !(rate > 0 && rate < 1) || i > 0 && rate <= c.TuningRates[i-1] {
			errs = append(errs, fmt.Errorf("koskela2023: Figure1Config.TuningRates[%d] %g: must be in (0, 1) and above the one before", i, rate))
		}
	}
	return errors.Join(errs...)
}

func (c Figure1Config) event() accounting.Event {
	return dpsgd(c.SamplingRate, c.NoiseMultiplier, c.Steps)
}

// dpsgd is one training.
func dpsgd(samplingRate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: samplingRate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}},
		Count: steps,
	}
}

// papersRun reports whether the run, its δ and the orders are those of the published values.
func (c Figure1Config) papersRun() bool {
	p := papers.Koskela2023
	return c.SamplingRate == p.Figure1.SamplingRate && c.NoiseMultiplier == p.Figure1.NoiseMultiplier && c.Steps == papersSteps() &&
		c.Delta == p.Delta && c.MaxOrder == p.Figure1.MaxOrder
}

// Figure1Result has one entry for each mean number of runs.
type Figure1Result struct {
	Config Figure1Config
	Base   float64 // ε of one training by the paper's method
	Least  float64 // ε of one training, the least that is known
	Curves []TuningCurves

	checked []checkedPoint // empty if the run is not the paper's
}

// TuningCurves has one value for each tuning rate.
type TuningCurves struct {
	MeanRepeats                    float64
	Baseline                       float64 // tuning on all data, Theorem 5
	BaselineLeast                  float64
	Variant1, Variant2             []float64 // Theorems 6 and 4, as in the paper
	Variant1Least, Variant2Least   []float64 // the least bound of accounting/selection
	Variant1Method, Variant2Method []string  // the name of that bound
	Crossings                      []float64 // q at which the paper's bounds of the variants cross, inside of TuningRates
}

// Figure1 reproduces Figure 1, and adds the least bounds that are known.
func Figure1(cfg Figure1Config) (Figure1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure1Result{}, err
	}
	paper, err := newPaperMethod(cfg.event(), cfg.Delta, cfg.MaxOrder)
	if err != nil {
		return Figure1Result{}, err
	}
	least, err := contour.NewAccountant().EpsilonAt(cfg.event(), cfg.Delta)
	if err != nil {
		return Figure1Result{}, err
	}
	r := Figure1Result{Config: cfg, Base: paper.epsilon(paper.base), Least: least.Epsilon.Upper}
	for _, mean := range cfg.MeanRepeats {
		curves, err := tuningCurves(cfg, paper, mean)
		if err != nil {
			return Figure1Result{}, err
		}
		r.Curves = append(r.Curves, curves)
	}
	if cfg.papersRun() {
		r.checked, err = checkFigure1(paper)
	}
	return r, err
}

func tuningCurves(cfg Figure1Config, paper paperMethod, mean float64) (TuningCurves, error) {
	law := law.Poisson{MeanRepeats: mean}
	all, err := selection.EventAt(selection.Event{Law: law, Base: cfg.event()}, cfg.Delta, contour.NewAccountant())
	if err != nil {
		return TuningCurves{}, err
	}
	c := TuningCurves{MeanRepeats: mean, Baseline: paper.epsilon(paper.tuning(mean)), BaselineLeast: all.Least().Epsilon}
	for _, ys := range []*[]float64{&c.Variant1, &c.Variant2, &c.Variant1Least, &c.Variant2Least} {
		*ys = make([]float64, len(cfg.TuningRates))
	}
	least, err := leastBounds(cfg, law)
	if err != nil {
		return TuningCurves{}, err
	}
	c.Variant1Method, c.Variant2Method = make([]string, len(cfg.TuningRates)), make([]string, len(cfg.TuningRates))
	if err := parallel.Each(len(cfg.TuningRates), func(i int) (err error) {
		rate := cfg.TuningRates[i]
		c.Variant1[i], c.Variant2[i], err = paper.variants(mean, rate)
		if err != nil {
			return err
		}
		ours1, err1 := least(rate, subsample.RestOfData)
		ours2, err2 := least(rate, subsample.AllData)
		c.Variant1Least[i], c.Variant1Method[i] = ours1.Epsilon, ours1.Name
		c.Variant2Least[i], c.Variant2Method[i] = ours2.Epsilon, ours2.Name
		return errors.Join(err1, err2)
	}); err != nil {
		return TuningCurves{}, err
	}
	c.Crossings, err = paper.crossings(mean, cfg.TuningRates, c.Variant1, c.Variant2)
	return c, err
}

// leastBounds returns the price of tuning on a sample of the given rate, then training, by the least bound.
func leastBounds(cfg Figure1Config, law law.Law) (func(rate float64, variant subsample.Variant) (selection.Bound, error), error) {
	prepared, err := subsample.Prepare(subsample.TuneThenTrain{ // of any rate and variant
		TuningRate: 0.5, Tuning: selection.Event{Law: law, Base: cfg.event()}, Training: cfg.event(), Variant: subsample.AllData,
	}, cfg.Delta, contour.NewAccountant())
	return func(rate float64, variant subsample.Variant) (selection.Bound, error) {
		price, err := prepared.PriceAt(rate, variant)
		if err != nil {
			return selection.Bound{}, err
		}
		return price.Least(), nil
	}, err
}
