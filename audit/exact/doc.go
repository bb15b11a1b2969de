// Package exact computes the exact laws of membership games that allow it. Compare an audit's lower
// bound with them.
//
// Inside is the one-dimensional hidden-state process of Cebere, Bellet, Papernot (2024),
// arXiv:2405.14457 ([Process]), and the coordinate of a network that only noise and canary move
// ([Coordinate]). [Process.BestRidge] is the paper's search for a loss landscape, by simulated
// games. Answers of a [Law] are intervals that contain the truth. The errors of quadrature and
// truncation are bounded by proof. Those of rounding are bounded by a model with room to spare; see
// [Process.Laws]. Package monotone of accounting/selection has the best of K Gaussian runs.
//
//	p := exact.Process{NoiseMultiplier: 8, BatchSize: 2, Drift: exact.Away}
//	laws, err := p.Laws(25)
//	if err != nil { ... }
//	epsilon, err := laws[24].EpsilonAt(1e-5)
//	if err != nil { ... }
//	fmt.Println(epsilon) // in [.., ..]
//
// ε is in nats. The two worlds are the game without and with the canary, and both directions
// between them count. That is the neighboring relation of one added or removed example.
//
// It promises nothing to other modules.
package exact
