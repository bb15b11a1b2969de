package game_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
)

// noise returns examples whose labels are coins: what a model knows of them it learned by heart.
func noise(n int) data.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := data.Dataset{Name: "noise", Shape: []int{30}, Classes: 2}
	for range n {
		for range 30 {
			d.Features = append(d.Features, float32(rng.NormFloat64()))
		}
		d.Labels = append(d.Labels, rng.Int32N(2))
	}
	return d
}

func shadows(t testing.TB, change func(g *game.Shadows)) game.Shadows {
	t.Helper()
	model, err := models.MLP(30, 2)
	if err != nil {
		t.Fatal(err)
	}
	g := game.Shadows{
		Model: model, Examples: noise(40), Models: 8, Targets: 5,
		Config:      dpsgd.Config{NonPrivate: true, Steps: 60, ExpectedBatchSize: 20, LearningRate: 1, Sampling: dpsgd.FullBatch{}},
		Performance: engine.Performance{Precision: engine.Float64},
	}
	change(&g)
	return g
}

func playShadows(t testing.TB, g game.Shadows) game.ShadowsResult {
	t.Helper()
	result, err := g.Run(context.Background(), streams.Fixed("shadows"))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Without noise both attacks know members from others, and the bound of one run is above 0. With a
// clip norm and noise it stays below the ε of the event.
func TestShadowsFindWhatIsLearnedByHeart(t *testing.T) {
	open := playShadows(t, shadows(t, func(*game.Shadows) {}))
	private := playShadows(t, shadows(t, func(g *game.Shadows) {
		g.Config.NonPrivate, g.Config.ClipNorm, g.Config.NoiseMultiplier = false, 1, 200
	}))
	epsilon, err := audit.EpsilonOfMu(math.Sqrt(60)/200, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	for name, attack := range map[string]func(game.ShadowsResult) (audit.Scores, error){
		"LiRA": game.ShadowsResult.LiRA,
		"RMIA": func(r game.ShadowsResult) (audit.Scores, error) { return r.RMIA(2) },
	} {
		var reports []audit.Report
		for _, result := range []game.ShadowsResult{open, private} {
			scores, err := attack(result)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(scores.Member) + len(scores.NonMember); n != 5*40 {
				t.Errorf("%s: %d scores, want 200", name, n)
			}
			report, err := onerun.Bounds(scores, audit.Config{Delta: 1e-5, Seed: 1, Confidence: 0.999, Guesses: 50})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(name, report.AUC, report.Answer())
			reports = append(reports, report)
		}
		if b, _ := reports[0].Headline(); b.Epsilon < 0.2 || reports[0].AUC.Lower < 0.55 {
			t.Errorf("%s without noise: AUC %v, %v: want a leak", name, reports[0].AUC, b)
		}
		if b, _ := reports[1].Headline(); b.Epsilon > epsilon {
			t.Errorf("%s with noise: %v: want at most %g", name, b, epsilon)
		}
	}
}

// Every example is in exactly half of the shadow models. A target is the model trained on its half,
// here by the engine on a data set that holds nothing else, up to the order of a sum in float64.
func TestShadowsTrainOnTheirHalves(t *testing.T) {
	g := shadows(t, func(g *game.Shadows) { g.Models, g.Targets = 5, 2 })
	result := playShadows(t, g)
	for i := range g.Examples.Len() {
		count := 0
		for r := range result.Shadows.In {
			if result.Shadows.In[r][i] {
				count++
			}
		}
		if count != 2 {
			t.Errorf("example %d is in %d of 5 models, want 2", i, count)
		}
	}
	for r, in := range result.Targets.In {
		rows := []int{}
		for i, is := range in {
			if is {
				rows = append(rows, i)
			}
		}
		trainer, err := engine.NewReplicas(g.Model, g.Examples.Subset("half", rows), dpsgd.Plan{Replicas: []dpsgd.Config{g.Config}}, g.Performance)
		if err != nil {
			t.Fatal(err)
		}
		name := []string{"target 0", "target 1"}[r]
		out, err := trainer.RunEach(context.Background(), []streams.Root{streams.Fixed("shadows").Child(name)})
		if err != nil {
			t.Fatal(err)
		}
		losses, err := engine.Losses(context.Background(), g.Model, out.Parameters, g.Examples, g.Performance)
		if err != nil {
			t.Fatal(err)
		}
		for i, loss := range losses[0] { // -ln p
			if got, want := result.Targets.Confidence[r][i], -numeric.Log(math.Expm1(loss)); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s, example %d: confidence %g, want %g", name, i, got, want)
			}
		}
	}
}

// drawn returns models whose confidences are normal, two higher with the example.
func drawn(models, n int, rng *rand.Rand) (s game.Shadowed) {
	for r := range models {
		s.In, s.Confidence = append(s.In, make([]bool, n)), append(s.Confidence, make([]float64, n))
		for i := range n {
			s.In[r][i] = (r+i)%2 == 0
			s.Confidence[r][i] = rng.NormFloat64() + 2*oneIf(s.In[r][i])
		}
	}
	return s
}

// The scores are those of the papers' formulas, computed in another way: with variances of each
// example, and with shared ones.
func TestScoresOfShadows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, models := range []int{8, 64} {
		r := game.ShadowsResult{Shadows: drawn(models, 6, rng), Targets: drawn(1, 6, rng)}
		lira, err := r.LiRA()
		if err != nil {
			t.Fatal(err)
		}
		rmia, err := r.RMIA(1.5)
		if err != nil {
			t.Fatal(err)
		}
		values := func(i int, in bool) (list []float64) {
			for m := range models {
				if r.Shadows.In[m][i] == in {
					list = append(list, r.Shadows.Confidence[m][i])
				}
			}
			return list
		}
		law := func(i int, in bool) distuv.Normal {
			mean, variance := stat.MeanVariance(values(i, in), nil)
			if models == 8 {
				variance = 0
				for j := range 6 {
					variance += stat.Variance(values(j, in), nil) / 6
				}
			}
			return distuv.Normal{Mu: mean, Sigma: math.Sqrt(variance)}
		}
		ratio := func(i int) float64 {
			p, mean := 1/(1+math.Exp(-r.Targets.Confidence[0][i])), 0.0
			for m := range models {
				mean += 1 / (1 + math.Exp(-r.Shadows.Confidence[m][i])) / float64(models)
			}
			return p / mean
		}
		at := map[bool]int{}
		for i, x := range r.Targets.Confidence[0] {
			in := r.Targets.In[0][i]
			got, gotRMIA := lira.NonMember, rmia.NonMember
			if in {
				got, gotRMIA = lira.Member, rmia.Member
			}
			if want := law(i, true).LogProb(x) - law(i, false).LogProb(x); math.Abs(got[at[in]]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%d models, example %d: LiRA %g, want %g", models, i, got[at[in]], want)
			}
			share := 0.0
			for z := range 6 {
				if ratio(i)/ratio(z) >= 1.5 {
					share += 1. / 6
				}
			}
			if math.Abs(gotRMIA[at[in]]-share) > 1e-9 {
				t.Errorf("%d models, example %d: RMIA %g, want %g", models, i, gotRMIA[at[in]], share)
			}
			at[in]++
		}
	}
}

func TestShadowsErrors(t *testing.T) {
	for want, change := range map[string]func(g *game.Shadows){
		"Shadows.Models 3: must be >= 4":             func(g *game.Shadows) { g.Models = 3 },
		"Shadows.Targets -1: must be >= 0":           func(g *game.Shadows) { g.Targets = -1 },
		"Shadows.number of Examples 1: must be >= 2": func(g *game.Shadows) { g.Examples = noise(1) },
		"Shadows.Examples.Classes 1: must be >= 2":   func(g *game.Shadows) { g.Examples.Classes = 1 },
		"Shadows.Config":                             func(g *game.Shadows) { g.Config.Steps = 0 },
		"Shadows.Model":                              func(g *game.Shadows) { g.Model = dpsgd.Model{} },
		"Checkpoint":                                 func(g *game.Shadows) { g.Performance.Checkpoint.Dir = "x" },
		"a training diverged": func(g *game.Shadows) {
			g.Config.LearningRate, g.Performance = 1e35, engine.Performance{Precision: engine.Float32}
			for i := range g.Examples.Features {
				g.Examples.Features[i] *= 1e5
			}
		},
		"NaN": func(g *game.Shadows) { g.Examples.Features[3] = float32(math.NaN()) },
	} {
		result, err := shadows(t, change).Run(context.Background(), streams.Fixed("errors"))
		if err == nil || !strings.Contains(err.Error(), want) || result.Event != nil {
			t.Errorf("result %v, error %v: want only one that names %q", result, err, want)
		}
	}
	good := func() game.ShadowsResult {
		rng := rand.New(rand.NewPCG(5, 6))
		return game.ShadowsResult{Shadows: drawn(4, 6, rng), Targets: drawn(1, 6, rng)}
	}
	for want, change := range map[string]func(r *game.ShadowsResult){
		"ShadowsResult.Shadows of other shapes":                       func(r *game.ShadowsResult) { r.Shadows = game.Shadowed{} },
		"ShadowsResult.Targets of other shapes":                       func(r *game.ShadowsResult) { r.Targets.In = nil },
		"Shadows with example 2 in 1 of 4 models: must have":          func(r *game.ShadowsResult) { r.Shadows.In[0][2] = false },
		"no usable scores: audit: Scores.NonMember[0] NaN: must be f": func(r *game.ShadowsResult) { r.Targets.Confidence[0][1] = math.NaN() },
	} {
		r := good()
		change(&r)
		if scores, err := r.LiRA(); err == nil || !strings.Contains(err.Error(), want) || scores.Member != nil {
			t.Errorf("scores %v, error %v: want only one that names %q", scores, err, want)
		}
	}
	for _, gamma := range []float64{0.5, math.NaN(), math.Inf(1)} {
		if _, err := good().RMIA(gamma); err == nil || !strings.Contains(err.Error(), "RMIA: gamma") {
			t.Errorf("gamma %g: error %v", gamma, err)
		}
	}
}
