package paperaudit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/audit"
)

// The audit is that of the library, on scores with ties too.
func TestAudit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, score := range map[string]func(canary float64) float64{
		"normal": func(canary float64) float64 { return canary + rng.NormFloat64() },
		"ties":   func(canary float64) float64 { return math.Round(3 * (canary + rng.NormFloat64())) },
		"apart":  func(canary float64) float64 { return 100*canary + rng.NormFloat64() },
		"equal":  func(float64) float64 { return 7 },
	} {
		var s audit.Scores
		for range 300 {
			s.Member, s.NonMember = append(s.Member, score(1)), append(s.NonMember, score(0))
		}
		report, err := audit.Bounds(s, audit.Config{Seed: 1, Delta: 1e-5, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := report.Bound("gdp-clopper-pearson")
		got, err := New(300, audit.Config{Delta: 1e-5, Confidence: 0.9}).Epsilon(s)
		if err != nil || math.Abs(got-want.Epsilon) > 1e-9 {
			t.Errorf("%s: ε %g, error %v: want %g (audit.Bounds)", name, got, err, want.Epsilon)
		}
	}
}
