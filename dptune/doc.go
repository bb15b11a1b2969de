// Package dptune tunes hyper-parameters privately and states what that costs.
//
// A [Protocol] runs candidates, releases one output with its hyper-parameters, and states the price
// of the whole: the losers, the scores and the choice are counted. All protocols have the methods
// Validate, Event, Price, Statement and Run:
//
//	[Search]             the best of a random number of runs
//	[FirstAbove]         the first of them whose score is above a public threshold
//	[TuneThenTrain]      a Search on a sample of the records, then one training
//	[ThresholdSearch]    noisy threshold tests, of candidates proposed after earlier answers
//	[ExponentialSearch]  one noisy choice among candidates known beforehand
//
// The law that is drawn is the law that is priced. The price assumes that the number of runs, the
// losers and the running time stay secret. Errors of the library reveal none of them. The error of
// a [RunFunc] is returned with its text.
//
// A search runs a [Candidate]: a [CandidateFunc] of your code, or candidate.DPSGD. A
// [CachedCandidate] stores finished runs, for a search that is stopped. The base of the price is
// one run with its score. A score of data that must be protected is part of the run:
// [PrivateAccuracy] makes it private at next to no cost. If noise is truncated, as that of dpsgd, a
// part of δ is set aside (see [NoiseTruncated]).
//
// [Calibrate] returns any protocol with the least noise for a given ε of the whole. [Search.Plan]
// reports beforehand how many runs a search takes and how long. [Search.ExPostPrices] reports the
// cost of releasing each candidate, if their ε differ. A [Line] gives sampling rates and numbers of
// steps the noise that makes them cost nearly the same.
//
// Runs of a protocol from one secret root share no draw, unless they are the same run that is
// started again: see Search.Identity.
//
// Neighboring data sets differ by one added or removed example. Left out on purpose: a Search whose
// proposals depend on earlier scores. Its price is another; see ThresholdSearch.
//
//	search := dptune.Search[float64, Model]{
//		Law:       k, // from law.Logarithmic(10): 10 runs on average
//		Prior:     dptune.LogGrid(0.01, 1, 9),
//		Candidate: dptune.CandidateFunc(event, train),
//		Delta:     1e-5,
//		Unit:      "one labelled image",
//	}
//	release, err := search.Run(ctx, root)
//	fmt.Println(release.Statement)
package dptune
