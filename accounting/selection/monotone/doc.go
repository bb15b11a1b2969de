// Package monotone computes the exact price of the best of K Gaussian runs whose score is a
// strictly monotone function of the output. It is the game of Xiang, Wang, Wang, arXiv:2402.13087.
//
//   - [Gaussian] is the game. It has the exact δ (DeltaAt) and ε (EpsilonAt) and the Rényi
//     divergences (Divergences), all as certified intervals. RDPEpsilon is the ε from the
//     divergences, and Algorithm3Epsilon that of the paper's algorithm as printed. RDPEpsilonFloor
//     and Algorithm3Floor are lower bounds on these two at every order.
//   - [BernoulliShifts] is the event of an adversary who sees only the mean of sampled steps.
//   - [ApproximateMu] replaces a whole run of DP-SGD. Its results are not bounds, and have their
//     own type, [ApproximateEpsilon].
//
// The prices are not bounds for other scores. Package selection has bounds for all scores.
//
//	game := monotone.Gaussian{Law: law.TNB{Eta: 0, Gamma: 0.1}, Mu: 1}
//	epsilon, err := game.EpsilonAt(1e-5)
//	if err != nil { ... }
//	fmt.Println(epsilon)
//
// It promises nothing to other modules.
package monotone
