package selection

import (
	"math"

	"github.com/dplab/dplab/accounting/rdp"
)

// mixture prices by privacy profiles.
func (s subsampled) mixture() ([]Bound, error) {
	inside, err := s.inside()
	if err != nil {
		return nil, err
	}
	outside := fate{
		quick: quickConversion(s.training.Curve),
		full:  func(delta float64) float64 { return s.training.Guarantee(delta).Epsilon.Upper },
	}
	return []Bound{{
		Name:    "mixture",
		Theorem: "privacy profiles of a mixture of two fates of one record (selection.mixtureEpsilon)",
		Method:  "privacy profiles of tuning and training, δ split between a record inside and outside the sample",
		Epsilon: mixtureEpsilon(s.TuningRate, s.delta, inside, outside),
	}}, nil
}

// inside is the fate of a record in the sample.
func (s subsampled) inside() (fate, error) {
	tuning, err := s.tuningCurve()
	if err != nil {
		return fate{}, err
	}
	price := func(delta float64) float64 {
		price, err := priceAt(s.law, s.base, delta)
		if err != nil {
			return math.Inf(1)
		}
		return price.Least().Epsilon
	}
	if s.Variant == RestOfData {
		return s.fateOf(tuning, price), nil
	}
	return s.fateOf(s.sum(tuning), func(delta float64) float64 { // the tuning, then the training
		split := price(delta/2) + s.training.Guarantee(delta/2).Epsilon.Upper
		if tuning == nil {
			return split
		}
		return lesser(split, conversion(s.sum(tuning), delta).Value)
	}), nil
}

// sum adds the training to a curve, if there is one.
func (s subsampled) sum(tuning rdp.Curve) rdp.Curve {
	if tuning == nil {
		return nil
	}
	return rdp.Sum(tuning, s.training.Curve)
}

// fateOf is quick by a curve. Without one it takes one run at δ/E[K], which is off by about a
// constant (the profile bounds have that form), for the search of a split alone.
func (s subsampled) fateOf(curve rdp.Curve, full func(delta float64) float64) fate {
	if curve != nil {
		return fate{quickConversion(curve), full}
	}
	run := quickConversion(s.base.Curve)
	return fate{func(delta float64) float64 { return run(delta / math.Max(1, s.law.Mean())) }, full}
}

// tuningCurve returns the least Rényi curve of the tuning, nil if its law has none that is quick.
func (s subsampled) tuningCurve() (rdp.Curve, error) {
	if _, fixed := s.Tuning.Law.(Fixed); !fixed && !isLogConvex(s.law) {
		return nil, nil
	}
	curve, err := RDP(s.Tuning.Law, s.base)
	if err != nil {
		return nil, err
	}
	published, _, err := publishedCurve(s.Tuning.Law, s.base)
	if err != nil || published == nil {
		return memoized(curve), err
	}
	return memoized(func(order float64) float64 { return lesser(curve(order), published(order)) }), nil
}
