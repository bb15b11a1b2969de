package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PointwiseAt returns the ε at delta of the best of K runs of base, K drawn from law and kept
// secret, by the ranks that the privacy profile of one run allows, one by one. It is the least over
// what is known of the profile, and holds for every law. Its lists of ranks and of slopes raise it
// by some 1e-4; beside that it is never above the bounds "profile" and "sharpened profile", and
// mostly well below. An explicit order of the outputs comes within 1e-3 of it where E[K] δ is
// small: nothing better can then be hoped for. Elsewhere the ranks count that the outputs take
// which tell the data sets apart, since one order cannot give each its worst rank. The bound
// "interleaved" counts them too, and comes within 0.05 of what an order leaks (TestHowFarApart):
// Gaussian runs of µ = 1 at δ = 1e-5 cost 14.95 for 10 runs, 16.04 without, and an order leaks
// 14.94; 31.76 for the Poisson law of mean 100, 34.32 without, 31.71. Where these ranks lower δ by
// less than some thousandths it is left out. All takes some milliseconds, up to a tenth of a second
// with these ranks, and a hundred questions to a profile that answers one at a time.
//
// It asks the profiles of a run, and its Rényi curve where there are none. The proofs stand in
// accounting/internal/ranks: pointwise.go and interleaved.go.
//
// +Inf if nothing is known: a run whose ε at δ/E[K] is above 150 is not looked at, nor an ε above
// about 600.
func PointwiseAt(l law.Law, base baserun.Run, delta float64) (accounting.Bound, error) {
	k, err := validatePair(l, base)
	if err != nil {
		return accounting.NoBound(), err
	}
	if err := accounting.ValidateDelta(delta); err != nil {
		return accounting.NoBound(), fmt.Errorf("selection: %w", err)
	}
	least := accounting.Bound{Name: "pointwise", Epsilon: math.Inf(1)}
	bounds, err := interleavedBounds(k, base.Prepared(), delta)
	if err != nil {
		return accounting.NoBound(), err
	}
	for _, b := range bounds {
		if b.Epsilon < least.Epsilon {
			least = b
		}
	}
	least.Epsilon *= 1 + lastDigits
	return least, nil
}

// pointwiseBounds are the bounds rank by rank, one for each profile of a run; from its Rényi curve
// if there is none.
func pointwiseBounds(k law.Distribution, base baserun.Run, delta float64) ([]accounting.Bound, error) {
	return rankBounds(k, base, delta, false)
}

// interleavedBounds are the same, and after each the one with the ranks that the outputs take,
// where it is lower.
func interleavedBounds(k law.Distribution, base baserun.Run, delta float64) ([]accounting.Bound, error) {
	return rankBounds(k, base, delta, true)
}

func rankBounds(k law.Distribution, base baserun.Run, delta float64, withTaken bool) ([]accounting.Bound, error) {
	var bounds []accounting.Bound
	for _, known := range ranks.Around(base, delta/math.Max(1, k.Mean())) {
		pointwise, interleaved := known.EpsilonsAt(k, delta, withTaken)
		if math.IsInf(pointwise, 1) {
			continue
		}
		bounds = append(bounds, accounting.Bound{
			Name:    "pointwise, " + known.Name,
			Theorem: "the ranks that the privacy profile allows, one by one (selection.PointwiseAt)",
			Method:  fmt.Sprintf("pointwise bound on the privacy profile of one run by %s", known.Name),
			Epsilon: pointwise,
		})
		if math.IsInf(interleaved, 1) {
			continue
		}
		bounds = append(bounds, accounting.Bound{
			Name:    "interleaved, " + known.Name,
			Theorem: "the ranks that the privacy profile allows, and those that the outputs that matter take (selection.PointwiseAt)",
			Method:  fmt.Sprintf("interleaved bound on the privacy profile of one run by %s", known.Name),
			Epsilon: interleaved,
		})
	}
	return bounds, nil
}
