// Package search reproduces Section 3.6 and Figure 7 of Papernot and Steinke (ICLR 2022): a search for a learning rate of DP-SGD on MNIST.
//
// Figure7 has the privacy axes, step by step from the published one to the theorems, and the accuracies if the authors' file is there.
// Trained7 sets accuracies of runs that are trained here against the same prices. Formulas are not here but for script.go, which has
// those of the authors' script, slips and all.
package search
