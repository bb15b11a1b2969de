// Package accounting has the parts of a privacy guarantee. These are the events of a mechanism, the
// neighboring relation, the guarantee with its direction and error, and calibration. Events are
// plain data that only validate themselves.
//
// The mathematics is in sub-packages:
//
//	auto        the accountant to ask: any event, the least certified bound
//	rdp         Rényi divergences
//	gdp         compositions of Gaussian mechanisms, exactly
//	contour     sampled Gaussians, certified from both sides without a grid
//	pld         privacy loss distributions of these, of Laplace noise and of finite
//	            mechanisms, certified on a grid
//	selection   the price of choosing the best of a random number of runs
//
// An [Accountant] turns an [Event] into a [Guarantee]. It returns [ErrUnsupportedEvent] for an
// event that it does not know; no event is free. A [Calibration] finds the noise for a [Target]
// with any accountant. The calibrations of package auto need no accountant. A new accountant must
// pass accountingtest.Run.
//
// Data sets are neighbors if one has one example more than the other ([AddOrRemoveOne]), unless a
// value has another relation. The accountants of contour, pld, rdp and auto also know [ReplaceOne].
// Samples of fixed size need it. ε and Rényi divergences are in nats, and δ is a probability.
//
// [WithDeltaReserve] keeps a part of every δ for effects that an event does not describe, such as
// truncated noise.
//
// Left out on purpose: floating-point attacks on the noise itself. All bounds are for real-valued
// mechanisms. Rounding in our own arithmetic is on the private side only if a function's comment
// promises it.
//
//	event := accounting.SelfComposed{
//		Event: accounting.PoissonSampled{
//			SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 2},
//		},
//		Count: 5000,
//	}
//	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
//	if err != nil { ... }
//	fmt.Println(g) // ε in [1.47737697, 1.47737698], δ = 1e-05, add-or-remove-one, contour, ...
package accounting
