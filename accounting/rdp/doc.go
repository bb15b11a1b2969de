// Package rdp accounts for privacy with Rényi divergences: curves of mechanisms, their
// composition (a sum), and named conversions to (ε, δ).
//
// The Poisson-sampled Gaussian is exact at every real order, so that the order can be
// chosen continuously; no grid of orders has to be supplied.
//
// What is left out on purpose: lower bounds, and curves of approximate (δ > 0) Rényi guarantees; Accountant takes
// approximate differential privacy off δ instead. Neighbors differ by one added or removed example
// unless another relation is chosen, and every curve holds for both directions.
//
//	step := rdp.SampledGaussian(0.01, 2)          // q, σ
//	g, err := rdp.NewAccountant().EpsilonOf(rdp.Scale(step, 5000), 1e-5)
//	if err != nil { ... }
//	fmt.Println(g.Epsilon.Upper, g.Method)
package rdp
