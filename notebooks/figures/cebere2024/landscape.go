package cebere2024

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// LandscapeConfig describes Figures 3 and 14: a gradient is crafted once, and the loss
// landscape of all later steps.
type LandscapeConfig struct {
	NoiseMultipliers []float64   `rule:"> 0; increasing"`              // σ, increasing
	BatchSizes       []int       `rule:">= 1; increasing"`             // B, increasing
	Steps            []int       `rule:">= 1; increasing; at least 2"` // steps at which the exact ε is computed, increasing, from 1
	Audited          []int       `rule:"any; increasing"`              // of these, increasing, where the games are audited
	Delta            float64     `rule:">= 1e-12; in (0, 1)"`
	Confidence       float64     `rule:"any"`             // of the audits
	Games            int         `rule:"in [4, 1000000]"` // R, both worlds together, as the paper
	Repeats          int         `rule:"in [1, 1000]"`    // audits with other games
	Drift            exact.Drift `rule:"any"`             // Away, or Toward as equation (3) is printed
	AverageFirst     bool        // divide the first step by B as well
	Seed             uint64
}

// Validate returns every fault, joined.
func (c LandscapeConfig) Validate() error {
	f := figures.Faults(c)
	for _, sigma := range c.NoiseMultipliers {
		for _, b := range c.BatchSizes {
			f.Add(c.process(sigma, b).Validate())
		}
	}
	f.That(slices.Index(c.Steps, 1) == 0, "Steps", c.Steps, "must start at 1")
	for _, t := range c.Audited {
		f.That(slices.Contains(c.Steps, t), "Audited", t, "must be one of Steps")
	}
	f.That(c.Games%2 == 0, "Games", c.Games, "must be even")
	f.Add(audit.Config{Delta: c.Delta, Confidence: c.Confidence}.Validate())
	return f.Err()
}

func (c LandscapeConfig) process(sigma float64, batch int) exact.Process {
	return exact.Process{NoiseMultiplier: sigma, BatchSize: batch, Drift: c.Drift, AverageFirst: c.AverageFirst}
}

// LandscapeResult has one curve for each σ and B.
type LandscapeResult struct {
	Config     LandscapeConfig
	Accountant []float64 // ε upper bound for each σ: of the first step; the rest is post-processing
	Curves     [][]LandscapeCurve
	name       string
	title      string
	shown      []float64 // σ that are drawn and audited
	overview   bool      // Figure 3: the ratios of all σ as well
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

// LandscapeAudit holds the bounds on ε of Repeats audits after a number of steps.
type LandscapeAudit struct {
	Step           int
	GDPUncorrected []float64 // the paper's: best threshold on the same scores, Gaussian trade-off assumed
	GDPFixed       []float64 // threshold h fixed beforehand, Gaussian trade-off assumed
	Corrected      []float64 // best threshold, Bonferroni: nothing assumed; of Figure 3 at the last of Audited only
}

// landscapes computes the curves of all σ, and audits those that are shown; with corrected bounds,
// which take most of the time of an audit, for an overview.
func landscapes(cfg LandscapeConfig, shown []float64, overview bool, progress func(done, total int)) (LandscapeResult, error) {
	r := LandscapeResult{Config: cfg, shown: shown, overview: overview}
	for _, sigma := range cfg.NoiseMultipliers {
		bound, err := gdp.EpsilonAt(1/sigma, cfg.Delta)
		if err != nil {
			return LandscapeResult{}, err
		}
		r.Accountant = append(r.Accountant, bound.Upper)
		r.Curves = append(r.Curves, make([]LandscapeCurve, len(cfg.BatchSizes)))
	}
	paper := paperaudit.New(cfg.Games/2, audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence})
	batches := len(cfg.BatchSizes)
	count := &parallel.Count{Of: len(cfg.NoiseMultipliers) * batches, Report: progress}
	err := parallel.Each(count.Of, func(i int) (err error) {
		defer count.Add()
		p := cfg.process(cfg.NoiseMultipliers[i/batches], cfg.BatchSizes[i%batches])
		c := &r.Curves[i/batches][i%batches]
		if *c, err = landscape(cfg, p); err == nil && slices.Contains(shown, p.NoiseMultiplier) {
			c.Audits, err = auditPaths(cfg, p, paper, overview)
		}
		return err
	})
	if err != nil {
		return LandscapeResult{}, err
	}
	return r, nil
}

// landscape computes what is exact.
func landscape(cfg LandscapeConfig, p exact.Process) (LandscapeCurve, error) {
	laws, err := p.Laws(cfg.Steps[len(cfg.Steps)-1])
	if err != nil {
		return LandscapeCurve{}, err
	}
	c := LandscapeCurve{BatchSize: p.BatchSize}
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
	return c, nil
}

// gaussianMu is the µ of the µ-GDP pair with a total variation: 2Φ(µ/2) - 1.
func gaussianMu(variation float64) float64 {
	return 2 * distuv.UnitNormal.Quantile(0.5+math.Min(variation, 1)/2)
}

// gaussianEpsilon is the ε of that pair. An audit with threshold h that assumes a Gaussian
// trade-off curve converges to it as games are added.
func gaussianEpsilon(variation, delta float64) (float64, error) {
	e, err := gdp.EpsilonAt(gaussianMu(variation), delta)
	return e.Estimate, err
}

// stream returns the random stream of one repetition, by name and settings.
func stream(name string, seed uint64, settings any, repeat int) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%s %d %+v %d", name, seed, settings, repeat))))
}

// auditPaths plays the games of every repetition once for all steps. The corrected bound is of the
// last step, if at all.
func auditPaths(cfg LandscapeConfig, p exact.Process, paper paperaudit.Audit, corrected bool) ([]LandscapeAudit, error) {
	out := make([]LandscapeAudit, len(cfg.Audited))
	if len(out) == 0 {
		return out, nil
	}
	last := cfg.Audited[len(cfg.Audited)-1]
	for repeat := range cfg.Repeats {
		scores := make([]audit.Scores, len(out))
		rng := stream("cebere2024", cfg.Seed, p, repeat)
		for range cfg.Games / 2 {
			with, errWith := p.Simulate(last, true, rng)
			without, errWithout := p.Simulate(last, false, rng)
			if err := errors.Join(errWith, errWithout); err != nil {
				return nil, err
			}
			for i, t := range cfg.Audited {
				scores[i].Member = append(scores[i].Member, with[t-1])
				scores[i].NonMember = append(scores[i].NonMember, without[t-1])
			}
		}
		for i, t := range cfg.Audited {
			out[i].Step = t
			if err := out[i].add(cfg, scores[i], p.Threshold(), paper, corrected && t == last); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// add appends the bounds of one repetition, the corrected one if it is asked for.
func (a *LandscapeAudit) add(cfg LandscapeConfig, scores audit.Scores, threshold float64, paper paperaudit.Audit, corrected bool) error {
	level := audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence}
	fixed, err := audit.GDPClopperPearson(scores.CountAt(threshold), level)
	if err != nil {
		return err
	}
	a.GDPFixed = append(a.GDPFixed, fixed.Epsilon)
	if corrected {
		report, err := audit.Bounds(scores, audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence, Seed: cfg.Seed})
		if err != nil {
			return err
		}
		b, ok := report.Bound("clopper-pearson-bonferroni")
		if !ok {
			return errors.New("cebere2024: the audit has no bound clopper-pearson-bonferroni")
		}
		a.Corrected = append(a.Corrected, b.Epsilon)
	}
	best, err := paper.Epsilon(scores)
	a.GDPUncorrected = append(a.GDPUncorrected, best)
	return err
}
