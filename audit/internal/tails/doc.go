// Package tails holds the probability tails that audit bounds are made of. Binomial and beta laws
// have both tails to full relative accuracy. Next to them are the normal law, adaptive quadrature
// with a stated error, and root search that distinguishes the two sides.
//
// Binomial and beta tails come from one continued fraction with a prefactor in Loader's
// saddle-point form. They keep about 13 digits for counts in the millions, where differences of
// log-gamma functions lose six.
package tails
