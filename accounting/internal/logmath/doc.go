// Package logmath computes with the logarithms of probabilities: sums, differences,
// binomial coefficients, normal tails, and searches in one variable.
//
// The logarithm of zero is -Inf and is an ordinary value here. Error bounds are stated
// per function, in units of eps = 2^-53.
package logmath
