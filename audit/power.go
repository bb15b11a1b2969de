package audit

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit/internal/auc"
	"github.com/dplab/dplab/audit/internal/tails"
)

// Plan is the bound to expect from audits of n + n games, or of 2n canaries in one run. The scores
// of the mechanism are N(µ,1) against N(0,1).
type Plan struct {
	Name       string     `json:"name"`
	Assumption Assumption `json:"assumption"`
	Games      int        `json:"games_of_each"`    // n; for one run, half the canaries
	Expected   float64    `json:"expected_epsilon"` // the bound at the expected counts
	Ceiling    float64    `json:"ceiling"`          // the bound at perfect scores
	Choice     string     `json:"choice"`           // what to fix beforehand
	Reached    bool       `json:"reached"`          // Expected is at least the ε that GamesFor was asked for; true if no ε was
}

// PlannedBounds are the names of the bounds that can be planned here. Package onerun has others.
var PlannedBounds = []string{"rank-two-tail", "rank-one-tail", "gdp-auc"}

// Expect returns the bound to expect from so many member games, as many non-member games, and leak
// mu. It is the bound at the expected counts, which is near its median. It uses Delta and
// Confidence of cfg.
func Expect(name string, mu float64, games int, cfg Config) (Plan, error) {
	if err := errors.Join(cfg.Validate(), checkPlan(mu, games)); err != nil {
		return Plan{}, err
	}
	p := Plan{Name: name, Games: games, Reached: true}
	switch name {
	case "rank-two-tail", "rank-one-tail":
		p.expectRank(mu, cfg)
	case "gdp-auc":
		if err := validateGDPDelta(cfg.Delta); err != nil {
			return Plan{}, err
		}
		p.Assumption, p.Choice = AssumeGDP, "nothing"
		expected, _ := auc.MuOfLosses(auc.MeanLosses(mu, games, games), games, games, cfg.Significance())
		p.Expected = epsilonOfMu(expected, cfg.Delta)
		p.Ceiling = epsilonOfMu(math.Max(expected, auc.MuOfPerfect(games, games, cfg.Significance())), cfg.Delta)
	default:
		return Plan{}, fmt.Errorf("audit: bound %q: must be one of %v", name, PlannedBounds)
	}
	return p, nil
}

func checkPlan(mu float64, games int) error {
	f := check.In("audit: ")
	f.Number("mu", mu, check.UpTo(maxExpectedMu))
	f.That(games >= 1 && games <= MaxPlannedGames, "games", games, fmt.Sprintf("must be in [1, %d]", MaxPlannedGames))
	return f.Err()
}

// MaxPlannedGames is where planning stops. Beyond it, the few outermost ranks of bestRank reach so
// far out that δ hides the leak.
const MaxPlannedGames = 10_000_000

func (p *Plan) expectRank(mu float64, cfg Config) {
	k, hits := p.rankAndHits(mu)
	p.Assumption, p.Choice = AssumeNothing, fmt.Sprintf("rank k = %d", k)
	if k >= p.Games {
		return
	}
	p.Expected, p.Ceiling = p.rankBound(k, hits, cfg), p.rankBound(k, p.Games, cfg)
}

// rankAndHits returns the rank of the test and the expected hits in one tail.
func (p *Plan) rankAndHits(mu float64) (k, hits int) {
	n := p.Games
	k = bestRank(mu, n, n)
	return k, int(float64(n) * GDP{mu}.TPR(float64(k+1)/float64(n+1)))
}

// rankBound returns the bound on ε from so many hits in each tail.
func (p *Plan) rankBound(k, hits int, cfg Config) float64 {
	family, n := epsilonFamily(cfg.Delta), p.Games
	if p.Name == "rank-two-tail" {
		return family.twoTailBound(n, n, k, 2*hits, cfg.Significance())
	}
	return family.lowerBound(p.rankTest(k, hits), cfg.Significance())
}

// rankTest returns the p-value, as a function of the claim, of so many hits in each tail.
func (p *Plan) rankTest(k, hits int) func(Curve) float64 {
	n := p.Games
	if p.Name == "rank-two-tail" {
		return func(g Curve) float64 { return twoTailP(g, n, n, k, 2*hits) }
	}
	return func(g Curve) float64 { return oneTailP(g, n, n, k, hits) }
}

// rankReaches reports whether the expected bound of a rank test reaches epsilon. It computes one
// p-value instead of searching for the bound. The margin is above that search's rounding.
func (p *Plan) rankReaches(mu, epsilon float64, cfg Config) bool {
	k, hits := p.rankAndHits(mu)
	return k < p.Games && p.rankTest(k, hits)(EpsilonDelta{epsilon + 1e-7, cfg.Delta}) <= cfg.Significance()
}

// GamesFor returns the plan with the least number of games whose expected bound reaches epsilon. If
// no number up to 10^7 does, it returns the plan of so many, not Reached. Then the mechanism's own
// ε at δ, [EpsilonOfMu], may be below epsilon, or the bound is too weak.
func GamesFor(name string, mu, epsilon float64, cfg Config) (Plan, error) {
	if err := check.UpTo(maxClaimEpsilon).Of("audit: epsilon", epsilon); err != nil {
		return Plan{}, err
	}
	plan, err := Expect(name, mu, 1, cfg)
	if err != nil {
		return Plan{}, err
	}
	// To within 1 %: the expected bound moves by far less than its own spread.
	n, reached := tails.AboutFirst(MaxPlannedGames, func(n int) bool {
		if plan.Assumption == AssumeNothing {
			return (&Plan{Name: name, Games: n}).rankReaches(mu, epsilon, cfg)
		}
		p, err := Expect(name, mu, n, cfg)
		return err == nil && p.Expected >= epsilon
	})
	if plan, err = Expect(name, mu, n, cfg); err != nil {
		return Plan{}, err
	}
	plan.Reached = reached
	return plan, nil
}
