package gridlaw

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// Delta returns an upper bound of δ at epsilon >= 0 of a mechanism with finitely many outcomes, in
// its direction.
func (m Mechanism) Delta(epsilon float64) (float64, error) {
	atoms, infinite, ok := m.atoms()
	if !ok || !(epsilon >= 0) {
		return math.NaN(), fmt.Errorf("no list of outcomes, or no δ at ε = %g", epsilon)
	}
	var sum interval.Sum
	sum.Add(infinite)
	for _, a := range atoms {
		sum.Add(a.mass.Mul(interval.Of(epsilon).Sub(a.loss).Expm1().Neg().Positive()))
	}
	return sum.I().Hi, nil
}

// CheckOnce returns the check of ε of one run whose pair of laws is its own mirror image.
func CheckOnce(m Mechanism) func(epsilon, delta float64) (accounting.Certificate, error) {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		upper, err := m.Delta(epsilon)
		if err == nil && !(upper <= delta) {
			err = fmt.Errorf("the pair of laws has δ <= %g at ε = %g", upper, epsilon)
		}
		if err != nil {
			return accounting.Certificate{}, err
		}
		c := accounting.Certificate{Claim: "the privacy profile of a pair of laws", Epsilon: epsilon, DeltaUpper: upper, Work: len(m.With)}
		if m.Given != "" {
			c.Given = []string{m.Given}
		}
		return c, nil
	}
}
