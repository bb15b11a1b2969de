package audit

import (
	"testing"

	"github.com/dplab/dplab/audit/internal/auc"
)

func TestExpectReference(t *testing.T) {
	const source = "mean bounds at n = 100,000, µ = 1, by normal approximations worked out apart from this code"
	near(t, "rank-two-tail", must(Expect("rank-two-tail", 1, 100000, level95)).Expected, 3.11, 0.06, source)
	near(t, "gdp-auc", must(Expect("gdp-auc", 1, 100000, level95)).Expected, 4.34, 0.02, source)
	// The bound at the expected counts lies near the mean bound, but not at it: the bound is
	// concave in the counts, so that it is a little larger.
	const table = "means of 200 audits simulated in Python (standard error about .02)"
	for _, c := range []struct {
		n    int
		mu   float64
		mean float64
	}{{1000, 1, 1.89}, {1000, 2, 3.71}, {5000, 1, 2.42}, {5000, 2, 4.56}} {
		hits := int(float64(c.n) * GDP{c.mu}.TPR(3/float64(c.n+1)))
		p := func(g Curve) float64 { return twoTailP(g, c.n, c.n, 2, 2*hits) }
		near(t, "rank-two-tail, k = 2", epsilonFamily(1e-5).lowerBound(p, 0.05), c.mean+0.06, 0.1, table)
	}
	near(t, "gdp-auc", must(Expect("gdp-auc", 1, 5000, level95)).Expected, 4.20, 0.1, table)
	near(t, "gdp-auc", must(Expect("gdp-auc", 2, 1000, level95)).Expected, 9.43, 0.1, table)
	// µ_lower ≈ µ - 1.645 s/√n, with s worked out apart from this code.
	for mu, s := range map[float64]float64{0.5: 1.465, 1: 1.520, 2: 1.771, 3: 2.332} {
		got, _ := auc.MuOfLosses(auc.MeanLosses(mu, 10000, 10000), 10000, 10000, 0.05)
		near(t, "µ", got, mu-1.645*s/100, 1e-3, "normal approximation")
	}
}

func TestGamesForReachesItsAim(t *testing.T) {
	for i, name := range PlannedBounds {
		if testing.Short() && i%2 > 0 {
			continue
		}
		plan, err := GamesFor(name, 1.5, 2, level95)
		if err != nil || !plan.Reached {
			t.Errorf("GamesFor(%s) = %+v, %v", name, plan, err)
			continue
		}
		if plan.Expected < 2 {
			t.Errorf("%s: %d games are expected to give %g, want at least 2", name, plan.Games, plan.Expected)
		}
		if half := must(Expect(name, 1.5, plan.Games*9/10, level95)); half.Expected > 2.1 {
			t.Errorf("%s: a tenth fewer than %d games already give %g", name, plan.Games, half.Expected)
		}
	}
	// Where no number of games does, the plan is that of the most games.
	if plan, err := GamesFor("rank-two-tail", 1, 6, level95); plan.Reached || err != nil || plan.Games != MaxPlannedGames || !(plan.Expected > 3 && plan.Expected < 6) {
		t.Errorf("GamesFor(rank-two-tail, µ = 1, ε = 6) = %+v, %v: want what %d games give", plan, err, MaxPlannedGames)
	}
	if plan, err := GamesFor("gdp-auc", 1, 6, level95); plan.Reached || err != nil {
		t.Errorf("GamesFor(µ = 1, ε = 6) = %+v, %v: the mechanism's own ε is 4.38", plan, err)
	}
}
