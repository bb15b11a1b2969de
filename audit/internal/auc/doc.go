// Package auc has the law of the area under the ROC curve of n1 member and n0 non-member scores.
//
// [Law] is its law under a claim or a leak µ, by simulated audits. [MuOfLosses] takes the normal
// law of the exact moments, or a gamma law, for N(µ,1) against N(0,1) scores.
//
// The statistic of a simulated audit is the number of wins: pairs in which the member is above the
// non-member. Before, non-members are moved up and members down to the next of a grid of ranks (see
// fineRanks). The statistic never falls when a member moves up past a non-member. Its law under the
// claim's least favorable pair is therefore the one to compare with.
//
// On up to 64 games of a class every rank is in the grid. On more it is fine towards both ends,
// where strong leaks show, and has 392 ranks for a million games. The square of its correlation
// with the AUC was at least 0.998 for µ of 0, 1 and 3 and classes of 50 to 20,000. Only the order
// statistics at those ranks are drawn, from gamma variates. A class of a million costs little more
// than one of a thousand.
package auc
