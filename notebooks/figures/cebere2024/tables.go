package cebere2024

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Table1 returns the paper's survey of adversaries, as far as its text has it.
func Table1() figures.Table {
	t := figures.Table{
		Name: "cebere2024-table1", Title: "Table 1: adversaries in audits of DP-SGD", Columns: []string{"paper", "adversary", "canary"},
		Notes: []string{"The columns \"hidden state\" and \"tight audit\" are marks that the text of the paper does not contain."},
	}
	for _, a := range papers.Cebere2024.Prior {
		t.Rows = append(t.Rows, []string{a.Paper, a.Adversary, a.Canary})
	}
	return t
}

// Table2 returns the paper's hyper-parameters.
func Table2() figures.Table {
	t := figures.Table{
		Name: "cebere2024-table2", Title: "Table 2: hyper-parameters and audits",
		Columns: []string{"model", "learning rate", "batch size", "parameters", "loss", "clip norm", "σ", "δ", "runs", "confidence"},
		Notes:   []string{"For the fully-connected model Table 2 gives the learning rate 0.01, the text of Section 5 gives 0.1."},
	}
	for _, m := range papers.Cebere2024.Models {
		rate := fmt.Sprint(m.LearningRate)
		if m.TextRate != m.LearningRate {
			rate += fmt.Sprintf(" (text: %g)", m.TextRate)
		}
		t.Rows = append(t.Rows, []string{
			m.Name, rate, fmt.Sprint(m.BatchSize), fmt.Sprint(m.Parameters), m.Loss, strings.Trim(strings.ReplaceAll(fmt.Sprint(m.ClipNorms), " ", ", "), "[]"),
			fmt.Sprint(m.NoiseMultiplier), number(m.Delta), fmt.Sprint(m.Runs), fmt.Sprint(m.Confidence),
		})
	}
	return t
}
