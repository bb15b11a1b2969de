// Package cebere2024 reproduces the figures of Cebere, Bellet, Papernot, "Tighter Privacy
// Auditing of DP-SGD in the Hidden State Threat Model" (arXiv:2405.14457), that need no
// training: Figures 3, 6b, 10 and 14, the threshold search of appendix F, and Tables 1 and 2.
//
// The process behind them is one-dimensional, and its law is computed exactly
// (audit/exact). Each figure shows the exact ε beside what audits of simulated games say.
//
//	configs, err := cebere2024.Defaults("quick")
//	if err != nil { ... }
//	result, err := cebere2024.Figure3(configs.Figure3, nil)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// Formulas of the paper's text are garbled where they were extracted; equation (3) was
// derived again, and its sign is a parameter (exact.Drift). Figure 1c, which trains
// models of 68 parameters, is in package fcnn below this one; Figures 1a, 1b, 2, 4, 5, 6a, 7,
// 8 and 11 to 13 need more training and are not here.
package cebere2024
