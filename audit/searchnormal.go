package audit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

const normalSearchReference = "score test of the AUC of single runs, then thresholds on the best of K normal scores (derived in this package)"

// NormalOfSearch is [RankOfSearch] for scores that are N(0, 1) without the canary and N(µ, 1)
// with it, or a growing function of such ([AssumeNormalScoreSelects]): the bound on µ is that of
// [GDPAUC], with its confidence and its use of rng, and the bound on ε the largest that a threshold on the best
// of K such scores shows,
//
//	max over y of  ln (S(Φ(µ-y))-δ)/S(Φ(-y)),  ln (f(Φ(y))-δ)/f(Φ(y-µ)),  S(p) = 1 - f(1-p)
//
// Each term grows in µ, so that a lower bound on µ gives one on ε. level.Delta must be above 0.
func NormalOfSearch(single Scores, runs law.Law, level Level, rng *rand.Rand) (Bound, error) {
	d, err := law.Of(runs)
	f := check.In("audit: ")
	f.Below("runs", err)
	base, err := GDPAUC(single, level, rng)
	if err = errors.Join(f.Err(), err); err != nil {
		return Bound{}, err
	}
	b := NewBound("normal-of-search", AssumeNormalScoreSelects, level, normalSearchReference)
	b.Fixed, b.Warnings = base.Fixed, base.Warnings
	b.Epsilon = thresholdEpsilon(d, base.Mu, level.Delta)
	perfect := Scores{Member: slices.Repeat([]float64{1}, len(single.Member)), NonMember: make([]float64, len(single.NonMember))}
	most, err := GDPAUC(perfect, level, rng)
	if err != nil {
		return Bound{}, err
	}
	b.Ceiling = thresholdEpsilon(d, most.Mu, level.Delta)
	return b, nil
}

// thresholdEpsilon tries thresholds on a grid: any of them gives a lower bound. What rounding can add is taken off.
func thresholdEpsilon(runs law.Distribution, mu, delta float64) (epsilon float64) {
	const rounding = 1e-9
	for y := -9.0; y <= 9+mu; y += 1.0 / 64 {
		above := (runs.SuccessProbability(numeric.NormalCDF(mu-y)) - delta) / runs.SuccessProbability(numeric.NormalCDF(-y))
		below := (runs.PGF(numeric.NormalCDF(y)) - delta) / runs.PGF(numeric.NormalCDF(y-mu))
		for _, ratio := range []float64{above, below} {
			if ratio > 1 && !math.IsInf(ratio, 1) {
				epsilon = math.Max(epsilon, math.Log(ratio)-rounding)
			}
		}
	}
	return math.Max(0, epsilon)
}
