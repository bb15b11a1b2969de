package audits

import (
	"context"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
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
	on, err := experiments.Keep(env, "images", func() (images, error) { return c.images(env.Data) })
	if err != nil {
		return BankShard{}, err
	}
	epsilon := c.BaseEpsilons[c.epsilon(index)]
	single, err := c.network().game(law.Fixed{Count: 1}, on, epsilon, env)
	if err != nil {
		return BankShard{}, err
	}
	root := streams.Fixed(c.Root).Child(c.Data).Child(fmt.Sprintf("ε %g", epsilon))
	played, err := play(ctx, single, on, index%c.blocks()*c.Block, c.Block, root, "runs", env)
	if err != nil {
		return BankShard{}, err
	}
	for _, p := range played {
		if err := c.selectsByProxy(p); err != nil {
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

func (c BankConfig) network() network {
	return network{c.Hidden, c.Examples, c.Steps, c.LearningRate, c.ClipNorm, c.Delta}
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

// mergeBank joins the shards of each ε_B; one that has none has no runs. All lists of one are as
// long as the first, or empty.
func mergeBank(c BankConfig, parts []experiments.Part[BankShard]) ([]BankShard, error) {
	all := make([]BankShard, len(c.BaseEpsilons))
	for _, p := range parts {
		join(&all[c.epsilon(p.Index)], p.Result)
	}
	for i := range all {
		for _, list := range lists(&all[i]) {
			if n := len(*list); n != 0 && n != all[i].Runs() {
				return nil, fmt.Errorf("xiang2024: a list has %d runs: must have %d, as the others", n, all[i].Runs())
			}
		}
	}
	return all, nil
}
