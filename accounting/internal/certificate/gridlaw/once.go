package gridlaw

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/interval"
)

// CheckOnce returns the check of ε of one run whose pair of laws is its own mirror image, by its δ.
func CheckOnce(m Mechanism) func(epsilon, delta float64) (accounting.Certificate, error) {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		upper := m.delta(interval.Of(epsilon))
		if !(upper <= delta) {
			return accounting.Certificate{}, fmt.Errorf("the pair of laws has δ <= %g at ε = %g", upper, epsilon)
		}
		c := accounting.Certificate{Claim: "the privacy profile of a pair of laws", Epsilon: epsilon, DeltaUpper: upper, Work: len(m.With)}
		if m.Given != "" {
			c.Given = []string{m.Given}
		}
		return c, nil
	}
}
