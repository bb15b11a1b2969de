package selection

import "math"

// truncationBounds are the bounds for laws that stop at some number of runs, from the
// price of the law that does not.
func truncationBounds(law Distribution, base Base, delta float64) ([]Bound, error) {
	bounds, err := lemma22Bounds(law, base, delta)
	if err != nil {
		return nil, err
	}
	var inner Law
	var variation func(epsilon float64) (offset, slope float64)
	switch l := given(law).(type) {
	case Truncated:
		inner, variation = l.Law, l.variation()
	case Capped:
		inner, variation = l.Law, l.variation()
	default:
		return bounds, nil
	}
	if epsilon := variationEpsilon(inner.Distribution(), base, delta, variation); epsilon < math.Inf(1) {
		bounds = append(bounds, Bound{
			Name:    "total variation",
			Theorem: "the chance of more than Max runs in total variation (selection.Truncated.DeltaFrom, selection.Capped.DeltaFrom)",
			Method:  "price of the law without its limit, at a δ that leaves room for the chance of more runs",
			Epsilon: epsilon,
		})
	}
	return bounds, nil
}

// variationEpsilon solves offset(ε) + slope(ε) δ_A(ε) <= delta with δ_A the profile that the
// price of law gives. An ε is accepted only if its own room for the tail is enough.
func variationEpsilon(law Distribution, base Base, delta float64, variation func(epsilon float64) (offset, slope float64)) float64 {
	guess := 0.0
	for range 4 {
		offset, slope := variation(guess)
		if !(offset < delta/2) {
			return math.Inf(1)
		}
		epsilon := leastEpsilon(law, base, (delta-offset)/slope*(1-1e-12))
		if epsilon <= guess {
			return guess
		}
		guess = epsilon*(1+1e-7) + 1e-12
	}
	return math.Inf(1)
}

// leastEpsilon returns the least of the bounds that are usually the least.
func leastEpsilon(law Distribution, base Base, delta float64) float64 {
	least := math.Inf(1)
	for _, family := range []func(Distribution, Base, float64) ([]Bound, error){sharpenedBounds, lemma7Bounds, sharpenedProfileBounds, approximateBounds} {
		bounds, err := family(law, base, delta)
		if err != nil {
			continue
		}
		for _, b := range bounds {
			least = lesser(least, b.Epsilon)
		}
	}
	return least
}
