package audit

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

// The least favorable pair.
//
// A claim is a ceiling G on the ROC. Let T be a statistic of the ranks that grows when a member
// score rises or a non-member score falls. Give every score its survival rank among the
// non-members' law: u = P[non-member >= score]. It has no atoms once ties are broken at random.
// Non-members have u uniform. Members have P[u <= v] = ROC(v) <= G(v), and their u can be coupled
// to lie above a u* with law exactly G. Hence T is stochastically largest under the one pair
// (uniform, G). The composite claim has become a simple null hypothesis without nuisance
// parameters, and P[T >= observed] under it is a valid p-value.
//
// Ties in the data are broken at random beforehand, or count against the audit (ties.go has the
// proofs).

// quadratureTolerance is the absolute error asked of p-values. The estimate of the error is added
// to the p-value. At significance 0.05 it moves ε by about 1e-6.
const quadratureTolerance = 1e-7

// oneTailP returns the p-value of the claim g when hits of n1 members lie strictly above
// the (k+1)-th largest of n0 non-members:
//
//	p = P[Bin(n1, G(V)) >= hits],  V ~ Beta(k+1, n0-k)
//	  = E[ P[V >= G^-1(B)] ],      B ~ Beta(hits, n1-hits+1)
//
// The second line holds since P[Bin(n, x) >= s] = P[B <= x]. Its integrand has a kink where G has
// one, and the quadrature is split there. The error estimate is added to p.
func oneTailP(g Curve, n1, n0, k, hits int) float64 {
	if hits <= 0 {
		return 1
	}
	var kinks []float64
	for _, v := range g.Kinks() {
		kinks = append(kinks, g.TPR(v))
	}
	kinks = append(kinks, g.TPR(0))
	law := tails.NewBetaLaw(float64(hits), float64(n1-hits+1))
	return law.Expectation(func(x float64) float64 { return tails.BinomialLower(k, n0, g.FPR(x)) }, quadratureTolerance, kinks...)
}

// family is a null hypothesis for each value of one parameter, with ceilings that grow in it.
type family struct {
	curve func(theta float64) Curve
	limit float64 // the parameter is searched in [0, limit]
}

func epsilonFamily(delta float64) family {
	return family{func(eps float64) Curve { return EpsilonDelta{eps, delta} }, 650}
}

var gdpFamily = family{func(mu float64) Curve { return GDP{mu} }, 70}

// lowerBound returns the largest parameter that p refutes at the significance, rounded
// down to 1e-8, or 0.
func (f family) lowerBound(p func(Curve) float64, significance float64) float64 {
	logP := func(theta float64) float64 { return numeric.Log(math.Max(p(f.curve(theta)), 1e-300)) }
	theta, _ := tails.LastBelowFrom(logP, numeric.Log(significance), 0, 1, f.limit, 1e-8)
	return theta
}

const rankReference = "least favorable pair of the claim's ROC ceiling, exact law of ranks (derived in this package)"

// RankOneTail returns the lower bound on ε from the number of members strictly above the (k+1)-th
// largest non-member score. k must be fixed before the scores were seen. It assumes nothing of the
// mechanism, and its confidence is not shared between two error rates. Ties count against the
// audit; [Scores.BreakTies] breaks them at random.
func RankOneTail(scores Scores, k int, cfg Config) (Bound, error) {
	s, err := topInput(scores, k, cfg)
	if err != nil {
		return Bound{}, err
	}
	b := s.rankOneTail(k, cfg)
	b.doubtCeiling(func(n int) bool {
		return k < n && oneTailP(EpsilonDelta{Delta: cfg.Delta}, n, n, k, n) < cfg.Significance()
	})
	return b, nil
}

func (s sample) rankOneTail(k int, cfg Config) Bound {
	n1, n0 := len(s.member), len(s.nonMember)
	bound := func(hits int) float64 {
		p := func(g Curve) float64 { return oneTailP(g, n1, n0, k, hits) }
		return epsilonFamily(cfg.Delta).lowerBound(p, cfg.Significance())
	}
	b := NewBound("rank-one-tail", AssumeNothing, cfg, rankReference)
	b.Epsilon = bound(s.top(k).hits)
	b.Ceiling = bound(n1)
	b.ChosenBefore = fmt.Sprintf("rank k = %d, stated as fixed beforehand", k)
	return b
}

// RankOneTailP returns the p-value of a claim by the test of [RankOneTail]. With an error it is 1.
func RankOneTailP(scores Scores, claim Curve, k int) (float64, error) {
	if err := ValidateClaim(claim); err != nil {
		return 1, err
	}
	s, err := topInput(scores, k, Config{})
	if err != nil {
		return 1, err
	}
	return oneTailP(claim, len(s.member), len(s.nonMember), k, s.top(k).hits), nil
}
