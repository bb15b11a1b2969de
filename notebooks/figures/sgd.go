package figures

import "github.com/dplab/dplab/accounting"

// SGD returns the event of a run of DP-SGD with Poisson sampling.
func SGD(samplingRate, noiseMultiplier float64, steps int) accounting.SelfComposed {
	step := accounting.PoissonSampled{SamplingRate: samplingRate, Event: accounting.Gaussian{NoiseMultiplier: noiseMultiplier}}
	return accounting.SelfComposed{Event: step, Count: steps}
}
