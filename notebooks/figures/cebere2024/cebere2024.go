// Package cebere2024 reproduces figures of Cebere, Bellet, Papernot, "Tighter Privacy Auditing of
// DP-SGD in the Hidden State Threat Model" (arXiv:2405.14457). It has those that need no training:
// Figures 3, 6b, 10 and 14, the threshold search of appendix F, and Tables 1 and 2.
//
// The process behind them is one-dimensional, and its law is computed exactly (audit/exact). Each
// figure shows the exact ε next to audits of simulated games.
//
//	configs, err := cebere2024.Defaults("quick")
//	if err != nil { ... }
//	result, err := cebere2024.Figure3(configs.Figure3, nil)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// Formulas in our copy of the paper are garbled. Equation (3) was derived again, and its sign is a
// parameter (exact.Drift). Package hidden has the figures of trained models.
//
// It promises nothing to other modules.
package cebere2024

import (
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting/lastiterate"
	"github.com/dplab/dplab/audit/exact"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// Configs holds the config of every figure. Change a field, call the figure.
type Configs struct {
	Figure3  LandscapeConfig
	Figure6  Figure6Config
	Search   SearchConfig
	Signs    SignsConfig
	Figure14 LandscapeConfig

	LastModel LastModelConfig // beyond the paper
}

// Defaults returns the configs of a profile. Both have the paper's setup, with audits of all steps:
//
//	quick    9 seeds, 5 in the search as in the paper: some 10 seconds in all
//	full     50 seeds: about half a minute
func Defaults(profile string) (Configs, error) {
	return figures.ByProfile("cebere2024", profile, configs(9, 5), configs(50, 50))
}

func configs(repeats, searches int) Configs {
	paper := papers.Cebere2024
	fcnn := paper.Models[0]
	every := make([]int, paper.Steps)
	for i := range every {
		every[i] = i + 1
	}
	land := LandscapeConfig{
		NoiseMultipliers: paper.NoiseMultipliers, BatchSizes: paper.BatchSizes,
		Steps: every, Audited: every, Repeats: repeats,
		Delta: fcnn.Delta, Confidence: fcnn.Confidence, Games: fcnn.Runs,
		Drift: exact.Away, Seed: 1,
	}
	return Configs{
		Figure3:  land,
		Figure14: land,
		Figure6: Figure6Config{
			NoiseMultiplier: paper.Figure6NoiseMultiplier, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps,
			Delta: land.Delta, Drift: exact.Away,
		},
		Search: SearchConfig{
			NoiseMultipliers: paper.NoiseMultipliers, Drawn: []float64{1, 4, 8}, BatchSizes: []int{1, 4, 16}, Thresholds: 49,
			Delta: land.Delta, Confidence: fcnn.Confidence, Games: fcnn.Runs, Repeats: searches, Seed: 1,
		},
		Signs:     SignsConfig{NoiseMultiplier: 1, BatchSizes: []int{1, 4, 16}, Steps: paper.Steps},
		LastModel: lastModel(),
	}
}

// lastModel has a set as wide as 200 moves of one example, and the paper's periods.
func lastModel() LastModelConfig {
	return LastModelConfig{
		Training: lastiterate.Training{Steps: 1, Batches: 1, NoiseMultiplier: 10, ClipNorm: 1, Divisor: 100, LearningRate: 1, StrongConvexity: 0.01, Smoothness: 0.26, Diameter: 2},
		Periods:  []int{1, 5, 25}, Steps: []int{1, 3, 10, 30, 100, 300, 1000, 3000, 10000}, Delta: 1e-5,
	}
}

// Table1 returns the paper's survey of adversaries. Two of its columns are ours.
func Table1() figures.Table {
	t := figures.Table{
		Name: "cebere2024-table1", Title: "Table 1: adversaries in audits of DP-SGD", Columns: []string{"paper", "adversary", "hidden state (ours)", "tight audit (ours)", "canary"},
		Notes: []string{"Ours: the paper's text lacks these marks. Hidden state: the adversary sees only the final model. Tight: its bound reaches the accountant's, by the cited papers and Sections 3 and 5. Empty: we do not know."},
	}
	for _, a := range papers.Cebere2024.Prior {
		t.Rows = append(t.Rows, []string{a.Paper, a.Adversary, a.HiddenState, a.Tight, a.Canary})
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
