package cebere2024

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
)

// LandscapeConfig describes Figures 3 and 14: a gradient is crafted once, and the loss
// landscape of all later steps.
type LandscapeConfig struct {
	NoiseMultipliers []float64 // σ
	BatchSizes       []int     // B
	Steps            []int     // steps at which the exact ε is computed, increasing, from 1
	Audited          []int     // of these, where the games are audited
	Delta            float64
	Confidence       float64     // of the audits
	Games            int         // R, both worlds together, as the paper
	Repeats          int         // audits with other games, of which the mean is shown
	Drift            exact.Drift // Away, or Toward as equation (3) is printed
	AverageFirst     bool        // divide the first step by B as well
	Seed             uint64
}

// Validate returns every fault, joined.
func (c LandscapeConfig) Validate() error {
	var errs []error
	if len(c.NoiseMultipliers) == 0 || len(c.BatchSizes) == 0 {
		errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig has %d NoiseMultipliers and %d BatchSizes: must have at least one of each", len(c.NoiseMultipliers), len(c.BatchSizes)))
	}
	for _, sigma := range c.NoiseMultipliers {
		for _, b := range c.BatchSizes {
			errs = append(errs, c.process(sigma, b).Validate())
		}
	}
	if len(c.Steps) < 2 || c.Steps[0] != 1 || !slices.IsSorted(c.Steps) {
		errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig.Steps %d: must start at 1, grow, and have at least two", c.Steps))
	}
	for _, t := range c.Audited {
		if !slices.Contains(c.Steps, t) {
			errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig.Audited %d: must be one of Steps %d", t, c.Steps))
		}
	}
	if c.Games < 4 || c.Games > 1_000_000 {
		errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig.Games %d: must be in [4, 1000000]", c.Games))
	}
	if c.Repeats < 1 || c.Repeats > 1000 {
		errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig.Repeats %d: must be in [1, 1000]", c.Repeats))
	}
	if !(c.Delta >= 1e-12 && c.Delta < 1) {
		errs = append(errs, fmt.Errorf("cebere2024: LandscapeConfig.Delta %g: must be in [1e-12, 1)", c.Delta))
	}
	return errors.Join(append(errs, audit.Level{Delta: c.Delta, Confidence: c.Confidence}.Validate())...)
}

func (c LandscapeConfig) process(sigma float64, batch int) exact.Process {
	return exact.Process{NoiseMultiplier: sigma, BatchSize: batch, Drift: c.Drift, AverageFirst: c.AverageFirst}
}

// LandscapeResult has one curve for each σ and B.
type LandscapeResult struct {
	Config     LandscapeConfig
	Accountant []float64 // ε upper bound for each σ: the first step alone, the rest is post-processing
	Curves     [][]LandscapeCurve
	name       string
	title      string
	shown      []float64
}

// LandscapeCurve has one value for each of Steps, and one audit for each of Audited.
type LandscapeCurve struct {
	BatchSize    int
	EpsilonLower []float64 // ends of the exact ε
	EpsilonUpper []float64
	Variation    []float64        // total variation, the best advantage of any test
	Gaussian     []float64        // ε of the µ-GDP mechanism with this total variation: no bound
	Audits       []LandscapeAudit // none for a σ that is not shown
}

// LandscapeAudit is the mean of the bounds from Repeats audits.
type LandscapeAudit struct {
	Step           int
	GDPUncorrected float64 // the paper's: best threshold on the same scores, Gaussian trade-off assumed
	GDPFixed       float64 // threshold h fixed beforehand, Gaussian trade-off assumed
	Corrected      float64 // best threshold, Bonferroni: nothing assumed
}

// landscapes computes the curves of all σ, and audits those that are shown.
func landscapes(cfg LandscapeConfig, shown []float64) (LandscapeResult, error) {
	r := LandscapeResult{Config: cfg, shown: shown}
	for _, sigma := range cfg.NoiseMultipliers {
		bound, err := gdp.EpsilonAt(1/sigma, cfg.Delta)
		if err != nil {
			return LandscapeResult{}, err
		}
		r.Accountant = append(r.Accountant, bound.Upper)
		r.Curves = append(r.Curves, make([]LandscapeCurve, len(cfg.BatchSizes)))
	}
	errs := make([]error, len(cfg.NoiseMultipliers)*len(cfg.BatchSizes))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			s, b := i/len(cfg.BatchSizes), i%len(cfg.BatchSizes)
			sigma := cfg.NoiseMultipliers[s]
			r.Curves[s][b], errs[i] = landscape(cfg, sigma, cfg.BatchSizes[b], slices.Contains(shown, sigma))
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return LandscapeResult{}, err
	}
	return r, nil
}

func landscape(cfg LandscapeConfig, sigma float64, batch int, audited bool) (LandscapeCurve, error) {
	p := cfg.process(sigma, batch)
	laws, err := p.Laws(cfg.Steps[len(cfg.Steps)-1])
	if err != nil {
		return LandscapeCurve{}, err
	}
	c := LandscapeCurve{BatchSize: batch}
	for _, t := range cfg.Steps {
		epsilon, err := laws[t-1].EpsilonAt(cfg.Delta)
		if err != nil {
			return c, err
		}
		variation := laws[t-1].TotalVariation().Estimate
		gaussian, err := gaussianEpsilon(variation, cfg.Delta)
		if err != nil {
			return c, err
		}
		c.EpsilonLower, c.EpsilonUpper = append(c.EpsilonLower, epsilon.Lower), append(c.EpsilonUpper, epsilon.Upper)
		c.Variation, c.Gaussian = append(c.Variation, variation), append(c.Gaussian, gaussian)
	}
	if audited {
		c.Audits, err = auditPaths(cfg, p)
	}
	return c, err
}
