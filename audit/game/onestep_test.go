package game_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// background returns n random examples, whose last feature is always zero, so that some
// gradients are zero on it.
func background(n int) data.Dataset {
	const width, classes = 6, 3
	rng := rand.New(rand.NewPCG(7, 8))
	d := data.Dataset{Name: "background", Shape: []int{width}, Classes: classes}
	for i := range n {
		for j := range width {
			x := rng.NormFloat64()
			if j == width-1 {
				x = 0
			}
			d.Features = append(d.Features, float32(x))
		}
		d.Labels = append(d.Labels, int32(i%classes))
	}
	return d
}

// honest returns a game whose engine is right.
func honest(t testing.TB, games int) game.OneStep {
	t.Helper()
	model, err := models.MLP(6, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	return game.OneStep{
		Model: model, Background: background(12), Games: games,
		Config: dpsgd.Config{ClipNorm: 0.7, NoiseMultiplier: 1.3, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 12, LearningRate: 0.1},
	}
}

func play(t *testing.T, g game.OneStep, name string) game.Result {
	t.Helper()
	result, err := g.Run(context.Background(), streams.Fixed(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// kolmogorov returns the largest distance of the scores' distribution from a law.
func kolmogorov(scores []float64, cdf func(float64) float64) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	n, distance := float64(len(sorted)), 0.0
	for i, x := range sorted {
		p := cdf(x)
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
	}
	return distance
}

// limit is the distance that n draws of the law itself exceed with chance at most
// 2 exp(-2 n limit²) = 1e-7 (Massart (1990), The Annals of Probability 18).
func limit(n int) float64 { return math.Sqrt(numeric.Log(2/1e-7) / (2 * float64(n))) }

const games = 3000

// laws returns the two laws of the scores of an honest step, for noise multiplier sigma and
// rate q, where the background does not disturb: the canary joins with chance q.
func laws(sigma, q float64) (member, nonMember func(float64) float64) {
	member = func(x float64) float64 { return q*normalCDF(x-1/sigma) + (1-q)*normalCDF(x) }
	return member, normalCDF
}

func checkLaws(t *testing.T, what string, scores audit.Scores, sigma, q float64) {
	t.Helper()
	member, nonMember := laws(sigma, q)
	if d := kolmogorov(scores.Member, member); d > limit(len(scores.Member)) {
		t.Errorf("%s: member scores are %.4f away from their law, allowed %.4f", what, d, limit(len(scores.Member)))
	}
	if d := kolmogorov(scores.NonMember, nonMember); d > limit(len(scores.Member)) {
		t.Errorf("%s: non-member scores are %.4f away from N(0, 1), allowed %.4f", what, d, limit(len(scores.Member)))
	}
}

// On the full batch scores are N(1/σ, 1) and N(0, 1) whatever the direction; with sampling
// they are the mixture on a direction that no background example has a part in.
func TestScoresOfAnHonestStep(t *testing.T) {
	n := games
	if testing.Short() {
		n = 800
	}
	g := honest(t, n)
	checkLaws(t, "q 1", play(t, g, "honest").Scores, 1.3, 1)

	rng := rand.New(rand.NewPCG(1, 1))
	for range g.Model.Size() {
		g.Direction = append(g.Direction, rng.NormFloat64())
	}
	checkLaws(t, "q 1, random direction", play(t, g, "random direction").Scores, 1.3, 1)

	g = honest(t, n)
	g.Config.Sampling, g.Config.NoiseMultiplier = dpsgd.Poisson{Rate: 0.4}, 0.5
	checkLaws(t, "q 0.4", play(t, g, "sampled").Scores, 0.5, 0.4)

	g.Background = background(0)
	checkLaws(t, "q 0.4, no background", play(t, g, "alone").Scores, 0.5, 0.4)
}

// An engine that draws less noise than it claims, half or four fifths, is far from the law of its claim, and an
// audit's lower bound exceeds the claimed ε; the honest engine's does not. The audit takes the strongest bound for
// scores that are normal, as these are (see TestScoresOfAnHonestStep), at confidence 1 - 1e-6. Of 3,000 games in each world the
// bound on µ = 1.25 is 0.13 below it, 4.7 standard errors of 0.027, which leaves 4.4 of them to the claim: one
// audit in 100,000 misses it.
func TestTooLittleNoiseIsCaught(t *testing.T) {
	const claimed, delta = 1.0, 1e-5
	claim, err := audit.EpsilonOfMu(1/claimed, delta)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sigma       float64
		far, caught bool
	}{{claimed, false, false}, {claimed * 4 / 5, true, true}, {claimed / 2, true, true}} {
		g := honest(t, games)
		g.Config.NoiseMultiplier = c.sigma
		scores := play(t, g, "half").Scores
		for i, class := range [][]float64{scores.Member, scores.NonMember} { // in units of the claimed noise
			for k := range class {
				class[k] *= c.sigma / claimed
			}
			law := func(x float64) float64 { return normalCDF(x - float64(1-i)/claimed) }
			if d := kolmogorov(class, law); (d > limit(games)) != c.far {
				t.Errorf("noise %g: scores are %.4f away from the claimed law, allowed %.4f, far should be %v", c.sigma, d, limit(games), c.far)
			}
		}
		bound, err := audit.NormalScores(scores, audit.Config{Delta: delta, Confidence: 1 - 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if (bound.Epsilon > claim) != c.caught {
			t.Errorf("noise %g: lower bound %v, claimed ε %g, caught should be %v", c.sigma, bound, claim, c.caught)
		}
	}
}

// A game's score depends on its number and the root, not on how many are played or how.
func TestScoresDoNotDependOnTheRest(t *testing.T) {
	g := honest(t, 150) // more than one run of the engine
	many := play(t, g, "prefix").Scores
	g.Games, g.Performance = 10, engine.Performance{ReplicasPerCall: 3, Goroutines: 2}
	few := play(t, g, "prefix").Scores
	if !slices.Equal(few.Member, many.Member[:10]) || !slices.Equal(few.NonMember, many.NonMember[:10]) {
		t.Error("the first 10 of 150 games differ from 10 games played alone")
	}
	if slices.Equal(play(t, g, "another").Scores.Member, few.Member) {
		t.Error("another root gives the same scores")
	}
}

func TestResultSaysWhatWasPlayed(t *testing.T) {
	g := honest(t, 3)
	var last game.Progress
	g.Progress = func(p game.Progress) { last = p }
	result := play(t, g, "said")
	if !result.Seeded || !reflect.DeepEqual(result.Config, g.Config) || result.Event != g.Config.Event() {
		t.Errorf("result %+v does not say what was played", result)
	}
	if last.Games != 6 || last.Total != 6 || last.Remaining != 0 {
		t.Errorf("last progress %+v, want 6 of 6", last)
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := honest(t, 10).Run(ctx, streams.Fixed("cancelled")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, want Canceled", err)
	}
	if _, err := honest(t, 10).Run(context.Background(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) {
		t.Errorf("no root: error %v, want ErrNoRoot", err)
	}
	for want, change := range map[string]func(*game.OneStep){
		"Games 0: must be >= 1":        func(g *game.OneStep) { g.Games = 0 },
		"Steps 2: must be 1":           func(g *game.OneStep) { g.Config.Steps = 2 },
		"Poisson.Rate 0":               func(g *game.OneStep) { g.Config.Sampling = dpsgd.Poisson{Rate: 0} },
		"NonPrivate true":              func(g *game.OneStep) { g.Config.NonPrivate, g.Config.NoiseMultiplier = true, 0 },
		"Direction has length 2":       func(g *game.OneStep) { g.Direction = []float64{1, 2} },
		"Direction has norm 0":         func(g *game.OneStep) { g.Direction = make([]float64, g.Model.Size()) },
		"Layers is empty":              func(g *game.OneStep) { g.Model = dpsgd.Model{} },
		"feature NaN":                  func(g *game.OneStep) { g.Background.Features[0] = float32(math.NaN()) },
		"must be one of go":            func(g *game.OneStep) { g.Performance.Backend = "abacus" },
		"as many values as an example": func(g *game.OneStep) { g.Background.Shape = []int{3, 4}; g.Background.Labels = g.Background.Labels[:6] },
	} {
		g := honest(t, 10)
		change(&g)
		if _, err := g.Run(context.Background(), streams.Fixed("error")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
}

func ExampleOneStep() {
	model, err := models.MLP(6, 5, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	play := game.OneStep{
		Model: model, Background: background(12), Games: 1000,
		Config: dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 0.5, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 1, ExpectedBatchSize: 12, LearningRate: 0.1},
	}
	result, err := play.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	// A threshold halfway between the two laws, fixed before the scores are seen.
	bound, err := audit.GDPClopperPearson(result.Scores.CountAt(1), audit.Config{Delta: 1e-5, Confidence: 0.95})
	if err != nil {
		fmt.Println(err)
		return
	}
	claim, err := audit.EpsilonOfMu(1/0.5, 1e-5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Event)
	fmt.Printf("audited ε between 6 and the claimed %.2f: %v\n", claim, bound.Epsilon > 6 && bound.Epsilon <= claim)
	// Output:
	// 1 x PoissonSampled(q=1, ClippedSum(σ=0.5))
	// audited ε between 6 and the claimed 10.00: true
}
