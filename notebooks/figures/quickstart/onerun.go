package quickstart

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/notebooks/figures"
)

// OneRun is the price of one training.
type OneRun struct {
	Config    dpsgd.Config
	Target    float64              // ε that the noise was calibrated to
	Guarantee accounting.Guarantee // of the run
	Unsampled accounting.Guarantee // of the same steps if every example joins each of them
}

// Table lists what the run is, and its price.
func (r OneRun) Table() figures.Table {
	return figures.Table{
		Name: "quickstart-calibration", Title: "One run of DP-SGD",
		Columns: []string{"quantity", "value"},
		Rows: [][]string{
			{"sampling rate q", fmt.Sprint(r.Config.Sampling.Share())},
			{"steps T", fmt.Sprint(r.Config.Steps)},
			{"target", fmt.Sprintf("ε = %g at δ = %s", r.Target, chart.Scientific(r.Guarantee.Delta))},
			{"least noise multiplier σ", fmt.Sprintf("%.6f", r.Config.NoiseMultiplier)},
			{"ε of one run", fmt.Sprintf("%.6f", r.Guarantee.Epsilon.Upper)},
			{"accountant", r.Guarantee.Method},
			{"ε of the same steps if every image joins each", accounting.FormatUpper(r.Unsampled.Epsilon.Upper)},
		},
	}
}
