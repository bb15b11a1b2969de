// Package worstorder computes lower limits on the price of selection. It orders the outputs of one
// run in a way that makes the best of K runs leak much. Every bound that holds for all orders is
// above the leak of each order. So a price near such a leak is nearly the best possible one.
//
// Let r be the ratio of an output's chances on the two data sets. An event that distinguishes the
// data sets collects outputs of large r. Outputs of small r that rank above them take wins from the
// other data set. From the best rank on, the order takes the output of the largest or of the
// smallest remaining r. Dynamic programming finds the worst among all such orders.
//
//	pair := worstorder.Gaussian(1, 400)
//	limit, err := worstorder.EpsilonAt(law, pair, 1e-5) // no bound for Gaussian runs can be below
//
// Outputs of a continuous law are put into cells. That is a post-processing of the run, so the
// limit still holds.
//
// Reference: derived here. The three-point example of Papernot and Steinke (ICLR 2022), appendix
// D.3, is such an order.
//
// It promises nothing to other modules.
package worstorder
