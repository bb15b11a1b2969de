package accounting

import (
	"fmt"
	"math"
)

// Laplace is one release of a vector of L1 sensitivity 1 with Laplace noise of scale
// NoiseMultiplier in each coordinate, density e^{-|x|/b}/(2b). It is (1/b, 0)-private.
type Laplace struct {
	NoiseMultiplier float64 // b > 0, the noise scale over the L1 sensitivity
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (e Laplace) Validate() error {
	return validatePositive("Laplace.NoiseMultiplier", e.NoiseMultiplier)
}

// String describes the event.
func (e Laplace) String() string { return fmt.Sprintf("Laplace(b=%g)", e.NoiseMultiplier) }

// RandomizedResponse reports one private bit truthfully with probability Truth, and its
// opposite otherwise. It is (log(Truth/(1-Truth)), 0)-private in the bit.
type RandomizedResponse struct {
	Truth float64 // in [1/2, 1)
}

// Validate returns an error unless the probability is in [1/2, 1).
func (e RandomizedResponse) Validate() error {
	if !(e.Truth >= 0.5 && e.Truth < 1) {
		return fmt.Errorf("accounting: RandomizedResponse.Truth %g: must be in [0.5, 1)", e.Truth)
	}
	return nil
}

// String describes the event.
func (e RandomizedResponse) String() string {
	return fmt.Sprintf("RandomizedResponse(p=%g)", e.Truth)
}

// Epsilon returns the least ε for which the event is (ε, 0)-private, in nats.
func (e RandomizedResponse) Epsilon() float64 { return math.Log(e.Truth) - math.Log1p(-e.Truth) }

// PureDP is any mechanism with (Epsilon, 0)-differential privacy, of which nothing else is
// known.
type PureDP struct {
	Epsilon float64 // in nats, > 0
}

// Validate returns an error unless epsilon is positive and finite.
func (e PureDP) Validate() error { return validatePositive("PureDP.Epsilon", e.Epsilon) }

// String describes the event.
func (e PureDP) String() string { return fmt.Sprintf("PureDP(ε=%g)", e.Epsilon) }

// ApproxDP is any mechanism with (Epsilon, Delta)-differential privacy, of which nothing
// else is known.
type ApproxDP struct {
	Epsilon float64 // in nats, >= 0
	Delta   float64 // in (0, 1)
}

// Validate returns an error unless epsilon is >= 0 and finite and delta is in (0, 1).
func (e ApproxDP) Validate() error {
	if err := ValidateEpsilon(e.Epsilon); err != nil {
		return fmt.Errorf("accounting: ApproxDP.Epsilon %g: must be >= 0 and finite", e.Epsilon)
	}
	if err := ValidateDelta(e.Delta); err != nil {
		return fmt.Errorf("accounting: ApproxDP.Delta %g: must be in (0, 1)", e.Delta)
	}
	return nil
}

// String describes the event.
func (e ApproxDP) String() string { return fmt.Sprintf("ApproxDP(ε=%g, δ=%g)", e.Epsilon, e.Delta) }

// ZCDP is any mechanism with Rho-zero-concentrated differential privacy (Bun and Steinke
// 2016, arXiv:1605.02065v1, Definition 1.1), of which nothing else is known.
type ZCDP struct {
	Rho float64 // ρ in nats, > 0
}

// Validate returns an error unless rho is positive and finite.
func (e ZCDP) Validate() error { return validatePositive("ZCDP.Rho", e.Rho) }

// String describes the event.
func (e ZCDP) String() string { return fmt.Sprintf("ZCDP(ρ=%g)", e.Rho) }

func validatePositive(field string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("accounting: %s %g: must be > 0 and finite", field, x)
	}
	return nil
}
