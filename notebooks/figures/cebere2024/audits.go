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
	"github.com/dplab/dplab/notebooks/figures/cebere2024/internal/paperaudit"
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

// stream returns the random stream of one repetition of what name and settings say.
func stream(name string, seed uint64, settings any, repeat int) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%s %d %+v %d", name, seed, settings, repeat))))
}

// auditPaths plays the games of every repetition once for all steps. The corrected bound is of the last step, if at all.
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
