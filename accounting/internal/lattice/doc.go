// Package lattice finds lower ends of ε and δ by attacks whose laws are known. An attack computes
// one integer from the outputs of a period of steps. It is a post-processing, so its ε is a lower
// end for the steps, also composed over independent periods.
//
// A period has T outputs w_1, .., w_T with normal noise of standard deviation σ. The mean of k of
// them is moved: to P with the record, and to Q without it. The moved ones are a random subset.
// All other means are 0.
//
//	Sums     Σ G(w_i) for a rounded G: the law is a convolution of positive numbers
//	Largest  max w_i, for one moved output: the distribution function is a product
//	Single   one output that is moved by P in one of T periods, and always by Q
//
// All laws are sums of positive numbers, so each chance has a known relative error. Chances that
// are left out are counted: they lower P and raise Q. No transform is used, because its absolute
// error would hide the small chances under Q.
package lattice
