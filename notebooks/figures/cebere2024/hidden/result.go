package hidden

import (
	"fmt"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/notebooks/experiments"
)

// Result has the scores of all audits of which at least one shard is done.
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
	return audit.Scores{Member: doubles(s.Member), NonMember: doubles(s.NonMember)}, nil
}

func doubles(values experiments.Floats) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}
