// Package threshold prices searches by noisy threshold tests: AboveThreshold, also known as the sparse
// vector technique, with at most so many tests and positives.
//
//   - [Search] is the event, with the theorem that dominates all that it releases, its pure ε, its
//     profile (DeltaAt) and its Rényi curve (Curve).
//   - [PriceAt] is the least ε over all bounds, also with a training after the search.
//   - [Calibrate] is the search with the least noise at a given ε.
//
// # Exponential noise, which is not here
//
// With Exp(ThresholdNoise) and Exp(ScoreNoise) in place of Laplace noise the theorem of [Search] holds with other pairs. The threshold's noise ρ against
// ρ + Δ has the ratio e^ε1 wherever D can be, so that all of D's mass has the loss ε1. A candidate that lacks z is above with chance
// e^(-max(0, z)/ScoreNoise); with 0 <= d <= 2Δ the chances for z and z + d lie in the triangle with corners (0, 0), (1, 1) and (1, e^-ε2), which is
// reached. There D has a positive for certain, with the loss ε2, and D' goes on with chance 1 - e^-ε2, where D never is: W is the mean of f over the ratios
// e^ε2 and 0, and the induction goes through, corner by corner. So all of D's mass has the loss m ε1 + c ε2, and δ(ε) = 1 - e^(ε - m ε1 - c ε2): the pure
// bound, and nothing below it at any δ that matters. Losses of Laplace noise have both signs, and add up to less.
//
// At one standard deviation ε1 and ε2 are 1/√2 of Laplace's. Where Laplace noise, once for the threshold, costs ε = 1 at δ = 1e-5, exponential
// noise costs 0.71 with at most 1 or 5 positives, 0.86 with 21 and 1.54 with 100 (TestExponentialNoiseBeside). It would pay for searches that end
// after a few positives. Whether less than the pure bound holds is open.
//
// Neighbors differ by one added or removed example. The event's JSON type is above_threshold.
//
//	search, err := threshold.Calibrate(1, 1e-5, 0.02, 21, threshold.Once)
//	if err != nil { ... }
//	price, err := threshold.PriceAt(search, training, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee, price.Overhead())
package threshold
