package audit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

// Audit a selection by runs that are not selected from.
//
// A search makes K runs and releases the one with the highest score. Let the adversary's score be
// the one that selects, or grow with it. Then the adversary sees the largest of K scores of single
// runs. Its distribution function is f(F), with f(x) = E[x^K] and F the function of one run. A
// threshold with rates (FPR, TPR) for single runs has for the search the rates
//
//	FPR_H = S(FPR),  TPR_H = S(TPR),  S(p) = 1 - f(1-p)
//
// If the search is under a ceiling G, single runs are under
//
//	Ĝ(v) = S⁻¹(G(S(v)))
//
// A claim on the search is then a claim on single runs, and each run is its own game. That takes
// E[K] times fewer runs, and needs no K with a heavy tail. Ĝ grows, and need not be symmetric or
// concave: the one-tail test asks for neither. S covers a search without runs (K = 0) too: S(1) = 1
// - f(0).
//
// Ties are not broken at random here. A search shows the value of the score and not which of equal
// runs won. Between the values of a discrete score its ROC is then a chord, which may lie far below
// Ĝ's image. A score of two values that is 1 in one run of three reveals next to nothing once the
// best of 20 is taken. Counted strictly, ties are against the audit and do no harm. Let t be the
// value of the (k+1)-th largest non-member, and P₀ and P₁ the chances of a score above it. Then P₁
// <= Ĝ(P₀). Ordered with random ties, that non-member has rank V ~ Beta(k+1, n0-k) and V >= P₀. The
// members above t are Bin(n1, P₁), and P₁ <= Ĝ(P₀) <= Ĝ(V). That is at most what [oneTailP]
// assumes.
// with.

// searched is the ceiling Ĝ of single runs. It is not a Curve to claim: it is not symmetric.
type searched struct {
	claim Curve
	runs  law.Distribution
}

// TPR returns Ĝ(v).
func (s searched) TPR(v float64) float64 {
	return s.single(s.claim.TPR(s.runs.SuccessProbability(v)))
}

// FPR returns the least v with Ĝ(v) >= t, or a little less.
func (s searched) FPR(t float64) float64 {
	return s.single(s.claim.FPR(s.runs.SuccessProbability(t)))
}

// Kinks returns the places of the claim's kinks.
func (s searched) Kinks() (kinks []float64) {
	for _, v := range s.claim.Kinks() {
		if v = s.single(v); v > 0 && v < 1 {
			kinks = append(kinks, v)
		}
	}
	return kinks
}

// String names the claim.
func (s searched) String() string {
	return fmt.Sprintf("%v of a search over %v", s.claim, s.runs.Law())
}

// single returns S⁻¹(p), or a little less: 0 below 1e-300, and 1 from S(1) on.
func (s searched) single(p float64) float64 {
	if p >= s.runs.SuccessProbability(1) {
		return 1
	}
	lo, hi := numeric.Log(1e-300), 0.0
	if !(p > s.runs.SuccessProbability(1e-300)) {
		return 0
	}
	for range 60 {
		if mid := (lo + hi) / 2; s.runs.SuccessProbability(math.Exp(mid)) <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}

const searchedReference = "the claim on the best of K pulled back to one run through the generating function of K, exact law of ranks (derived in this package)"

// RankOfSearch returns a lower bound on the ε of a search from scores of single runs, one run a
// game. The search draws K from a law, makes K runs, and releases the one with the highest score.
// The audited score must be the one that selects, or a growing function of it
// ([AssumeScoreSelects]).
//
// The test is that of [RankOneTail] with the (k+1)-th largest non-member as its threshold, k fixed
// before the scores were seen. Ties count against it. A k of about nine tenths of the non-members
// is a fair choice: the best of many runs seldom has a low score, and that distinguishes the
// worlds. For normal scores, 1,000 of each, at δ = 1e-5, K logarithmic with mean 21.5 and µ = 0.5,
// the bound is about 0.67. A k below a half gives 0.27 to 0.50, and the true ε is 2.33.
func RankOfSearch(single Scores, runs law.Law, k int, cfg Config) (Bound, error) {
	s, d, err := searchInput(single, runs, k, cfg)
	if err != nil {
		return Bound{}, err
	}
	n1, n0 := len(s.member), len(s.nonMember)
	if err := checkEnough(n1, n0, cfg); err != nil {
		return Bound{}, err
	}
	bound := func(times, hits int) float64 {
		p := func(g Curve) float64 { return oneTailP(searched{g, d}, times*n1, times*n0, times*k, hits) }
		return epsilonFamily(cfg.Delta).lowerBound(p, cfg.Significance())
	}
	b := NewBound("rank-of-search", AssumeScoreSelects, cfg, searchedReference)
	b.Epsilon = bound(1, s.top(k).hits)
	if b.Ceiling = bound(1, n1); b.Ceiling == 0 {
		b.Warnings = append(b.Warnings, tooFewForSearch(n1, n0, k, func(times int) bool { return bound(times, times*n1) > 0 }))
	}
	b.ChosenBefore = fmt.Sprintf("rank k = %d of single runs, stated as fixed beforehand", k)
	if share := s.tiedShare(); share >= 0.01 {
		b.Warnings = append(b.Warnings, fmt.Errorf("%.3g %% of the scores are tied: ties count against the audit of a search", 100*share))
	}
	return b, nil
}

// tooFewForSearch warns that perfect scores of so few games would show nothing. It adds how many
// times as many would be enough.
func tooFewForSearch(n1, n0, k int, enough func(times int) bool) error {
	const most = 256
	for times := 2; times <= most; times *= 2 {
		if enough(times) {
			return fmt.Errorf("rank-of-search: perfect scores of %d member and %d non-member games at k = %d would not show an ε above 0: %d times as many would, at %d times the k", n1, n0, k, times, times)
		}
	}
	return fmt.Errorf("rank-of-search: perfect scores of %d member and %d non-member games at k = %d would not show an ε above 0, nor would %d times as many", n1, n0, k, most)
}

// RankOfSearchP returns the p-value of a claim on the search by the test of [RankOfSearch]. With an
// error it is 1.
func RankOfSearchP(single Scores, runs law.Law, claim Curve, k int) (float64, error) {
	s, d, err := searchInput(single, runs, k, Config{})
	if err = errors.Join(err, ValidateClaim(claim)); err != nil {
		return 1, err
	}
	return oneTailP(searched{claim, d}, len(s.member), len(s.nonMember), k, s.top(k).hits), nil
}

// searchInput checks the input of a test of a search. Ties stay.
func searchInput(single Scores, runs law.Law, k int, cfg Config) (sample, law.Distribution, error) {
	s, err := newSample(single)
	f := check.In("audit: ")
	f.Add(err)
	f.Add(cfg.Validate())
	d, err := law.Of(runs)
	f.Below("runs", err)
	if f.Err() != nil {
		return s, d, f.Err()
	}
	return s, d, checkRank(k, len(s.nonMember), len(s.nonMember))
}

const normalSearchReference = "score test of the AUC of single runs, then thresholds on the best of K normal scores (derived in this package)"

// NormalOfSearch is [RankOfSearch] for scores that are N(0, 1) without the canary and N(µ, 1) with
// it, or a growing function of such ([AssumeNormalScoreSelects]). The bound on µ is that of
// [GDPAUC], with its confidence and its use of rng. The bound on ε is the largest that a threshold
// on the best of K such scores shows:
//
//	max over y of  ln (S(Φ(µ-y))-δ)/S(Φ(-y)),  ln (f(Φ(y))-δ)/f(Φ(y-µ)),  S(p) = 1 - f(1-p)
//
// Each term grows in µ. So a lower bound on µ gives one on ε. cfg.Delta must be above 0.
func NormalOfSearch(single Scores, runs law.Law, cfg Config, rng *rand.Rand) (Bound, error) {
	d, err := law.Of(runs)
	f := check.In("audit: ")
	f.Below("runs", err)
	base, err := GDPAUC(single, cfg, rng)
	if err = errors.Join(f.Err(), err); err != nil {
		return Bound{}, err
	}
	if err := checkEnough(len(single.Member), len(single.NonMember), cfg); err != nil {
		return Bound{}, err
	}
	b := NewBound("normal-of-search", AssumeNormalScoreSelects, cfg, normalSearchReference)
	b.ChosenBefore, b.Warnings = base.ChosenBefore, base.Warnings
	b.Epsilon = thresholdEpsilon(d, base.Mu, cfg.Delta)
	perfect := Scores{Member: slices.Repeat([]float64{1}, len(single.Member)), NonMember: make([]float64, len(single.NonMember))}
	most, err := GDPAUC(perfect, cfg, rng)
	if err != nil {
		return Bound{}, err
	}
	b.Ceiling = thresholdEpsilon(d, most.Mu, cfg.Delta)
	return b, nil
}

// thresholdEpsilon tries thresholds on a grid. Any of them gives a lower bound. The most that
// rounding can add is subtracted.
func thresholdEpsilon(runs law.Distribution, mu, delta float64) (epsilon float64) {
	const rounding = 1e-9
	for y := -9.0; y <= 9+mu; y += 1.0 / 64 {
		above := (runs.SuccessProbability(numeric.NormalCDF(mu-y)) - delta) / runs.SuccessProbability(numeric.NormalCDF(-y))
		below := (runs.PGF(numeric.NormalCDF(y)) - delta) / runs.PGF(numeric.NormalCDF(y-mu))
		for _, ratio := range []float64{above, below} {
			if ratio > 1 && !math.IsInf(ratio, 1) {
				epsilon = math.Max(epsilon, numeric.Log(ratio)-rounding)
			}
		}
	}
	return math.Max(0, epsilon)
}
