// Package auto is the accountant to ask. It prices any event by all that this module knows of it,
// takes the least certified bound, and names the accountant that gave it. One event has one price:
// the command dpcost, the protocols of dptune and package selection give the same answer.
//
//	g, err := auto.NewAccountant().EpsilonAt(event, 1e-5)
//	fmt.Println(g.Epsilon, g.Method)
//	sigma, err := auto.CalibrateNoiseMultiplier(eventOf, accounting.Target{Epsilon: 3, Delta: 1e-5})
//
// How an event is priced:
//
//	nothing is selected             contour, pld, rdp, in this order, to the first narrow interval.
//	                                Before rdp, where contour and pld do not know the event: the
//	                                sampling lemma for a sample; "dominating pairs" for a
//	                                composition, one for each event that is not on the grid
//	a choice, then others           also the worst exponential mechanism and the profile of the
//	                                others (choice.go)
//	selection.BestOf                selection.EventAt
//	firstabove.Event                firstabove.PriceAt
//	subsample.Event                 subsample.PriceAt
//	threshold.Event                 threshold.PriceAt, also with a training next to it
//	Parallel, WorstCase             the dearest of their events
//	a composition with selections   the sum of Rényi curves; each selection as a pair of laws that
//	                                dominates it, on the grid; each as an (ε, δ)-private mechanism in
//	                                the certified composition
//	a selection on a Poisson sample its amplified Rényi curve; the sampling lemma; in a composition
//	                                a sample of its pair of laws
//
// The sampling lemma holds for every mechanism. It turns the mechanism's ε at δ/q, q the sampling
// rate, into ln(1+q(e^ε-1)) at δ (Balle, Barthe and Gaboardi 2018, Theorem 8).
//
// An interval has a lower end where nothing is selected, no choice is composed, and all events are
// on the grid. The price of a selection is an upper end that holds for every order of the outputs.
// The price of a pair of laws above a profile (pld.PairAbove) is an upper end too.
//
// Anyone who wants other accountants names them: NewAccountant(rdp.NewAccountant()) has only Rényi
// bounds, the one thing that is quicker. A price takes milliseconds where contour or a closed form
// is enough, and mostly less than a second with a selection or a grid.
package auto
