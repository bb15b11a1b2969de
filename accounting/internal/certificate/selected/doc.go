// Package selected checks upper bounds on prices of selections, in intervals that are rounded
// outward. A [Check] takes the law of the number of runs, a list of values of the privacy profile
// of one run, and a witness that the search found. It returns an upper end of δ at an ε.
//
//	run.go, lines.go   what is given of one run: the largest mass P(p), H(t), the least mass g(s)
//	ranks.go           bounds over all ranks, by two comparisons on each part
//	pointwise.go       the ranks one by one; the bounds "profile" are of this form
//	interleaved.go     the ranks that the outputs take: which segments of s are divided
//	boxes.go           the bound on one segment
//	renyi.go           the conversion of a Rényi bound
//	proposed.go        candidates that earlier runs propose
//	firstabove.go      the first above a threshold; search.go, threshold tests
//	check.go           what a check is; package settle makes certificates
//
// The theorems and their proofs are in package ranks and in package selection. Nothing of their
// searches is used here.
package selected
