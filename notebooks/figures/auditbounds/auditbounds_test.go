package auditbounds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
)

// small is as quick as it can be; its seed is fixed, so that its verdicts do not vary.
func small() Config {
	c := Defaults("quick")
	c.Audits, c.Alarms, c.Games = 12, 60, 60
	if testing.Short() {
		c.Alarms = 8
	}
	return c
}

// The means of as many audits as other code took must confirm its own: our error is then no larger
// than that of the reference, and a difference is at most 4.2 standard errors of it (chance 2e-5 a
// row; the seed is fixed).
func TestRankConfirmsOtherCode(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 400 audits")
	}
	saved := settings
	settings = settings[:2] // n = 1000; those of 5000 take as long again
	defer func() { settings = saved }()
	r, err := Rank(Defaults("quick"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Compare().Rows {
		if row.Verdict() != figures.Confirmed {
			t.Errorf("%s: %s, ours %.3f ± %.3f, %s %.2f ± %.3f", row.Quantity, row.Verdict(), row.Ours, row.OursErr, row.Source, row.Reference, row.AbsErr)
		}
	}
	// No mean is above the truth. Of those that assume nothing the two-tail rank sum shows the most,
	// of the others the AUC.
	for i, truth := range r.Truth {
		for m := range methods {
			if r.Means[m][i].Mean > truth {
				t.Errorf("%s: mean %g, the truth is %g", methods[m].name, r.Means[m][i].Mean, truth)
			}
		}
		for _, pair := range [][2]int{{0, 1}, {1, 2}, {3, 4}} {
			if r.Means[pair[0]][i].Mean <= r.Means[pair[1]][i].Mean {
				t.Errorf("%s shows %g, %s %g", methods[pair[0]].name, r.Means[pair[0]][i].Mean, methods[pair[1]].name, r.Means[pair[1]][i].Mean)
			}
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Compare().Validate(); err != nil {
		t.Error(err)
	}
}

// Every bound is the one that package audit says of the same scores, though audits with as many
// hits share it.
func TestAuditsShareBounds(t *testing.T) {
	c, at, shared := small(), setting{200, 1}, false
	c.Audits = 16
	if testing.Short() {
		c.Audits = 8
	}
	bounds, err := c.simulate(at, &parallel.Count{Of: c.Audits})
	if err != nil {
		t.Fatal(err)
	}
	threshold := oracleThreshold(at, c)
	for m, method := range methods {
		seen := map[int]bool{}
		for i, got := range bounds[m] {
			scores := null{member: normal(at.Mu), other: normal(0)}.draw(c.root().Rand(fmt.Sprintf("ranking %d %g %d", at.Games, at.Mu, i)), at.Games)
			want, err := method.bound(scores, at, threshold, c)
			if err != nil || got != want.Epsilon {
				t.Errorf("%s, audit %d: %g, %v, alone %g", method.name, i, got, err, want.Epsilon)
			}
			if method.hits != nil {
				hits := method.hits(scores, at)
				shared = shared || seen[hits]
				seen[hits] = true
			}
		}
	}
	if !shared {
		t.Error("no two audits have as many hits: the test says nothing")
	}
}

// So do alarms: of scores with as many hits a rank test has one p-value, whatever their ties.
func TestAlarmsShareTests(t *testing.T) {
	c := small()
	zs, err := nulls(c.Delta)
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, z := range zs {
		values, claim := map[int]float64{}, z.claim()
		for i := range 10 {
			scores := z.draw(c.root().Rand(fmt.Sprintf("alarms %s %d", z.name, i)), c.Games)
			ranks, err := scores.BreakTies(c.tieSeed(z, i))
			if err != nil {
				t.Fatal(err)
			}
			p, err := audit.RankOneTailP(ranks, claim, 4)
			if err != nil {
				t.Fatal(err)
			}
			hits := tests[1].hits(ranks, c)
			if known, ok := values[hits]; ok {
				shared++
				if p != known {
					t.Errorf("%s: %d hits have p = %g and %g", z.name, hits, known, p)
				}
			}
			values[hits] = p
		}
	}
	if shared < 10 {
		t.Errorf("%d audits have as many hits as another: the test says little", shared)
	}
}

func TestFalseAlarmsAreRare(t *testing.T) {
	last, of := 0, 0
	r, err := FalseAlarms(small(), func(done, all int) {
		if done != last+1 {
			t.Errorf("progress goes from %d to %d", last, done)
		}
		last, of = done, all
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := small().Alarms * len(r.Nulls); last != want || of != want {
		t.Errorf("progress ends with %d of %d, want %d", last, of, want)
	}
	for i, test := range r.Tests {
		for j, rate := range r.Rates[i] {
			// P[Bin(60, 0.05) > 15] = 3e-8; P[Bin(8, 0.05) > 5] = 4e-7
			if limit := map[int]float64{60: 15.5 / 60, 8: 5.5 / 8}[small().Alarms]; !math.IsNaN(rate) && rate > limit {
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
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// A hundred times more games do not buy the same at each leak: at µ = 1 the two-tail bound grows by
// 1.05 to 1.42, at µ = 2 by more.
func TestPowerTableFollowsTheLeak(t *testing.T) {
	saved := plannedGames
	plannedGames = []int{100, 1000, 10000, 100000, 1000000}
	defer func() { plannedGames = saved }()
	for mu, want := range map[float64]string{1: "+1.05 to +1.42", 2: "+1.99 to +2.32"} {
		r := Power{Config: small(), Mu: mu, Truth: 10, Games: plannedGames, Plans: make([][]audit.Plan, 1)}
		for _, n := range plannedGames {
			plan, err := audit.Expect("rank-two-tail", mu, n, r.Config.level())
			if err != nil {
				t.Fatal(err)
			}
			r.Plans[0] = append(r.Plans[0], plan)
		}
		if row := r.Table().Rows[0]; row[2] != want || row[5] != "n = 1000000" {
			t.Errorf("row %q: want %s at the most games", row, want)
		}
	}
	falling := Power{Mu: 1, Truth: 4, Games: []int{10, 20}, Plans: [][]audit.Plan{{
		{Expected: 2, Games: 10, Assumption: audit.AssumeOneRun}, {Expected: 1.5, Games: 20, Assumption: audit.AssumeOneRun}}}}
	if row := falling.Table().Rows[0]; !slices.Equal(row[2:], []string{"", "2.00", "50.0 %", "20 canaries", "1.50"}) {
		t.Errorf("row %q", row)
	}
}

func TestCounterexamples(t *testing.T) {
	r, err := ShowCounterexamples(small())
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Absolute.Bound.Mean > 0.15 && r.Honest.Bound.Mean < 0.1) {
		t.Errorf("no leak: absolute value %v, ours %v", r.Absolute, r.Honest)
	}
	if !(r.LaplaceGDP.Bound.Mean > 2.5 && r.LaplaceRank.Bound.Mean < 1) {
		t.Errorf("Laplace: gdp %v, rank %v", r.LaplaceGDP, r.LaplaceRank)
	}
	// The mistakes accuse in nearly all audits, what should be done in few: P[Bin(12, 0.05) > 5] =
	// 1e-5.
	if r.Absolute.Wrong < 0.9 || r.LaplaceGDP.Wrong < 0.9 || r.Honest.Wrong > 0.42 || r.LaplaceRank.Wrong > 0.42 {
		t.Errorf("wrong in %g and %g of audits, instead in %g and %g", r.Absolute.Wrong, r.LaplaceGDP.Wrong, r.Honest.Wrong, r.LaplaceRank.Wrong)
	}
	// By a midpoint sum of 1,600 terms over L, with math.lgamma, in Python.
	want := map[int]float64{100: 0.2824660798, 1000: 0.4147829028, 10000: 0.4556369193}
	for i, row := range r.Compare().Rows {
		s := r.Shared[i]
		if row.Verdict() != figures.Confirmed {
			t.Errorf("%s: %s, ours %.4f, other code %.3f", row.Quantity, row.Verdict(), row.Ours, row.Reference)
		}
		if math.Abs(s.Independent-want[s.Canaries]) > 1e-5 {
			t.Errorf("%s: %.8f, want %.8f", row.Quantity, s.Independent, want[s.Canaries])
		}
		if s.FDP > 0.05 {
			t.Errorf("%d canaries: f-DP rejects the true claim in %g of runs, more than 0.05", s.Canaries, s.FDP)
		}
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
}

// The shares beside a simulation of the mechanism and of both tests: 20,000 runs, to 5 standard
// errors (chance 6e-7).
func TestSharedChannelAsSimulated(t *testing.T) {
	const runs, canaries = 20000, 100
	s := SharedChannel{Canaries: canaries}
	if err := s.compute(0.95); err != nil {
		t.Fatal(err)
	}
	var rejected [canaries + 1]struct{ known, independent, fdp bool }
	rng := small().root().Rand("shared")
	independent, fdp := 0.0, 0.0
	for range runs {
		l, wrong := rng.NormFloat64()+0.5, 0
		for range canaries {
			if rng.Float64() < 1/(1+math.Exp(math.Abs(l))) {
				wrong++
			}
		}
		if r := &rejected[wrong]; !r.known {
			v, err := onerun.TestClaim(onerun.Guesses{Canaries: canaries, Guessed: canaries, Correct: canaries - wrong}, audit.GDP{Mu: 1}, audit.Config{Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			r.known, r.fdp, r.independent = true, v.Contradicted, binomialSum(wrong, canaries, phi(-0.5)) <= 0.05
		}
		if rejected[wrong].independent {
			independent += 1. / runs
		}
		if rejected[wrong].fdp {
			fdp += 1. / runs
		}
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"independent", s.Independent, independent}, {"f-DP", s.FDP, fdp}} {
		if math.Abs(x.got-x.want) > 5*math.Sqrt(x.got*(1-x.got)/runs) {
			t.Errorf("%s: %.4f, simulated %.4f", x.name, x.got, x.want)
		}
	}
}

// binomialSum is P[Bin(n, p) <= k] by its terms.
func binomialSum(k, n int, p float64) (sum float64) {
	term := math.Pow(1-p, float64(n))
	for j := 0; j <= k; j++ {
		sum += term
		term *= float64(n-j) / float64(j+1) * p / (1 - p)
	}
	return sum
}

func TestBadConfigIsNamed(t *testing.T) {
	c := small()
	c.Delta, c.Audits = 0, 1
	if _, err := Rank(c, nil); err == nil || !strings.Contains(err.Error(), "Delta 0") || !strings.Contains(err.Error(), "Audits 1") {
		t.Errorf("error %v", err)
	}
}
