// Package xiang2024 reproduces Example 1, the figures and Tables 3 and 4 of Xiang, Wang and Wang, "How
// Does Selection Leak Privacy" (arXiv 2402.13087): what the best of K runs costs if the base
// is treated as one Gaussian and the score is monotone, and audits of it.
//
// A figure is a pure function from a config to a typed result, which draws itself and sets
// its numbers beside the paper's. Formulas are in accounting/selection, published numbers in
// notebooks/papers.
//
//	configs, err := xiang2024.Defaults("quick")
//	if err != nil { ... }
//	result, err := xiang2024.Table4(configs.Table4)
//	if err != nil { ... }
//	fmt.Println(result.Compare().Tally()) // what agrees and what differs
//
// Three kinds of numbers are kept apart: exact values of the reduced game, with certified
// numerics; bounds, which hold for every score; and approximations (ε_U-G by the central
// limit theorem, ε_U-O by the law of large numbers), which for τ < 1 are neither. Data sets
// are neighbors if one has one example more than the other.
//
// Algorithm 3 is computed as it is printed: its line 4 takes the larger direction at each
// order. Each direction by itself, with a best order of its own, is a bound too and a lower one.
//
// The audits of trained models (Figures 1 to 3 and 7 to 9, Table 3) are of small networks on digits, by
// the experiment [Tuning]. What is left out: the paper's networks and data sets.
package xiang2024
