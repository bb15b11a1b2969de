// Package ding2023 reproduces Ding, Wu, Xu and Pan, "Constant-overhead Differentially
// Private Hyperparameter Tuning" (2023): Figures 1, 3 and 4, Table 1 and the machine of Section 4.1.
// It adds what the paper leaves out: a price that may be printed.
//
// The paper's Algorithm 1 is simulated as it is printed. Theorem 3's price has hidden
// constants and depends on the best score, which is private: beside it stands the price of
// the same tests with a public cap, by accounting/selection, and of dptune.ThresholdSearch.
//
//	configs, err := ding2023.Defaults("quick")
//	if err != nil { ... }
//	result, err := ding2023.Figure4(configs.Figure4)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//
// Data sets are neighbors if one has one example more than the other.
package ding2023
