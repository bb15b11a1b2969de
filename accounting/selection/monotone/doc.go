// Package monotone is the exact price of the best of K Gaussian runs whose score is a strictly monotone
// function of what is released: the game of Xiang, Wang, Wang, arXiv:2402.13087.
//
//   - [Gaussian] is the game, with its exact δ (DeltaAt) and ε (EpsilonAt), its Rényi divergences
//     (Divergences), the ε that follows from them (RDPEpsilon, and Algorithm3Epsilon as the paper
//     prints it), and floors that no order undercuts. All are certified intervals.
//   - [ApproximateMu] stands in for a whole run of DP-SGD. What follows from it is no bound, and has
//     a type of its own, [ApproximateEpsilon].
//
// It is no bound for other scores: package selection has those.
//
//	game := monotone.Gaussian{Law: law.TNB{Eta: 0, Gamma: 0.1}, Mu: 1}
//	epsilon, err := game.EpsilonAt(1e-5)
//	if err != nil { ... }
//	fmt.Println(epsilon)
package monotone
