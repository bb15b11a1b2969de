package game_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// tuning returns games along the first coordinate, which is the score and the canary too.
func tuning(t testing.TB, games int) game.Tuning {
	t.Helper()
	model, err := models.MLP(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	along := make([]float64, model.Size())
	along[0] = 0.5
	return game.Tuning{
		Model: model, Data: background(24).Subset("nobody", nil), Law: law.TNB{Eta: 0, Gamma: 0.2}, Members: games, NonMembers: games,
		Config: dpsgd.Config{
			ClipNorm: 0.5, NoiseMultiplier: 3, Steps: 4, ExpectedBatchSize: 12, LearningRate: 0.5,
			Sampling: dpsgd.FullBatch{},
		},
		Canary:  dpsgd.Canary{Gradient: along},
		Proxies: []game.Proxy{func(_, gradient []float64) { copy(gradient, along) }},
		Scores: []game.Score{func(_ context.Context, initial, final [][]float64) ([]float64, error) {
			out := make([]float64, len(final))
			for r := range out {
				out[r] = initial[r][0] - final[r][0]
			}
			return out, nil
		}},
	}
}

// On no data and along the score, a run of a non-member is N(0, s²) with s = σ/√N, and that of a
// member N(j/N, s²) if the canary joins j steps. The released run is the best of K. If Φ is the
// distribution function of a run, f(Φ(x)) is that of the released one.
func TestTuningIsBestOfK(t *testing.T) {
	binomial := []float64{0.6 * 0.6 * 0.6 * 0.6, 4 * 0.4 * 0.6 * 0.6 * 0.6, 6 * 0.4 * 0.4 * 0.6 * 0.6, 4 * 0.4 * 0.4 * 0.4 * 0.6, 0.4 * 0.4 * 0.4 * 0.4}
	for _, c := range []struct {
		sampling dpsgd.Sampling
		joins    []float64 // the chance of j of four steps
	}{
		{dpsgd.FullBatch{}, []float64{4: 1}}, {dpsgd.Poisson{Rate: 0.4}, binomial},
		{dpsgd.RandomAllocation{Period: 2}, []float64{2: 1}}, {dpsgd.FixedBatches{Period: 4}, []float64{1: 1}},
		{dpsgd.CyclicPoisson{Period: 2, Rate: 0.5}, []float64{0.25, 0.5, 0.25}}, {dpsgd.CyclicAllocation{Period: 2, Turns: 2}, []float64{1: 1}},
	} {
		testTuningIsBestOfK(t, c.sampling, c.joins)
	}
}

func testTuningIsBestOfK(t *testing.T, sampling dpsgd.Sampling, joins []float64) {
	games := 1500
	if testing.Short() {
		games = 400
	}
	g := tuning(t, games)
	g.Config.Sampling = sampling
	result, err := g.Run(t.Context(), streams.Fixed("tuning"))
	if err != nil {
		t.Fatal(err)
	}
	k := g.Law.Distribution()
	for _, world := range []struct {
		games []game.TunedGame
		joins []float64
	}{{result.Member, joins}, {result.NonMember, []float64{1}}} {
		var base, released []float64
		runs := 0
		for _, played := range world.games {
			base, released, runs = append(base, played.First[0]), append(released, played.Released[0].Proxies[0]), runs+played.Runs
		}
		one := func(x float64) (total float64) {
			for j, chance := range world.joins {
				total += chance * normalCDF((x-float64(j)/4)*2/3)
			}
			return total
		}
		if d := kolmogorov(base, one); d > limit(games) {
			t.Errorf("%v: base runs are %.4f from their law, a canary in %v steps, allowed %.4f", sampling, d, world.joins, limit(games))
		}
		if d := kolmogorov(released, func(x float64) float64 { return k.PGF(one(x)) }); d > limit(games) {
			t.Errorf("released runs are %.4f from the best of K, allowed %.4f", d, limit(games))
		}
		if mean := float64(runs) / float64(games); math.Abs(mean-k.Mean()) > 5*2.5/math.Sqrt(float64(games)) { // K has deviation 2.5
			t.Errorf("K is %.3f on average, want %.3f", mean, k.Mean())
		}
	}
}

// Secret batches are each run's own. Gradients at the bias of a hinge loss with small margins are
// -C, so the noisy sums along it count the batches. Full and fixed batches are equal in all games.
func TestTuningDrawsBatchesForEachRun(t *testing.T) {
	for _, c := range []struct {
		sampling dpsgd.Sampling
		same     bool
	}{{dpsgd.Poisson{Rate: 0.5}, false}, {dpsgd.RandomAllocation{Period: 2}, false}, {dpsgd.FullBatch{}, true}, {dpsgd.FixedBatches{Period: 2}, true},
		{dpsgd.CyclicPoisson{Period: 2, Rate: 0.5}, false}, {dpsgd.CyclicAllocation{Period: 2, Turns: 2}, false}} {
		g := tuning(t, 0)
		g.NonMembers, g.Model = 5, dpsgd.Model{Name: "hinge", Input: []int{6}, Layers: []nn.Layer{nn.Dense(6, 1)}, Loss: nn.Hinge()}
		g.Data = data.Dataset{Name: "ones", Shape: []int{6}, Classes: 2, Features: make([]float32, 24*6), Labels: slices.Repeat([]int32{1}, 24)}
		along := []float64{6: 0.5}
		g.Canary.Gradient, g.Proxies[0] = along, func(_, gradient []float64) { copy(gradient, along) }
		g.Config.Sampling, g.Config.Steps, g.Config.NoiseMultiplier, g.Config.LearningRate = c.sampling, 3, 1e-4, 1e-3
		result, err := g.Run(t.Context(), streams.Fixed("own batches"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[float64]bool{}
		for _, played := range result.NonMember {
			seen[math.Round(-3*played.First[0])] = true
		}
		if c.same != (len(seen) == 1) || c.sampling == (dpsgd.FullBatch{}) && !seen[3*24] {
			t.Errorf("%v: batches of %v in all steps of five games", c.sampling, seen)
		}
	}
}

// A game is the same whichever others are played.
func TestTuningGamesStandAlone(t *testing.T) {
	root := streams.Fixed("alone")
	whole, err := tuning(t, 6).Run(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	part := tuning(t, 2)
	part.First, part.NonMembers = 3, 0
	alone, err := part.Run(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(alone.Member, whole.Member[3:5]) || len(alone.NonMember) != 0 {
		t.Errorf("games 3 and 4 alone: %+v, among others %+v", alone.Member, whole.Member[3:5])
	}
}

func TestTuningFaults(t *testing.T) {
	for want, change := range map[string]func(*game.Tuning){
		"P[K = 0] = 0":               func(g *game.Tuning) { g.Law = law.Poisson{MeanRepeats: 3} },
		"Law is nil":                 func(g *game.Tuning) { g.Law = nil },
		"Members 0, NonMembers 0":    func(g *game.Tuning) { g.Members, g.NonMembers = 0, 0 },
		"Tuning.Members -1: must":    func(g *game.Tuning) { g.Members = -1 },
		"Proxies are empty":          func(g *game.Tuning) { g.Proxies = nil },
		"Scores are empty":           func(g *game.Tuning) { g.Scores = nil },
		"Config.Optimizer SGD":       func(g *game.Tuning) { g.Config.Optimizer = dpsgd.SGD{Momentum: 0.5} },
		"Config.WeightDecay 0.5: m":  func(g *game.Tuning) { g.Config.WeightDecay = 0.5 },
		"Checkpoint.Dir":             func(g *game.Tuning) { g.Performance.Checkpoint.Dir = "x" },
		"Scores[0] has 1 values":     func(g *game.Tuning) { g.Scores = []game.Score{constantScore(1, 0)} },
		"score of a run is NaN":      func(g *game.Tuning) { g.Scores = []game.Score{constantScore(0, math.NaN())} },
		"Gradient has norm 0: must":  func(g *game.Tuning) { g.Canary.Gradient = make([]float64, g.Model.Size()) },
		"has norm 1: must be at mos": func(g *game.Tuning) { g.Canary.Gradient = unitOf(g.Model.Size()) },
		"Canary has 0 of Gradient,":  func(g *game.Tuning) { g.Canary = dpsgd.Canary{} },
	} {
		g := tuning(t, 1)
		change(&g)
		if _, err := g.Run(t.Context(), streams.Fixed("faults")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// unitOf is the first unit vector.
func unitOf(size int) []float64 {
	v := make([]float64, size)
	v[0] = 1
	return v
}

// constantScore gives so many more scores than runs, all of one value.
func constantScore(more int, value float64) game.Score {
	return func(_ context.Context, _, final [][]float64) ([]float64, error) {
		out := make([]float64, len(final)*(1-min(more, 1))+more)
		for r := range out {
			out[r] = value
		}
		return out, nil
	}
}
