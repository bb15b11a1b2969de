package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/audit/internal/tails"
)

// The whole true curve lies in the band with chance at least 0.95: over 100 audits the count
// of misses is exceeded by chance at most 1e-8 of the time.
func TestBandHoldsEverywhere(t *testing.T) {
	const audits = 100
	missed := 0
	for i := range audits {
		rng := rand.New(rand.NewPCG(uint64(i), 31))
		band := must(NewBand(nulls[5].draw(rng, 150), 0.95))
		for e := -400; e <= 0; e++ {
			v := tails.Logistic(float64(e) / 40)
			for _, v := range []float64{v, 1 - v} {
				truth := GDP{1}.TPR(v)
				if band.Lower.At(v) > truth+1e-12 || band.Upper.At(v) < truth-1e-12 {
					missed++
					e = 1
					break
				}
			}
		}
	}
	limit := tails.FirstTrue(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	if missed > limit {
		t.Errorf("the band missed the curve in %d of %d audits, want at most %d", missed, audits, limit)
	}
}

func TestBandEnclosesTheEmpiricalCurve(t *testing.T) {
	scores := referenceScores(t)
	band, roc := must(NewBand(scores, 0.95)), must(NewROC(scores))
	for i, v := range roc.FPR {
		if band.Lower.At(v) > roc.At(v) || band.Upper.At(v) < roc.TPR[i] {
			t.Errorf("at FPR %g the band [%g, %g] misses the curve %g", v, band.Lower.At(v), band.Upper.At(v), roc.At(v))
		}
	}
	if at := band.Upper.At(0.01) - band.Lower.At(0.01); at > 0.35 {
		t.Errorf("the band is %g wide at FPR 0.01 with 1000 games of each", at)
	}
}

// The lower bound on δ inverts the same test as the bound on ε.
func TestDeltaLowerInvertsTheBound(t *testing.T) {
	scores := gaussianScores(500, 2)
	b := must(RankTwoTail(scores, 2, Level{Delta: 0.01}))
	near(t, "δ at the bound on ε", must(DeltaLower(scores, b.Epsilon, 2, 0.95)), 0.01, 1e-4, "the bound on ε at δ = 0.01")
	if got := must(DeltaLower(scores, b.Epsilon+2, 2, 0.95)); got != 0 {
		t.Errorf("δ lower at a large ε = %g, want 0", got)
	}
}
