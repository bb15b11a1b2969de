package selection

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
)

// The theorems that prices are made of, as their papers state them: second methods of the tests.

func TruncatedDelta(l law.Truncated, untruncated accounting.ApproxDP) (float64, error) {
	if err := errors.Join(l.Validate(), validateFrom(untruncated.Epsilon, untruncated.Delta)); err != nil {
		return 1, err
	}
	offset, slope := truncatedVariation(l)(untruncated.Epsilon)
	return clampDelta(offset + slope*untruncated.Delta), nil
}

func CappedDelta(l law.Capped, uncapped accounting.ApproxDP) (float64, error) {
	if err := errors.Join(l.Validate(), validateFrom(uncapped.Epsilon, uncapped.Delta)); err != nil {
		return 1, err
	}
	offset, slope := cappedVariation(l)(uncapped.Epsilon)
	return clampDelta(offset + slope*uncapped.Delta), nil
}

func Conditional(curve rdp.Curve, successProbability float64) (rdp.Curve, error) {
	if err := validateConditional(curve, successProbability); err != nil {
		return nil, err
	}
	return monotone(func(order float64) float64 { return proposition15(curve, successProbability, math.Inf(1), 1, order) }), nil
}

func clampDelta(delta float64) float64 {
	if !(delta < 1) {
		return 1
	}
	return delta
}
