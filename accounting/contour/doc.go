// Package contour certifies ε and δ of compositions of Gaussians and Poisson-sampled
// Gaussians, in about a millisecond, without a grid of losses: δ(ε) is one line integral of
// the moment generating function, and each error of evaluating it is bounded.
package contour
