package dpsgd

import "math"

// Schedule returns the factor on every learning rate at a step, counted from 0. It must be
// >= 0 and finite, the same each time it is asked, and must not depend on the data.
type Schedule func(step int) float64

// Constant is the factor 1 at every step.
func Constant() Schedule { return func(int) float64 { return 1 } }

// Cosine falls from 1 at step 0 along half a wave, to 0 at the given step and after it:
//
//	(1 + cos(π t/T)) / 2
//
// Reference: Loshchilov and Hutter (2017), arXiv:1608.03983v5, equation 5, one cycle.
func Cosine(steps int) Schedule {
	return func(t int) float64 {
		if t >= steps {
			return 0
		}
		return (1 + math.Cos(math.Pi*float64(t)/float64(steps))) / 2
	}
}

// StepDecay multiplies the factor by decay after every so many steps: decay^⌊t/every⌋.
// It stays 1 if every < 1.
func StepDecay(every int, decay float64) Schedule {
	return func(t int) float64 {
		if every < 1 {
			return 1
		}
		return math.Pow(decay, float64(t/every))
	}
}

// Warmup rises linearly over the first steps, (t+1)/(steps+1) at step t, and then follows
// another schedule from its own step 0; nil is the constant 1.
func Warmup(steps int, then Schedule) Schedule {
	return func(t int) float64 {
		if t < steps {
			return float64(t+1) / float64(steps+1)
		}
		if then == nil {
			return 1
		}
		return then(t - steps)
	}
}
