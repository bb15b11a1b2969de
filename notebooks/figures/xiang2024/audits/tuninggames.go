package audits

import (
	"context"
	"fmt"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
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
func playTuning(ctx context.Context, c TuningConfig, index int, env experiments.Env) (out TuningShard, err error) {
	on, err := tuningImages(c.Examples)
	if err != nil {
		return out, err
	}
	epsilon, n := c.BaseEpsilons[c.epsilon(index)], network{c.Hidden, c.Examples, c.Steps, c.LearningRate, c.ClipNorm, c.Delta}
	g, err := n.game(c.Law, on, epsilon, env)
	if err != nil {
		return out, err
	}
	root := streams.Fixed(c.Root).Child(fmt.Sprintf("ε %g", epsilon))
	played, err := play(ctx, g, on, index/len(c.BaseEpsilons)*c.PerShard, c.PerShard, root, "games", env)
	for _, r := range played {
		for _, g := range append(r.Member, r.NonMember...) {
			out.Runs += g.Runs
		}
	}
	out.Normal = TuningWorlds{tuningScores(played[0].NonMember), tuningScores(played[0].Member), tuningScores(played[1].Member)}
	out.Empty = TuningWorlds{Without: tuningScores(played[2].NonMember), Foreign: tuningScores(played[2].Member)}
	return out, err
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
		join(&a.Normal, p.Result.Normal)
		join(&a.Empty, p.Result.Empty)
		a.Runs += p.Result.Runs
	}
	return all, nil
}
