// Package koskela2023 reproduces Koskela and Kulkarni, "Practical Differentially Private
// Hyperparameter Tuning with Subsampling" (NeurIPS 2023): Figure 1, Figures 2 to 8 from banks of
// runs (package bank), Figure 9, Tables 1 and 2. The method tunes on a Poisson sample of the data
// and trains once more, on the rest (variant 1) or on all (variant 2). It adds what the paper
// leaves out: other laws, all protocols at one (ε, δ), and a plan before the run.
//
// A figure is a pure function from a config to a typed result, which draws itself (Chart or
// Panels) and sets its numbers beside the paper's (Compare). The bounds come from
// accounting/selection, published numbers from notebooks/papers.
//
//	configs, err := koskela2023.Defaults("quick")
//	if err != nil { ... }
//	result, err := koskela2023.Figure1(configs.Figure1)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// What is left out: the times that the paper measures. Banks of its size are planned, as the profiles full; what is stored is
// smaller. Data sets are neighbors if one has one example more than the other.
package koskela2023
