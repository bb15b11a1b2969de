// Package threshold prices searches by noisy threshold tests: AboveThreshold, also known as the
// sparse vector technique, with a maximum number of tests and of positives.
//
//   - [Event] is the event. Its comment has the theorem that dominates its release. It has a pure ε
//     (PureEpsilon), a profile (DeltaAt) and a Rényi curve (Curve). Its noise is Laplace or
//     exponential: [Noise].
//   - [PriceAt] returns the least ε over all bounds, also with a training after the search.
//   - [Calibrate] returns the search with the least noise at a given ε.
//
// Neighbors differ by one added or removed example. The event's JSON type is above_threshold.
//
//	target := accounting.Target{Epsilon: 1, Delta: 1e-5}
//	search, err := threshold.Calibrate(target, 0.02, 21, threshold.Once, threshold.Laplace)
//	if err != nil { ... }
//	price, err := threshold.PriceAt(search, training, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee, price.Overhead())
//
// It promises nothing to other modules.
package threshold
