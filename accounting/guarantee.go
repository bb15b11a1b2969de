package accounting

import (
	"fmt"
	"math"
)

// Guarantee is an (ε, δ)-differential-privacy guarantee: what is known of ε at one δ.
type Guarantee struct {
	Epsilon     Interval    // in nats; Epsilon.Upper is the guarantee
	Delta       float64     // δ in [0, 1)
	Neighboring Neighboring // which data sets are compared
	Method      string      // accountant and conversion, for instance "RDP, order 12.4, conversion of Canonne et al. 2020"
	Warnings    []error     // doubts that did not stop the computation
}

// String returns the guarantee in one line.
func (g Guarantee) String() string {
	return fmt.Sprintf("ε %v, δ = %g, %v, %s", g.Epsilon, g.Delta, g.Neighboring, g.Method)
}

// ValidateDelta returns an error unless delta is in (0, 1).
func ValidateDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("accounting: delta %g: must be in (0, 1)", delta)
	}
	return nil
}

// ValidateEpsilon returns an error unless epsilon is >= 0 and finite.
func ValidateEpsilon(epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("accounting: epsilon %g: must be >= 0 and finite", epsilon)
	}
	return nil
}
