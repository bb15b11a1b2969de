package quickstart

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/notebooks/figures"
)

// Calibration is the noise that one run needs.
type Calibration struct {
	Config          Config
	NoiseMultiplier float64              // the least that keeps one run below Config.Epsilon
	Guarantee       accounting.Guarantee // of one run with it
	Unsampled       float64              // upper bound on ε of the same steps if every example joins each of them
}

// Calibrate finds the noise multiplier of one training run.
func Calibrate(c Config) (Calibration, error) {
	if err := c.Validate(); err != nil {
		return Calibration{}, err
	}
	sigma, err := c.calibrateTo(c.Epsilon)
	if err != nil {
		return Calibration{}, err
	}
	guarantee, err := accountant.EpsilonAt(c.run(sigma, Hyperparameters{}).Event(), c.Delta)
	if err != nil {
		return Calibration{}, err
	}
	unsampled, err := accountant.EpsilonAt(accounting.SelfComposed{Count: c.Steps, Event: accounting.Gaussian{NoiseMultiplier: sigma}}, c.Delta)
	return Calibration{Config: c, NoiseMultiplier: sigma, Guarantee: guarantee, Unsampled: unsampled.Epsilon.Upper}, err
}

var accountant = auto.NewAccountant()

// calibrateTo returns the least noise multiplier for which one run has ε at most epsilon.
func (c Config) calibrateTo(epsilon float64) (float64, error) {
	return accounting.CalibrateNoiseMultiplier(accountant, func(sigma float64) accounting.Event {
		return c.run(sigma, Hyperparameters{}).Event()
	}, epsilon, c.Delta)
}

// Table lists what one run is.
func (r Calibration) Table() figures.Table {
	c := r.Config
	return figures.Table{
		Name: "quickstart-calibration", Title: "One run of DP-SGD",
		Columns: []string{"quantity", "value"},
		Rows: [][]string{
			{"sampling rate q", fmt.Sprint(c.SamplingRate)},
			{"steps T", fmt.Sprint(c.Steps)},
			{"target", fmt.Sprintf("ε = %g at δ = %s", c.Epsilon, figures.Scientific(c.Delta))},
			{"least noise multiplier σ", fmt.Sprintf("%.6f", r.NoiseMultiplier)},
			{"ε of one run", fmt.Sprintf("%.6f", r.Guarantee.Epsilon.Upper)},
			{"accountant", r.Guarantee.Method},
		},
	}
}

// Findings says what the random samples are worth.
func (r Calibration) Findings() []string {
	return []string{fmt.Sprintf("Random samples make the run cheap: with this noise, %d steps that every image joins cost ε <= %s instead of %s.",
		r.Config.Steps, accounting.FormatUpper(r.Unsampled), accounting.FormatUpper(r.Guarantee.Epsilon.Upper))}
}
