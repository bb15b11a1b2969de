package audit

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Verdict is whether scores contradict a claim. The zero Verdict has no claim: it prints that, and
// is an error in JSON.
type Verdict struct {
	Claim        string  `json:"claim"`
	PValue       float64 `json:"p_value"` // chance of scores at least as extreme, if the claim is true: an upper bound
	Confidence   float64 `json:"confidence"`
	Contradicted bool    `json:"contradicted"` // PValue <= 1 - Confidence
	Assumption   string  `json:"assumption"`
	Method       string  `json:"method"`         // the tests, each with its own p-value
	Seed         uint64  `json:"seed,omitempty"` // of ties and simulations: as Config.Seed it gives this verdict again; 0 if none
	TooFew       bool    `json:"too_few"`        // no scores of so few games, or guesses, could contradict the claim
	Warnings     []error `json:"warnings"`       // doubts that did not stop the test; for TooFew the number that is needed
}

// String returns the verdict in one line, with its warnings.
func (v Verdict) String() string {
	line := v.line()
	for _, warning := range v.Warnings {
		line += "; warning: " + warning.Error()
	}
	return line
}

// line returns the verdict without its warnings.
func (v Verdict) line() string {
	if v.Claim == "" {
		return "no verdict: no claim was tested"
	}
	word := "not contradicted"
	switch {
	case v.Contradicted:
		word = "CONTRADICTED"
	case v.TooFew:
		word = "not contradicted, as no scores of so few could,"
	}
	return fmt.Sprintf("claim %s: %s at confidence %s (p = %s; %s)", v.Claim, word, digits.Confidence(v.Confidence), digits.P(v.PValue), v.Method)
}

// simulateClaimUpTo is the number of scores up to which the AUC's law under a claim is simulated.
// Beyond it the law is taken as normal, unless the smaller class asks for a simulation.
const simulateClaimUpTo = 4000

// TestClaim tests a claim on the scores of independent games. It uses the two-tail rank test, which
// finds leaks in the tails, and the AUC, which finds leaks in the middle. Each gets half of the
// significance. The claim may be any ceiling: [EpsilonDelta], [GDP], or an accountant's profile of
// an event ([ClaimOf]).
//
// It uses Confidence, Rank, ExpectedMu and Seed of cfg. If neither a rank nor µ is given, the rank
// is the best for the Gaussian with the same greatest advantage as the claim. Ties are broken at
// random by the seed, see [Scores.BreakTies]. If Seed is 0, a seed is drawn, and the verdict has
// it.
//
// If not even perfect scores of so few games could contradict the claim, the verdict is TooFew. A
// warning then has the number of games of each class that is needed at least.
func TestClaim(scores Scores, claim Curve, cfg Config) (Verdict, error) {
	cfg = cfg.Seeded()
	played, err := newSample(scores)
	if err = errors.Join(err, ValidateClaim(claim), cfg.Validate()); err != nil {
		return Verdict{PValue: 1}, err
	}
	s, cfg := played.untied(cfg.Seed), cfg.withDefaults()
	n1, n0 := len(s.member), len(s.nonMember)
	if _, given := cfg.Rank.Value(); !given && cfg.ExpectedMu == 0 {
		cfg.Rank = Chosen(min(bestRank(equivalentMu(claim), n1, n0), min(n1, n0)-1))
	}
	k, err := cfg.rank(n1, n0)
	if err != nil {
		return Verdict{PValue: 1}, err
	}
	rankP := twoTailP(claim, n1, n0, k, s.top(k).hits+s.bottom(k).hits)
	aucP, how := s.claimAUC(claim, cfg)
	p := math.Min(1, 2*math.Min(rankP, aucP))
	v := Verdict{
		Claim: claim.String(), PValue: p, Confidence: cfg.Confidence, Contradicted: p <= cfg.Significance(),
		Assumption: string(AssumeNothing), Seed: cfg.Seed,
		Method:   fmt.Sprintf("the smaller of two p-values, doubled: two-tail rank test with k = %d, %s; AUC, %s, %s", k, digits.P(rankP), how, digits.P(aucP)),
		Warnings: played.doubts(cfg),
	}
	if doubt := tooFewFor(claim, n1, n0, k, cfg); doubt != nil && !v.Contradicted {
		v.TooFew, v.Warnings = true, append(v.Warnings, doubt)
	}
	return v, nil
}

// equivalentMu returns the µ whose Gaussian ceiling crosses the antidiagonal where the
// claim's does: G(v) = 1-v at v = Φ(-µ/2).
func equivalentMu(claim Curve) float64 {
	v, _ := tails.LastBelow(func(v float64) float64 { return claim.TPR(v) + v }, 1, 0, 0.5, 1e-12)
	if v <= 0 {
		return maxExpectedMu
	}
	return -2 * tails.NormalQuantile(math.Min(v, 0.5))
}

// claimAUC returns the p-value of the claim from the AUC.
func (s sample) claimAUC(claim Curve, cfg Config) (p float64, how string) {
	n1, n0 := len(s.member), len(s.nonMember)
	if simulatesClaim(n1, n0) {
		law := auc.NewLaw(n1, n0)
		return law.P(claim.FPR, law.Observe(s.member, s.nonMember), cfg.rand("claim")), fmt.Sprintf("up to %d simulated audits", auc.Simulations)
	}
	theta, variance := auc.UnderCeiling(claim.TPR, claim.Kinks(), n1, n0)
	area := float64(auc.Wins(s.member, s.nonMember)) / (float64(n1) * float64(n0))
	return numeric.NormalCDF((theta - area) / math.Sqrt(variance)), "normal law"
}

// ValidateClaim returns an error unless the claim is given, valid, and a ceiling at the points that
// are checked.
func ValidateClaim(claim Curve) error {
	if claim == nil || reflect.ValueOf(claim).Kind() == reflect.Pointer && reflect.ValueOf(claim).IsNil() {
		return errors.New("audit: claim is nil: must be a Curve")
	}
	if v, ok := claim.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return err
		}
	}
	switch claim.(type) {
	case EpsilonDelta, GDP, Profile, *EpsilonDelta, *GDP, *Profile: // symmetric by construction
		return nil
	}
	return checkCeiling(claim)
}

// checkCeiling checks a curve that is not this package's at a few points. The two-tail test and the
// law of the AUC need a symmetric curve. Tests of one run, with means over its canaries, need a
// concave one. All tests need FPR to invert TPR.
func checkCeiling(g Curve) error {
	const tol = 1e-6 // far above the rounding of a computed curve, far below a mistake
	last := 0.0
	points := []float64{0, 0.001, 0.01, 0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99, 1}
	for _, v := range points {
		t := g.TPR(v)
		switch {
		case !(t >= v-tol && t <= 1+tol):
			return fmt.Errorf("audit: claim %v: TPR(%g) is %g: must be in [%g, 1]", g, v, t, v)
		case t < last-tol:
			return fmt.Errorf("audit: claim %v: TPR falls to %g at %g: must grow", g, t, v)
		}
		if back := g.FPR(1 - v); !(math.Abs(back-(1-t)) <= tol) {
			return fmt.Errorf("audit: claim %v: FPR(%g) is %g, and TPR(%g) %g: must be symmetric, FPR(1-v) = 1-TPR(v)", g, 1-v, back, v, t)
		}
		if t < 1 {
			if back := g.FPR(t); !(back <= v+tol && g.TPR(back) >= t-tol) {
				return fmt.Errorf("audit: claim %v: FPR(%g) is %g: must be the least v with TPR(v) >= %g", g, t, back, t)
			}
		}
		last = t
	}
	for i := 1; i < len(points)-1; i++ {
		before, v, after := points[i-1], points[i], points[i+1]
		chord := (g.TPR(before)*(after-v) + g.TPR(after)*(v-before)) / (after - before)
		if t := g.TPR(v); t < chord-tol {
			return fmt.Errorf("audit: claim %v: TPR(%g) is %g, below the chord from %g to %g: must be concave", g, v, t, before, after)
		}
	}
	return nil
}
