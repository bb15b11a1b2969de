// Package simulated audits with your own statistic. It may be any function of the ranks of the
// scores that never falls when a member moves up past a non-member. Its law is simulated under the
// claim's least favorable pair.
//
//	p, err := simulated.P(scores, audit.GDP{Mu: 1}, simulated.AUC, 9999, rng)
//
// The tests of package audit have exact laws and need no draws. Use this package for leaks that
// they miss.
package simulated
