// Package selection prices the best of K runs of one private mechanism: private hyper-parameter
// tuning. The number of runs K is drawn from a [law.Law] and stays secret.
//
// The law that is drawn is the law that is priced: one value has the sampler, the pmf, the
// generating function and what the bounds need. [PriceAt] computes every bound that applies, names
// each with its theorem, and returns the least. [RDP] returns a curve that composes with other
// mechanisms. If no accountants are passed, the certified ones are asked about one run, and the
// price equals that of package auto. Only package auto knows a run that holds a selection itself:
// pass auto.NewAccountant().
//
// The bounds that hold for each law follow. "ours" means that the doc comment of the name in
// parentheses has the proof. All others are published.
//
//	law                    bounds
//	TNB                    Theorem 2; Sharpened (ours); profile; sharpened profile (ours)
//	Poisson                Theorem 6 (mean >= 1); Sharpened (ours); profile
//	Binomial               Lemma 7; profile
//	TwoPoint, PMF          Lemma 7; sharpened profile (ours)
//	Truncated              Lemma 22 (of TNB; of Poisson with P[K=0] added, ours); Lemma 7;
//	                       sharpened profile of the truncated law, never above that of the law
//	                       (law.Distribution.Limited, ours); total variation (ours)
//	Capped                 Lemma 7; sharpened profile of the capped law (ours);
//	                       total variation (ours)
//	Withheld               Lemma 7; sharpened profile, never above that of the law
//	                       (law.Distribution.Limited, ours)
//	Fixed                  composition of all runs
//	at most 10 runs        composition of the most runs
//	all                    pointwise (ours); interleaved, where it lowers that (ours)
//	all but Fixed          published runs, where the tail is light
//	all                    Lemma 20, where only a profile of a run is known
//
// The sources of the bounds:
//
//	Theorem 2, 6           Papernot and Steinke (ICLR 2022)
//	Lemma 7                the same, with P[K=0] added and the supremum over ranks bounded by
//	                       the base's profile (Lemma7, ours)
//	Lemma 20, 22           the same, Appendix E (Approximate; Lemma22)
//	Sharpened              Lemma 7, by a path of ranks and Green's theorem (ours)
//	profile                Koskela, Redberg and Wang (ICML 2024), on every profile of a run
//	sharpened profile      the same with the least constant the profile allows (MaxLogWeight)
//	pointwise              the ranks that the profile allows, one by one (PointwiseAt, ours)
//	interleaved            the same with the ranks that the outputs take (PointwiseAt, ours)
//	total variation        truncation.go (ours)
//	composition            the largest possible number of runs, all published
//	published runs         convexity over K of the cost of publishing all K runs
//
// [PureDP] is Corollary 3 of Papernot and Steinke, and Theorem2(k, rdp.ZCDP(ρ)) their Corollary 4.
// [Proposition15], [Corollary16] and [ConditionalLeast] are their bounds for running until an
// output is good. [Repetition] reports how far the best of K noisy scores is from the best
// candidate.
//
// Packages below this one:
//
//	law         the laws of K
//	baserun     what is known of one run: its Rényi curve, and profiles
//	ranks       in accounting/internal: bounds by the ranks that a profile allows
//	selected    in accounting/internal/certificate: the check of a price in intervals
//
// Packages next to it:
//
//	subsample   tuning on a sample, then training (Koskela and Kulkarni, NeurIPS 2023)
//	threshold   searches by noisy threshold tests
//	firstabove  the first run that is good enough (Liu and Talwar, STOC 2019)
//	expost      candidates of different ε
//	adaptive    candidates proposed by the outputs of earlier runs
//	monotone    exact for Gaussian runs whose score is a strictly monotone function of the output
//
// [Target.Optimize] chooses the law and the noise together, in about a second. The comment of
// [PriceAt] has the time of a price.
//
// Every price makes these assumptions:
//
//   - K and all candidates are drawn without looking at the data or at other runs.
//   - Each run satisfies the base guarantee, whatever its hyper-parameters.
//   - Given its hyper-parameters, a run depends on no other run. It starts from none of their
//     models.
//   - The order that compares runs breaks ties without looking at the data.
//   - Scores that use private data are part of the run.
//   - Failed runs count as runs.
//   - K, the other runs and the wall clock stay secret.
//
// Left out on purpose: approximations that are not bounds. Neighbors differ by one added or removed
// example, unless a base declares another relation.
//
//	logarithmic, err := law.Logarithmic(10) // 10 runs on average
//	if err != nil { ... }
//	tuning := selection.BestOf{Law: logarithmic, Base: accounting.Gaussian{NoiseMultiplier: 1}}
//	price, err := selection.EventAt(tuning, 1e-5)
//	if err != nil { ... }
//	fmt.Println(price.Guarantee) // ε <= 6.08..., δ = 1e-05, ...
//	k, err := logarithmic.Distribution().Rand(rng)
package selection
