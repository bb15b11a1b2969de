// Package papernot2022 reproduces the figures of Papernot and Steinke, "Hyperparameter
// Tuning with Rényi Differential Privacy" (ICLR 2022), one file for each.
//
// A figure is a pure function from a config to a typed result. The result draws itself
// (Chart or Panels), sets its numbers beside the paper's (Compare), and says in sentences what
// follows from them (Findings). Formulas are not here: every bound comes from accounting/selection
// and accounting/rdp, every published number from data/papers. The one exception is script.go, which
// evaluates the formulas of the authors' script for Figure 7, slips and all.
//
//	configs, err := papernot2022.Defaults("quick")
//	if err != nil { ... }
//	result, err := papernot2022.Figure4(configs.Figure4)
//	if err != nil { ... }
//	png, err := render.PNG(result.Chart())
//	fmt.Println(result.Compare().Tally()) // what agrees and what differs
//
// Where the paper's bound is not the best that is known, the figure shows the better one
// beside it, and an exact value as a lower limit where there is one. Data sets are
// neighbors if one has one example more than the other.
//
// What is left out on purpose: the training behind Figure 7. Its privacy axes are here,
// and its accuracies if the file that the authors published is at hand.
package papernot2022
