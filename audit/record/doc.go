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
//   - the noise is as large as the spend says, in its declaration and in what was released,
//     and fresh for every query, compared with the 64 before it;
//   - all spends together are no more than the mechanism claims.
//
// Check knows nothing of engines: what is tested speaks to a [Session].
//
//	sum := func(d data.Dataset, s *record.Session) error {
//		release, err := s.Release(record.Query{Name: "sum", Sensitivity: 1, Value: clippedSum(d),
//			NoiseStdDev: 2, Spend: accounting.Gaussian{NoiseMultiplier: 2}})
//		...
//	}
//	report, err := record.Check(sum, d, neighbors, record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 2}})
//	if err != nil { ... }          // the check could not run
//	fmt.Println(report.Err())      // what was found; nil for nothing
//
// A mechanism must draw everything it draws by itself from the same streams on every run,
// such that an example's draws do not depend on the others' (sampling an example by a coin
// of its own, with the example that differs at the end). Check replays on D itself first
// and reports a mechanism that does not.
//
// What is found is a fault for sure, up to the chance of the noise tests (3e-9 a run). What
// is not found may still be there: the neighbors tried are those that were given, and the
// sampling rate of a spend is taken on trust. Package audit/game tests the whole instead.
package record
