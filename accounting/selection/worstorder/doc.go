// Package worstorder shows how low a price of selection can be: it makes orders of the outputs of one run by which the best of K
// runs leaks as much as an order of this form can. What such an order leaks is below every bound that holds for all orders, so that a price near
// it is nearly the best there can be.
//
// Let r be the ratio of an output's chances on the two data sets. Outputs of large r are what an event collects that tells the data
// sets apart; outputs of small r, ranked above them, take wins from the other data set. The order takes, from the best rank on, the
// output of the largest r or that of the smallest r that is left. Among all such orders the worst is found by dynamic programming.
//
//	pair := worstorder.Gaussian(1, 400)
//	limit, err := worstorder.EpsilonAt(law, pair, 1e-5) // no bound for Gaussian runs can be below
//
// Outputs of a continuous law are put into cells, which is a post-processing of the run: the limit stays one.
//
// Reference: the three-point example of Papernot and Steinke (ICLR 2022), appendix D.3, is such an order; derived here.
package worstorder
