// Package dptune tunes hyper-parameters privately and says what that costs.
//
// A [Search] draws the number of runs K from a law, draws K hyper-parameters without
// looking at the data, runs a [Candidate] with each, and releases the best output with
// its hyper-parameters and an [accounting.Statement] that prices the whole: the law that
// was drawn is the law that was priced. K, the losing runs and the running time stay
// hidden, since the price rests on that.
//
// The base of the price is one run with its score. A score that was computed on data
// that must be protected is part of the run: see [PrivateAccuracy], which makes a
// validation score private at next to no cost.
//
// A candidate whose noise is truncated, as that of dpsgd, tells so by [NoiseTruncated]: that
// much of δ is set aside for each run, and the statement says what it comes to.
//
// Candidates of different ε have prices of their own: Search.ExPost says what the release of each costs.
//
// A [FirstAbove] stops at the first run whose score is at least a public threshold, and costs less.
//
// A [ThresholdSearch] compares scores with noisy thresholds instead: its price does not grow
// with the number of candidates, and candidates may be proposed adaptively. An
// [ExponentialSearch] chooses once among candidates that are known beforehand.
//
// [Calibrate] returns the search with the least noise for a given ε of the whole. [Search.Plan] says
// beforehand how many runs a search takes, and how long, without drawing anything. [EachKept] keeps
// runs that have finished, for when the search is stopped.
//
// Runs of a protocol from one secret root share no draw, unless they are the same run that is
// taken up again: see Search.Identity. Errors tell neither K nor which runs lost.
//
// Neighboring data sets differ by one added or removed example. Left out on purpose:
// searches whose proposals depend on earlier scores themselves; their price is another.
//
//	search := dptune.Search[float64, Model]{
//		Law:       law, // for instance law.TNB, logarithmic, 10 runs in the mean
//		Prior:     dptune.LogGrid(0.01, 1, 9),
//		Candidate: dptune.Each(event, train),
//		Delta:     1e-5,
//		Unit:      "one labelled image",
//	}
//	release, err := search.Run(ctx, root)
//	fmt.Println(release.Statement)
package dptune
