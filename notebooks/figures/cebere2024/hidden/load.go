package hidden

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/notebooks/experiments"
)

// Options are how a figure trains what is not stored.
type Options = experiments.Env

// Audits are those of an experiment, with where they are from.
type Audits struct {
	Result
	Profile string // "full", "mid" or "quick"
	Account string // how many shards are done, on what, and when
}

// Load returns the audits of an experiment that are stored, those of the profile full if there are
// any, or else of mid. If there are none it trains the profile quick.
func Load(ctx context.Context, e Experiment, o Options) (Audits, error) {
	s, err := e.AtHand(ctx, o)
	return audits(s), err
}

// LoadAll returns the audits of every profile that is stored, full before mid: what one of them
// lacks the other may have. If there are none it trains the profile quick.
func LoadAll(ctx context.Context, e Experiment, o Options) ([]Audits, error) {
	var all []Audits
	for _, profile := range []string{"full", "mid"} {
		s, err := e.Load(profile)
		switch {
		case errors.Is(err, experiments.ErrNotStored):
		case err != nil:
			return nil, err
		default:
			all = append(all, audits(s))
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	a, err := Load(ctx, e, o)
	return []Audits{a}, err
}

func audits(s experiments.Stored[Config, Result]) Audits {
	return Audits{Result: s.Result, Profile: s.Profile, Account: s.Account.String()}
}

// Size writes how large the audits are: "2,500 games of each world".
func (a Audits) Size() string {
	least, most := 0, 0
	for i, one := range a.Audits {
		if i == 0 || one.Games < least {
			least = one.Games
		}
		most = max(most, one.Games)
	}
	if least != most {
		return fmt.Sprintf("%d to %d games of each world", least, most)
	}
	return fmt.Sprintf("%d games of each world", most)
}

// games returns how many games of each world there are of a setting.
func (a Audits) games(setting int) int {
	games := 0
	for _, one := range a.Audits {
		if one.Setting == setting {
			games = max(games, one.Games)
		}
	}
	return games
}
