// Package papernot2022 reproduces the figures of Papernot and Steinke, "Hyperparameter
// Tuning with Rényi Differential Privacy" (ICLR 2022). Figure 1 is in package leak, Figure 7 in package search, the others
// here, one file for each; package laws has what they share.
//
// A figure is a pure function from a config to a typed result. The result draws itself
// (Panels), sets its numbers and the paper's claims next to the paper's (Compare), and lists what
// follows from them (Table). Formulas are not here: every bound comes from accounting/selection and
// accounting/rdp, every published number from notebooks/papers.
//
//	configs, err := papernot2022.Defaults("quick")
//	if err != nil { ... }
//	result, err := papernot2022.Figure4(configs.Figure4)
//	if err != nil { ... }
//	png, err := render.PNG(result.Figure())
//	fmt.Println(result.Compare().Tally()) // what agrees and what differs
//
// Where the paper's bound is not the best that is known, the figure shows the better one
// beside it, and an exact value as a lower limit where there is one. Data sets are
// neighbors if one has one example more than the other.
package papernot2022
