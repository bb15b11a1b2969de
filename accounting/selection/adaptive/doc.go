// Package adaptive prices the best of K runs where each run's candidate may be chosen by the
// outputs of earlier runs. A proposal is the law of the next candidate. Its density relative to a
// public prior must stay in [c, C], with 0 < c <= 1 <= C.
//
//   - [Event] is the event. [PriceAt] returns its least ε over all bounds that apply.
//   - [CurveOf] is the Rényi bound. [DominatingPair] returns a pair that composes.
//
// The ratio C/c counts twice: in the chance that the released run was made, and in the chances that
// the other runs were not better. For a truncated negative binomial law both together add at most
// (2+η) ln(C/c) to ε, if δ is multiplied by C/c^(1+η). At C = c = 1 the price is that of package
// selection by the ranks one by one.
//
//	logarithmic, err := law.Logarithmic(10)
//	if err != nil { ... }
//	tuning := adaptive.Event{Law: logarithmic, Base: run, Least: 0.8, Most: 1.25}
//	price, err := adaptive.PriceAt(tuning, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee)
//
// Every price makes these assumptions:
//
//   - The prior, c and C are public, and were chosen without looking at the data.
//   - Each proposal is computed from outputs of earlier runs, without looking at the data. Its
//     density relative to the prior is in [c, C] everywhere.
//   - K is drawn without looking at the data.
//   - Each run, its score included, satisfies the base guarantee, whatever its candidate.
//   - Given its candidate, a run does not depend on earlier runs. If it starts from an earlier
//     model, no bound but those of published runs holds, even at C = c = 1.
//   - The order that compares runs is public, and breaks ties without looking at the data.
//   - Only the best run is released. K, the other runs, the proposals and the wall clock stay
//     secret.
//
// Neighbors differ by one added or removed example.
//
// Reference: Wang, Gao, Zhang, Su and Shen (2023), "DP-HyPO: An Adaptive Private Hyperparameter
// Optimization Framework", arXiv:2306.05734, for the setting. They have a Rényi bound. The theorems
// and proofs here are ours, the Rényi bound included.
//
// It promises nothing to other modules.
package adaptive
