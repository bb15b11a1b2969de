// Package record tests what a differentially private mechanism declares. It records a run on a data
// set D, replays it on neighbors D' that differ by one example, and compares.
//
// A mechanism that is private by composition asks queries, each with a declared sensitivity. It
// adds noise, and goes on from what was released. On the replay every query gets the release of the
// recording. Both runs then have the same public state at every step, whatever the data are. The
// checks of each query are:
//   - The exact answers differ by at most the declared sensitivity in L2, or by twice that if an
//     example was replaced.
//   - Name, shape, sensitivity, noise and spend do not depend on the data. Neither does the number
//     of queries, nor a public fact that the mechanism notes.
//   - No answer is NaN or infinite.
//   - The declared noise is as large as the spend claims.
//   - The draws are independent standard normals of that size. Variance and mean are tested
//     over all draws, for each query and for each coordinate. Correlations are tested for every two
//     coordinates, and at every distance, within a query and across queries. Two more tests are the
//     Kolmogorov distance from the normal law and the number of draws beyond 0, 1, ..., 6 standard
//     deviations.
//   - A neighbor moves at most the share of answers that the spend's sampling rate allows. Of a
//     random allocation it moves one answer a period, at steps that change from period to period.
//   - Everything published next to the releases follows from them, if the mechanism notes it.
//   - All spends together are at most what the mechanism claims.
//
// Neighbors that differ from the data by more than one example, or by none, are refused if the data
// show their examples. Report.NeighborsSeen is true if they did.
//
// [Run] knows nothing of engines: a mechanism under test uses a [Session].
//
//	sum := func(d data.Dataset, s *record.Session) error {
//		release, err := s.Release(record.Query{Name: "sum", Sensitivity: 1, Value: clippedSum(d),
//			NoiseStdDev: 2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
//		...
//	}
//	claim := record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}}
//	report, err := record.Run(sum, d, neighbors, claim)
//	if err != nil { ... }          // the check could not run
//	fmt.Println(report.Err())      // what was found; nil for nothing
//
// A mechanism must draw everything that it draws by itself from the same streams on every run. An
// example's draws must not depend on the others'. For instance, sample each example by its own
// coin, with the example that differs at the end. [Run] replays on D itself first and reports a
// mechanism that differs.
//
// A reported fault is certain, up to chance. Chance accuses a mechanism that is as declared with
// probability at most Config.Significance. That covers all tests of a check together, for any
// number of queries: by exact tails, Chernoff's bound and Massart's inequality.
//
// Faults may remain that are not found:
//   - Only the given neighbors are tried.
//   - The error of the noise may be too small for the number of draws. A standard deviation wrong
//     by a tenth takes about 3,000 draws to show, by a hundredth 300,000. Noise cut at 3 standard
//     deviations takes 8,000, at 4 about 340,000. One and a half times the sampling rate takes
//     about 100 queries at a rate of 0.6 and 12,500 at 0.01: check at a high rate.
//   - Draws may depend on each other in ways that no such correlation shows. They may be copied
//     across queries in another order, or share sizes and signs in another pattern.
//   - Draws may be independent and normal, and known to somebody.
//   - An example may take part as often as declared, or more rarely, and not independently.
//   - Within a cut period of a random allocation, or within few periods, steps may be chosen with
//     other chances than declared.
//
// Package audit/game tests the whole instead.
//
// It promises nothing to other modules.
package record
