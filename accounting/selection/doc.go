// Package selection prices the best of K runs of one private mechanism, where the number
// of runs K is drawn from a [Law] and stays secret: private hyper-parameter tuning.
//
// The law that is drawn is the law that is priced: one value has the sampler, the pmf, the
// generating function and what the bounds need. [PriceAt] computes every bound that
// applies, names each with its theorem, and takes the least; [RDP] gives a curve that
// composes with other mechanisms.
//
// What every price assumes: K and all candidates are drawn without looking at the data,
// each run satisfies the base guarantee whatever its hyper-parameters, the order in which
// runs are compared breaks ties without looking at the data, scores that use private data
// are part of the run, failed runs count as runs, and K, the other runs and the wall clock
// stay secret.
//
// What is left out on purpose: adaptive proposals, thresholds that stop the search, and
// approximations that are no bounds. Neighbors differ by one added or removed example,
// unless a base says otherwise.
//
//	law, err := selection.TNBFromMean(0, 10) // logarithmic, 10 runs on average
//	if err != nil { ... }
//	price, err := selection.EventAt(selection.Event{Law: law, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee) // ε <= 6.21..., δ = 1e-05, ...
//	k, err := law.Rand(rng)
package selection
