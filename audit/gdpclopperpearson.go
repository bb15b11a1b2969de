package audit

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/audit/internal/tails"
)

// GDPClopperPearson returns the lower bound on µ, and so on ε, of a test whose threshold
// was fixed before the scores were seen, if the mechanism is µ-GDP.
//
//	µ = max( Φ^-1(1-FPR⁺) - Φ^-1(FNR⁺), 0 )
//
// FNR⁺ and FPR⁺ are Clopper-Pearson upper bounds at half of the significance each. A
// negative difference is no evidence and gives 0.
//
// Reference: Nasr et al. (2023), arXiv:2302.07956, Section 4.
func GDPClopperPearson(c Counts, level Level) (Bound, error) {
	if err := errors.Join(c.Validate(), level.Validate(), validateGDPDelta(level.Delta)); err != nil {
		return Bound{}, err
	}
	b := newBound("gdp-clopper-pearson", AssumeGDP, level, gdpClopperPearsonReference)
	b.Fixed = "the threshold, fixed beforehand"
	half := level.significance() / 2
	b.finishGDP(gdpClopperPearson(c, half), gdpClopperPearson(c.perfect(), half))
	return b, nil
}

const gdpClopperPearsonReference = "Clopper-Pearson bounds on both error rates under a Gaussian trade-off; Nasr et al. (2023), arXiv:2302.07956"

func validateGDPDelta(delta float64) error {
	if delta == 0 {
		return fmt.Errorf("audit: delta 0: must be > 0 for a bound under a Gaussian trade-off, which has no finite ε at δ = 0")
	}
	return nil
}

// gdpClopperPearson returns the bound on µ, which may be negative or -Inf.
func gdpClopperPearson(c Counts, significance float64) float64 {
	fnr := RateUpper(c.FalseNegatives, c.Members, significance)
	fpr := RateUpper(c.FalsePositives, c.NonMembers, significance)
	return muOfRates(fnr, fpr)
}

// muOfRates returns the largest µ that upper bounds on the error rates refute; it may be
// negative.
func muOfRates(fnr, fpr float64) float64 {
	return tails.NormalUpperQuantile(fpr) - tails.NormalQuantile(fnr)
}
