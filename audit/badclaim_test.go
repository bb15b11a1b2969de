package audit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// within fails the test if f takes longer than a few seconds: bad numbers must not hang.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not return", what)
	}
}

// Claims come from callers: one that is no ceiling must be refused before it accuses anybody.
func TestBadClaimsAreNamed(t *testing.T) {
	nan := math.NaN()
	scores := Scores{Member: []float64{1, 2, 3, 4, 5, 6}, NonMember: []float64{1, 2, 3, 4, 5, 6}}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		claim Curve
		want  string
	}{
		{nil, "claim is nil"},
		{(*EpsilonDelta)(nil), "claim is nil"},
		{EpsilonDelta{Epsilon: nan}, "epsilon NaN"},
		{EpsilonDelta{Epsilon: -1}, "epsilon -1"},
		{EpsilonDelta{Epsilon: math.Inf(1)}, "epsilon +Inf"},
		{EpsilonDelta{Epsilon: 1, Delta: nan}, "delta NaN"},
		{EpsilonDelta{Epsilon: 1, Delta: -0.5}, "delta -0.5"},
		{EpsilonDelta{Epsilon: 1, Delta: 2}, "delta 2"},
		{GDP{Mu: nan}, "mu NaN"},
		{GDP{Mu: -1}, "mu -1"},
		{Profile{}, "Profile is empty"},
	} {
		for name, test := range map[string]func() error{
			"TestClaim":    func() error { _, err := TestClaim(scores, c.claim, Config{}); return err },
			"RankOneTailP": func() error { _, err := RankOneTailP(scores, c.claim, 2); return err },
			"RankTwoTailP": func() error { _, err := RankTwoTailP(scores, c.claim, 2); return err },
			"SimulatedP":   func() error { _, err := SimulatedP(scores, c.claim, AUCStatistic, 9, rng); return err },
			"TestOneRunClaim": func() error {
				_, err := TestOneRunClaim(Guesses{Canaries: 12, Guessed: 6, Correct: 5}, c.claim, 0.95)
				return err
			},
		} {
			within(t, name, func() {
				if err := test(); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s(%#v): error %v, want one with %q", name, c.claim, err, c.want)
				}
			})
		}
	}
}

// Functions without an error say nothing, which is the safe side, where the arguments are
// out of range; none of them panics, hangs or returns NaN.
func TestBadNumbersSayNothing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		count, n     int
		significance float64
	}{{-1, 10, 0.05}, {11, 10, 0.05}, {0, 0, 0.05}, {1, 0, 0.05}, {0, -5, 0.05}, {1, 10, -1}, {1, 10, 0}, {1, 10, 2}, {0, 10, -1}, {10, 10, 3}, {1, 10, nan}} {
		if p := RateUpper(c.count, c.n, c.significance); p != 1 {
			t.Errorf("RateUpper(%d, %d, %g) = %g, want 1", c.count, c.n, c.significance, p)
		}
		if p := RateLower(c.count, c.n, c.significance); p != 0 {
			t.Errorf("RateLower(%d, %d, %g) = %g, want 0", c.count, c.n, c.significance, p)
		}
	}
	for _, confidence := range []float64{1, 2, 0, -1, nan} {
		within(t, "GamesNeeded", func() {
			if n := GamesNeeded(confidence); n != 0 {
				t.Errorf("GamesNeeded(%g) = %d, want 0", confidence, n)
			}
		})
	}
	if v := (ROC{}).At(0.5); v != 0 {
		t.Errorf("the empty ROC has %g at 0.5, want 0", v)
	}
	if v := AUCStatistic(nil); v != 0 {
		t.Errorf("AUCStatistic(nil) = %g, want 0", v)
	}
}

// The least number of canaries is stated as it is: five right guesses have chance 1/32.
func TestFewCanaries(t *testing.T) {
	of := func(members, nonMembers int) Scores {
		s := Scores{make([]float64, members), make([]float64, nonMembers)}
		for i := range s.Member {
			s.Member[i] = 1
		}
		return s
	}
	if _, err := OneRunBounds(of(2, 2), Config{}); err == nil || !strings.Contains(err.Error(), "; 5 would do") {
		t.Errorf("4 canaries: error %v, want one that asks for 5", err)
	}
	r, err := OneRunBounds(of(3, 2), Config{Guesses: 5})
	if err != nil {
		t.Fatal(err)
	}
	// P[Bin(5, p) >= 5] = p^5 = 0.05 at p = 0.5493, ε = ln(p/(1-p)) = 0.1977
	p := math.Pow(0.05, 0.2)
	if want := math.Log(p / (1 - p)); math.Abs(r.Bounds[0].Epsilon-want) > 1e-8 {
		t.Errorf("5 of 5 right: ε >= %.10g, want %.10g", r.Bounds[0].Epsilon, want)
	}
}
