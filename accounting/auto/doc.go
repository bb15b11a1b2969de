// Package auto is the accountant to ask. It prices any event by all bounds of this module, returns
// the least certified one, and names its accountant. One event has one price, in the command
// dpcost, the protocols of dptune and package selection.
//
//	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon, g.Method)
//	sigma, err := auto.CalibrateNoiseMultiplier(eventOf, accounting.Target{Epsilon: 3, Delta: 1e-5})
//
// How an event is priced:
//
//	no selection                    contour, pld, rdp, in this order, to the first narrow interval.
//	                                If contour and pld do not know the event, before rdp: the
//	                                sampling lemma for a sample; "dominating pairs" for a
//	                                composition, one for each event that is not on the grid
//	with a random allocation        lratio. If that does not know the event, as above, with its
//	                                laws on the grid; the sampling lemma comes before the grid
//	a choice, then others           also the worst exponential mechanism and the profile of the
//	                                others (choice.go)
//	selection.BestOf                selection.EventAt
//	adaptive.Event                  adaptive.PriceAt
//	firstabove.Event                firstabove.PriceAt
//	subsample.Event                 subsample.PriceAt
//	threshold.Event                 threshold.PriceAt, also with a training next to it
//	Parallel, WorstCase             the most expensive of their events
//	Shuffled                        releases in a known order; the lower end is the ε of attacks
//	                                (shuffled.go); warns of accounting.ErrUnknownAmplification
//	a composition with selections   the sum of Rényi curves; each selection as a pair of laws that
//	                                dominates it, on the grid; the sum of ε at equal shares of δ
//	a selection on a Poisson sample its amplified Rényi curve; the sampling lemma; in a composition
//	                                a sample of its pair of laws
//
// The sampling lemma holds for every mechanism. Let q be the sampling rate. If the mechanism has ε
// at δ/q, its sample has ln(1+q(e^ε-1)) at δ (Balle, Barthe and Gaboardi 2018, Theorem 8).
//
// An interval has a lower end if the event has no selection and no composed choice, and all its
// events are on the grid or known to lratio. The price of a selection is an upper end that holds
// for every order of the outputs. The price of a pair of laws above a profile (pld.PairAbove) is an
// upper end too, and so is that of an accounting.ProfileBound or RenyiBound.
//
// To use other accountants, pass them: NewAccountant(rdp.NewAccountant()) has only Rényi bounds.
// Only these are faster. A price takes milliseconds if contour or a closed form is enough. With a
// selection or a grid it mostly takes less than a second. [Work] estimates the time of an event. An
// event that would take more than two minutes is refused; Accountant.MaxWork sets that limit.
package auto
