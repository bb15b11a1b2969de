// Package simulated audits by a statistic of one's own: any function of how the scores rank that never falls when a member moves
// up past a non-member. Its law under a claim is simulated, that of the claim's least favorable pair.
//
//	p, err := simulated.P(scores, audit.GDP{Mu: 1}, simulated.AUC, 9999, rng)
//
// The tests of package audit have exact laws and need no draws; this is for what they miss.
package simulated
