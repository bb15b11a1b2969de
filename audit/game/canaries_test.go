package game_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// oneRun returns an audit of two trainings of nine steps, of a model with 2,003 weights.
func oneRun(t testing.TB, change func(*game.OneRun)) game.OneRun {
	t.Helper()
	model, err := models.MLP(6, 200, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := game.OneRun{
		Model: model, Data: background(0), Coordinates: 1000, Trainings: 2,
		Config: dpsgd.Config{ClipNorm: 0.7, NoiseMultiplier: 3, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 9, ExpectedBatchSize: 12, LearningRate: 0.01},
	}
	if change != nil {
		change(&g)
	}
	return g
}

func playOneRun(t testing.TB, g game.OneRun, name string) game.OneRunResult {
	t.Helper()
	result, err := g.Run(context.Background(), streams.Fixed(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// With nothing but noise and canaries the scores of 2,000 coins are N(√T/σ, 1) and N(0, 1). Sampled with
// rate q, a canary joins Bin(T, q) steps, each of which moves its score by 1/(σ√T). Directions of which
// others have a part add their variance.
func TestScoresOfOneRun(t *testing.T) {
	check := func(what string, g game.OneRun, member, nonMember func(float64) float64) {
		scores := playOneRun(t, g, what).Scores
		if n := len(scores.Member) + len(scores.NonMember); n != 2000 {
			t.Errorf("%s: %d scores, want 2,000", what, n)
		}
		if z := float64(len(scores.Member)-1000) / math.Sqrt(500); math.Abs(z) > 5.33 { // chance 1e-7
			t.Errorf("%s: %d of 2,000 canaries are in: %.1f standard deviations from half", what, len(scores.Member), z)
		}
		for _, c := range []struct {
			name   string
			scores []float64
			law    func(float64) float64
		}{{"member", scores.Member, member}, {"non-member", scores.NonMember, nonMember}} {
			if d := kolmogorov(c.scores, c.law); d > limit(len(c.scores)) {
				t.Errorf("%s: %s scores are %.4f away from their law, allowed %.4f", what, c.name, d, limit(len(c.scores)))
			}
		}
	}
	shifted := func(mu float64) func(float64) float64 {
		return func(x float64) float64 { return normalCDF(x - mu) }
	}
	check("coordinates", oneRun(t, nil), shifted(1), normalCDF)
	sampled := func(x float64) (p float64) { // 9 steps at rate 1/2, each worth 1/9 of µ = 1
		for k, ways := range []float64{1, 9, 36, 84, 126, 126, 84, 36, 9, 1} {
			p += ways / 512 * normalCDF(x-float64(k)/9)
		}
		return p
	}
	check("sampled coordinates", oneRun(t, func(g *game.OneRun) { g.Config.Sampling = dpsgd.Poisson{Rate: 0.5} }), sampled, normalCDF)
	check("known data", oneRun(t, func(g *game.OneRun) { // of which one training moves the weights far
		g.Data, g.Simulations, g.Config.ExpectedBatchSize, g.Config.LearningRate = background(300), 1, 300, 1e-4
	}), shifted(1), normalCDF)
	check("fixed batches", oneRun(t, func(g *game.OneRun) {
		g.Config.Sampling = dpsgd.FixedBatches{Period: 3}
	}), shifted(1./3), normalCDF)
	check("some steps of fixed batches", oneRun(t, func(g *game.OneRun) { // 6 of 9
		g.Config.Sampling, g.At = dpsgd.FixedBatches{Period: 3}, func(step int) bool { return step%3 != 1 }
	}), shifted(2./3), normalCDF)
	check("some steps of samples", oneRun(t, func(g *game.OneRun) { // 3 of 9 at rate 1/2
		g.Config.Sampling, g.At = dpsgd.Poisson{Rate: 0.5}, func(step int) bool { return step%3 == 1 }
	}), func(x float64) (p float64) {
		for k, ways := range []float64{1, 3, 3, 1} {
			p += ways / 8 * normalCDF(x-float64(k)/9)
		}
		return p
	}, normalCDF)
	check("mean of noisy simulations", oneRun(t, func(g *game.OneRun) { // adds 1/400 to the variance
		g.Config.Sampling, g.At, g.Simulations, g.SimulateNoise = dpsgd.FixedBatches{Period: 3}, func(int) bool { return true }, 400, true
	}), func(x float64) float64 { return normalCDF((x - 1) / math.Sqrt(1+1./400)) }, func(x float64) float64 { return normalCDF(x / math.Sqrt(1+1./400)) })
}

// Trainings are observed on the way as trainings of fewer steps are at their end, with the event of
// these steps.
func TestOneRunIsObservedOnTheWay(t *testing.T) {
	change := func(steps int, observe ...int) func(*game.OneRun) {
		return func(g *game.OneRun) {
			g.Data, g.Config.Sampling, g.Coordinates = background(24), dpsgd.FixedBatches{Period: 2}, 50
			g.At, g.Simulations, g.SimulateNoise = func(step int) bool { return step%2 == 1 }, 5, true
			g.Config.Steps, g.Observe = steps, observe
		}
	}
	whole := playOneRun(t, oneRun(t, change(9, 2, 7, 8)), "on the way")
	if len(whole.Observed) != 3 || !reflect.DeepEqual(whole.Scores, whole.Observed[2].Scores) || whole.Event != whole.Observed[2].Event {
		t.Fatalf("%d observations, or the last is not the result", len(whole.Observed))
	}
	for i, steps := range []int{2, 7, 8} {
		o, short := whole.Observed[i], playOneRun(t, oneRun(t, change(steps)), "on the way")
		if want := (accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: 3}, Count: steps / 2}); o.Steps != steps || o.Event != want || short.Event != want {
			t.Errorf("%d steps: event %v after %d, alone %v, want %v", steps, o.Event, o.Steps, short.Event, want)
		}
		if !reflect.DeepEqual(o, short.Observed[0]) {
			t.Errorf("%d steps: scores differ from those of a training of as many steps", steps)
		}
		if len(o.Trainings) != 2 || len(o.Simulated) != 5 || len(o.Simulated[0]) != 50 {
			t.Errorf("%d steps: %d trainings and %d simulations, want 2 and 5 of 50 canaries", steps, len(o.Trainings), len(o.Simulated))
		}
	}
}

// A simulation is measured from the others, so the scores of a canary sum to 0. Canaries at every
// weight of a small network disturb each other, and few in a large one do not.
func TestSimulationsShowDisturbance(t *testing.T) {
	for _, c := range []struct {
		hidden, canaries int
		disturbed        bool
	}{{200, 20, false}, {5, 53, true}} {
		model, err := models.MLP(6, c.hidden, 3)
		if err != nil {
			t.Fatal(err)
		}
		result := playOneRun(t, oneRun(t, func(g *game.OneRun) {
			g.Model, g.Data, g.Coordinates, g.Trainings, g.Simulations, g.SimulateNoise = model, background(24), c.canaries, 40, 40, true
			g.Config.Steps, g.Config.LearningRate, g.Config.NoiseMultiplier, g.Config.ClipNorm = 60, 0.6, 1, 1
			g.Config.Sampling, g.At = dpsgd.FixedBatches{Period: 2}, func(int) bool { return true }
		}), "disturbed")
		doubted := slices.ContainsFunc(result.Warnings, func(w error) bool { return strings.Contains(w.Error(), "canaries disturb each other") })
		sum, squares := 0.0, 0.0
		for _, row := range result.Observed[0].Simulated {
			sum += row[0]
			for _, x := range row {
				squares += x * x / float64(40*c.canaries)
			}
		}
		t.Logf("%d weights, %d canaries: mean square %.3f of simulations, warnings %v", model.Size(), c.canaries, squares, result.Warnings)
		if math.Abs(sum) > 1e-9 || doubted != c.disturbed {
			t.Errorf("%d weights, %d canaries: sum %g, warnings %v", model.Size(), c.canaries, sum, result.Warnings)
		}
	}
}

// Directions are not orthogonal: with P weights and k others in, each adds Tµ'²/P to the variance of a score, µ' = 1/σ
// its shift in a step, T of them alike: the variance is 1 + k µ²/P, µ = √T/σ. Its estimate has a relative
// standard error of √(2/n), of which 5.6 are allowed, and as many of the mean's.
func TestDirectionsOverlap(t *testing.T) {
	g := oneRun(t, func(g *game.OneRun) {
		g.Coordinates, g.Directions, g.Trainings, g.Config.NoiseMultiplier = 0, 600, 1, 0.75
	})
	scores := playOneRun(t, g, "directions").Scores
	const mu = 4
	for i, class := range [][]float64{scores.Member, scores.NonMember} {
		n, mean, square := float64(len(class)), 0.0, 0.0
		for _, x := range class {
			mean += x / n
		}
		for _, x := range class {
			square += (x - mean) * (x - mean) / (n - 1)
		}
		want := 1 + float64(len(scores.Member))*mu*mu/float64(g.Model.Size())
		if math.Abs(square/want-1) > 5.6*math.Sqrt(2/n) {
			t.Errorf("class %d: variance %.3f, want %.3f", i, square, want)
		}
		if shift := mu * float64(1-i); math.Abs(mean-shift) > 5.6*math.Sqrt(want/n) {
			t.Errorf("class %d: mean %.3f, want %.3f", i, mean, shift)
		}
	}
}

// Examples that were in have a smaller loss: the lower end of the AUC's interval is above 1/2, which is so by chance
// once in a million times.
func TestExamplesLeaveATrace(t *testing.T) {
	small, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	examples := background(50)
	examples.Features, examples.Labels = examples.Features[30*examples.Width():], examples.Labels[30:]
	for _, simulations := range []int{0, 10} {
		scores := playOneRun(t, oneRun(t, func(g *game.OneRun) {
			g.Model, g.Coordinates, g.Examples, g.Data, g.Trainings, g.Simulations = small, 0, examples, background(30), 100, simulations
			g.Config.NoiseMultiplier, g.Config.LearningRate = 0.5, 0.5
		}), "examples").Scores
		if n := len(scores.Member) + len(scores.NonMember); n != 2000 {
			t.Fatalf("%d scores, want 2,000", n)
		}
		report, err := audit.Describe(scores, audit.Config{Delta: 1e-5, Confidence: 1 - 2e-6})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d simulations: AUC %v", simulations, report.AUC)
		if !(report.AUC.Lower > 0.5) {
			t.Errorf("%d simulations: AUC %v: members should have smaller losses", simulations, report.AUC)
		}
	}
}

// An engine with half of the noise that it claims, µ 2 for 1, is caught in one training by 2,000 canaries; the honest
// one is not, though the data and the other canaries are in the way. Of 425 guesses so many right ones convict that the f-DP test
// of µ = 1 rejects at 0.05; by the accuracy to be expected µ = 2 gives that many but for 1e-6 of trainings, and µ = 1 in less
// than 1e-6.
func TestOneRunCatchesHalfTheNoise(t *testing.T) {
	const claimed = 3 // µ = √9/3
	for _, c := range []struct {
		sigma  float64
		caught bool
	}{{claimed, false}, {claimed / 2., true}} {
		g := oneRun(t, func(g *game.OneRun) {
			g.Trainings, g.Coordinates, g.Data, g.Config.NoiseMultiplier = 1, 2000, background(12), c.sigma
		})
		guesses, err := onerun.Guess(playOneRun(t, g, "half").Scores, 425)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := onerun.TestClaim(guesses, audit.GDP{Mu: 1}, audit.Config{Confidence: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("σ %g: %d of %d guesses right, %v", c.sigma, guesses.Correct, guesses.Guessed, verdict)
		if verdict.Contradicted != c.caught {
			t.Errorf("noise %g for %d: %v, caught should be %v", c.sigma, claimed, verdict, c.caught)
		}
	}
}

// Full batches, of which trainings share what does not depend on their weights, are Poisson batches of rate 1, which they do not
// share: the scores agree to the rounding of float32 weights, 2^-24 of the largest at each of 9 steps, in units of the scores.
func TestFullBatchesOfOneRunAreBatchesOfRateOne(t *testing.T) {
	change := func(g *game.OneRun) {
		g.Data, g.Config.LearningRate, g.Trainings, g.Coordinates = background(12), 0.5, 3, 20
	}
	sampled := oneRun(t, change)
	full := oneRun(t, change)
	full.Config.Sampling = dpsgd.FullBatch{}
	want, got := playOneRun(t, sampled, "all rows").Scores, playOneRun(t, full, "all rows").Scores
	unit := full.Config.LearningRate / 12 * 3 * 0.7 * 3 // η/B σC √T
	tolerance := 4 * 9 * 0x1p-24 * 2 / unit             // no weight is above 2: six standard deviations are 1.6
	if len(got.Member) != len(want.Member) || len(got.NonMember) != len(want.NonMember) {
		t.Fatalf("%d members and %d others, want %d and %d", len(got.Member), len(got.NonMember), len(want.Member), len(want.NonMember))
	}
	for name, pair := range map[string][2][]float64{"member": {got.Member, want.Member}, "other": {got.NonMember, want.NonMember}} {
		for i, score := range pair[0] {
			if math.Abs(score-pair[1][i]) > tolerance {
				t.Errorf("%s %d: score %.9g of full batches, want %.9g as of batches of rate 1, tolerance %.2g", name, i, score, pair[1][i], tolerance)
			}
		}
	}
}

// A training's scores depend on its number and the root, not on how many there are or how they run.
func TestScoresOfOneRunDoNotDependOnTheRest(t *testing.T) {
	many := playOneRun(t, oneRun(t, nil), "prefix")
	few := playOneRun(t, oneRun(t, func(g *game.OneRun) { g.Trainings, g.Performance.Goroutines = 1, 1 }), "prefix")
	if !slices.Equal(few.Scores.Member, many.Scores.Member[:len(few.Scores.Member)]) {
		t.Error("the first of two trainings differs from one alone")
	}
	var last game.Progress
	g := oneRun(t, func(g *game.OneRun) { g.Simulations, g.Progress = 3, func(p game.Progress) { last = p } })
	result := playOneRun(t, g, "said")
	if !result.Seeded || !reflect.DeepEqual(result.Config, g.Config) || result.Event != g.Config.Event() || result.Canaries != 1000 || result.Trainings != 2 {
		t.Errorf("result %+v does not say what was trained", result)
	}
	if last.Games != 5 || last.Total != 5 || last.Remaining != 0 {
		t.Errorf("last progress %+v, want 5 of 5", last)
	}
}

func TestErrorsOfOneRunWithCanaries(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := oneRun(t, nil).Run(ctx, streams.Fixed("cancelled")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, want Canceled", err)
	}
	if _, err := oneRun(t, nil).Run(context.Background(), streams.Root{}); !errors.Is(err, streams.ErrNoRoot) {
		t.Errorf("no root: error %v, want ErrNoRoot", err)
	}
	with := func(d data.Dataset) func(*game.OneRun) {
		return func(g *game.OneRun) { g.Coordinates, g.Examples = 0, d }
	}
	twice := background(6)
	copy(twice.Features[5*twice.Width():], twice.Row(2))
	twice.Labels[5] = twice.Labels[2]
	for want, change := range map[string]func(*game.OneRun){
		"has 0 of Coordinates, Directions, Examples": func(g *game.OneRun) { g.Coordinates = 0 },
		"has 2 of Coordinates, Directions, Examples": func(g *game.OneRun) { g.Directions = 3 },
		"Coordinates -1: must be >= 0":               func(g *game.OneRun) { g.Coordinates = -1 },
		"Coordinates 3000: must be at most 2003":     func(g *game.OneRun) { g.Coordinates = 3000 },
		"Trainings -1: must be >= 0":                 func(g *game.OneRun) { g.Trainings = -1 },
		"Simulations -1: must be >= 0":               func(g *game.OneRun) { g.Simulations = -1 },
		"must be at least 2 with SimulateNoise":      func(g *game.OneRun) { g.Simulations, g.SimulateNoise = 1, true },
		"Observe[0] 10: must be above 0":             func(g *game.OneRun) { g.Observe = []int{10} },
		"At leaves out all: must let":                func(g *game.OneRun) { g.At = func(step int) bool { return step > 8 } },
		"NonPrivate true":                            func(g *game.OneRun) { g.Config.NonPrivate, g.Config.NoiseMultiplier = true, 0 },
		"LearningRate 0":                             func(g *game.OneRun) { g.Config.LearningRate = 0 },
		"LearningRate must be less":                  func(g *game.OneRun) { g.Config.LearningRate = 3e38 },
		"Layers is empty":                            func(g *game.OneRun) { g.Model = dpsgd.Model{} },
		"Checkpoint.Dir":                             func(g *game.OneRun) { g.Performance.Checkpoint.Dir = "somewhere" },
		"of 1000 canaries leave no trace":            func(g *game.OneRun) { g.Config.ClipNorm = 1e-9 },
		"coins of 1 canaries fell on the same side":  func(g *game.OneRun) { g.Coordinates, g.Trainings = 1, 1 },
		"row 5 repeats row 2":                        with(twice),
		"of shape [3]":                               with(data.Dataset{Name: "short", Shape: []int{3}, Classes: 3, Features: make([]float32, 3), Labels: []int32{0}}),
	} {
		if _, err := oneRun(t, change).Run(context.Background(), streams.Fixed("error")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
}

func ExampleOneRun() {
	model, err := models.MLP(6, 200, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	g := game.OneRun{
		Model: model, Data: background(12), Coordinates: 1000,
		Config: dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 1}, Steps: 9, ExpectedBatchSize: 12, LearningRate: 0.01},
	}
	result, err := g.Run(context.Background(), streams.Fixed("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := onerun.Bounds(result.Scores, audit.Config{Seed: 1, Delta: 1e-5, Guesses: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := audit.EpsilonOfMu(2, 1e-5) // √9/1.5
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, _ := report.Bound("one-run-fdp")
	fmt.Println(result.Event, "from", result.Trainings, "training with", result.Canaries, "canaries")
	fmt.Printf("audited ε between 3 and the claimed %.2f: %v\n", exact, bound.Epsilon > 3 && bound.Epsilon <= exact)
	// Output:
	// 9 x PoissonSampled(q=1, ClippedSum(σ=1.5)) from 1 training with 1000 canaries
	// audited ε between 3 and the claimed 10.00: true
}
