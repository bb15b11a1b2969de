// Package subsample prices tuning on a Poisson sample of the data, then training on the rest of it or on all
// (Koskela and Kulkarni, NeurIPS 2023): [Event] is the event, [PriceAt] its price by every bound that applies, and
// [DominatingPair] makes it compose.
//
// [KoskelaTheorem6] and [TrainOnRest] are the Rényi curves behind it, the published one and ours. The amplification
// of any curve by a Poisson sample is rdp.PoissonAmplified. Neighbors differ by one added or removed example.
//
//	event := subsample.Event{TuningRate: 0.1, Tuning: tuning, Training: run, Variant: subsample.RestOfData}
//	price, err := subsample.PriceAt(event, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee)
package subsample
