package dptune

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
)

// Line is a limit on each run of a random search over sampling rates γ and numbers of steps T: its
// Rényi divergence is at most cα at the orders α in Λ. The noise follows from γ and T, so settings
// that differ much cost nearly the same. See [Line.Setting] and [Line.Grid]. For values that cannot
// be listed, Bound is the Base of a [Search].
//
// Reference: Koskela and Kulkarni (NeurIPS 2023), Appendix D.1.
type Line struct {
	Slope  float64   // c > 0, in nats
	Orders []float64 // Λ, > 1, finite, rising; at least one
}

// SGDSetting is what decides the price of DP-SGD with Poisson samples.
type SGDSetting struct {
	SamplingRate    float64 // γ
	NoiseMultiplier float64 // σ
	Steps           int     // T
}

// Event returns the event of such a run.
func (s SGDSetting) Event() accounting.Event {
	step := accounting.PoissonSampled{SamplingRate: s.SamplingRate, Event: accounting.ClippedSum{NoiseMultiplier: s.NoiseMultiplier}}
	return accounting.SelfComposed{Event: step, Count: s.Steps}
}

// Validate returns every fault, joined.
func (l Line) Validate() error {
	f := check.In("dptune: Line.")
	f.Number("Slope", l.Slope, check.Positive)
	if f.Each("Orders", l.Orders, check.Above(1)); f.Err() == nil {
		f.Below("Orders", l.Bound().Validate())
	}
	return f.Err()
}

// Bound returns any mechanism under the line.
func (l Line) Bound() accounting.RenyiBound {
	bound := accounting.RenyiBound{Name: fmt.Sprintf("line %g α", l.Slope), Orders: l.Orders}
	for _, order := range l.Orders {
		bound.Divergences = append(bound.Divergences, l.Slope*order)
	}
	return bound
}

// under reports whether a curve is at most the divergences of a bound, at its orders.
func under(curve rdp.Curve, bound accounting.RenyiBound) bool {
	for i, order := range bound.Orders {
		if !(curve(order) <= bound.Divergences[i]) {
			return false
		}
	}
	return true
}

// Setting returns γ and T with the least noise multiplier under the line, rounded up by at most
// accounting.CalibrationTolerance.
func (l Line) Setting(samplingRate float64, steps int) (SGDSetting, error) {
	if err := l.validate(samplingRate, "steps", float64(steps), check.Between(1, 1<<53)); err != nil {
		return SGDSetting{}, err
	}
	bound := l.Bound()
	sigma := numeric.LeastTrue(accounting.CalibrationTolerance, func(sigma float64) bool {
		return under(rdp.Scale(rdp.SampledGaussian(samplingRate, sigma), steps), bound)
	})
	if math.IsInf(sigma, 1) {
		return SGDSetting{}, fmt.Errorf("dptune: Line.Slope %g: must be above that of %d steps at noise multiplier %g", l.Slope, steps, numeric.MaxLeastTrue)
	}
	return SGDSetting{samplingRate, sigma, steps}, nil
}

// MostSteps returns γ and σ with the largest T under the line, at most 2^53. It is an error if one
// step is above it.
func (l Line) MostSteps(samplingRate, noiseMultiplier float64) (SGDSetting, error) {
	if err := l.validate(samplingRate, "noise multiplier", noiseMultiplier, check.Positive); err != nil {
		return SGDSetting{}, err
	}
	step, most := rdp.SampledGaussian(samplingRate, noiseMultiplier), float64(1<<53)
	for _, order := range l.Orders {
		most = min(most, math.Floor(l.Slope*order/step(order)))
	}
	for most >= 1 && !under(rdp.Scale(step, int(most)), l.Bound()) { // a quotient was rounded up
		most--
	}
	if most < 1 {
		return SGDSetting{}, fmt.Errorf("dptune: noise multiplier %g at sampling rate %g: one step must be under the line %g α", noiseMultiplier, samplingRate, l.Slope)
	}
	return SGDSetting{samplingRate, noiseMultiplier, int(most)}, nil
}

// Grid returns the settings of all pairs of γ and T that need at most the given noise multiplier.
// It is an error if there is none.
func (l Line) Grid(samplingRates []float64, steps []int, mostNoise float64) (Grid[SGDSetting], error) {
	var grid Grid[SGDSetting]
	for _, rate := range samplingRates {
		for _, t := range steps {
			s, err := l.Setting(rate, t)
			if err != nil {
				return nil, err
			}
			if s.NoiseMultiplier <= mostNoise {
				grid = append(grid, s)
			}
		}
	}
	if len(grid) == 0 {
		return nil, fmt.Errorf("dptune: grid of %d sampling rates and %d numbers of steps: must have a pair under the line %g α at a noise multiplier of at most %g", len(samplingRates), len(steps), l.Slope, mostNoise)
	}
	return grid, nil
}

func (l Line) validate(samplingRate float64, name string, x float64, rule check.Rule) error {
	f := check.In("dptune: ")
	f.Add(l.Validate())
	f.Number("sampling rate", samplingRate, check.Rate)
	f.Number(name, x, rule)
	return f.Err()
}
