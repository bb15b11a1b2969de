package paperaudit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/audit"
)

// The audit is that of the library, on scores with ties too.
func TestAudit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, score := range map[string]func(canary float64) float64{
		"normal": func(canary float64) float64 { return canary + rng.NormFloat64() },
		"ties":   func(canary float64) float64 { return math.Round(3 * (canary + rng.NormFloat64())) },
		"apart":  func(canary float64) float64 { return 100*canary + rng.NormFloat64() },
		"equal":  func(float64) float64 { return 7 },
	} {
		var s audit.Scores
		for range 300 {
			s.Member, s.NonMember = append(s.Member, score(1)), append(s.NonMember, score(0))
		}
		report, err := audit.Bounds(s, audit.Config{Seed: 1, Delta: 1e-5, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := report.Bound("gdp-clopper-pearson")
		got, err := New(300, audit.Config{Delta: 1e-5, Confidence: 0.9}).Epsilon(s)
		if err != nil || math.Abs(got-want.Epsilon) > 1e-9 {
			t.Errorf("%s: ε %g, error %v: want %g (audit.Bounds)", name, got, err, want.Epsilon)
		}
	}
}

// Bins give what the sorted scores of a class give as a whole: few and many games, ties, scores
// that are far from the others or infinite.
func TestMu(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, games := range []int{1, 2, 30, 2500} {
		a := New(games, audit.Config{})
		for name, change := range map[string]func(i int, x float64) float64{
			"normal":   func(_ int, x float64) float64 { return x },
			"ties":     func(_ int, x float64) float64 { return math.Round(2 * x) },
			"far":      func(i int, x float64) float64 { return x * (1 + 1e6*float64(i/(games-games/20))) },
			"infinite": func(i int, x float64) float64 { return x / float64(min(i, 1)) },
			"cubes":    func(_ int, x float64) float64 { return x * x * x },
		} {
			for _, shift := range []float64{-1, 0, 0.3, 1, 4} {
				var s audit.Scores
				for i := range games {
					s.Member = append(s.Member, change(i, shift+rng.NormFloat64()))
					s.NonMember = append(s.NonMember, change(i, rng.NormFloat64()))
				}
				before := slices.Clone(s.Member)
				if got, want := a.Mu(s), a.largest(sorted(s.Member), sorted(s.NonMember), 0, 0); got != want {
					t.Errorf("%d games, %s, moved by %g: µ %g, want %g", games, name, shift, got, want)
				}
				if !slices.Equal(s.Member, before) {
					t.Errorf("%d games, %s: the scores are changed", games, name)
				}
			}
		}
	}
}
