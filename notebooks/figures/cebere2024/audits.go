package cebere2024

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/exact"
)

// gaussianMu is the µ of the µ-GDP pair with a total variation: 2Φ(µ/2) - 1.
func gaussianMu(variation float64) float64 {
	return 2 * distuv.UnitNormal.Quantile(0.5+math.Min(variation, 1)/2)
}

// gaussianEpsilon is the ε of that pair: what an audit with any number of games would say
// if its threshold is h and it takes the trade-off curve for Gaussian.
func gaussianEpsilon(variation, delta float64) (float64, error) {
	e, err := gdp.EpsilonAt(gaussianMu(variation), delta)
	return e.Estimate, err
}

// auditPaths plays the games once for all steps.
func auditPaths(cfg LandscapeConfig, p exact.Process) ([]LandscapeAudit, error) {
	out := make([]LandscapeAudit, len(cfg.Audited))
	if len(out) == 0 {
		return out, nil
	}
	last := cfg.Audited[len(cfg.Audited)-1]
	for repeat := range cfg.Repeats {
		key := sha256.Sum256(fmt.Appendf(nil, "cebere2024 %d %+v %d", cfg.Seed, p, repeat))
		scores := make([]audit.Scores, len(out))
		rng := rand.New(rand.NewChaCha8(key))
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
			one, err := auditScores(cfg, scores[i], p.Threshold())
			if err != nil {
				return nil, err
			}
			n := float64(cfg.Repeats)
			out[i].Step = t
			out[i].GDPUncorrected += one.GDPUncorrected / n
			out[i].GDPFixed += one.GDPFixed / n
			out[i].Corrected += one.Corrected / n
		}
	}
	return out, nil
}

// auditScores takes the bounds of one audit.
func auditScores(cfg LandscapeConfig, scores audit.Scores, threshold float64) (a LandscapeAudit, err error) {
	level := audit.Level{Delta: cfg.Delta, Confidence: cfg.Confidence}
	fixed, err := audit.GDPClopperPearson(scores.CountAt(threshold), level)
	if err != nil {
		return a, err
	}
	report, err := audit.Bounds(scores, audit.Config{Delta: cfg.Delta, Confidence: cfg.Confidence, Seed: cfg.Seed})
	if err != nil {
		return a, err
	}
	a.GDPFixed = fixed.Epsilon
	for name, to := range map[string]*float64{"gdp-clopper-pearson": &a.GDPUncorrected, "clopper-pearson-bonferroni": &a.Corrected} {
		b, ok := report.Bound(name)
		if !ok {
			return a, fmt.Errorf("cebere2024: the audit has no bound %q", name)
		}
		*to = b.Epsilon
	}
	return a, nil
}
