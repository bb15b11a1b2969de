// Package base has what the figures and the audits of the paper share: a run with the least noise
// for a base ε, and the largest of K normal numbers.
package base

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
	"github.com/dplab/dplab/notebooks/figures"
)

// Run is DP-SGD, and the two values of µ that approximate it.
type Run struct {
	Event           accounting.Event
	NoiseMultiplier float64
	G, O            monotone.ApproximateMu // by the central limit theorem, and by the law of large numbers
}

// Calibrated returns the run that costs baseEpsilon at delta by the Rényi accountant, as in the
// paper.
func Calibrated(baseEpsilon, samplingRate float64, steps int, delta float64) (Run, error) {
	event := func(noiseMultiplier float64) accounting.Event {
		return figures.SGD(samplingRate, noiseMultiplier, steps)
	}
	sigma, err := auto.CalibrateNoiseMultiplier(event, accounting.Target{Epsilon: baseEpsilon, Delta: delta}, rdp.NewAccountant())
	if err != nil {
		return Run{}, err
	}
	return NewRun(samplingRate, sigma, steps)
}

// NewRun returns the run with noise multiplier sigma.
func NewRun(samplingRate, sigma float64, steps int) (Run, error) {
	run := Run{Event: figures.SGD(samplingRate, sigma, steps), NoiseMultiplier: sigma}
	var err error
	if run.G, err = monotone.CentralLimitMu(samplingRate, sigma, steps); err != nil {
		return Run{}, err
	}
	run.O, err = monotone.LargeNumbersMu(samplingRate, sigma, steps)
	return run, err
}

// Generic returns ε_U-P: the price of the best of K by the generic theorem.
func Generic(k law.TNB, event accounting.Event, delta float64) (float64, error) {
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

// BestOfNormal draws the largest of K standard normal numbers: its rank is U^(1/K).
func BestOfNormal(k law.Distribution, rng *rand.Rand) (float64, error) {
	runs, err := k.Rand(rng)
	if err != nil {
		return 0, err
	}
	above := -math.Expm1(-rng.ExpFloat64() / float64(runs)) // 1 - U^(1/K)
	return -mathext.NormalQuantile(above), nil
}
