package audit_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
)

// Scores of any size, tied in any way, give numbers in their order or an error, at a confidence of
// one half or next to 1 and any δ: no panic, no NaN.
func TestExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) (scores []float64) {
		for range n {
			scores = append(scores, rng.NormFloat64()*[]float64{0, 1, 1e300, 1e-320}[rng.IntN(4)])
		}
		return scores
	}
	confidences, deltas := []float64{0.5, 0.7, 0.9, 0.95, 1 - 0x1p-53}, []float64{0, 5e-324, 1e-5, 0.5, 1 - 0x1p-53}
	reports, cases := 0, 80
	if testing.Short() {
		cases = 20
	}
	for range cases {
		scores := audit.Scores{Member: draw(1 + rng.IntN(12)), NonMember: draw(1 + rng.IntN(12))}
		cfg := audit.Config{Seed: 1, Confidence: confidences[rng.IntN(5)], Delta: deltas[rng.IntN(5)], ExpectedMu: []float64{0, 1e-9, 1, 50}[rng.IntN(4)]}
		if rng.IntN(2) == 0 {
			cfg.Guesses = rng.IntN(30)
		}
		for _, bounds := range []func(audit.Scores, audit.Config) (audit.Report, error){audit.Bounds, onerun.Bounds} {
			r, err := bounds(scores, cfg)
			if err != nil {
				continue
			}
			reports++
			if !(0 <= r.AUC.Lower && r.AUC.Lower <= r.AUC.Estimate && r.AUC.Estimate <= r.AUC.Upper && r.AUC.Upper <= 1) {
				t.Errorf("%v, %+v: AUC %v", scores, cfg, r.AUC)
			}
			for _, b := range r.Ordered() {
				if !(b.Epsilon >= 0) || math.IsInf(b.Epsilon, 1) || b.Epsilon > b.Ceiling {
					t.Errorf("%v, %+v: %s is %g, ceiling %g", scores, cfg, b.Name, b.Epsilon, b.Ceiling)
				}
			}
		}
	}
	if reports < cases/3 {
		t.Errorf("%d reports, want most of %d", reports, 2*cases)
	}
}
