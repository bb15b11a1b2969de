// Package selection prices the best of K runs of one private mechanism, where the number
// of runs K is drawn from a [law.Law] and stays secret: private hyper-parameter tuning.
//
// The law that is drawn is the law that is priced: one value has the sampler, the pmf, the
// generating function and what the bounds need. [PriceAt] computes every bound that
// applies, names each with its theorem, and takes the least; [RDP] gives a curve that
// composes with other mechanisms. Without accountants named, what is certified of one run counts:
// the price is that of package auto. A run that holds a selection itself is known to package auto
// only: name auto.NewAccountant().
//
// Which bound holds for which law. "ours" means that the proof stands in the doc comment that is
// named; the rest is published.
//
//	law                    bounds
//	TNB                    Theorem 2; Sharpened (ours); profile; sharpened profile (ours)
//	Poisson                Theorem 6 (mean >= 1); Sharpened (ours); profile
//	Binomial               Lemma 7; profile
//	TwoPoint, PMF          Lemma 7; sharpened profile (ours)
//	Truncated              Lemma 22 (of TNB; of Poisson with P[K=0] added, ours); Lemma 7;
//	                       sharpened profile of the truncated law, never above that of the law
//	                       (law.Distribution.Limited, ours); total variation (ours)
//	Capped                 Lemma 7; sharpened profile of the capped law (ours); total variation (ours)
//	Withheld               Lemma 7; sharpened profile, never above that of the law (law.Distribution.Limited, ours)
//	Fixed                  composition of all runs
//	at most 10 runs        composition of the most runs
//	all                    pointwise (ours); interleaved, where it lowers that (ours)
//	all but Fixed          published runs, where the tail is light
//	all                    Lemma 20, where a run is known by a profile alone
//
// Where each bound is from:
//
//	Theorem 2, 6           Papernot and Steinke (ICLR 2022)
//	Lemma 7                the same, with P[K=0] added and the supremum over ranks bounded by
//	                       the base's profile (lemma7, ours)
//	Lemma 20, 22           the same, Appendix E (Approximate; lemma22)
//	Sharpened              Lemma 7, by a path of ranks and Green's theorem (ours)
//	profile                Koskela, Redberg and Wang (ICML 2024), on every profile of a run
//	sharpened profile      the same with the least constant the profile allows (MaxLogWeight)
//	pointwise              the ranks that the profile allows, one by one (PointwiseAt, ours)
//	interleaved            the same with the ranks that the outputs take (PointwiseAt, ours)
//	total variation        truncation.go (ours)
//	composition            the most runs that there may be, all published
//	published runs         convexity over K of the cost of publishing all K runs
//
// [PureDP], [ZCDP] are Corollaries 3 and 4 of Papernot and Steinke, [Corollary16] and [ConditionalLeast] their bounds for running until an output is good.
// Below this package:
//
//	law         the laws of K
//	baserun     what is known of one run: its Rényi curve, and profiles
//	ranks       in accounting/internal: bounds by the ranks that a profile allows
//
// Next to it:
//
//	subsample   tuning on a sample, then training (Koskela and Kulkarni, NeurIPS 2023)
//	threshold   searches by noisy threshold tests
//	firstabove  the first run that is good enough (Liu and Talwar, STOC 2019)
//	expost      candidates of different ε
//	monotone    exact for Gaussian runs whose score is a strictly monotone function of the output
//
// [Target.Optimize] chooses the law and the noise together, in about a second. [PriceAt] says what a price takes.
//
// What every price assumes: K and all candidates are drawn without looking at the data,
// each run satisfies the base guarantee whatever its hyper-parameters, the order in which
// runs are compared breaks ties without looking at the data, scores that use private data
// are part of the run, failed runs count as runs, and K, the other runs and the wall clock
// stay secret.
//
// What is left out on purpose: adaptive proposals, and approximations that are no bounds. Neighbors differ by one added or removed example,
// unless a base says otherwise.
//
//	logarithmic, err := law.Logarithmic(10) // 10 runs on average
//	if err != nil { ... }
//	price, err := selection.EventAt(selection.BestOf{Law: logarithmic, Base: accounting.Gaussian{NoiseMultiplier: 1}}, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee) // ε <= 6.08..., δ = 1e-05, ...
//	k, err := logarithmic.Distribution().Rand(rng)
package selection
