package koskela2023

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// SettingsResult is a table of the paper and what follows from its numbers.
type SettingsResult struct {
	table      figures.Table
	comparison figures.Comparison
}

// Table is the paper's table.
func (r SettingsResult) Table() figures.Table { return r.table }

// Compare sets numbers that follow from other numbers of the paper next to the printed ones.
func (r SettingsResult) Compare() figures.Comparison { return r.comparison }

// Table1 is Table 1: what is fixed if only the learning rate is tuned. The sampling rate follows
// from Table 2. It is B/(qN), one of its batches over the expected size of the tuning sample. The
// header has B/N.
func Table1() SettingsResult {
	p := papers.Koskela2023
	r := SettingsResult{
		table: figures.Table{
			Name: "koskela2023-table1", Title: "Table 1: tuning only the learning rate",
			Columns: []string{"data", "γ, printed", "B", "B/N", "B/(qN)", "epochs", "steps T"},
			Notes:   []string{fmt.Sprintf("q = %g. T = epochs/γ is the same on the sample and on all data, as γ is kept.", p.TuningRate)},
		},
		comparison: figures.Comparison{Name: "koskela2023-table1", Title: "Table 1 and Section 5: sampling rates and batches from Table 2"},
	}
	var header figures.Cases // γ = B/N
	for i, fixed := range p.Table1 {
		grid := p.Table2[i]
		n := float64(grid.Train)
		batch := fitting(grid.Batches, fixed.SamplingRate.Number*p.TuningRate*n)
		r.table.Rows = append(r.table.Rows, []string{
			fixed.Dataset, fmt.Sprint(fixed.SamplingRate.Number), fmt.Sprint(batch), fmt.Sprintf("%.5f", batch/n),
			fmt.Sprintf("%.4f", batch/(p.TuningRate*n)), fmt.Sprint(fixed.Epochs),
			fmt.Sprint(math.Round(float64(fixed.Epochs) / fixed.SamplingRate.Number)),
		})
		header.AddIf(figures.Against(fixed.SamplingRate, batch/n).Holds())
		row := figures.Against(fixed.SamplingRate, batch/(p.TuningRate*n))
		row.Note = fmt.Sprintf("B/(qN) with B = %g of Table 2; the header has B/N, %g times it", batch, p.TuningRate)
		r.comparison.Rows = append(r.comparison.Rows, row)
	}
	b := p.Batches
	r.comparison.Rows = append(r.comparison.Rows,
		figures.Against(b.Variant1, b.Tuning*(1-p.TuningRate)/p.TuningRate), figures.Against(b.Variant2, b.Tuning/p.TuningRate),
		header.Against(p.Table1Header))
	return r
}

// fitting returns the batch that is nearest to size.
func fitting(batches []int, size float64) float64 {
	best := float64(batches[0])
	for _, b := range batches {
		if math.Abs(float64(b)-size) < math.Abs(best-size) {
			best = float64(b)
		}
	}
	return best
}

// parameterCounts are the trainable parameters of the models that the paper names, from
// their layers.
var parameterCounts = map[string]int{
	"MNIST":        conv(1, 16, 8) + conv(16, 32, 4) + dense(512, 32) + dense(32, 10), // the example of Opacus
	"FashionMNIST": dense(784, 120) + dense(120, 120) + dense(120, 10),
	"CIFAR-10":     dense(64, 10), // the last layer of a ResNet20
	"IMDB":         28996*16 + dense(16, 16) + dense(16, 2),
}

func dense(in, out int) int      { return in*out + out }
func conv(in, out, side int) int { return in*out*side*side + out }

// Table2 is Table 2: data sets and grids. The parameter counts follow from the models.
func Table2() SettingsResult {
	r := SettingsResult{
		table: figures.Table{
			Name: "koskela2023-table2", Title: "Table 2: data sets and grids",
			Columns: []string{"data", "train / test", "parameters", "C", "B", "learning rates", "epochs", "grid points"},
			Notes:   []string{"Grid points: learning rates x batches x epochs. The noise σ is computed for each batch and number of epochs."},
		},
		comparison: figures.Comparison{Name: "koskela2023-table2", Title: "Table 2: parameters of the models, counted"},
	}
	for _, g := range papers.Koskela2023.Table2 {
		count := parameterCounts[g.Dataset]
		powers := g.LearningRatePower
		r.table.Rows = append(r.table.Rows, []string{
			g.Dataset, fmt.Sprintf("%d / %d", g.Train, g.Test), fmt.Sprint(count), fmt.Sprint(g.ClipNorm), list(g.Batches),
			fmt.Sprintf("%d, 10^%g to 10^%g", len(powers), 0-powers[0], 0-powers[len(powers)-1]), list(g.Epochs),
			fmt.Sprint(len(powers) * len(g.Batches) * len(g.Epochs)),
		})
		thousands := float64(count) / 1000
		row := figures.Against(g.Parameters, thousands)
		if row.Reference == math.Floor(thousands) && row.Reference != math.Round(thousands) {
			row.Note = "cut, not rounded"
		}
		r.comparison.Rows = append(r.comparison.Rows, row)
	}
	return r
}

func list(values []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(values), "[]")), ", ")
}
