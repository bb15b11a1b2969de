package audits

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
	"github.com/dplab/dplab/notebooks/papers"
)

// TuningConfig describes the audits of tuning (Figures 1 to 3, 7 to 9 and Table 3) on a network
// of our own: a perceptron on digits of 4x4 pixels.
type TuningConfig struct {
	BaseEpsilons []float64 // ε_B of one run, by the Rényi accountant
	Delta        float64
	Law          law.TNB // of K
	Examples     int     // in X, all of them in every step
	Hidden       int     // units of the hidden layer
	Steps        int     // N of one run
	LearningRate float64 // η, for a sum divided by Examples
	ClipNorm     float64 // C
	Games        int     // of each world
	PerShard     int     // of these, in one shard; must divide Games
	Trials       int     // audits that the games are cut into; must divide Games
	Root         string  // name of the fixed root
}

func tuning(games, perShard, trials, examples, steps int) TuningConfig {
	return TuningConfig{
		BaseEpsilons: []float64{1, 2, 4}, Delta: papers.Xiang2024.Delta, Law: law.TNB{Eta: 0, Gamma: 0.01},
		Examples: examples, Hidden: 4, Steps: steps, LearningRate: 1, ClipNorm: 1,
		Games: games, PerShard: perShard, Trials: trials, Root: "xiang2024 tuning",
	}
}

// epsilon returns the index of a shard's ε: shards are sorted by games, then by ε.
func (c TuningConfig) epsilon(shard int) int { return shard % len(c.BaseEpsilons) }

// TuningShard holds the games from some number on, at one base ε.
type TuningShard struct {
	Normal TuningWorlds // X is the digits
	Empty  TuningWorlds // X is empty
	Runs   int          // trained in all
}

// TuningWorlds are the games on X, on X and the foreign example, and on X and the Dirac
// gradient. On the empty X there are none of the last, which need no network.
type TuningWorlds struct{ Without, Foreign, Dirac TuningScores }

// TuningScores has one value for each game. λ's are those of equation (10).
type TuningScores struct {
	BaseForeign, BaseDirac experiments.Floats // λ_a of a run that is not selected, along the gradients of both z
	ByValidation           TunedScores        // released is the run of the least validation loss
	ByCanary               TunedScores        // of the least loss of the foreign example
	ByCoordinate           TunedScores        // of the largest first coordinate of w_0 - w_N
}

// TunedScores are those of the released runs.
type TunedScores struct{ Score, Foreign, Dirac experiments.Floats }

// Tuning plays the games of NTNV, NTCV and ETCV. Every run serves all scores, and the runs without
// z all z.
var Tuning = experiments.Experiment[TuningConfig, TuningShard, []TuningAudits]{
	Name: "xiang2024/tuning", Title: "Figures 1 to 3, 7 to 9 and Table 3: audits of tuning", Version: 1,
	Profiles: map[string]TuningConfig{
		"quick": tuning(20, 20, 1, 100, 20),
		"mid":   tuning(1000, 100, 1, 400, 100),
		"full":  tuning(3000, 1000, 3, 400, 100),
	},
	Shards: func(c TuningConfig) int { return len(c.BaseEpsilons) * c.Games / c.PerShard },
	ModelSteps: func(c TuningConfig) float64 {
		return 5 * float64(c.PerShard) * c.Law.Distribution().Mean() * float64(c.Steps)
	},
	Run:   playTuning,
	Merge: mergeTuning,
}

// playTuning plays the games of one shard.
func playTuning(ctx context.Context, c TuningConfig, index int, env experiments.Env) (TuningShard, error) {
	t, err := newTuningTable(c, c.BaseEpsilons[c.epsilon(index)], env)
	if err != nil {
		return TuningShard{}, err
	}
	first := index / len(c.BaseEpsilons) * c.PerShard
	foreign := dpsgd.Canary{Example: &t.foreign}
	dirac := dpsgd.Canary{Gradient: make([]float64, t.model.Size())}
	dirac.Gradient[0] = c.ClipNorm
	var out TuningShard
	for part, play := range []struct {
		on      data.Dataset
		canary  dpsgd.Canary
		without bool // play the games without z too
		to      *TuningWorlds
	}{{t.train, foreign, true, &out.Normal}, {t.train, dirac, false, &out.Normal}, {t.nobody, foreign, true, &out.Empty}} {
		g := t.game(play.on, play.canary)
		g.Members, g.First = c.PerShard, first
		if play.without {
			g.NonMembers = c.PerShard
		}
		g.Progress = func(done, total int) { env.Report(part*total+done, 3*total, "") }
		r, err := g.Run(ctx, t.root.Child(fmt.Sprintf("games %d", part)))
		if err != nil {
			return TuningShard{}, err
		}
		for _, played := range append(r.Member, r.NonMember...) {
			out.Runs += played.Runs
		}
		if play.without {
			play.to.Without, play.to.Foreign = tuningScores(r.NonMember), tuningScores(r.Member)
		} else {
			play.to.Dirac = tuningScores(r.Member)
		}
	}
	return out, nil
}

// tuningTable is what the games of one ε share.
type tuningTable struct {
	TuningConfig
	model         dpsgd.Model
	train, nobody data.Dataset
	foreign       dpsgd.Example
	config        dpsgd.Config
	scores        []game.Score
	env           experiments.Env
	root          streams.Root
}

func newTuningTable(c TuningConfig, epsilon float64, env experiments.Env) (t tuningTable, err error) {
	t = tuningTable{TuningConfig: c, env: env, root: streams.Fixed(c.Root).Child(fmt.Sprintf("ε %g", epsilon))}
	var validation data.Dataset
	if t.train, validation, t.foreign, err = tuningImages(c.Examples); err != nil {
		return t, err
	}
	t.nobody = t.train.Subset("nobody", nil)
	if t.model, err = models.MLP(t.train.Width(), c.Hidden, t.train.Classes); err != nil {
		return t, err
	}
	run, err := base.Calibrated(epsilon, 1, c.Steps, c.Delta)
	if err != nil {
		return t, err
	}
	t.config = dpsgd.Config{
		ClipNorm: c.ClipNorm, NoiseMultiplier: run.NoiseMultiplier, Steps: c.Steps, ExpectedBatchSize: float64(c.Examples),
		LearningRate: c.LearningRate, Sampling: dpsgd.FullBatch{},
	}
	alone := t.train.Subset("foreign", []int{0})
	alone.Features, alone.Labels = t.foreign.Features, []int32{t.foreign.Label}
	for _, examples := range []data.Dataset{validation, alone} {
		score, err := lossScore(t.model, examples, env)
		if err != nil {
			return t, err
		}
		t.scores = append(t.scores, score)
	}
	t.scores = append(t.scores, firstCoordinate)
	return t, nil
}

// game returns the game on X and z, without its numbers.
func (t tuningTable) game(on data.Dataset, canary dpsgd.Canary) game.Tuning {
	return game.Tuning{
		Model: t.model, Data: on, Config: t.config, Law: t.Law, Canary: canary,
		Proxies: []game.Proxy{perceptronGradient(t.foreign, t.Hidden, t.train.Classes, t.ClipNorm), diracGradient(t.ClipNorm)},
		Scores:  t.scores, Performance: t.env.Performance,
	}
}

// diracGradient returns the proxy of the Dirac gradient.
func diracGradient(clip float64) game.Proxy {
	return func(_, gradient []float64) {
		clear(gradient)
		gradient[0] = clip
	}
}

// lossScore returns the score of minus the mean loss of some examples. (The paper prints a sum.)
func lossScore(model dpsgd.Model, examples data.Dataset, env experiments.Env) (game.Score, error) {
	evaluator, err := engine.NewEvaluator(model, examples, env.Performance)
	return func(ctx context.Context, _, final [][]float64) ([]float64, error) {
		losses, err := evaluator.Losses(ctx, dpsgd.Parameters{Tensors: model.Tensors(), Values: final})
		out := make([]float64, len(losses))
		for r, each := range losses {
			for _, loss := range each {
				out[r] -= loss / float64(len(each))
			}
		}
		return out, err
	}, err
}

func firstCoordinate(_ context.Context, initial, final [][]float64) ([]float64, error) {
	out := make([]float64, len(final))
	for r := range out {
		out[r] = initial[r][0] - final[r][0]
	}
	return out, nil
}

// tuningScores lays out games by kind of number.
func tuningScores(games []game.TunedGame) (s TuningScores) {
	for _, g := range games {
		s.BaseForeign, s.BaseDirac = append(s.BaseForeign, float32(g.First[0])), append(s.BaseDirac, float32(g.First[1]))
		for i, to := range []*TunedScores{&s.ByValidation, &s.ByCanary, &s.ByCoordinate} {
			r := g.Released[i]
			to.Score, to.Foreign, to.Dirac = append(to.Score, float32(r.Score)), append(to.Foreign, float32(r.Proxies[0])), append(to.Dirac, float32(r.Proxies[1]))
		}
	}
	return s
}

// TuningAudits are all games at one base ε, in the order of their numbers.
type TuningAudits struct {
	BaseEpsilon   float64
	Normal, Empty TuningWorlds
	Runs          int // trained in all
}

// mergeTuning joins the shards of each ε; one that has none has no games.
func mergeTuning(c TuningConfig, parts []experiments.Part[TuningShard]) ([]TuningAudits, error) {
	all := make([]TuningAudits, len(c.BaseEpsilons))
	for i, epsilon := range c.BaseEpsilons {
		all[i].BaseEpsilon = epsilon
	}
	for _, p := range parts {
		a := &all[c.epsilon(p.Index)]
		a.Normal.add(p.Result.Normal)
		a.Empty.add(p.Result.Empty)
		a.Runs += p.Result.Runs
	}
	return all, nil
}

func (w *TuningWorlds) add(more TuningWorlds) {
	w.Without.add(more.Without)
	w.Foreign.add(more.Foreign)
	w.Dirac.add(more.Dirac)
}

func (s *TuningScores) add(more TuningScores) {
	s.BaseForeign, s.BaseDirac = append(s.BaseForeign, more.BaseForeign...), append(s.BaseDirac, more.BaseDirac...)
	s.ByValidation.add(more.ByValidation)
	s.ByCanary.add(more.ByCanary)
	s.ByCoordinate.add(more.ByCoordinate)
}

func (s *TunedScores) add(more TunedScores) {
	s.Score, s.Foreign, s.Dirac = append(s.Score, more.Score...), append(s.Foreign, more.Foreign...), append(s.Dirac, more.Dirac...)
}
