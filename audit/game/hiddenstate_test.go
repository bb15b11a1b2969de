package game_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// hiddenGames is how many games are played of each world.
func hiddenGames() int {
	if testing.Short() {
		return 250
	}
	return 1000
}

// hiddenState returns a game of 20 steps against a crafted gradient; the last feature of the
// data is always zero, so that no gradient has a part in the weights that belong to it.
func hiddenState(t testing.TB, adversary game.Adversary, runs int) game.HiddenState {
	t.Helper()
	model, err := models.MLPWith(nn.ReLU(), 6, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	return game.HiddenState{
		Model: model, Data: background(24), Adversary: adversary, Games: runs, Observe: []int{1, 20},
		Config: dpsgd.Config{
			ClipNorm: 0.7, NoiseMultiplier: 4, Steps: 20, ExpectedBatchSize: 12, LearningRate: 0.1,
			Sampling: dpsgd.FixedBatches{Period: 2},
		},
	}
}

func playHidden(t testing.TB, g game.HiddenState, name string) game.HiddenResult {
	t.Helper()
	result, err := g.Run(context.Background(), streams.Fixed(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The simulated adversary finds a coordinate that training leaves alone. There the final
// weight is a sum of noise and canary only: after T steps N(√T/σ, 1) and N(0, 1).
func TestSimulatedDimensionLeavesNothingButNoise(t *testing.T) {
	result := playHidden(t, hiddenState(t, game.SimulatedDimension{}, hiddenGames()), "simulated")
	for i, steps := range []int{1, 20} {
		o := result.Observed[i]
		if o.Steps != steps || len(o.Scores.Member) != hiddenGames() || len(o.Scores.NonMember) != hiddenGames() {
			t.Fatalf("observed %d steps, %d and %d scores", o.Steps, len(o.Scores.Member), len(o.Scores.NonMember))
		}
		checkLaws(t, "after steps", o.Scores, 4/math.Sqrt(float64(steps)), 1)
		if want := (accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: 4}, Count: steps}); o.Event != want {
			t.Errorf("event %v, want %v", o.Event, want)
		}
	}
}

// A canary in every fifth step only leaves the mean at its number, not at that of the steps.
func TestPeriodicity(t *testing.T) {
	g := hiddenState(t, game.SimulatedDimension{}, hiddenGames())
	g.At = func(step int) bool { return step%5 == 0 }
	o := playHidden(t, g, "periodic").Observed[1]
	if want := (accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: 4}, Count: 4}); o.Event != want {
		t.Errorf("event %v, want %v", o.Event, want)
	}
	shift := 4 / (4 * math.Sqrt(20)) // 4 steps of 1/σ, over the noise of 20
	if d := kolmogorov(o.Scores.Member, func(x float64) float64 { return normalCDF(x - shift) }); d > limit(hiddenGames()) {
		t.Errorf("member scores are %.4f away from N(%.3f, 1), allowed %.4f", d, shift, limit(hiddenGames()))
	}
}

// The worlds of every adversary are apart in the right direction, and no bound that assumes
// nothing accuses the engine (confidence 1 - 1e-6).
func TestAdversariesTellWorldsApart(t *testing.T) {
	for _, adversary := range []game.Adversary{game.RandomDimension{}, game.SimulatedDimension{}, game.FlippedLabel{}} {
		g := hiddenState(t, adversary, 300)
		g.Config.NoiseMultiplier = 1
		o := playHidden(t, g, "apart").Observed[1]
		report, err := audit.Bounds(o.Scores, audit.Config{Seed: 1, Delta: 1e-5, Confidence: 1 - 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if report.AUC.Lower < 0.6 {
			t.Errorf("%v: AUC %v: want well above 1/2", adversary, report.AUC)
		}
		claim, err := audit.EpsilonOfMu(math.Sqrt(20), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range report.Bounds {
			if b.Assumption == audit.AssumeNothing && b.Confidence > 0 && b.Epsilon > claim {
				t.Errorf("%v: %v exceeds the claim %g", adversary, b, claim)
			}
		}
	}
}

// Scores depend on the number of a game and the root alone.
func TestHiddenScoresDoNotDependOnTheRest(t *testing.T) {
	g := hiddenState(t, game.RandomDimension{}, 40)
	many := playHidden(t, g, "prefix").Observed[1].Scores
	g.Games, g.Performance = 7, engine.Performance{ReplicasPerCall: 3, Goroutines: 2}
	few := playHidden(t, g, "prefix").Observed[1].Scores
	if !slices.Equal(few.Member, many.Member[:7]) || !slices.Equal(few.NonMember, many.NonMember[:7]) {
		t.Error("the first 7 of 40 games differ from 7 games played alone")
	}
}

func TestHiddenErrors(t *testing.T) {
	for want, change := range map[string]func(*game.HiddenState){
		"Games 0: must be >= 1":            func(g *game.HiddenState) { g.Games = 0 },
		"First -1: must be >= 0":           func(g *game.HiddenState) { g.First = -1 },
		"SimulatedDimension.Runs -2":       func(g *game.HiddenState) { g.Adversary = game.SimulatedDimension{Runs: -2} },
		"Adversary is nil":                 func(g *game.HiddenState) { g.Adversary = nil },
		"Observe[1] 1: must be above 1":    func(g *game.HiddenState) { g.Observe = []int{1, 1} },
		"Observe[0] 21":                    func(g *game.HiddenState) { g.Observe = []int{21} },
		"must be FullBatch or FixedBatche": func(g *game.HiddenState) { g.Config.Sampling = dpsgd.Poisson{Rate: 0.5} },
		"Sampling is nil":                  func(g *game.HiddenState) { g.Config.Sampling = nil },
		"Sampling is a *dpsgd.Poisson":     func(g *game.HiddenState) { g.Config.Sampling = (*dpsgd.Poisson)(nil) },
		"Sampling is a struct":             func(g *game.HiddenState) { g.Config.Sampling = struct{ dpsgd.Sampling }{} },
		"NonPrivate true":                  func(g *game.HiddenState) { g.Config.NonPrivate, g.Config.NoiseMultiplier = true, 0 },
		"Layers is empty":                  func(g *game.HiddenState) { g.Model = dpsgd.Model{} },
		"At leaves out all: must let":      func(g *game.HiddenState) { g.At = func(step int) bool { return step >= 1 } },
		"leaves no trace: Config.ClipNorm": func(g *game.HiddenState) { g.Config.ClipNorm = 1e-9 },
		"data of 0 examples":               func(g *game.HiddenState) { g.Data, g.Adversary = background(0), game.FlippedLabel{} },
		"feature NaN":                      func(g *game.HiddenState) { g.Data.Features[0] = float32(math.NaN()) },
	} {
		g := hiddenState(t, game.RandomDimension{}, 3)
		change(&g)
		if _, err := g.Run(context.Background(), streams.Fixed("error")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
	if _, err := hiddenState(t, game.RandomDimension{}, 3).Run(context.Background(), streams.Root{}); err == nil {
		t.Error("no root: no error")
	}
}

// Progress does not go back, and ends with all games; a long training reports before its end.
func TestHiddenProgress(t *testing.T) {
	games := 400
	if testing.Short() {
		games = 100
	}
	g := hiddenState(t, game.RandomDimension{}, games)
	g.Config.Steps, g.Observe = 200, []int{200}
	var seen []int
	g.Progress = func(p game.Progress) { seen = append(seen, p.Games) }
	if _, err := g.Run(context.Background(), streams.Fixed("progress")); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(seen) || len(seen) == 0 || seen[len(seen)-1] != 2*games {
		t.Errorf("progress %v: must rise to %d", seen, 2*games)
	}
	if seen[0] == 2*games {
		t.Skip("the training ended before it could report")
	}
}
