package exact

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
)

// Drift is the direction in which the gradient of the crafted loss pushes the parameter.
type Drift int

// The drifts. The zero value is Away.
const (
	// Away pushes away from the threshold h, which keeps the worlds apart. The paper describes it, and
	// its figures show it.
	Away Drift = iota
	// Toward pushes towards h, which lets the worlds meet: equation (3) as printed.
	Toward
	// Constant is a gradient that does not depend on the parameter (Example 1). A constant shift
	// reveals nothing, and so it is 0 here.
	Constant
)

// String returns "away", "toward" or "constant".
func (d Drift) String() string {
	switch d {
	case Away:
		return "away"
	case Toward:
		return "toward"
	case Constant:
		return "constant"
	}
	return fmt.Sprintf("Drift(%d)", int(d))
}

// Process is the pair of one-dimensional processes of an adversary who crafts one gradient, at the
// first step, and the loss landscape of all later steps. In units of the clip norm C:
//
//	θ_1     = Z_1            without the canary
//	θ_1     = 1 + Z_1        with it
//	θ_{t+1} = θ_t + d(θ_t) + Z_{t+1}/B,   Z_i ~ N(0, σ²)
//	d(x)    = ±1 for x > h = 1/2 and ∓1 otherwise
//
// The upper sign is Away, the lower one Toward. The paper's equation (3) is θ_{t+1} = θ_t -
// (g(θ_t)+Z_{t+1})/B with g = BC above h, which is Toward. A loss whose gradient is -BC above h
// gives Away.
//
// Reference: Cebere, Bellet, Papernot (2024), arXiv:2405.14457, Section 6, equation (3).
type Process struct {
	NoiseMultiplier float64 // σ > 0
	BatchSize       int     // B >= 1
	Drift           Drift
	// AverageFirst divides the first step by B too, and h with it, as DP-SGD does by equation (2) of
	// the paper. Equation (3) does not.
	AverageFirst bool
}

// The rules are written once: a simulation of many paths checks them for each path.
var noiseRule, stepsRule = check.Between(0.01, 1e6), check.Between(1, 10_000)

// Validate returns an error that names every field out of range.
func (p Process) Validate() error {
	f := check.In("exact: Process.")
	f.Number("NoiseMultiplier", p.NoiseMultiplier, noiseRule)
	f.That(p.BatchSize >= 1 && p.BatchSize <= 1_000_000, "BatchSize", p.BatchSize, "must be in [1, 1000000]")
	f.That(p.Drift >= Away && p.Drift <= Constant, "Drift", p.Drift, "must be Away, Toward or Constant")
	return f.Err()
}

// push is the drift above the threshold.
func (p Process) push() float64 {
	switch p.Drift {
	case Away:
		return 1
	case Toward:
		return -1
	}
	return 0
}

// first returns the standard deviation of the first step and the canary's shift.
func (p Process) first() (stdDev, shift float64) {
	if p.AverageFirst {
		return p.later(), 1 / float64(p.BatchSize)
	}
	return p.NoiseMultiplier, 1
}

// later is the standard deviation of every later step.
func (p Process) later() float64 { return p.NoiseMultiplier / float64(p.BatchSize) }

// Threshold returns h, half of the canary's shift.
func (p Process) Threshold() float64 {
	_, shift := p.first()
	return shift / 2
}

// Simulate returns one path θ_1, ..., θ_steps, in units of C. rng may not be nil.
func (p Process) Simulate(steps int, canary bool, rng *rand.Rand) ([]float64, error) {
	if err := errors.Join(p.Validate(), validateSteps(steps)); err != nil {
		return nil, err
	}
	if err := check.Given(rng != nil, "exact: rng", "must be a random stream"); err != nil {
		return nil, err
	}
	path := make([]float64, steps)
	p.walk(path, p.Threshold(), canary, rng)
	return path, nil
}

// walk fills in a path, with the ridge of the landscape at the given place.
func (p Process) walk(path []float64, ridge float64, canary bool, rng *rand.Rand) {
	stdDev, shift := p.first()
	x := stdDev * rng.NormFloat64()
	if canary {
		x += shift
	}
	for t := range path {
		if t > 0 {
			x += math.Copysign(1, x-ridge)*p.push() + p.later()*rng.NormFloat64()
		}
		path[t] = x
	}
}

func validateSteps(steps int) error {
	return stepsRule.Of("exact: steps", float64(steps))
}
