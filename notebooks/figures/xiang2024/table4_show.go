package xiang2024

import (
	"fmt"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

// Compare sets Algorithm 3 in full beside the printed values. The note of a row that differs
// says what the cut integral gives.
func (r Table4Result) Compare() figures.Comparison {
	c := figures.Comparison{Name: "xiang2024-table4", Title: "Table 4: the two-point law, Algorithm 3 in full"}
	add := func(cell papers.Xiang2024Cell, printed papers.Value, v Variant) {
		row := figures.ComparisonRow{
			Quantity: fmt.Sprintf("%s, ε_B = %g, τ = %g, L = %d, s = %g", printed.Quantity, cell.BaseEpsilon, cell.SamplingRate, cell.Runs, cell.Single),
			Ours:     float64(v.Full), Reference: printed.Number, AbsErr: printed.Source.AbsErr, Read: printed.Source.Read, Source: printed.Source.String(),
		}
		if row.Verdict() == figures.Differs {
			row.Note = fmt.Sprintf("cut at x = -6: %.3f", v.Cut)
		}
		c.Rows = append(c.Rows, row)
	}
	for _, cell := range r.Cells {
		add(cell.Paper, cell.Paper.G, cell.G)
		add(cell.Paper, cell.Paper.O, cell.O)
	}
	return c
}

// Refuted returns how many printed values of Fitted are below Algorithm 3 at every order.
func (r Table4Result) Refuted() (count int) {
	for _, c := range r.Fitted {
		if c.Refuted() {
			count++
		}
	}
	return count
}

// withoutAnchor counts the cells with τ = 1 that Fitted leaves out.
func (r Table4Result) withoutAnchor() (count int) {
	for _, c := range r.Cells {
		if c.Paper.SamplingRate == 1 {
			count++
		}
	}
	return count - len(r.Fitted)
}

// Table sets the printed ε_U-O with τ = 1 beside the cut integral, Algorithm 3, the exact
// ε, and a limit for all scores.
func (r Table4Result) Table() figures.Table {
	t := figures.Table{
		Name:    "xiang2024-table4-exact",
		Title:   "Table 4 at τ = 1: ε_U-O, printed and computed, with the µ that the table implies",
		Columns: []string{"ε_B", "L", "s", "printed", "cut at x = -6", "Algorithm 3 in full", "every order at least", "exact, monotone score", "any score at least", "printed value"},
		Notes: []string{
			fmt.Sprintf("%d of %d printed values are below what Algorithm 3 gives at every order.", r.Refuted(), len(r.Fitted)),
			"Exact: the ε of the game that the printed value bounds, certified to more digits than are shown.",
			"Any score: an order of the outputs that is bad for privacy costs at least this much.",
		},
	}
	if left := r.withoutAnchor(); left > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Left out: %d cells at τ = 1 whose ε_B has no cell with L = 10, s = 0.1, from which µ is read.", left))
	}
	for _, c := range r.Fitted {
		verdict := "possible"
		if c.Refuted() {
			verdict = "too small"
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%g", c.Paper.BaseEpsilon), fmt.Sprintf("%d", c.Paper.Runs), fmt.Sprintf("%g", c.Paper.Single),
			fmt.Sprintf("%.2f", c.Paper.O.Number), fmt.Sprintf("%.3f", c.Cut), fmt.Sprintf("%.3f", c.Full.Upper),
			fmt.Sprintf("%.3f", c.Floor), fmt.Sprintf("%.3f", c.Exact.Estimate), fmt.Sprintf("%.3f", c.AnyScore), verdict,
		})
	}
	return t
}
