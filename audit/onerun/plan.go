package onerun

import (
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// PlannedBounds are the names of the bounds that can be planned.
var PlannedBounds = []string{"one-run-max", "one-run", "one-run-fdp"}

// MaxGames is where planning stops: the recursion takes a step for each guess.
const MaxGames = 1_000_000

// Expect returns the expected bound of 2 games canaries in one run at leak mu, as [audit.Expect]
// does for games of both classes.
func Expect(name string, mu float64, games int, cfg audit.Config) (audit.Plan, error) {
	if err := errors.Join(cfg.Validate(), checkPlan(name, mu, games)); err != nil {
		return audit.Plan{}, err
	}
	compute := Bound
	switch name {
	case "one-run":
	case "one-run-max":
		compute = Max
	case "one-run-fdp":
		compute = FDP
	default:
		return audit.Plan{}, fmt.Errorf("onerun: bound %q: must be one of %v", name, PlannedBounds)
	}
	m := 2 * games
	r := bestGuesses(mu, m, cfg)
	b, err := compute(Guesses{m, r, int(float64(r) * expectedAccuracy(mu, float64(r)/float64(m)))}, cfg)
	if err != nil {
		return audit.Plan{}, err
	}
	return audit.Plan{
		Name: name, Games: games, Assumption: b.Assumption, Expected: b.Epsilon, Ceiling: b.Ceiling,
		Choice: fmt.Sprintf("%d guesses of %d canaries", r, m), Reached: true,
	}, nil
}

func checkPlan(name string, mu float64, games int) error {
	f := check.In("onerun: ")
	f.Number("mu", mu, check.UpTo(maxMu))
	planned := games >= 1 && games <= audit.MaxPlannedGames
	f.That(planned, "games", games, fmt.Sprintf("must be in [1, %d]", audit.MaxPlannedGames))
	f.That(!planned || games <= MaxGames, "games", games, fmt.Sprintf("must be at most %d for %s", MaxGames, name))
	return f.Err()
}

// GamesFor returns the plan with the least number of games, half the canaries, whose expected bound
// reaches epsilon. If no number up to 10^6 does, it returns the plan of so many, not Reached.
func GamesFor(name string, mu, epsilon float64, cfg audit.Config) (audit.Plan, error) {
	if err := check.UpTo(maxEpsilon).Of("onerun: epsilon", epsilon); err != nil {
		return audit.Plan{}, err
	}
	if _, err := Expect(name, mu, 1, cfg); err != nil {
		return audit.Plan{}, err
	}
	n, reached := tails.AboutFirst(MaxGames, func(n int) bool {
		p, err := Expect(name, mu, n, cfg)
		return err == nil && p.Expected >= epsilon
	})
	plan, err := Expect(name, mu, n, cfg)
	if err != nil {
		return audit.Plan{}, err
	}
	plan.Reached = reached
	return plan, nil
}
