package xiang2024

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// Figure6Config describes Figure 6: bounds and audits of tuning DP-SGD over the base ε.
type Figure6Config struct {
	Delta         float64   // δ in (0, 1)
	Steps         int       // N >= 1
	SamplingRates []float64 // τ in (0, 1], one row of charts each
	Laws          []law.TNB // one column each, with γ for the paper's ν; the text does not print the paper's
	BaseEpsilons  []float64 // ε_B > 0, at least two, increasing
	Games         int       // of one audit, half with each data set, >= 100
	Trials        int       // audits at each point, >= 2
	Confidence    float64   // of the audits, in (0, 1)
	Seed          uint64    // of the audits
}

// Validate returns every fault, joined.
func (c Figure6Config) Validate() error {
	f := check.In("xiang2024: Figure6Config.")
	f.Number("Delta", c.Delta, check.OpenUnit)
	f.Count("Steps", c.Steps, 1)
	f.Count("Games", c.Games, 100)
	f.Count("Trials", c.Trials, 2)
	f.Number("Confidence", c.Confidence, check.OpenUnit)
	f.Each("SamplingRates", c.SamplingRates, check.Rate)
	f.Count("Laws: number of values", len(c.Laws), 1)
	f.Count("BaseEpsilons: number of values", len(c.BaseEpsilons), 2)
	for i, law := range c.Laws {
		f.Below(fmt.Sprintf("Laws[%d]", i), law.Validate())
	}
	f.Each("BaseEpsilons", c.BaseEpsilons, check.UpTo(100))
	f.Add(check.Increasing("xiang2024: Figure6Config.BaseEpsilons", c.BaseEpsilons, 0))
	return f.Err()
}

// Figure6Result has one entry for each sampling rate and law, rates first.
type Figure6Result struct {
	Config Figure6Config
	Charts []Figure6Chart
}

// Figure6Chart has one value for each base ε, all in nats.
type Figure6Chart struct {
	SamplingRate float64
	Law          law.TNB
	Generic      []float64                     // ε_U-P: Theorem 2 of Papernot and Steinke, a bound
	Ours         []float64                     // the least bound of accounting/selection
	OursBy       []string                      // and its name
	G, O         []monotone.ApproximateEpsilon // ε_U-G and ε_U-O, by Algorithm 3 as printed
	MuO          []float64                     // µ of ε_U-O, and of the game that is simulated
	Exact        []float64                     // exact ε of that game; for τ = 1 that of the tuning with a monotone score
	Audits       [][]float64                   // ε_L of each trial: a lower bound from games with N(µ_O, 1)
}

// Figure6 reproduces Figure 6.
func Figure6(cfg Figure6Config) (Figure6Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure6Result{}, err
	}
	r := Figure6Result{Config: cfg}
	n := len(cfg.BaseEpsilons)
	for _, rate := range cfg.SamplingRates {
		for _, law := range cfg.Laws {
			r.Charts = append(r.Charts, Figure6Chart{
				SamplingRate: rate, Law: law,
				Generic: make([]float64, n), Ours: make([]float64, n), OursBy: make([]string, n), MuO: make([]float64, n), Exact: make([]float64, n),
				Audits: make([][]float64, n), G: make([]monotone.ApproximateEpsilon, n), O: make([]monotone.ApproximateEpsilon, n),
			})
		}
	}
	if err := parallel.Each(n*len(r.Charts), func(k int) error { return r.Charts[k/n].fill(cfg, k%n) }); err != nil {
		return Figure6Result{}, err
	}
	for i := range cfg.Laws {
		for trial := range cfg.Trials {
			if err := r.audit(i, uint64(i*cfg.Trials+trial)); err != nil {
				return Figure6Result{}, err
			}
		}
	}
	return r, nil
}

// fill computes all values at one base ε but the audits.
func (c Figure6Chart) fill(cfg Figure6Config, i int) error {
	run, err := calibrated(cfg.BaseEpsilons[i], c.SamplingRate, cfg.Steps, cfg.Delta)
	if err != nil {
		return err
	}
	if c.Generic[i], err = generic(c.Law, run.event, cfg.Delta); err != nil {
		return err
	}
	price, err := selection.EventAt(selection.BestOf{Law: c.Law, Base: run.event}, cfg.Delta, contour.NewAccountant())
	if err != nil {
		return err
	}
	c.Ours[i], c.OursBy[i] = price.Least().Epsilon, price.Least().Name
	if c.G[i], err = run.g.Algorithm3Epsilon(c.Law, conversion, cfg.Delta); err != nil {
		return err
	}
	if c.O[i], err = run.o.Algorithm3Epsilon(c.Law, conversion, cfg.Delta); err != nil {
		return err
	}
	c.MuO[i] = run.o.Mu
	exact, err := monotone.Gaussian{Law: c.Law, Mu: run.o.Mu}.EpsilonAt(cfg.Delta)
	c.Exact[i] = exact.Estimate
	return err
}

// generic is ε_U-P.
func generic(k law.TNB, event accounting.Event, delta float64) (float64, error) {
	curve, err := rdp.FromEvent(event)
	if err != nil {
		return 0, err
	}
	if curve, err = selection.Theorem2(k, curve); err != nil {
		return 0, err
	}
	g, err := rdp.NewAccountant().EpsilonOf(curve, delta)
	return g.Epsilon.Upper, err
}
