// Package gdp holds Gaussian differential privacy: what a Gaussian mechanism, or any
// composition of Gaussian mechanisms, costs exactly.
//
// A mechanism is µ-GDP if telling two neighbors apart is as hard as telling N(0, 1) from
// N(µ, 1). The Gaussian mechanism with noise multiplier σ is 1/σ-GDP, and composition
// adds the squares of µ, so one closed form gives ε and δ of everything that the
// [Accountant] supports. It is exact where a Rényi bound is not.
//
// A [TradeOff] says of any event that an accountant knows how well an attack can do: the type II
// error at a type I error, the true positive rate at a false positive rate, the advantage, and the
// smallest µ that dominates the event on a range of δ or of type I errors, all with certified ends.
//
// Approximations of sampled mechanisms by µ-GDP (the central limit theorem) are a type of their own,
// [CLT]: they are not bounds, and no accountant uses them. Neighbors differ by one added or removed example;
// the closed form is the same in both directions.
//
//	g, err := gdp.EpsilonAt(1, 1e-5) // µ = 1, δ = 1e-5
//	if err != nil { ... }
//	fmt.Println(g.Upper) // 4.377...
package gdp
