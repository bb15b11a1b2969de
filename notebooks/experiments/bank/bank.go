package bank

import (
	"fmt"
	"slices"
)

// Run is one trained model.
type Run struct {
	Score    float64 // share of validation examples that it gets right, which a search sees
	Accuracy float64 // share of test examples that it gets right, which is reported
}

// Bank holds runs by part, level and point of the grid. New makes it.
type Bank struct {
	Config  Config
	Repeats int // complete ones, of Config.Repeats

	// Public and MostPublic are the shares of public test examples that the network of the features
	// gets right: the least and the largest over the shards. They differ if shards were trained on
	// machines that round differently, and so have different features. 0 without features.
	Public, MostPublic float64

	cells map[cell][]Run
}

// cell names runs that differ only in their draws.
type cell struct {
	part                          Part
	training, level, rate, repeat int
}

// New returns the bank of some shards, in any order. It leaves out a repeat that lacks a shard. If
// no repeat is complete, the bank is empty.
func New(c Config, shards []Shard) (Bank, error) {
	if err := c.Validate(); err != nil {
		return Bank{}, err
	}
	b := Bank{Config: c, cells: map[cell][]Run{}}
	perRepeat := make([]map[int]bool, c.Repeats)
	for i, s := range shards {
		if err := c.validateShard(s); err != nil {
			return Bank{}, fmt.Errorf("bank: shard %d in the list: %w", i, err)
		}
		if perRepeat[s.Repeat] == nil {
			perRepeat[s.Repeat] = map[int]bool{}
		}
		perRepeat[s.Repeat][c.place(s)] = true
	}
	for repeat, done := range perRepeat {
		if len(done) == c.Shards()/c.Repeats {
			for _, s := range shards {
				if s.Repeat == repeat {
					b.add(s)
				}
				if b.Public == 0 || s.Public < b.Public {
					b.Public = s.Public
				}
				b.MostPublic = max(b.MostPublic, s.Public)
			}
			b.Repeats++
		}
	}
	return b, nil
}

func (c Config) validateShard(s Shard) error {
	if s.Repeat < 0 || s.Repeat >= c.Repeats || s.Training < 0 || s.Training >= len(c.Trainings) || !slices.Contains(c.parts(), s.Part) {
		return fmt.Errorf("part %q, training %d, repeat %d: must be one of the config", s.Part, s.Training, s.Repeat)
	}
	if s.Rate < 0 || s.Rate >= c.rateShards() {
		return fmt.Errorf("learning rate %d: must be in [0, %d)", s.Rate, c.rateShards())
	}
	if want := c.Levels() * len(c.shardRates(s)) * c.Runs; len(s.Scores) != want || len(s.Accuracies) != want {
		return fmt.Errorf("%d scores and %d accuracies: must be %d", len(s.Scores), len(s.Accuracies), want)
	}
	return nil
}

// place numbers the shards of one repeat.
func (c Config) place(s Shard) int {
	return (s.Training*len(c.parts())+slices.Index(c.parts(), s.Part))*c.rateShards() + s.Rate
}

// cellOf returns the cell of run k of a shard, in a repeat.
func (c Config) cellOf(s Shard, k, repeat int) cell {
	rates := len(c.shardRates(s))
	return cell{s.Part, s.Training, k / c.Runs / rates, s.Rate + k/c.Runs%rates, repeat}
}

// add adds the runs of a shard to the next repeat, unless they are present.
func (b Bank) add(s Shard) {
	for k := range s.Scores {
		at := b.Config.cellOf(s, k, b.Repeats)
		if len(b.cells[at]) < b.Config.Runs {
			b.cells[at] = append(b.cells[at], Run{float64(s.Scores[k]), float64(s.Accuracies[k])})
		}
	}
}

// At returns the runs of a training on a part at a level with a learning rate, over all repeats. It
// panics if the part has no such learning rate.
func (b Bank) At(p Part, training, level int, rate float64) (runs []Run) {
	i := slices.IndexFunc(b.Config.rates(p), func(r float64) bool { return same(r, rate) })
	if i < 0 {
		panic(fmt.Sprintf("bank: no runs on %s have learning rate %g", p, rate))
	}
	for s := range b.Repeats {
		runs = append(runs, b.cells[cell{p, training, level, i, s}]...)
	}
	return runs
}

// Compare returns the number of runs of a shard, and how many of them equal those in the bank. The
// bank must have the same config. If the shard's repeat is not in the bank, none is equal.
func (b Bank) Compare(s Shard) (runs, equal int) {
	for k := range s.Scores {
		at := b.Config.cellOf(s, k, s.Repeat)
		if runs := b.cells[at]; len(runs) > 0 && runs[k%b.Config.Runs] == (Run{float64(s.Scores[k]), float64(s.Accuracies[k])}) {
			equal++
		}
	}
	return len(s.Scores), equal
}

// Swapped returns the bank of a search that sees the reported numbers, and reports the others.
func (b Bank) Swapped() Bank {
	return b.mapped(func(r Run) Run { return Run{r.Accuracy, r.Score} })
}

// OnTestData returns the bank of a search that sees the reported numbers: scores and accuracies are
// both the share of all validation and test examples. The papers select in this way.
func (b Bank) OnTestData() Bank {
	return b.mapped(func(r Run) Run {
		both := (r.Score + r.Accuracy) / 2 // both halves have one size, up to one example
		return Run{both, both}
	})
}

func (b Bank) mapped(of func(Run) Run) Bank {
	out := b
	out.cells = map[cell][]Run{}
	for at, runs := range b.cells {
		for _, r := range runs {
			out.cells[at] = append(out.cells[at], of(r))
		}
	}
	return out
}
