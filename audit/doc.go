// Package audit turns the scores of a membership attack into a lower bound on ε. The bound holds at
// a stated confidence. It lists its assumptions and the largest value that it could have reached.
//
// An audit plays a game many times: with the canary (a member score) or without it (a non-member
// score). A privacy guarantee is a ceiling on the attack's ROC. The bound is the least ε whose
// ceiling the scores do not contradict. [Bounds] computes all bounds, and one of them is the
// answer:
//
//	report, err := audit.Bounds(audit.Scores{Member: in, NonMember: out}, audit.Config{Delta: 1e-5})
//	if err != nil { ... }
//	fmt.Println(report.Answer()) // ε >= 1.8850 at δ = 1e-5, confidence 0.95, …
//	fmt.Println(report)          // the answer, and all other bounds with what they assume
//
// The answer is the bound that was chosen before the scores were seen ([Report.Headline]). Each
// bound holds with its confidence by itself. The largest of several does not. If a mechanism leaks
// nothing, 14.5 % of its audits have some bound of confidence 0.95 above 0. To report the largest
// of m, ask for confidence 1 - 0.05/m ([Report.Together]).
//
// Three things are kept apart that other tools mix:
//   - The assumption: nothing ([AssumeNothing]), a Gaussian trade-off curve of the mechanism
//     ([AssumeGDP]), or scores from one run ([AssumeOneRun]).
//   - The confidence asked for and the confidence that holds. A threshold chosen on the same scores
//     without correction guarantees none, and such a bound reports that.
//   - The bound and its ceiling: the value that perfect scores would give with so many games.
//
// A search that releases the best of K runs is audited by single runs ([RankOfSearch]). The score
// that selects must be the one that is audited.
//
// A score is any number that grows with the evidence for membership. Package scorefile reads scores
// from a CSV. Games are independent. For the canaries of one training run see package onerun. For
// an audit that is checked after every game see package monitor.
//
// The neighboring relation is that of the game: the two worlds that made the member and the
// non-member scores. ε is in nats.
//
// Left out on purpose are bounds that are not confidence bounds: raw counts, Bayesian intervals and
// Katz-log intervals. So is the one-run test of arXiv:2509.08704, which rejects true claims when
// canaries share a channel.
package audit
