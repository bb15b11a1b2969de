// Package record tests what a differentially private mechanism declares: it records a run
// on a data set D, replays it on neighbors D' that differ by one example, and compares.
//
// A mechanism that is private by composition asks queries, each with a declared
// sensitivity, adds noise, and goes on from what was released. On the replay every query
// gets the release of the recording, so that both runs stand at the same public state at
// every step, whatever the data are. Then, query by query:
//   - the exact answers differ by at most the declared sensitivity in L2, twice that where
//     an example was replaced;
//   - name, shape, sensitivity, noise and spend do not depend on the data, nor does the
//     number of queries, nor a public fact that the mechanism notes;
//   - no answer is NaN or infinite;
//   - the noise is declared as large as the spend says;
//   - what was drawn is independent standard normals of that size: variance and mean of all
//     draws, of each query and of each coordinate; correlations of every two coordinates, and
//     at every distance, within a query and across queries; the Kolmogorov distance from the
//     normal law; and how many draws lie beyond 0, 1, ..., 6 standard deviations;
//   - a neighbor moves no more of the answers than the spend's sampling rate lets it;
//   - what is published beside the releases follows from them, where the mechanism notes it;
//   - all spends together are no more than the mechanism claims.
//
// Neighbors that differ from the data by more than one example, or by none, are refused where the data show their examples.
// Report.NeighborsSeen says whether they did.
//
// [Run] knows nothing of engines: what is tested speaks to a [Session].
//
//	sum := func(d data.Dataset, s *record.Session) error {
//		release, err := s.Release(record.Query{Name: "sum", Sensitivity: 1, Value: clippedSum(d),
//			NoiseStdDev: 2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
//		...
//	}
//	report, err := record.Run(sum, d, neighbors, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}})
//	if err != nil { ... }          // the check could not run
//	fmt.Println(report.Err())      // what was found; nil for nothing
//
// A mechanism must draw everything it draws by itself from the same streams on every run,
// such that an example's draws do not depend on the others' (sampling an example by a coin
// of its own, with the example that differs at the end). [Run] replays on D itself first
// and reports a mechanism that does not.
//
// What is found is a fault for sure, up to chance, which accuses a mechanism that is as
// declared with Config.Significance at most, all tests of a check together, for any number of
// queries: by exact tails, Chernoff's bound and Massart's inequality.
//
// What is not found may still be there:
//   - the neighbors tried are those that were given;
//   - the noise may be off by less than so many draws can show: a standard deviation wrong by
//     a tenth takes some 3,000 draws, by a hundredth 300,000, noise cut at 3 standard
//     deviations 8,000, at 4 some 340,000. One and a half times the sampling rate takes some
//     100 queries at a rate of 0.6 and 12,500 at 0.01: check at a high rate;
//   - draws may depend on each other in ways that show in no such correlation: copied across
//     queries in another order, or with equal sizes and signs of their own;
//   - draws may be independent and normal, and known to somebody;
//   - an example may take part as often as declared, or more rarely, and not independently.
//
// Package audit/game tests the whole instead.
package record
