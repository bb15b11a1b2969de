// Package law has the laws of K, the number of runs of a private search: [TNB], [Poisson], [Binomial], [Fixed],
// [TwoPoint], any list of chances [PMF], and laws that stop, [Truncated], [Capped] and [Withheld].
//
// A law is data: a plain struct with Validate, String and a form in JSON. Its [Distribution] computes: it draws K, and
// has the mean, the generating function f and the bounds on f' that the prices of package selection
// are made from. So what is drawn is what is priced.
//
// A law of your own says what its chances are and no more: its Distribution method returns that of a PMF, or of
// another law here, and sampler and bounds follow. [RegisterFormat] gives it a form in JSON.
// A law with bounds of its own needs a proof, and so a file in this package: a struct, a form, and init for the JSON.
//
// What is left out on purpose: prices. They stand in package selection.
//
//	logarithmic, err := law.Logarithmic(10) // 10 runs on average
//	if err != nil { ... }
//	d := logarithmic.Distribution()
//	k, err := d.Rand(rng)
//	fmt.Println(k, d.Mean(), d.SuccessProbability(0.01))
package law
