// Package ranks bounds the best of K runs by the ranks that outputs can have. It uses the privacy
// profile of one run: the profile limits how far the rank of an output moves between neighboring
// data.
//
//	pointwise.go     the theorem for the ranks that the profile allows, one by one, and its proof
//	interleaved.go   the theorem for the ranks that the outputs take, and its proof
//	lines.go         the largest mass P(p), as lines
//	curve.go, hull.go, places.go   computation of both
//
// [Around] makes [Bounds] of a run. Prices of package selection and of the packages next to it use
// them.
package ranks
