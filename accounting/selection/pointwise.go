package selection

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ranks"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// PointwiseAt returns the ε at delta of the best of K runs of base, by the ranks that the privacy
// profile of one run allows, one by one. K is drawn from law and kept secret. The bound holds for
// every law. It is the least over all known profiles; without profiles it uses the Rényi curve.
//
// The lists of ranks and of slopes raise it by some 1e-4. Apart from that it is never above the
// bounds "profile" and "sharpened profile", and mostly well below. Where E[K] δ is small, an
// explicit order of the outputs leaks within 1e-3 of it. No bound can then be much better.
//
// Elsewhere the ranks of the distinguishing outputs matter, as one order cannot give each of them
// its worst rank. The bound "interleaved" uses these ranks too. It is within 0.05 of what an order
// leaks (TestHowFarApart). For Gaussian runs of µ = 1 at δ = 1e-5:
//
//	law                 without    interleaved    an order leaks
//	10 runs             16.04      14.95          14.94
//	Poisson, mean 100   34.32      31.76          31.71
//
// The bound "interleaved" is left out if it lowers δ by less than some thousandths.
//
// It takes some milliseconds, and up to a tenth of a second with "interleaved". A profile that
// answers one question at a time is asked some hundred times.
//
// It returns +Inf if nothing is known, if the ε of a run at δ/E[K] is above 150, or if the price is
// above some 600.
//
// The files pointwise.go and interleaved.go in accounting/internal/ranks have the proofs.
func PointwiseAt(l law.Law, base baserun.Run, delta float64) (accounting.Bound, error) {
	k, base, err := prepared(l, base, delta)
	if err != nil {
		return accounting.NoBound(), err
	}
	least := accounting.Bound{Name: "pointwise", Epsilon: math.Inf(1)}
	bounds, err := interleavedBounds(k, base, delta)
	if err != nil {
		return accounting.NoBound(), err
	}
	for _, b := range bounds {
		if b.Epsilon < least.Epsilon {
			least = b.Bound
		}
	}
	least.Epsilon *= 1 + lastDigits
	return least, nil
}

// pointwiseBounds returns the bounds rank by rank, one for each profile of a run. Without profiles
// it uses the Rényi curve.
func pointwiseBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	return rankBounds(k, base, delta, false)
}

// interleavedBounds returns the same bounds. Each is followed by the bound with the ranks that the
// outputs take, where that is lower.
func interleavedBounds(k law.Distribution, base baserun.Run, delta float64) ([]found, error) {
	return rankBounds(k, base, delta, true)
}

func rankBounds(k law.Distribution, base baserun.Run, delta float64, withTaken bool) ([]found, error) {
	var bounds []found
	for _, known := range ranks.Around(base, delta/math.Max(1, k.Mean())) {
		at := known.EpsilonsAt(k, delta, withTaken)
		if math.IsInf(at.Pointwise, 1) {
			continue
		}
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:    "pointwise, " + known.Name,
			Theorem: "the ranks that the privacy profile allows, one by one (selection.PointwiseAt)",
			Method:  fmt.Sprintf("pointwise bound on the privacy profile of one run by %s", known.Name),
			Epsilon: at.Pointwise,
		}, Ask: pointwiseCheck(k, known, at, delta)})
		if math.IsInf(at.Interleaved, 1) {
			continue
		}
		bounds = append(bounds, found{Bound: accounting.Bound{
			Name:    "interleaved, " + known.Name,
			Theorem: "the ranks that the privacy profile allows, and those of the distinguishing outputs (selection.PointwiseAt)",
			Method:  fmt.Sprintf("interleaved bound on the privacy profile of one run by %s", known.Name),
			Epsilon: at.Interleaved,
		}, Ask: interleavedCheck(k, known, at, delta)})
	}
	return bounds, nil
}
