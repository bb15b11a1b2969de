// Package law has the laws of K, the number of runs of a private search: [TNB], [Poisson],
// [Binomial], [Fixed], [TwoPoint], and any list of chances, [PMF]. Laws that stop are [Truncated],
// [Capped] and [Withheld].
//
// A law is data: a plain struct with Validate, String and a JSON form. Its [Distribution] computes.
// It draws K, and has the mean, the generating function f and the bounds on f' that package
// selection prices with. So the law that is drawn is the law that is priced.
//
// Your own law only defines its chances. Its Distribution method returns that of a PMF, or of
// another law here. Sampler and bounds follow from that. [RegisterFormat] gives it a JSON form. A
// law with its own bounds needs a proof, and so a file in this package: a struct, a form, and init
// for the JSON.
//
// Prices are left out on purpose. Package selection has them.
//
//	logarithmic, err := law.Logarithmic(10) // 10 runs on average
//	if err != nil { ... }
//	d := logarithmic.Distribution()
//	k, err := d.Rand(rng)
//	fmt.Println(k, d.Mean(), d.SuccessProbability(0.01))
package law
