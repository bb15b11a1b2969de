package auditbounds

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
)

func says(t *testing.T, findings []string, parts ...string) {
	t.Helper()
	text := strings.Join(findings, "\n")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("findings lack %q:\n%s", part, text)
		}
	}
}

// A hundred times more games must not be said to buy the same at each leak: at µ = 1 the two-tail bound grows by
// 1.05 to 1.42, at µ = 2 by more.
func TestPowerFindingsFollowTheLeak(t *testing.T) {
	saved := plannedGames
	plannedGames = []int{100, 1000, 10000, 100000, 1000000}
	defer func() { plannedGames = saved }()
	for mu, want := range map[float64]string{1: "add +1.05 to +1.42", 2: "add +1.99 to +2.32"} {
		r := Power{Config: small(), Mu: mu, Truth: 10, Games: plannedGames, Plans: make([][]audit.Plan, 1)}
		for _, n := range plannedGames {
			plan, err := audit.Expect("rank-two-tail", mu, n, r.Config.level())
			if err != nil {
				t.Fatal(err)
			}
			r.Plans[0] = append(r.Plans[0], plan)
		}
		says(t, r.Findings(), want, "at n = 1000000.")
	}
	falling := Power{Mu: 1, Truth: 4, Games: []int{10, 20}, Plans: [][]audit.Plan{{
		{Expected: 2, Games: 10, Assumption: audit.AssumeOneRun}, {Expected: 1.5, Games: 20, Assumption: audit.AssumeOneRun}}}}
	says(t, falling.Findings(), "the largest is 2.00, 50.0 % of the mechanism's own ε, at 20 canaries; at 40 canaries it has fallen to 1.50.")
}

// rankingOf has the same bounds of each method in each setting.
func rankingOf(truth float64, bounds ...[]float64) Ranking {
	r := Ranking{Config: small(), Means: make([][]Mean, len(methods))}
	for range settings {
		r.Truth, r.Bounds = append(r.Truth, truth), append(r.Bounds, bounds)
		for m := range methods {
			r.Means[m] = append(r.Means[m], mean(bounds[m]))
		}
	}
	return r
}

func TestRankingFindingsFollowTheNumbers(t *testing.T) {
	low, high, other := []float64{1, 1.1, 0.9}, []float64{2, 2.1, 1.9}, []float64{2.2, 1.8, 1.9}
	r := rankingOf(4, high, low, low, low, high)
	says(t, r.Findings(), "“two-tail rank sum, k = 2” (n = 1000, µ = 1: 50 % of the true ε, 1.00 ± 0.00 above the next; n = 1000, µ = 2:", "No mean is above")
	r = rankingOf(1.5, low, other, high, other, high)
	says(t, r.Findings(), "told by an oracle” (n = 1000, µ = 1: 133 % of the true ε,", "above the next, not resolved by 3 audits",
		"Above the true ε on average: “one-tail rank, k = 4” at n = 1000, µ = 1;")
}

func TestAlarmsFindingsNameWhatIsBeyond(t *testing.T) {
	r := Alarms{Config: Defaults("quick"), Nulls: []string{"a", "b"}, Tests: []string{"x", "y"}, Rates: [][]float64{{0.01, 0.02}, {0.05, math.NaN()}}}
	says(t, r.Findings(), "x: 2.0 % (b); y: 5.0 % (a)", "No rate is beyond 8.3 %")
	r.Rates[0][0] = 0.2
	says(t, r.Findings(), "x: 20.0 % (a)", "Beyond 8.3 %", "400 audits: x.")
}

func TestCounterexampleFindingsFollowTheShares(t *testing.T) {
	r := Counterexamples{Config: Defaults("quick"), Absolute: Said{Wrong: Mean{Value: 0.9}}, Honest: Said{Wrong: Mean{Value: 0.06}},
		Shared: []SharedChannel{{Canaries: 7, Independent: 0.04, FDP: 0.051}}}
	says(t, r.Findings(), "90.0 % of audits (more than the 5.0 % allowed)", "6.0 % of audits (by no more than chance above the 5.0 % allowed)",
		"4.0 % of runs (within the 5.0 % allowed), f-DP in 5.1 % of runs (more than")
}
