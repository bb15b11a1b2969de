// Package subsample prices tuning on a Poisson sample of the data, then training on the rest or on
// all of the data (Koskela and Kulkarni, NeurIPS 2023). [Event] is the event. [PriceAt] returns its
// price by every bound that applies. [DominatingPair] returns a pair that composes.
//
// [KoskelaTheorem6] is the published Rényi curve, and [TrainOnRest] is ours. rdp.PoissonAmplified
// amplifies any curve by a Poisson sample. Neighbors differ by one added or removed example.
//
//	event := subsample.Event{
//		TuningRate: 0.1, Tuning: tuning,
//		Training: run, Variant: subsample.RestOfData,
//	}
//	price, err := subsample.PriceAt(event, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee)
//
// It promises nothing to other modules.
package subsample
