package onerun

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

func TestBoundReference(t *testing.T) {
	const source = "reference/audit.json one_run_steinke; arXiv:2305.08846v1 p. 28 and 46 print 0.673 and 2.675"
	for _, c := range []struct {
		m, r, v    int
		delta, eps float64
	}{
		{1000, 100, 75, 1e-4, 0.6729846641074199}, {1000, 100, 75, 0, 0.7022139309495062},
		{100000, 1510, 1439, 1e-5, 2.6758510076786224}, {100, 20, 20, 1e-5, 1.8195970663713747},
		{16, 16, 16, 0, 1.5803231357927883},
	} {
		b := must(Bound(Guesses{c.m, c.r, c.v}, audit.Config{Delta: c.delta}))
		near(t, "ε", b.Epsilon, c.eps, 1e-6, source)
	}
	const other = "reference/audit.json jax_privacy_tests: another library's tests, at the vertex of the hull that wins and its share of the significance"
	for _, c := range []struct {
		m, r, v           int
		significance, eps float64
	}{
		{20000, 3376, 2807, 0.00012953367875647668, 1.133459563303386}, {20000, 4666, 4499, 0.00013368983957219252, 2.3119452803018476},
		{20000, 8233, 8223, 0.00035714285714285714, 4.395567698046973},
	} {
		b := must(Bound(Guesses{c.m, c.r, c.v}, audit.Config{Delta: 1e-6, Confidence: 1 - c.significance}))
		near(t, "ε", b.Epsilon, c.eps, 1e-6, other)
	}
	near(t, "p", steinkeP(Guesses{1000, 100, 75}, 0.5, 1e-4), 0.014587207651351313, 1e-12, "vectors.json auditing steinke_one_run p_value")
}

func TestFDPReference(t *testing.T) {
	const source = "reference/audit.json one_run_fdp: the (r, h) recursion, which matches two other implementations"
	for _, c := range []struct {
		m, r, v        int
		mu, eps, curve float64
	}{
		{1000, 200, 190, 0.9080538303633521, 3.9161045708676268, 2.3823874191078835},
		{1000, 100, 75, 0.2694947210579138, 1.0059159045622141, 0.6868665262778736},
		{1000, 1000, 900, 0.8803956309323471, 3.7793383325534706, 2.013120721000988},
		{10000, 10000, 7000, 0.3581797046295521, 1.3760923260349152, 0.8091535708205212},
	} {
		g := Guesses{c.m, c.r, c.v}
		b := must(FDP(g, level95))
		near(t, "µ", b.Mu, c.mu, 1e-5, source)
		near(t, "ε", b.Epsilon, c.eps, 1e-5, source)
		near(t, "ε with an (ε, δ) ceiling", curveBound(g, level95), c.curve, 1e-5, source)
	}
	// At (100000, 1510, 1439) the maximum, which costs nothing, lifts 2.676 to 2.794.
	g := Guesses{100000, 1510, 1439}
	near(t, "maximum of the published bounds", max(steinke(g, level95), curveBound(g, level95)), 2.794, 1e-3, "both published bounds, evaluated in Python")
}

// curveBound is the f-DP bound with the (ε, δ) ceiling.
func curveBound(g Guesses, cfg audit.Config) float64 {
	return largestTrue(maxEpsilon, func(eps float64) bool {
		return refuted(g, audit.EpsilonDelta{Epsilon: eps, Delta: cfg.Delta}, cfg.Significance())
	})
}

// The largest mean below v against looking at every i.
func TestLargestMeanAgainstAllMeans(t *testing.T) {
	for _, c := range []struct {
		r, v int
		p    float64
	}{{100, 75, 0.6}, {100, 50, 0.9}, {20, 20, 0.8}, {7, 1, 0.5}, {50, 30, 0.6}} {
		var want float64
		for i := 1; i <= c.r; i++ {
			var sum float64
			for j := max(0, c.v-i); j < c.v; j++ {
				sum += math.Exp(lchoose(c.r, j) + float64(j)*numeric.Log(c.p) + float64(c.r-j)*math.Log1p(-c.p))
			}
			want = math.Max(want, sum/float64(i))
		}
		near(t, "largest mean", largestMean(c.r, c.v, c.p), want, 1e-13, "every i in turn")
	}
}

func lchoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Ties at the borders are broken at random: the mean of the right guesses over seeds, by hand.
// With r = 1 the top score is a tie of two members and a non-member. r = 2: and the 0 below is
// right. r = 4: two of that tie, the 0, and a tie of one each at 1. r = 8: all are certain.
// 5.6 standard errors, each right guess having variance 1/4 at most: chance 2e-8 each.
func TestGuessBreaksTiesAtRandom(t *testing.T) {
	const seeds = 2000
	scores := audit.Scores{Member: []float64{5, 5, 4, 1}, NonMember: []float64{5, 3, 1, 0}}
	for r, want := range map[int]float64{1: 2. / 3, 2: 5. / 3, 4: 4./3 + 1.5, 8: 6} {
		sum := 0
		for seed := range uint64(seeds) {
			sum += must(GuessesFor(scores, audit.Config{Guesses: r, Seed: seed})).Correct
		}
		near(t, "mean of right guesses", float64(sum)/seeds, want, 5.6*math.Sqrt(float64(min(r, 3))/4/seeds), "by hand")
	}
	same := audit.Scores{Member: make([]float64, 8), NonMember: make([]float64, 8)}
	if got := must(Guess(same, 6)); got.Correct != 0 {
		t.Errorf("%d of 6 guesses are right on equal scores, want 0: they carry no evidence", got.Correct)
	}
}

// either is the larger of two ceilings, symmetric as they are, but not concave.
type either struct{ a, b audit.Curve }

func (e either) TPR(v float64) float64 { return max(e.a.TPR(v), e.b.TPR(v)) }
func (e either) FPR(t float64) float64 { return min(e.a.FPR(t), e.b.FPR(t)) }
func (either) Kinks() []float64        { return nil }
func (either) String() string          { return "either" }

// One coin under (0, 0.3)-DP and one under (1, 0)-DP: a mechanism that shows the first with chance 0.3, and else guesses the second by randomized response,
// makes one guess, which is right with chance 0.3 + 0.7 e/(1+e) = 0.8117. The recursion takes means over coins, and says at most 0.8 of a claim
// that each coin is under one or the other.
func TestClaimMustBeConcave(t *testing.T) {
	claim := either{audit.EpsilonDelta{Delta: 0.3}, audit.EpsilonDelta{Epsilon: 1}}
	if v, err := TestClaim(Guesses{2, 1, 1}, claim, audit.Config{}); err == nil || !strings.Contains(err.Error(), "must be concave") {
		t.Errorf("%v, error %v: want an error, or a p-value of %g at least", v, err, 0.3+0.7*tails.Logistic(1))
	}
}

func near(t *testing.T, what string, got, want, tol float64, source string) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.12g, want %.12g within %g (%s)", what, got, want, tol, source)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var level95 = audit.Config{Delta: 1e-5, Confidence: 0.95}

func TestClaimAgreesWithTheBound(t *testing.T) {
	g := Guesses{1000, 200, 190}
	mu := must(FDP(g, level95)).Mu
	if v := must(TestClaim(g, audit.GDP{Mu: mu - 1e-4}, level95)); !v.Contradicted || v.PValue < 0.045 {
		t.Errorf("just below the bound: %v", v)
	}
	if v := must(TestClaim(g, audit.GDP{Mu: mu + 1e-4}, level95)); v.Contradicted || v.PValue > 0.055 {
		t.Errorf("just above the bound: %v", v)
	}
}

// A claim that is no ceiling is refused before it accuses anybody.
func TestBadClaimsAreNamed(t *testing.T) {
	g := Guesses{Canaries: 12, Guessed: 6, Correct: 5}
	for want, claim := range map[string]audit.Curve{
		"claim is nil": nil, "epsilon NaN": audit.EpsilonDelta{Epsilon: math.NaN()}, "delta 2": audit.EpsilonDelta{Epsilon: 1, Delta: 2},
		"GDP.Mu -1": audit.GDP{Mu: -1}, "Profile is empty": audit.Profile{},
	} {
		if _, err := TestClaim(g, claim, level95); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("TestClaim(%#v): error %v, want one with %q", claim, err, want)
		}
	}
}

// The plan reaches its aim with about the least number of games.
func TestGamesForReachesItsAim(t *testing.T) {
	for _, name := range PlannedBounds {
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
	if _, err := Expect("one-run", 1, MaxGames+1, level95); err == nil || !strings.Contains(err.Error(), "must be at most 1000000") {
		t.Errorf("%d games: error %v", MaxGames+1, err)
	}
}

// Beside an error there are no guesses and no plan.
func TestNothingBesideAnError(t *testing.T) {
	few := audit.Scores{Member: []float64{1, 2}, NonMember: []float64{0}}
	guesses := map[string]func() (Guesses, error){
		"Guess": func() (Guesses, error) { return Guess(few, 4) }, "GuessInTurn": func() (Guesses, error) { return GuessInTurn(few, 4, 1) },
		"GuessesFor": func() (Guesses, error) { return GuessesFor(few, audit.Config{Guesses: 4}) },
	}
	for name, call := range guesses {
		if g, err := call(); err == nil || g != (Guesses{}) {
			t.Errorf("%s: %+v, error %v", name, g, err)
		}
	}
	for _, name := range []string{"one", "one-run-fdp"} {
		if p, err := Expect(name, 1, 10, audit.Config{}); err == nil || p != (audit.Plan{}) {
			t.Errorf("%s: %+v, error %v", name, p, err)
		}
		if p, err := GamesFor(name, 1, 1, audit.Config{}); err == nil || p != (audit.Plan{}) {
			t.Errorf("%s: %+v, error %v", name, p, err)
		}
	}
}
