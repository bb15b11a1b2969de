package onerun

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/tails"
)

// The least number of canaries is stated as it is: five right guesses have chance 1/32.
func TestFewCanaries(t *testing.T) {
	of := func(members, nonMembers int) audit.Scores {
		s := audit.Scores{Member: make([]float64, members), NonMember: make([]float64, nonMembers)}
		for i := range s.Member {
			s.Member[i] = 1
		}
		return s
	}
	if _, err := Bounds(of(2, 2), audit.Config{}); err == nil || !strings.Contains(err.Error(), ": must be at least 5") {
		t.Errorf("4 canaries: error %v, want one that asks for 5", err)
	}
	r, err := Bounds(of(3, 2), audit.Config{Seed: 1, Guesses: 5})
	if err != nil {
		t.Fatal(err)
	}
	// P[Bin(5, p) >= 5] = p^5 = 0.05 at p = 0.5493, ε = ln(p/(1-p)) = 0.1977
	p := math.Pow(0.05, 0.2)
	if want := numeric.Log(p / (1 - p)); math.Abs(r.Bounds[0].Epsilon-want) > 1e-8 {
		t.Errorf("5 of 5 right: ε >= %.10g, want %.10g", r.Bounds[0].Epsilon, want)
	}
}

// Four guesses are right by chance once in 16 times, however many canaries there are: no outcome is evidence, and the report says how many would be.
// At δ = 0.01 six guesses of 1,000 canaries are too few, though five would do at δ = 0.
func TestTooFewGuessesAreSaid(t *testing.T) {
	for _, c := range []struct {
		guesses int
		delta   float64
		warned  bool
	}{{4, 0, true}, {5, 0, false}, {6, 0.01, true}} {
		r := must(Bounds(gaussianScores(500, 3), audit.Config{Seed: 1, Guesses: c.guesses, Delta: c.delta}))
		warned := slices.ContainsFunc(r.Warnings, func(w error) bool { return strings.Contains(w.Error(), "at δ = 0, 5 guesses would") })
		if warned != c.warned {
			t.Errorf("%+v: warnings %v, bounds %v", c, r.Warnings, r.Bounds)
		}
	}
}

// In one run m right guesses have p = 2^-m, which is the significance at m = 2 and 0.75.
func TestCanariesNeeded(t *testing.T) {
	two := audit.Scores{Member: []float64{1}, NonMember: []float64{0}}
	if _, err := Bounds(two, audit.Config{Confidence: 0.75}); err == nil || !strings.Contains(err.Error(), ": must be at least 3") {
		t.Errorf("2 canaries at confidence 0.75: error %v, want one that asks for 3", err)
	}
}

// A loss as a score is said, not turned round.
func TestInvertedScoresAreSaid(t *testing.T) {
	r := must(Bounds(gaussianScores(200, -1), audit.Config{Seed: 1, Delta: 1e-5}))
	if !slices.ContainsFunc(r.Warnings, func(w error) bool { return strings.Contains(w.Error(), "must grow with the evidence") }) {
		t.Errorf("inverted scores: warnings %v", r.Warnings)
	}
}

// Bits are no reason for silence: of 200 guesses at ε = 3 some 191 are right, where they were
// about half when ties counted against the audit. The bound for a Gaussian trade-off says its doubt.
func TestTiedScoresAreNotSilent(t *testing.T) {
	for seed := range uint64(3) {
		s := randomizedResponse(rand.New(rand.NewPCG(seed, 47)), 2000, 3)
		if g := must(GuessesFor(s, audit.Config{Guesses: 200, Seed: seed})); g.Correct < 170 {
			t.Errorf("seed %d: %d of 200 guesses right, want some 191", seed, g.Correct)
		}
		for _, b := range must(Bounds(s, audit.Config{Seed: 1, Delta: 1e-5})).Bounds {
			if doubted := len(b.Warnings) > 0; doubted != (b.Name == "one-run-fdp") {
				t.Errorf("seed %d: %s has warnings %v", seed, b.Name, b.Warnings)
			}
		}
	}
}

func gaussianScores(n int, mu float64) (s audit.Scores) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	for range n {
		s.Member, s.NonMember = append(s.Member, rng.NormFloat64()+mu), append(s.NonMember, rng.NormFloat64())
	}
	return s
}

// randomizedResponse includes canaries by fair coins and passes each coin through randomized response.
func randomizedResponse(rng *rand.Rand, canaries int, epsilon float64) (s audit.Scores) {
	for range canaries {
		in := rng.IntN(2) == 1
		bit := 0.0
		if (rng.Float64() < tails.Logistic(epsilon)) == in {
			bit = 1
		}
		if in {
			s.Member = append(s.Member, bit)
		} else {
			s.NonMember = append(s.NonMember, bit)
		}
	}
	return s
}

// Random ties keep the confidence of one run: canaries included by fair coins, each bit through
// randomized response, 20 of 200 guessed among many equal ones. More alarms than the limit come by
// chance at most 1e-8 of the time a null.
func TestHoldsOnTies(t *testing.T) {
	const audits, canaries = 300, 200
	limit := sort.Search(audits, func(k int) bool { return tails.BinomialUpper(k+1, audits, 0.05) <= 1e-8 })
	for _, epsilon := range []float64{0, 1.5} {
		alarms, some := 0, 0
		for i := range audits {
			rng := rand.New(rand.NewPCG(uint64(i), 53))
			s := randomizedResponse(rng, canaries, epsilon)
			b := must(Bound(must(GuessesFor(s, audit.Config{Guesses: 20, Seed: uint64(i) + 1})), audit.Config{}))
			if b.Epsilon > epsilon {
				alarms++
			}
			if b.Epsilon > 0 {
				some++
			}
		}
		if alarms > limit {
			t.Errorf("ε = %g: the bound exceeds it in %d of %d audits, want at most %d", epsilon, alarms, audits, limit)
		}
		if epsilon > 0 && some < audits/2 {
			t.Errorf("ε = %g: only %d of %d audits say anything", epsilon, some, audits)
		}
		t.Logf("ε = %g: alarms in %.3f, a bound above 0 in %.3f of audits", epsilon, float64(alarms)/audits, float64(some)/audits)
	}
}

func BenchmarkBounds(b *testing.B) {
	for _, n := range []int{1000, 500000} {
		scores := gaussianScores(n, 1)
		b.Run(fmt.Sprint(2*n), func(b *testing.B) {
			for b.Loop() {
				must(Bounds(scores, audit.Config{Delta: 1e-5}))
			}
		})
	}
}

// Few, tied, unbalanced and extreme scores at extreme levels: an error, or bounds between 0 and
// their ceilings.
func TestOddInputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 43))
	sizes := []int{1, 2, 3, 5, 12, 60}
	draws := []func() float64{
		func() float64 { return float64(rng.IntN(2)) },
		func() float64 { return math.Trunc(4 * rng.NormFloat64()) },
		rng.NormFloat64,
		func() float64 { return math.MaxFloat64 * (2*rng.Float64() - 1) },
		func() float64 { return 5e-324 * float64(rng.IntN(3)) },
	}
	levels := []audit.Config{{Delta: 0, Confidence: 0.95}, {Delta: 1e-12, Confidence: 0.5}, {Delta: 1e-5, Confidence: 0.95}, {Delta: 0.3, Confidence: 0.9}, {Delta: 0.999, Confidence: 0.99}, {Delta: 1e-5, Confidence: 0.6}, {Delta: 1e-5, Confidence: 1 - 1e-9}}
	for range 50 {
		shift := []float64{0, 1, 50}[rng.IntN(3)]
		draw := draws[rng.IntN(len(draws))]
		scores := audit.Scores{Member: make([]float64, sizes[rng.IntN(len(sizes))]), NonMember: make([]float64, sizes[rng.IntN(len(sizes))])}
		for i := range scores.Member {
			scores.Member[i] = math.Min(math.MaxFloat64, draw()+shift)
		}
		for i := range scores.NonMember {
			scores.NonMember[i] = draw()
		}
		level := levels[rng.IntN(len(levels))]
		cfg := audit.Config{Seed: 1, Delta: level.Delta, Confidence: level.Confidence, ExpectedMu: []float64{0, 0.1, 30}[rng.IntN(3)]}
		report, err := Bounds(scores, cfg)
		if err != nil {
			continue
		}
		if _, err := json.Marshal(report); err != nil {
			t.Errorf("%v %+v: %v", scores, cfg, err)
		}
		for _, b := range report.Bounds {
			if !(b.Epsilon >= 0 && b.Epsilon <= b.Ceiling+1e-9 && !math.IsInf(b.Ceiling, 0) && b.Mu >= 0) {
				t.Errorf("%v %+v: %v (µ %g)", scores, cfg, b, b.Mu)
			}
		}
	}
}

// A setting that would be ignored is an error: one run has guesses, independent games have a
// threshold and a rank.
func TestSettingsThatWouldBeIgnored(t *testing.T) {
	scores := audit.Scores{Member: make([]float64, 20), NonMember: make([]float64, 20)}
	for i := range scores.Member {
		scores.Member[i] = float64(i)
	}
	for want, err := range map[string]error{
		"onerun: Config.Threshold 0.5: must not be given": second(Bounds(scores, audit.Config{Threshold: audit.Chosen(0.5)})),
		"onerun: Config.Rank 3: must not be given":        second(Bounds(scores, audit.Config{Rank: audit.Chosen(3)})),
		"audit: Config.Guesses 5: must be 0":              second(audit.Bounds(scores, audit.Config{Guesses: 5})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func second(_ audit.Report, err error) error { return err }

// A number of guesses that the caller gave is printed as a statement, the default as a fact.
func TestGuessesAreStated(t *testing.T) {
	scores := gaussianScores(50, 1)
	for _, c := range []struct {
		cfg    audit.Config
		stated bool
	}{{audit.Config{Seed: 1}, false}, {audit.Config{Seed: 1, Guesses: 20}, true}, {audit.Config{Seed: 1, ExpectedMu: 2}, true}} {
		for _, b := range must(Bounds(scores, c.cfg)).Bounds {
			if strings.Contains(b.ChosenBefore, "canaries, stated as fixed beforehand") != c.stated || !strings.Contains(b.ChosenBefore, "fixed beforehand") {
				t.Errorf("%+v: %s: %q", c.cfg, b.Name, b.ChosenBefore)
			}
		}
	}
}

// Guesses that could not contradict a claim, or show an ε above 0, are not passed in silence. The
// number that the warning asks for is enough, and one fewer is not.
func TestTooFewGuessesWarn(t *testing.T) {
	asked := func(warnings []error) int {
		var n, of int
		text := fmt.Sprint(warnings)
		at := strings.LastIndex(text, ": ")
		if _, err := fmt.Sscanf(text[max(0, at):], ": %d of %d", &n, &of); err != nil || n != of {
			t.Fatalf("warnings %s, want a number of guesses: %v", text, err)
		}
		return n
	}
	cfg := audit.Config{Delta: 1e-5}
	for _, claim := range []audit.Curve{audit.GDP{Mu: 1}, audit.EpsilonDelta{Epsilon: 3}} {
		few := must(TestClaim(Guesses{100, 3, 3}, claim, cfg))
		if few.Contradicted || !few.TooFew || !strings.Contains(few.String(), "3 guesses of 100 canaries cannot contradict the claim "+claim.String()) {
			t.Errorf("%v: 3 right guesses: %v", claim, few)
		}
		n := asked(few.Warnings)
		if less, enough := must(TestClaim(Guesses{n - 1, n - 1, n - 1}, claim, cfg)), must(TestClaim(Guesses{n, n, n}, claim, cfg)); !less.TooFew || !enough.Contradicted || enough.TooFew {
			t.Errorf("%v: %d guesses are asked for: %v\n%d: %v", claim, n, enough, n-1, less)
		}
	}
	if v := must(TestClaim(Guesses{100, 50, 25}, audit.GDP{Mu: 1}, cfg)); v.TooFew || v.Contradicted || len(v.Warnings) > 0 {
		t.Errorf("25 of 50 right: %v", v)
	}
	for name, bound := range map[string]func(Guesses, audit.Config) (audit.Bound, error){"one-run": Bound, "one-run-max": Max, "one-run-adaptive": InTurn, "one-run-fdp": FDP} {
		few := must(bound(Guesses{3, 3, 3}, cfg))
		if few.Ceiling != 0 || len(few.Warnings) != 1 {
			t.Errorf("%s: 3 of 3: %v, warnings %v", name, few, few.Warnings)
			continue
		}
		n := asked(few.Warnings)
		if less, enough := must(bound(Guesses{n - 1, n - 1, n - 1}, cfg)), must(bound(Guesses{n, n, n}, cfg)); less.Ceiling != 0 || !(enough.Ceiling > 0) || len(enough.Warnings) > 0 {
			t.Errorf("%s: %d guesses are asked for: %v, %v\n%d: %v", name, n, enough, enough.Warnings, n-1, less)
		}
	}
}
