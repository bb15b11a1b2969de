// Package numeric holds the numerics that the accountants share: sums and differences of
// probabilities that are given by their logarithms, binomial coefficients, normal tails.
// It promises nothing to other modules.
//
// The logarithm of zero is -Inf and is an ordinary value here. Error bounds are stated
// per function, in units of eps = 2^-53.
package numeric
