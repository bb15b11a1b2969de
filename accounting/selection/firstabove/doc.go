// Package firstabove prices the search that stops at the first run that is good enough. One private
// mechanism runs up to K times. K is drawn from a [law.Law] and kept secret. The search releases
// the first output whose score is at least a public threshold, or the fact that there was none.
//
//   - [Event] is the event. [PriceAt] returns its least ε over all bounds, which is never above
//     that of the best of as many runs.
//   - [Bound] is the bound by privacy profiles. [Curve] is the Rényi bound.
//   - [DominatingPair] returns a pair that composes.
//
// With K from the geometric law it is the search with random stopping of Liu and Talwar (2019).
// After each run that is not good it stops with chance γ. If a run has pure ε, the search costs 2ε,
// and the best of as many runs 3ε.
//
//	stopping, err := law.Geometric(20) // geometric: γ = 1/20
//	if err != nil { ... }
//	price, err := firstabove.PriceAt(firstabove.Event{Law: stopping, Base: run}, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee)
//
// Every price makes these assumptions. The threshold is public. K and the candidates are drawn
// without looking at the data. Each run satisfies the base guarantee, its score included. The
// number of runs stays secret, so the wall clock does too. Neighbors differ by one added or removed
// example.
//
// Reference: Liu and Talwar (2019), "Private Selection from Private Candidates", arXiv:1811.07971,
// Algorithm 1.
//
// It promises nothing to other modules.
package firstabove
