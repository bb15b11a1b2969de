package auditbounds

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
)

// small is as quick as it can be; its seed is fixed, so that its verdicts do not vary.
func small() Config {
	c := Defaults("quick")
	c.Audits, c.Alarms, c.Games = 12, 60, 60
	return c
}

// The means agree with those of other code within three standard errors of both (chance of
// a failure 0.3 % a row; the seed is fixed).
func TestRankAgreesWithOtherCode(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 48 audits")
	}
	r, err := Rank(small(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Compare().Rows {
		if row.Verdict() == figures.Differs {
			t.Errorf("%s: ours %.3f ± %.3f, %s %.2f", row.Quantity, row.Ours, row.OursErr, row.Source, row.Reference)
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Compare().Validate(); err != nil {
		t.Error(err)
	}
}

func TestFalseAlarmsAreRare(t *testing.T) {
	r, err := FalseAlarms(small(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range r.Tests {
		for j, rate := range r.Rates[i] {
			// P[Bin(60, 0.05) > 15] = 3e-8
			if !math.IsNaN(rate) && rate > 15.5/60 {
				t.Errorf("%s on %s: %.3f false alarms", test, r.Nulls[j], rate)
			}
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

func TestPowerStaysBelowTheTruth(t *testing.T) {
	c := small()
	saved := plannedGames
	plannedGames = []int{30, 1000}
	defer func() { plannedGames = saved }()
	r, err := ExpectedBounds(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, plans := range r.Plans {
		if !(plans[0].Expected <= plans[1].Expected && plans[1].Expected < r.Truth) {
			t.Errorf("%s: expected %g, %g, want growing below %g", plans[0].Name, plans[0].Expected, plans[1].Expected, r.Truth)
		}
	}
	if err := r.Chart().Validate(); err != nil {
		t.Error(err)
	}
}

func TestCounterexamples(t *testing.T) {
	c := small()
	c.Alarms = 300
	r, err := ShowCounterexamples(c)
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Absolute.Value > 0.15 && r.Honest.Value < 0.1) {
		t.Errorf("no leak: absolute value %v, ours %v", r.Absolute, r.Honest)
	}
	if !(r.LaplaceGDP.Value > 2.5 && r.LaplaceRank.Value < 1) {
		t.Errorf("Laplace: gdp %v, rank %v", r.LaplaceGDP, r.LaplaceRank)
	}
	for i, row := range r.Compare().Rows {
		if row.Verdict() == figures.Differs {
			t.Errorf("%s: ours %.3f, other code %.3f", row.Quantity, row.Ours, row.Reference)
		}
		if r.Shared[i].FDP.Value > 0.13 { // P[Bin(300, 0.05) > 39] = 1e-8
			t.Errorf("f-DP rejects the true claim in %v of runs", r.Shared[i].FDP)
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

func TestBadConfigIsNamed(t *testing.T) {
	c := small()
	c.Delta, c.Audits = 0, 1
	if _, err := Rank(c, nil); err == nil || !strings.Contains(err.Error(), "Delta 0") || !strings.Contains(err.Error(), "Audits 1") {
		t.Errorf("error %v", err)
	}
}
