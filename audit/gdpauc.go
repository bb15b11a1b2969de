package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/tails"
)

const gdpAUCReference = "score test of the AUC with the exact binormal moments, under a Gaussian trade-off (derived in this package)"

// GDPAUC returns the lower bound on µ, and so on ε, from the area A under the ROC curve
// (ties count against the audit; [Scores.BreakTies] breaks them at random), if the mechanism is µ-GDP. It is the µ that solves
//
//	(A - θ)/√Var = z,  θ = Φ(µ/√2),  z = Φ^-1(confidence)
//	Var = [θ(1-θ) + (n1+n0-2)(Q-θ²)]/(n1 n0),  Q = E[Φ(µ-Z)²]
//
// the least favorable pair of µ-GDP being N(0,1) and N(µ,1). A says nothing of ε unless the
// trade-off is Gaussian: on Laplace noise with ε = 1 this bound is 3.2, on randomized response
// with ε = 3 it is 11.4 for 1,000 games of each class.
//
// Among bounds that see the order of the scores alone there is not much more to have: √n times the standard deviation of µ is at least
// 1.50, 1.77, 2.30 and 3.27 at µ = 1, 2, 3 and 3.95 for any of them, and 1.52, 1.77, 2.33 and 3.47 for this one. [NormalScores], which
// sees the scores themselves, has 1.50, 1.73, 2.06 and 2.43.
//
// With fewer than 200 games in a class the law of A, or of a statistic next to it, is simulated
// from rng, which may then not be nil, and the confidence holds exactly on average over the states
// of rng, and for nearly all of them. With more, the law is an approximation: the normal one, or at large µ
// the gamma law of the same three moments, up to where few pairs are lost (µ = 3.9 at 200 games of each class, 4.7 at 1,000, 3.2 at 200 against 2,000):
// there it is simulated, or if rng is nil the normal law is taken, which gives less.
func GDPAUC(scores Scores, level Level, rng *rand.Rand) (Bound, error) {
	s, err := newSample(scores)
	if err = errors.Join(err, level.Validate(), validateGDPDelta(level.Delta)); err != nil {
		return Bound{}, err
	}
	if rng == nil && simulates(len(s.member), len(s.nonMember)) {
		return Bound{}, fmt.Errorf("audit: rng is nil: must not be with fewer than %d games in a class", simulateBelow)
	}
	b := s.gdpAUC(level, rng)
	b.doubtTies(s.tiedShare())
	return b, nil
}

func (s sample) gdpAUC(level Level, rng *rand.Rand) Bound {
	b := NewBound("gdp-auc", AssumeGDP, level, gdpAUCReference)
	b.Fixed = "nothing to fix: the AUC needs no threshold"
	n1, n0 := len(s.member), len(s.nonMember)
	simulated := simulates(n1, n0)
	if !simulated {
		mu, beyond := muOfLosses(float64(n1)*float64(n0)-float64(s.wins()), n1, n0, level.Significance())
		b.finishGDP(mu, math.Max(mu, muOfPerfect(n1, n0, level.Significance())))
		simulated = beyond && rng != nil && refutingRank(level.Significance()) > 0
	}
	if simulated {
		law := newAUCLaw(n1, n0)
		b.finishGDP(law.largestMu(law.observe(s), level.Significance(), rng))
		b.Fixed += fmt.Sprintf("; its law from %d simulated audits", simulations)
	}
	return b
}

// wins counts the pairs in which the member is strictly above the non-member.
func (s sample) wins() int {
	var wins, below int
	for _, x := range s.member {
		for below < len(s.nonMember) && s.nonMember[below] < x {
			below++
		}
		wins += below
	}
	return wins
}

// muOfAUC returns the largest µ that the score test refutes, or 0.
func muOfAUC(auc float64, n1, n0 int, significance float64) float64 {
	// minus the test statistic grows with µ
	statistic := func(mu float64) float64 {
		theta, variance := binormalAUC(mu, n1, n0)
		return (theta - auc) / math.Sqrt(variance)
	}
	mu, _ := tails.LastBelowFrom(statistic, tails.NormalQuantile(significance), 0, 1, 60, 1e-10)
	return mu
}

// binormalAUC returns mean and variance of the empirical AUC of n1 draws from N(µ,1)
// against n0 from N(0,1). Both differences of near-ones are taken in the far tail:
// with φ = 1-θ = Φ(-µ/√2), θ(1-θ) = φ(1-φ) and Q-θ² = (1-2φ+R)-(1-φ)² = R-φ², where
// R = P[two differences that share one draw both fail] = Φ(h) - 2T(h, 1/√3), h = -µ/√2,
// T Owen's function.
func binormalAUC(mu float64, n1, n0 int) (theta, variance float64) {
	h := -mu / math.Sqrt2
	miss := numeric.NormalCDF(h)
	both := math.Max(miss*miss, miss-2*owenT(h, 1/math.Sqrt(3)))
	a, b := float64(n1), float64(n0)
	return 1 - miss, (miss*(1-miss) + (a+b-2)*(both-miss*miss)) / (a * b)
}

// owenT returns T(h, a) = 1/(2π) ∫_0^a exp(-h²(1+x²)/2)/(1+x²) dx, for 0 <= a <= 1, by two
// panels of the 15-point rule (error below 1e-15).
//
// Reference: Owen (1956), Annals of Mathematical Statistics 27(4).
func owenT(h, a float64) float64 {
	nodes := tails.Rule(tails.Rule(nil, 0, a/2), a/2, a)
	var sum float64
	for _, n := range nodes {
		sum += n.Kronrod * math.Exp(-h*h*(1+n.X*n.X)/2) / (1 + n.X*n.X)
	}
	return sum / (2 * math.Pi)
}
