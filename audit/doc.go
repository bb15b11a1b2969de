// Package audit turns the scores of a membership attack into a lower bound on ε that holds
// at a stated confidence, and says what the bound assumes and how high it could have gone.
//
// An audit plays a game many times: with the canary (a member score) or without it (a non-member
// score). A privacy guarantee is a ceiling on the attack's ROC; the bound is the least ε whose
// ceiling the scores do not contradict. [Bounds] computes all bounds, of which one is the answer:
//
//	report, err := audit.Bounds(audit.Scores{Member: in, NonMember: out}, audit.Config{Delta: 1e-5})
//	if err != nil { ... }
//	fmt.Println(report.Answer()) // ε >= 1.8850 at δ = 1e-5, confidence 0.95, nothing assumed but independent games
//	fmt.Println(report)          // the answer, and all other bounds with what they assume
//
// The answer is the bound that was chosen before the scores were seen ([Report.Headline]). Each
// bound holds with its confidence by itself. The largest of several does not: of audits of a
// mechanism that leaks nothing, 14.5 % have some bound of confidence 0.95 above 0. To report the
// largest of m, ask for confidence 1 - 0.05/m ([Report.Together]).
//
// Three things are kept apart that other tools mix:
//   - what a bound assumes: nothing ([AssumeNothing]), that the mechanism's trade-off curve
//     is Gaussian ([AssumeGDP]), or that all scores come from one run ([AssumeOneRun]);
//   - the confidence asked for and the confidence that holds: a threshold chosen on the same
//     scores without correction guarantees none, and such a bound says so;
//   - the bound and its ceiling: the value that perfect scores would give with so many games.
//
// A search that releases the best of K runs is audited by single runs ([RankOfSearch]) where the
// score that selects is the one that is audited.
//
// A score is any number that grows with the evidence for membership; package scorefile reads them
// from a CSV. Games are independent; for the canaries of one training run see package onerun. An
// audit that is looked at after every game takes package monitor.
//
// The neighboring relation is that of the game: the two worlds that made the member and the
// non-member scores. ε is in nats.
//
// Left out on purpose: bounds that are not confidence bounds (raw counts, Bayesian
// intervals, Katz-log intervals), and the one-run test of arXiv:2509.08704, which rejects
// true claims when canaries share a channel.
package audit
