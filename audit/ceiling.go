package audit

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// ValidateClaim returns an error unless the claim is given, valid, and a ceiling at the points that
// are checked.
func ValidateClaim(claim Curve) error {
	if claim == nil || reflect.ValueOf(claim).Kind() == reflect.Pointer && reflect.ValueOf(claim).IsNil() {
		return errors.New("audit: claim is nil: must be a Curve")
	}
	if v, ok := claim.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return err
		}
	}
	switch claim.(type) {
	case EpsilonDelta, GDP, Profile, *EpsilonDelta, *GDP, *Profile: // symmetric by construction
		return nil
	}
	return checkCeiling(claim)
}

// checkCeiling checks a curve that is not this package's at a few points. The two-tail test and the
// law of the AUC need a symmetric curve. Tests of one run, with means over its canaries, need a
// concave one. All tests need FPR to invert TPR.
func checkCeiling(g Curve) error {
	const tol = 1e-6 // far above the rounding of a computed curve, far below a mistake
	last := 0.0
	points := []float64{0, 0.001, 0.01, 0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99, 1}
	for _, v := range points {
		t := g.TPR(v)
		switch {
		case !(t >= v-tol && t <= 1+tol):
			return fmt.Errorf("audit: claim %v: TPR(%g) is %g: must be in [%g, 1]", g, v, t, v)
		case t < last-tol:
			return fmt.Errorf("audit: claim %v: TPR falls to %g at %g: must grow", g, t, v)
		}
		if back := g.FPR(1 - v); !(math.Abs(back-(1-t)) <= tol) {
			return fmt.Errorf("audit: claim %v: FPR(%g) is %g, and TPR(%g) %g: must be symmetric, FPR(1-v) = 1-TPR(v)", g, 1-v, back, v, t)
		}
		if t < 1 {
			if back := g.FPR(t); !(back <= v+tol && g.TPR(back) >= t-tol) {
				return fmt.Errorf("audit: claim %v: FPR(%g) is %g: must be the least v with TPR(v) >= %g", g, t, back, t)
			}
		}
		last = t
	}
	for i := 1; i < len(points)-1; i++ {
		before, v, after := points[i-1], points[i], points[i+1]
		chord := (g.TPR(before)*(after-v) + g.TPR(after)*(v-before)) / (after - before)
		if t := g.TPR(v); t < chord-tol {
			return fmt.Errorf("audit: claim %v: TPR(%g) is %g, below the chord from %g to %g: must be concave", g, v, t, before, after)
		}
	}
	return nil
}
