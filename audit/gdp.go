package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/tails"
)

// gaussianDelta is the rule of δ under a Gaussian trade-off.
var gaussianDelta = check.OpenUnit.With("for a Gaussian trade-off, which has no finite ε at δ = 0")

// EpsilonOfMu returns the ε at delta in (0, 1) of a µ-GDP mechanism, rounded down.
//
// Reference: Dong, Roth, Su (2022), arXiv:1905.02383v3, Corollary 2.13; computed by
// package accounting/gdp.
func EpsilonOfMu(mu, delta float64) (float64, error) {
	f := check.In("audit: ")
	f.Number("mu", mu, check.NotNegative)
	f.Number("delta", delta, gaussianDelta)
	if err := f.Err(); err != nil {
		return 0, err
	}
	return epsilonOfMu(mu, delta), nil
}

// epsilonOfMu trusts its arguments: the certified interval's lower end.
func epsilonOfMu(mu, delta float64) float64 {
	eps, err := gdp.EpsilonAt(math.Max(0, mu), delta)
	if err != nil {
		return 0 // no guarantee is the safe side of a lower bound
	}
	return math.Max(0, eps.Lower)
}

// finishGDP sets ε from µ, and the ceiling from its µ.
func (b *Bound) finishGDP(mu, ceilingMu float64) {
	b.Mu = math.Max(0, mu) // never the absolute value: a negative bound is not evidence
	b.Epsilon = epsilonOfMu(b.Mu, b.Delta)
	b.Ceiling = epsilonOfMu(math.Max(0, ceilingMu), b.Delta)
}

// GDPRank returns the lower bound on µ, and so on ε, if the mechanism is µ-GDP. It counts the
// members strictly above the (k+1)-th largest non-member score, with k fixed before the scores were
// seen. It is the exact test of [RankOneTail] with a Gaussian ceiling. Ties count against the
// audit.
func GDPRank(scores Scores, k int, cfg Config) (Bound, error) {
	s, err := topInput(scores, k, cfg)
	if err = errors.Join(err, validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	b := s.gdpRank(k, cfg)
	b.doubtTies(s.tiedShare())
	zero := GDP{2 * tails.NormalQuantile((1+cfg.Delta)/2)} // the largest µ with ε = 0: 2Φ(µ/2) - 1 = δ
	b.doubtCeiling(func(n int) bool { return k < n && oneTailP(zero, n, n, k, n) < cfg.Significance() })
	return b, nil
}

func (s sample) gdpRank(k int, cfg Config) Bound {
	n1, n0 := len(s.member), len(s.nonMember)
	bound := func(hits int) float64 {
		p := func(g Curve) float64 { return oneTailP(g, n1, n0, k, hits) }
		return gdpFamily.lowerBound(p, cfg.Significance())
	}
	b := NewBound("gdp-rank", AssumeGDP, cfg, rankReference)
	b.finishGDP(bound(s.top(k).hits), bound(n1))
	b.ChosenBefore = fmt.Sprintf("rank k = %d, stated as fixed beforehand", k)
	return b
}

// GDPClopperPearson returns the lower bound on µ, and so on ε, if the mechanism is µ-GDP. The
// test's threshold was fixed before the scores were seen.
//
//	µ = max( Φ^-1(1-FPR⁺) - Φ^-1(FNR⁺), 0 )
//
// FNR⁺ and FPR⁺ are Clopper-Pearson upper bounds at half of the significance each. A negative
// difference is not evidence and gives 0.
//
// Reference: Nasr et al. (2023), arXiv:2302.07956, Section 4.
func GDPClopperPearson(c Counts, cfg Config) (Bound, error) {
	if err := errors.Join(c.Validate(), cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	return muTest.fixed(c, cfg), nil
}

const gdpClopperPearsonReference = "Clopper-Pearson bounds on both error rates under a Gaussian trade-off; Nasr et al. (2023), arXiv:2302.07956"

// muOfRates returns the largest µ that upper bounds on the error rates refute. It may be negative.
func muOfRates(fnr, fpr float64) float64 {
	return tails.NormalUpperQuantile(fpr) - tails.NormalQuantile(fnr)
}

func validateGDPDelta(delta float64) error {
	return gaussianDelta.Of("audit: delta", delta)
}

const gdpAUCReference = "score test of the AUC with the exact binormal moments, under a Gaussian trade-off (derived in this package)"

// GDPAUC returns the lower bound on µ, and so on ε, from the area A under the ROC curve, if the
// mechanism is µ-GDP. Ties count against the audit; [Scores.BreakTies] breaks them at random. The
// bound is the µ that solves
//
//	(A - θ)/√Var = z,  θ = Φ(µ/√2),  z = Φ^-1(confidence)
//	Var = [θ(1-θ) + (n1+n0-2)(Q-θ²)]/(n1 n0),  Q = E[Φ(µ-Z)²]
//
// The least favorable pair of µ-GDP is N(0,1) and N(µ,1). A bounds no ε unless the trade-off is
// Gaussian. On Laplace noise with ε = 1 this bound is 3.2, and on randomized response with ε = 3 it
// is 11.4, for 1,000 games of each class.
//
// Bounds that see only the order of the scores can gain little more. For any of them, √n times the
// standard deviation of µ is at least 1.50, 1.77, 2.30 and 3.27 at µ = 1, 2, 3 and 3.95. Here it is
// 1.52, 1.77, 2.33 and 3.47. For [NormalScores], which sees the scores themselves, it is 1.50,
// 1.73, 2.06 and 2.43.
//
// With fewer than 200 games in a class, the law of A, or of a similar statistic, is simulated from
// rng, which must not be nil. The confidence then holds exactly on average over the states of rng,
// and for nearly all of them. With more games the law is an approximation: the normal law, or at
// large µ the gamma law of the same three moments. That applies up to where few pairs are lost: µ =
// 3.9 at 200 games of each class, 4.7 at 1,000, 3.2 at 200 against 2,000. Beyond, the law is
// simulated. If rng is nil, the normal law is used, which gives a smaller bound.
func GDPAUC(scores Scores, cfg Config, rng *rand.Rand) (Bound, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, cfg.Validate(), validateGDPDelta(cfg.Delta)); err != nil {
		return Bound{}, err
	}
	if rng == nil && auc.Simulates(len(s.member), len(s.nonMember)) {
		return Bound{}, fmt.Errorf("audit: rng is nil: must not be with fewer than %d games in a class", auc.SimulateBelow)
	}
	b := s.gdpAUC(cfg, rng)
	b.doubtTies(s.tiedShare())
	b.doubtCeiling(func(n int) bool {
		return epsilonOfMu(auc.MuOfPerfect(n, n, cfg.Significance()), cfg.Delta) > 0
	})
	return b, nil
}

func (s sample) gdpAUC(cfg Config, rng *rand.Rand) Bound {
	b := NewBound("gdp-auc", AssumeGDP, cfg, gdpAUCReference)
	b.ChosenBefore = "the AUC needs no threshold"
	n1, n0 := len(s.member), len(s.nonMember)
	simulated := auc.Simulates(n1, n0)
	if !simulated {
		mu, beyond := auc.MuOfLosses(float64(n1)*float64(n0)-float64(auc.Wins(s.member, s.nonMember)), n1, n0, cfg.Significance())
		b.finishGDP(mu, math.Max(mu, auc.MuOfPerfect(n1, n0, cfg.Significance())))
		simulated = beyond && rng != nil && auc.CanRefute(cfg.Significance())
	}
	if simulated {
		law := auc.NewLaw(n1, n0)
		b.finishGDP(law.LargestMu(law.Observe(s.member, s.nonMember), cfg.Significance(), rng))
		b.ChosenBefore += fmt.Sprintf("; its law from %d simulated audits", auc.Simulations)
	}
	return b
}
