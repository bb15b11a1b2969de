// Package firstabove prices the search that stops at the first run that is good enough: one private
// mechanism is run up to K times, K drawn from a [law.Law] and kept secret, and the first output
// whose score is at least a public threshold is released, or that there was none.
//
//   - [Event] is the event, [PriceAt] its least ε over all bounds: it never costs more than the
//     best of as many runs.
//   - [Bound] is the bound by privacy profiles, with the proof; [Curve] the Rényi bound.
//   - [DominatingPair] makes it compose.
//
// With K from the geometric law it is the search with random stopping of Liu and Talwar (2019):
// after each run that is not good it ends with chance γ. A run of pure ε then costs 2ε, where the
// best of as many costs 3ε.
//
//	stopping, err := law.Geometric(20) // geometric: γ = 1/20
//	if err != nil { ... }
//	price, err := firstabove.PriceAt(firstabove.Event{Law: stopping, Base: run}, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee)
//
// What every price assumes: the threshold is public, K and the candidates are drawn without looking
// at the data, each run satisfies the base guarantee with its score, and how many runs there were
// stays secret, so the wall clock too. Neighbors differ by one added or removed example.
//
// Reference: Liu and Talwar (2019), "Private Selection from Private Candidates", arXiv:1811.07971,
// Algorithm 1.
package firstabove
