package audit

import (
	"math"
	"strings"
	"testing"
	"time"
)

// within fails the test if f does not return: bad numbers must not hang.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s does not return", what)
	}
}

// Claims come from callers: one that is no ceiling must be refused before it accuses anybody.
func TestBadClaimsAreNamed(t *testing.T) {
	nan := math.NaN()
	scores := Scores{Member: []float64{1, 2, 3, 4, 5, 6}, NonMember: []float64{1, 2, 3, 4, 5, 6}}
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
		{GDP{Mu: nan}, "GDP.Mu NaN"},
		{GDP{Mu: -1}, "GDP.Mu -1"},
		{Profile{}, "Profile is empty"},
	} {
		for name, test := range map[string]func() error{
			"TestClaim":    func() error { _, err := TestClaim(scores, c.claim, Config{}); return err },
			"RankOneTailP": func() error { _, err := RankOneTailP(scores, c.claim, 2); return err },
			"RankTwoTailP": func() error { _, err := RankTwoTailP(scores, c.claim, 2); return err },
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
		if p := rateLower(c.count, c.n, c.significance); p != 0 {
			t.Errorf("rateLower(%d, %d, %g) = %g, want 0", c.count, c.n, c.significance, p)
		}
	}
	for _, confidence := range []float64{1, 2, 0, -1, nan} {
		within(t, "gamesNeeded", func() {
			if n := gamesNeeded(confidence); n != 0 {
				t.Errorf("gamesNeeded(%g) = %d, want 0", confidence, n)
			}
		})
	}
	if v := (ROC{}).At(0.5); v != 0 {
		t.Errorf("the empty ROC has %g at 0.5, want 0", v)
	}
}
