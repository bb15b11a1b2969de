package dpsgd

import (
	"errors"
	"fmt"
	"math"
)

// Optimizer turns the noisy sums into moves of the weights. The zero value is SGD. Whatever
// it does is post-processing of the noisy sums and has no part in privacy.
//
// With s_t the noisy sum of step t = 1, 2, ..., g_t = s_t/B, η_t the learning rate times the
// schedule's factor, and λ the WeightDecay:
//
//	SGD:   v ← m·v + s_t,  w ← (1 - η_t λ) w - η_t/B · v
//	Adam:  u ← β1 u + (1-β1) g_t,  v ← β2 v + (1-β2) g_t²
//	       w ← (1 - η_t λ) w - η_t · (u/(1-β1^t)) / (√(v/(1-β2^t)) + ε)
//
// References: Kingma and Ba (2015), arXiv:1412.6980v9, Algorithm 1; Loshchilov and Hutter
// (2019), arXiv:1711.05101v3, for the decay apart from the gradient.
type Optimizer struct {
	Rule UpdateRule

	// Of Adam, and 0 otherwise.
	Beta1   float64 // in (0, 1). 0 is 0.9.
	Beta2   float64 // in (0, 1). 0 is 0.999.
	Epsilon float64 // > 0. 0 is 1e-8. The noise in g² is not subtracted.

	// WeightDecay is λ >= 0, less than 1/LearningRate.
	WeightDecay float64
}

// UpdateRule selects how a noisy sum moves the weights.
type UpdateRule int

const (
	// SGD is stochastic gradient descent, with the config's Momentum.
	SGD UpdateRule = iota
	// Adam scales each coordinate by its own history.
	Adam
)

// String returns the name of the rule.
func (r UpdateRule) String() string {
	switch r {
	case SGD:
		return "SGD"
	case Adam:
		return "Adam"
	}
	return fmt.Sprintf("UpdateRule(%d)", int(r))
}

// validate returns every fault of the optimizer beside a config's learning rate and momentum, joined.
func (o Optimizer) validate(rate, momentum float64) error {
	var fault faults
	const field = "Optimizer."
	fault.unless(o.WeightDecay >= 0 && !math.IsInf(o.WeightDecay, 1), field+"WeightDecay", o.WeightDecay, "must be >= 0 and finite")
	fault.unless(!(o.WeightDecay*rate >= 1), field+"WeightDecay", o.WeightDecay, fmt.Sprintf("must be less than 1/LearningRate, %g", 1/rate))
	switch o.Rule {
	case SGD:
		const rule = "must be 0 unless the rule is Adam"
		fault.unless(o.Beta1 == 0, field+"Beta1", o.Beta1, rule)
		fault.unless(o.Beta2 == 0, field+"Beta2", o.Beta2, rule)
		fault.unless(o.Epsilon == 0, field+"Epsilon", o.Epsilon, rule)
	case Adam:
		fault.unless(momentum == 0, "Momentum", momentum, "must be 0 when Optimizer.Rule is Adam (see Beta1)")
		fault.unless(o.Beta1 >= 0 && o.Beta1 < 1, field+"Beta1", o.Beta1, "must be in (0, 1), or 0 for 0.9")
		fault.unless(o.Beta2 >= 0 && o.Beta2 < 1, field+"Beta2", o.Beta2, "must be in (0, 1), or 0 for 0.999")
		fault.unless(o.Epsilon == 0 || representable(o.Epsilon), field+"Epsilon", o.Epsilon, "must be in [1e-18, 1e18], or 0 for 1e-8")
	default:
		fault.unless(false, field+"Rule", o.Rule, "must be SGD or Adam")
	}
	return errors.Join(fault...)
}

// withDefaults fills in what is not given to Adam.
func (o Optimizer) withDefaults() Optimizer {
	given := func(value, otherwise float64) float64 {
		if value == 0 {
			return otherwise
		}
		return value
	}
	o.Beta1, o.Beta2, o.Epsilon = given(o.Beta1, 0.9), given(o.Beta2, 0.999), given(o.Epsilon, 1e-8)
	return o
}
