// Package laws has what the figures of papernot2022 share: families of laws of the number of runs, the paper's theorems on them, and
// which family is ahead of the others where curves are compared.
//
//	runs, err := laws.TNB(0).Law(10) // the logarithmic law of mean 10
//	curve, err := laws.TheoremCurve(runs, base)
package laws
