package audit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func perfectScores(n int) (s Scores) {
	for i := range n {
		s.Member, s.NonMember = append(s.Member, float64(n)+float64(i)), append(s.NonMember, float64(i))
	}
	return s
}

// needed returns the number of games that a warning asks for.
func needed(t *testing.T, warnings []error) int {
	t.Helper()
	m := regexp.MustCompile(`at least (\d+) of each are needed`).FindStringSubmatch(fmt.Sprint(warnings))
	if m == nil {
		t.Fatalf("warnings %v, want a number of games", warnings)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A test that no scores could fail is not passed in silence. One game fewer than the number that it
// asks for is too few, and a tenth more is enough for perfect scores.
func TestClaimsThatNoScoresContradict(t *testing.T) {
	for _, claim := range []Curve{EpsilonDelta{Epsilon: 3}, EpsilonDelta{3, 1e-5}, GDP{2}} {
		few := must(TestClaim(perfectScores(3), claim, Config{Seed: 1}))
		if few.Contradicted || !few.TooFew || !strings.Contains(few.String(), "3 member and 3 non-member games cannot contradict the claim "+claim.String()) {
			t.Errorf("%v: 3 + 3 perfect games: %v", claim, few)
		}
		n := needed(t, few.Warnings)
		if last := must(TestClaim(perfectScores(n-1), claim, Config{Seed: 1})); !last.TooFew {
			t.Errorf("%v: %d + %d games, one fewer than needed: %v", claim, n-1, n-1, last)
		}
		if enough := must(TestClaim(perfectScores(n+n/10+1), claim, Config{Seed: 1})); !enough.Contradicted || enough.TooFew {
			t.Errorf("%v: %d is enough by the warning, and a tenth more are not: %v", claim, n, enough)
		}
	}
	if v := must(TestClaim(gaussianScores(100, 0), GDP{1}, Config{Seed: 1})); v.TooFew || v.Contradicted || len(v.Warnings) > 0 {
		t.Errorf("100 + 100 games and µ = 1: %v", v)
	}
	// No simulation of 19,999 audits reaches 1e-6 / 2, and the rank test of so few games does not.
	if v := must(TestClaim(perfectScores(16), EpsilonDelta{Epsilon: 0.1}, Config{Seed: 1, Rank: Chosen(5), Confidence: 1 - 1e-6})); !v.TooFew || !strings.Contains(v.String(), "no simulation reaches this confidence") {
		t.Errorf("16 + 16 games at confidence 1 - 1e-6: %v", v)
	}
	// e^ε = 2, δ = 0, one game of each: members are above with chance 2/3 at most.
	near(t, "chance of a perfect pair", perfectP(EpsilonDelta{Epsilon: 0.6931471805599453}, 1, 1), 2./3, 1e-6, "∫ min(2v, (1+v)/2) dv = 1/9 + 5/9")
}

// The report names the claim that its games cannot contradict, next to the verdict.
func TestReportNamesUntestableClaims(t *testing.T) {
	r := must(Bounds(perfectScores(20), Config{Seed: 1, Delta: 1e-5}))
	for _, claim := range []Curve{EpsilonDelta{8, 1e-5}, EpsilonDelta{0.1, 1e-5}} {
		r.Claims = append(r.Claims, must(TestClaim(perfectScores(20), claim, Config{Seed: 1})))
	}
	if text := r.String(); !strings.Contains(text, "not contradicted, as no scores of so few could, at confidence 0.95") || !strings.Contains(text, "warning: 20 member and 20 non-member games cannot contradict the claim (ε = 8, δ = 1e-5)-DP at confidence 0.95, whatever their scores are: at least ") ||
		strings.Count(text, "cannot contradict") != 1 {
		t.Errorf("the report is\n%s", text)
	}
}

// A bound whose ceiling is 0 warns, with the number of games that gives one above 0.
func TestCeilingsOfZeroWarn(t *testing.T) {
	cfg := Config{Delta: 1e-5}
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	for name, bound := range map[string]func(n int) (Bound, error){
		"clopper-pearson":       func(n int) (Bound, error) { return ClopperPearson(Counts{Members: n, NonMembers: n}, cfg) },
		"gdp-clopper-pearson":   func(n int) (Bound, error) { return GDPClopperPearson(Counts{Members: n, NonMembers: n}, cfg) },
		"clopper-pearson-split": func(n int) (Bound, error) { return ClopperPearsonSplit(perfectScores(n), 1, cfg, rng()) },
		"multi-split":           func(n int) (Bound, error) { return ClopperPearsonSplit(perfectScores(n), 3, cfg, rng()) },
		"rank-two-tail":         func(n int) (Bound, error) { return RankTwoTail(perfectScores(n), 1, cfg) },
		"rank-one-tail":         func(n int) (Bound, error) { return RankOneTail(perfectScores(n), 1, cfg) },
		"gdp-rank":              func(n int) (Bound, error) { return GDPRank(perfectScores(n), 1, cfg) },
	} {
		n := needed(t, must(bound(2)).Warnings)
		if b := must(bound(n - 1)); b.Ceiling != 0 || len(b.Warnings) == 0 {
			t.Errorf("%s, %d games of each, one fewer than needed: %v, warnings %v", name, n-1, b, b.Warnings)
		}
		if b := must(bound(n)); !(b.Ceiling > 0) || len(b.Warnings) > 0 {
			t.Errorf("%s, %d games of each, as many as needed: %v, warnings %v", name, n, b, b.Warnings)
		}
	}
	if b := must(GDPAUC(perfectScores(2), cfg, rng())); b.Ceiling == 0 && len(b.Warnings) == 0 {
		t.Errorf("%v has no warning", b)
	}
}
