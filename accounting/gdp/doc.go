// Package gdp holds Gaussian differential privacy: what a Gaussian mechanism, or any
// composition of Gaussian mechanisms, costs exactly.
//
// A mechanism is µ-GDP if telling two neighbors apart is as hard as telling N(0, 1) from
// N(µ, 1). The Gaussian mechanism with noise multiplier σ is 1/σ-GDP, and composition
// adds the squares of µ, so one closed form gives ε and δ of everything that the
// [Accountant] supports. It is exact where a Rényi bound is not.
//
// What is left out on purpose: approximations of other mechanisms by µ-GDP (the central
// limit theorem). They are not bounds. Neighbors differ by one added or removed example;
// the closed form is the same in both directions.
//
//	g, err := gdp.EpsilonAt(1, 1e-5) // µ = 1, δ = 1e-5
//	if err != nil { ... }
//	fmt.Println(g.Upper) // 4.377...
package gdp
