package audits

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/xiang2024/internal/base"
)

// BankShard holds runs at one base ε.
type BankShard struct {
	Without, Foreign, Dirac BankRuns // X is the data; z is not there, the foreign example, the Dirac gradient
	EmptyWithout, EmptyWith BankRuns // X is empty; z is the foreign example, or not there
}

// BankRuns has one number for each run. A list that no audit needs is empty.
type BankRuns struct {
	Foreign experiments.Floats `json:",omitempty"` // λ_a along the gradient of the foreign z
	// Dirac is λ_a along the Dirac gradient. It is also the score of NTCV, (w_0 - w_N)[0], up to a
	// positive factor.
	Dirac      experiments.Floats `json:",omitempty"`
	Validation experiments.Floats `json:",omitempty"` // minus the mean loss of the validation data
	Canary     experiments.Floats `json:",omitempty"` // minus the loss of the foreign example
}

// worldsOfBank is the number of lists of runs in a shard.
const worldsOfBank = 5

// Runs returns the number of runs of each world.
func (s BankShard) Runs() int { return len(s.Without.Foreign) }

// trainBank trains the runs of one shard. A single run is a game whose K is 1.
func trainBank(ctx context.Context, c BankConfig, index int, env experiments.Env) (BankShard, error) {
	if err := c.Validate(); err != nil {
		return BankShard{}, err
	}
	images, err := experiments.Keep(env, "images", func() (bankImages, error) { return c.images(env.Data) })
	if err != nil {
		return BankShard{}, err
	}
	epsilon := c.BaseEpsilons[c.epsilon(index)]
	single, err := c.single(images, epsilon, env)
	if err != nil {
		return BankShard{}, err
	}
	root, first := streams.Fixed(c.Root).Child(c.Data).Child(fmt.Sprintf("ε %g", epsilon)), index%c.blocks()*c.Block
	foreign, dirac := dpsgd.Canary{Example: &images.foreign}, dpsgd.Canary{Gradient: make([]float64, single.Model.Size())}
	dirac.Gradient[0] = c.ClipNorm
	var played [3]game.TuningResult
	for part, play := range []struct {
		on      data.Dataset
		canary  dpsgd.Canary
		without int // runs without z
	}{{images.train, foreign, c.Block}, {images.train, dirac, 0}, {images.train.Subset("nobody", nil), foreign, c.Block}} {
		g := single
		g.Data, g.Canary, g.Members, g.NonMembers, g.First = play.on, play.canary, c.Block, play.without, first
		g.Progress = func(done, total int) { env.Report(part*total+done, len(played)*total, "") }
		if played[part], err = g.Run(ctx, root.Child(fmt.Sprintf("runs %d", part))); err != nil {
			return BankShard{}, err
		}
		if err := c.selectsByProxy(played[part]); err != nil {
			return BankShard{}, err
		}
	}
	return BankShard{
		Without: BankRuns{listed(played[0].NonMember, 0), listed(played[0].NonMember, 1), scored(played[0].NonMember, 0), scored(played[0].NonMember, 1)},
		Foreign: BankRuns{Foreign: listed(played[0].Member, 0), Validation: scored(played[0].Member, 0), Canary: scored(played[0].Member, 1)},
		Dirac:   BankRuns{Dirac: listed(played[1].Member, 1), Validation: scored(played[1].Member, 0)},

		EmptyWithout: BankRuns{Foreign: listed(played[2].NonMember, 0), Canary: scored(played[2].NonMember, 1)},
		EmptyWith:    BankRuns{Foreign: listed(played[2].Member, 0), Canary: scored(played[2].Member, 1)},
	}, nil
}

// single returns the game of one run, without data and z.
func (c BankConfig) single(images bankImages, epsilon float64, env experiments.Env) (game.Tuning, error) {
	model, err := models.MLP(images.train.Width(), c.Hidden, images.train.Classes)
	if err != nil {
		return game.Tuning{}, err
	}
	run, err := base.Calibrated(epsilon, 1, c.Steps, c.Delta)
	if err != nil {
		return game.Tuning{}, err
	}
	alone := images.train.Subset("foreign", []int{0})
	alone.Features, alone.Labels = images.foreign.Features, []int32{images.foreign.Label}
	var scores []game.Score
	for _, examples := range []data.Dataset{images.validation, alone} {
		score, err := lossScore(model, examples, env)
		if err != nil {
			return game.Tuning{}, err
		}
		scores = append(scores, score)
	}
	return game.Tuning{
		Model: model, Law: law.Fixed{Count: 1},
		Config: dpsgd.Config{
			ClipNorm: c.ClipNorm, NoiseMultiplier: run.NoiseMultiplier, Steps: c.Steps, ExpectedBatchSize: float64(c.Examples),
			LearningRate: c.LearningRate, Sampling: dpsgd.FullBatch{},
		},
		Proxies: []game.Proxy{perceptronGradient(images.foreign, c.Hidden, images.train.Classes, c.ClipNorm), diracGradient(c.ClipNorm)},
		Scores:  append(scores, firstCoordinate), Performance: env.Performance,
	}, nil
}

// selectsByProxy returns an error unless λ_a along the Dirac gradient is the first coordinate of
// w_0 - w_N times B/(ηNC), up to the rounding of weights. A bank stores only λ_a.
func (c BankConfig) selectsByProxy(played game.TuningResult) error {
	factor := float64(c.Examples) / (c.LearningRate * float64(c.Steps) * c.ClipNorm)
	for _, g := range append(played.Member, played.NonMember...) {
		proxy, score := g.First[1], factor*g.Released[2].Score
		if math.Abs(proxy-score) > 1e-3*(1+math.Abs(proxy)) {
			return fmt.Errorf("xiang2024: λ_a of a run is %g, and its first coordinate gives %g: must be equal", proxy, score)
		}
	}
	return nil
}

// listed returns a proxy of each run.
func listed(runs []game.TunedGame, proxy int) (list experiments.Floats) {
	for _, r := range runs {
		list = append(list, float32(r.First[proxy]))
	}
	return list
}

// scored returns a score of each run.
func scored(runs []game.TunedGame, score int) (list experiments.Floats) {
	for _, r := range runs {
		list = append(list, float32(r.Released[score].Score))
	}
	return list
}

// mergeBank joins the shards of each ε_B; one that has none has no runs.
func mergeBank(c BankConfig, parts []experiments.Part[BankShard]) ([]BankShard, error) {
	all := make([]BankShard, len(c.BaseEpsilons))
	for _, p := range parts {
		to, from := &all[c.epsilon(p.Index)], p.Result
		for i, w := range to.worlds() {
			w.add(*from.worlds()[i])
		}
	}
	for i := range all {
		if err := all[i].validate(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *BankShard) worlds() [worldsOfBank]*BankRuns {
	return [...]*BankRuns{&s.Without, &s.Foreign, &s.Dirac, &s.EmptyWithout, &s.EmptyWith}
}

func (r *BankRuns) lists() [4]*experiments.Floats {
	return [...]*experiments.Floats{&r.Foreign, &r.Dirac, &r.Validation, &r.Canary}
}

func (r *BankRuns) add(more BankRuns) {
	for i, list := range r.lists() {
		*list = append(*list, *more.lists()[i]...)
	}
}

// validate returns an error unless all lists are as long as the first, or empty.
func (s BankShard) validate() error {
	for _, w := range s.worlds() {
		for _, list := range w.lists() {
			if n := len(*list); n != 0 && n != s.Runs() {
				return fmt.Errorf("xiang2024: a list has %d runs: must have %d, as the others", n, s.Runs())
			}
		}
	}
	return nil
}

// part returns size runs of each world from the first on.
func (s BankShard) part(first, size int) (out BankShard) {
	for i, w := range s.worlds() {
		for j, list := range w.lists() {
			if len(*list) > 0 {
				*out.worlds()[i].lists()[j] = (*list)[first : first+size]
			}
		}
	}
	return out
}
