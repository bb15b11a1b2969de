package hidden

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// Shard holds the scores of some games of one setting and repetition.
type Shard struct {
	Adversaries [][]Scores           // [of the setting][observed]
	Apart       []experiments.Floats `json:",omitempty"` // by coordinates: [observed][training], as Audit has it
}

// Scores are those of models after a number of steps: themselves, or their order.
type Scores struct {
	Member, NonMember experiments.Floats `json:",omitempty"`
	Order             *Order             `json:",omitempty"`
}

// place is what a shard trains.
type place struct{ setting, repetition, block int }

// Shards returns how many shards a config has.
func (c Config) Shards() int { return len(c.Settings) * c.Repetitions * c.Games / c.Block }

// place returns that of a shard. Settings come one after the other, then repetitions, then further
// games. So the first shards have some of everything.
func (c Config) place(shard int) place {
	settings, repetitions := len(c.Settings), c.Repetitions
	return place{shard % settings, shard / settings % repetitions, shard / settings / repetitions}
}

// ModelSteps returns the mean over the shards of the steps of all models.
func (c Config) ModelSteps() float64 {
	sum := 0
	for _, s := range c.Settings {
		if s.Canaries > 0 {
			sum += (s.Trainings + s.Simulations) * s.Steps()
		} else {
			sum += (1 + len(s.Adversaries)) * c.Block * s.Steps()
		}
	}
	return float64(sum) / float64(len(c.Settings))
}

// root is of one repetition. All settings share it: their order of the data, initial weights and
// noise of game by game.
func (c Config) root(repetition int) streams.Root {
	return streams.Fixed(fmt.Sprintf("%s, repetition %d", c.Seed, repetition))
}

// Run trains and scores the models of a shard.
func Run(ctx context.Context, c Config, shard int, env experiments.Env) (Shard, error) {
	if err := c.Validate(); err != nil {
		return Shard{}, err
	}
	p := c.place(shard)
	root := c.root(p.repetition)
	play, err := c.game(ctx, p, env)
	if err != nil {
		return Shard{}, err
	}
	if c.Settings[p.setting].Canaries > 0 {
		return c.byCoordinates(ctx, play, p, root)
	}
	var names []game.Adversary
	for _, name := range c.Settings[p.setting].Adversaries {
		names = append(names, adversaries[name])
	}
	results, err := play.RunEach(ctx, root, names)
	if err != nil {
		return Shard{}, fmt.Errorf("hidden: setting %d, repetition %d: %w", p.setting+1, p.repetition+1, err)
	}
	var out Shard
	for _, r := range results {
		var list []Scores
		for i, o := range r.Observed {
			list = append(list, c.pack(o.Scores, root, i < len(r.Observed)-1))
		}
		out.Adversaries = append(out.Adversaries, list)
	}
	return out, nil
}

// game returns what a shard plays.
func (c Config) game(ctx context.Context, p place, env experiments.Env) (game.HiddenState, error) {
	s := c.Settings[p.setting]
	model, err := networks[c.Network].build()
	if err != nil {
		return game.HiddenState{}, err
	}
	rows, err := c.rows(ctx, c.root(p.repetition), env)
	return game.HiddenState{
		Model: model, Data: rows, Config: c.training(s), Games: c.Block, First: p.block * c.Block, Observe: s.Observe, At: s.at(),
		UnknownInitial: s.UnknownInitial, Performance: env.Performance,
		Progress: func(g game.Progress) { env.Report(g.Games, g.Total, "") },
	}, err
}

// pack returns scores as they are stored.
func (c Config) pack(scores audit.Scores, root streams.Root, early bool) Scores {
	if c.Ranks && early {
		order := newOrder(scores, root.Rand("ties"))
		return Scores{Order: &order}
	}
	return Scores{Member: experiments.FloatsOf(scores.Member), NonMember: experiments.FloatsOf(scores.NonMember)}
}

// Order is what all bounds of package audit need of scores: which of them, from the least to the
// largest, are of members. 5,000 scores are 625 bytes. Equal scores get a random order, which
// leaves every bound valid.
type Order struct {
	Count int
	Bits  []byte // bit i%8 of byte i/8 is 1 if score i is of a member
}

// newOrder sorts scores.
func newOrder(scores audit.Scores, rng *rand.Rand) Order {
	type scored struct {
		score  float64
		member bool
	}
	var all []scored
	for _, s := range scores.Member {
		all = append(all, scored{s, true})
	}
	for _, s := range scores.NonMember {
		all = append(all, scored{s, false})
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	o := Order{Count: len(all), Bits: make([]byte, (len(all)+7)/8)}
	for i, s := range all {
		if s.member {
			o.Bits[i/8] |= 1 << (i % 8)
		}
	}
	return o
}

// Scores returns scores of that order: the places 0, 1, ....
func (o Order) Scores() audit.Scores {
	var s audit.Scores
	for i := range o.Count {
		if o.Bits[i/8]>>(i%8)&1 == 1 {
			s.Member = append(s.Member, float64(i))
		} else {
			s.NonMember = append(s.NonMember, float64(i))
		}
	}
	return s
}

// validate checks an order that was read against the number of games of each world.
func (o Order) validate(games int) error {
	members := 0
	for _, b := range o.Bits {
		members += bits.OnesCount8(b)
	}
	if o.Count != 2*games || len(o.Bits) != (o.Count+7)/8 || members != games {
		return fmt.Errorf("hidden: an order of %d scores, %d of members, in %d bytes: must be of %d games of each world", o.Count, members, len(o.Bits), games)
	}
	return nil
}

// Result has the scores of all audits with at least one shard.
type Result struct {
	Config Config
	Audits []Audit // by setting, then repetition, then adversary
}

// Audit is one adversary's scores in one setting and repetition.
type Audit struct {
	Setting    int // its number in Config.Settings
	Repetition int
	Adversary  string
	Games      int            // of each world, played so far
	Observed   []audit.Scores // at each of Setting.Observe

	// Apart is by how much the mean score of the canaries of a training is larger than that of those it
	// has not, at each of Setting.Observe. It is nil of games.
	Apart [][]float64
}

// Merge puts the scores of shards together.
func Merge(c Config, parts []experiments.Part[Shard]) (Result, error) {
	r := Result{Config: c}
	for i, s := range c.Settings {
		for repetition := range c.Repetitions {
			audits := make([]Audit, len(s.Adversaries))
			for a, name := range s.Adversaries {
				audits[a] = Audit{Setting: i, Repetition: repetition, Adversary: name, Observed: make([]audit.Scores, len(s.Observe))}
			}
			for _, part := range parts {
				if p := c.place(part.Index); p.setting != i || p.repetition != repetition {
					continue
				}
				if err := c.add(audits, s, part.Result); err != nil {
					return Result{}, fmt.Errorf("hidden: shard %d: %w", part.Index, err)
				}
			}
			if audits[0].Games > 0 {
				r.Audits = append(r.Audits, audits...)
			}
		}
	}
	return r, nil
}

// add appends the scores of a shard.
func (c Config) add(audits []Audit, s Setting, shard Shard) error {
	if len(shard.Adversaries) != len(s.Adversaries) {
		return fmt.Errorf("%d adversaries: must be %d", len(shard.Adversaries), len(s.Adversaries))
	}
	for a, list := range shard.Adversaries {
		if len(list) != len(s.Observe) {
			return fmt.Errorf("scores after %d numbers of steps: must be %d", len(list), len(s.Observe))
		}
		for i, packed := range list {
			scores, err := packed.unpack(c.Block)
			if err != nil {
				return err
			}
			to := &audits[a].Observed[i]
			to.Member, to.NonMember = append(to.Member, scores.Member...), append(to.NonMember, scores.NonMember...)
		}
		audits[a].Games += c.Block
	}
	for _, apart := range shard.Apart {
		audits[0].Apart = append(audits[0].Apart, figures.Floats(apart))
	}
	return nil
}

// unpack returns the scores of so many games of each world.
func (s Scores) unpack(games int) (audit.Scores, error) {
	if s.Order != nil {
		if err := s.Order.validate(games); err != nil {
			return audit.Scores{}, err
		}
		return s.Order.Scores(), nil
	}
	if len(s.Member) != games || len(s.NonMember) != games {
		return audit.Scores{}, fmt.Errorf("%d and %d scores: must be %d of each world", len(s.Member), len(s.NonMember), games)
	}
	return audit.Scores{Member: figures.Floats(s.Member), NonMember: figures.Floats(s.NonMember)}, nil
}
