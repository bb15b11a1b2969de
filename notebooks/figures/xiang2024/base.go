package xiang2024

import (
	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// conversion is Theorem 6 of the paper, which is the conversion of Canonne, Kamath and Steinke.
const conversion = rdp.CanonneKamathSteinke

// baseRun is DP-SGD with the least noise for a base ε, and the two values of µ that stand in
// for it.
type baseRun struct {
	event           accounting.Event
	noiseMultiplier float64
	g, o            monotone.ApproximateMu
}

// calibrated returns the run that costs baseEpsilon at delta by the Rényi accountant, as in the
// paper.
func calibrated(baseEpsilon, samplingRate float64, steps int, delta float64) (baseRun, error) {
	event := func(noiseMultiplier float64) accounting.Event {
		step := accounting.PoissonSampled{SamplingRate: samplingRate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}}
		return accounting.SelfComposed{Event: step, Count: steps}
	}
	sigma, err := auto.CalibrateNoiseMultiplier(event, accounting.Target{Epsilon: baseEpsilon, Delta: delta}, rdp.NewAccountant())
	if err != nil {
		return baseRun{}, err
	}
	run := baseRun{event: event(sigma), noiseMultiplier: sigma}
	if run.g, err = monotone.CentralLimitMu(samplingRate, sigma, steps); err != nil {
		return baseRun{}, err
	}
	run.o, err = monotone.LargeNumbersMu(samplingRate, sigma, steps)
	return run, err
}
