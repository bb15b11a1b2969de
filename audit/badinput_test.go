package audit

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
)

func TestBadScoresAreNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		scores Scores
		want   string
	}{
		{Scores{}, "empty"},
		{Scores{Member: ok}, "NonMember is empty: all scores are of one class"},
		{Scores{NonMember: ok}, "Member is empty"},
		{Scores{Member: []float64{1, nan}, NonMember: ok}, "Member[1] NaN: must be finite"},
		{Scores{Member: ok, NonMember: []float64{1, 2, inf}}, "NonMember[2] +Inf: must be finite"},
		{Scores{Member: ok[:2], NonMember: ok[:2]}, "must be at least 4 of each"},
	} {
		if _, err := Bounds(c.scores, Config{Delta: 1e-5}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Bounds(%v): error %v, want one with %q", c.scores, err, c.want)
		}
	}
}

func TestBadConfigIsNamed(t *testing.T) {
	ok := Scores{Member: []float64{1, 2, 3, 4}, NonMember: []float64{1, 2, 3, 4}}
	nan := math.NaN()
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Delta: -1}, "Delta -1"}, {Config{Delta: 1}, "Delta 1"}, {Config{Delta: nan}, "Delta NaN"},
		{Config{Confidence: 1}, "Confidence 1"}, {Config{Confidence: 0.05}, "audit: Config.Confidence 0.05: must be in [0.5, 1) (0.05 looks like a significance level; its confidence is 0.95)"}, {Config{Confidence: -0.5}, "Confidence -0.5"}, {Config{Confidence: nan}, "Confidence NaN"},
		{Config{Threshold: Chosen(nan)}, "Threshold NaN"}, {Config{Rank: Chosen(-1)}, "Rank -1"}, {Config{Rank: Chosen(4)}, "rank 4"},
	} {
		if _, err := Bounds(ok, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Bounds(%+v): error %v, want one with %q", c.cfg, err, c.want)
		}
	}
}

// The number that the error asks for gives a bound above 0 to perfect scores, and one fewer does
// not: 3 + 3 at confidence 0.95 have p = 1/20 exactly, and a bound of 0.
func TestGamesNeededGiveABound(t *testing.T) {
	perfect := func(n int) Scores {
		s := Scores{make([]float64, n), make([]float64, n)}
		for i := range n {
			s.Member[i], s.NonMember[i] = float64(i+n), float64(i)
		}
		return s
	}
	for confidence, want := range map[float64]int{0.5: 2, 0.9: 3, 0.95: 4, 0.99: 5, 0.999: 7} {
		n := gamesNeeded(confidence)
		if n != want { // 1/C(2n, n): 1/2, 1/6, 1/20, 1/70, 1/252, 1/924, 1/3432
			t.Errorf("confidence %g: %d games needed, want %d", confidence, n, want)
		}
		r, err := Bounds(perfect(n), Config{Seed: 1, Confidence: confidence})
		if err != nil {
			t.Fatal(err)
		}
		if b := r.Bounds[0]; !(b.Epsilon > 0 && b.Ceiling >= b.Epsilon) {
			t.Errorf("confidence %g: %d perfect games of each give %v, want above 0", confidence, n, b)
		}
		if b := must(RankTwoTail(perfect(n-1), 0, Config{Confidence: confidence})); b.Epsilon != 0 {
			t.Errorf("confidence %g: %d games of each already give %v", confidence, n-1, b)
		}
		if _, err := Bounds(perfect(n-1), Config{Confidence: confidence}); err == nil {
			t.Errorf("confidence %g: %d games of each are no error", confidence, n-1)
		}
	}
	// A larger δ needs more games, which is said.
	r, err := Bounds(perfect(4), Config{Seed: 1, Delta: 0.3})
	if err != nil || r.Bounds[0].Ceiling != 0 || !slices.ContainsFunc(r.Warnings, func(w error) bool { return strings.Contains(w.Error(), "so few games") }) {
		t.Errorf("4 games of each at δ = 0.3: %v, %v, warnings %v", err, r.Bounds[0], r.Warnings)
	}
}

// A loss as a score is said, not turned round.
func TestInvertedScoresAreSaid(t *testing.T) {
	loss := gaussianScores(200, -1)
	warned := func(r Report) bool {
		return slices.ContainsFunc(r.Warnings, func(w error) bool { return strings.Contains(w.Error(), "must grow with the evidence") })
	}
	r := must(Bounds(loss, Config{Seed: 1, Delta: 1e-5}))
	if !warned(r) || r.Bounds[0].Epsilon != 0 {
		t.Errorf("inverted scores: warnings %v, %v", r.Warnings, r.Bounds[0])
	}
	for _, mu := range []float64{0, 1} {
		if r := must(Bounds(gaussianScores(200, mu), Config{Seed: 1, Delta: 1e-5})); warned(r) {
			t.Errorf("µ = %g: warnings %v", mu, r.Warnings)
		}
	}
}

// One tail at the top needs a non-member of that rank, and no member.
func TestRankOneTailWithFewMembers(t *testing.T) {
	scores := Scores{Member: []float64{100, 101, 102}, NonMember: gaussianScores(500, 0).NonMember}
	k := 9
	b := must(RankOneTail(scores, k, Config{}))
	// All 3 members are above the 10th largest of 500: p = E[min(1, e^ε V)^3] over V ~ Beta(10, 491).
	p := 1.0
	for i := 0.0; i < 3; i++ {
		p *= (10 + i) / (501 + i)
	}
	near(t, "p at ε = 0", must(RankOneTailP(scores, EpsilonDelta{}, k)), p, 2e-7, "third moment of a Beta law")
	if !(b.Epsilon > 1 && b.Epsilon <= numeric.Log(500)) {
		t.Errorf("%v", b)
	}
	if _, err := GDPRank(scores, 100, Config{Delta: 1e-5}); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"one tail":  second(RankOneTail(scores, 500, Config{})),
		"two tails": second(RankTwoTail(scores, 3, Config{})),
	} {
		if err == nil || !strings.Contains(err.Error(), "must be in [0, ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestEqualScoresGiveZero(t *testing.T) {
	same := make([]float64, 50)
	r, err := Bounds(Scores{same, same}, Config{Seed: 1, Delta: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Ordered() {
		if b.Epsilon != 0 || b.Mu != 0 {
			t.Errorf("%s = %g (µ %g) on equal scores, want 0", b.Name, b.Epsilon, b.Mu)
		}
	}
	if len(r.Warnings) == 0 {
		t.Error("no warning about equal scores")
	}
}

// What stands beside an error says nothing: a p-value of 1, no plan, a bound that was not computed.
func TestNothingBesideAnError(t *testing.T) {
	nan := Scores{Member: []float64{math.NaN()}, NonMember: []float64{0}}
	ok := gaussianScores(20, 1)
	two, one := besideError(RankTwoTailP(nan, GDP{1}, 0)), besideError(RankOneTailP(ok, GDP{-1}, 0))
	search := besideError(RankOfSearchP(nan, law.Fixed{Count: 2}, GDP{1}, 0))
	for name, p := range map[string]float64{"RankTwoTailP": two, "RankOneTailP": one, "RankOfSearchP": search} {
		if p != 1 {
			t.Errorf("%s: p = %g beside an error, want 1", name, p)
		}
	}
	for name, plan := range map[string]Plan{
		"bound":     besideError(Expect("rank", 1, 10, level95)),
		"δ":         besideError(Expect("gdp-auc", 1, 10, Config{})),
		"GamesFor":  besideError(GamesFor("rank", 1, 1, level95)),
		"ε too big": besideError(GamesFor("gdp-auc", 1, 1e9, level95)),
	} {
		if plan != (Plan{}) {
			t.Errorf("%s: %+v beside an error", name, plan)
		}
	}
}

// besideError returns what stands beside an error.
func besideError[T any](value T, err error) T {
	if err == nil {
		panic("no error")
	}
	return value
}

// Each line of an error begins with one package, says it once, and no line comes twice.
func TestErrorsNameTheirPackageOnce(t *testing.T) {
	nan, ok := Scores{Member: []float64{math.NaN()}}, gaussianScores(20, 1)
	bad := Config{Delta: 2, Confidence: -1, ExpectedMu: -1, Guesses: -1, Threshold: Chosen(math.Inf(1))}
	runs := law.Fixed{}
	var errs []error
	add := func(_ any, err error) { errs = append(errs, err) }
	add(Bounds(nan, Config{}))
	add(Bounds(ok, bad))
	add(Describe(ok, bad))
	add(TestClaim(nan, EpsilonDelta{Epsilon: -1, Delta: 2}, bad))
	add(RankTwoTail(ok, 20, Config{Delta: -1}))
	add(RankTwoTailP(ok, GDP{-1}, 0))
	add(RankOfSearch(nan, runs, -1, Config{Delta: 2}))
	add(NormalOfSearch(nan, runs, Config{}, nil))
	add(GDPAUC(ok, level95, nil))
	add(NormalScores(nan, Config{}))
	add(ClopperPearson(Counts{Members: -1}, Config{Delta: 2}))
	add(ClopperPearsonSplit(ok, 0, Config{Delta: 2}, nil))
	add(NewProfile("x", []EpsilonDelta{{Epsilon: -1, Delta: 3}}))
	add(ClaimOf(accounting.Gaussian{NoiseMultiplier: -1}))
	add(Expect("x", -1, 0, Config{Delta: -1}))
	add(TPRAtFPR(nan, 2, Config{Confidence: 2}))
	add(NewBand(nan, Config{Confidence: 2}))
	for i, err := range errs {
		if err == nil {
			t.Errorf("call %d gives no error", i)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		for j, line := range lines {
			if !regexp.MustCompile(`^[a-z]+: `).MatchString(line) || strings.Count(line, "audit: ") > 1 || slices.Contains(lines[:j], line) {
				t.Errorf("call %d, line %d of\n%v", i, j, err)
			}
		}
	}
}
