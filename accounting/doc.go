// Package accounting holds what a privacy guarantee is made of: the events that a
// mechanism ran (data, with no behavior but validation), the neighboring relation,
// the guarantee itself with its direction and error, and calibration.
//
// The mathematics lives in sub-packages: rdp (Rényi divergences), gdp (compositions of
// Gaussian mechanisms, exactly), contour (sampled Gaussians, certified from both sides
// without a grid), pld (privacy loss distributions of these, of Laplace noise and of finite
// mechanisms, certified on a grid), selection (the price of choosing the best of a random number
// of runs), and auto, the accountant to ask: any event, the least certified bound. An [Accountant]
// turns an [Event] into a [Guarantee]; an event that it does not know is
// [ErrUnsupportedEvent], never free. Whatever accountant is chosen,
// a [Calibration] finds the noise for a [Target]; those of package auto need no accountant. A new
// accountant passes accountingtest.Run.
//
// Unless a value says otherwise, data sets are neighbors if one has one example more than the other
// ([AddOrRemoveOne]); the accountants of pld, rdp and auto can be asked about [ReplaceOne] too,
// which samples of fixed size need. ε and Rényi divergences are in nats, and δ is a probability.
//
// [WithDeltaReserve] keeps a part of every δ for what an event does not describe, such as truncated
// noise.
//
// What is left out on purpose: floating-point attacks on the noise itself. All bounds
// are about real-valued mechanisms; rounding in our own arithmetic is kept on the
// private side only where a function's comment says so.
//
//	event := accounting.SelfComposed{
//		Event: accounting.PoissonSampled{SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2}},
//		Count: 5000,
//	}
//	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
//	if err != nil { ... }
//	fmt.Println(g) // ε in [1.47737698, 1.47737698], δ = 1e-05, add-or-remove-one, contour, ...
package accounting
