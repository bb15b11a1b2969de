package hidden

import (
	"context"
	"errors"
	"fmt"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/notebooks/experiments"
)

// Options are how a figure trains what is not stored.
type Options struct {
	Performance engine.Performance
	Progress    func(done, total int, detail string) // called while a figure trains; nil for none
}

// Audits are those of an experiment, with where they are from.
type Audits struct {
	Result
	Profile string // "full", "mid" or "quick"
	Account string // how many shards are done, on what, and when
}

// Load returns the audits of an experiment that are stored, those of the profile full if there are
// any, or else of mid. If there are none it trains the profile quick.
func Load(ctx context.Context, e Experiment, o Options) (Audits, error) {
	s, profile, err := load(ctx, e, o)
	return audits(s, profile), err
}

// LoadAll returns the audits of every profile that is stored, full before mid: what one of them
// lacks the other may have. If there are none it trains the profile quick.
func LoadAll(ctx context.Context, e Experiment, o Options) ([]Audits, error) {
	var all []Audits
	for _, profile := range storedProfiles {
		s, err := e.Load(profile)
		switch {
		case errors.Is(err, experiments.ErrNotStored):
		case err != nil:
			return nil, err
		default:
			all = append(all, audits(s, profile))
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	a, err := Load(ctx, e, o)
	return []Audits{a}, err
}

func audits(s experiments.Stored[Config, Result], profile string) Audits {
	return Audits{Result: s.Result, Profile: profile, Account: s.Account.String()}
}

// storedProfiles are those that are stored, the paper's size first.
var storedProfiles = []string{"full", "mid"}

func load[C, S, R any](ctx context.Context, e experiments.Experiment[C, S, R], o Options) (experiments.Stored[C, R], string, error) {
	for _, profile := range storedProfiles {
		stored, err := e.Load(profile)
		if !errors.Is(err, experiments.ErrNotStored) {
			return stored, profile, err
		}
	}
	stored, err := e.Compute(ctx, "quick", experiments.Env{Performance: o.Performance, Progress: o.Progress})
	return stored, "quick", err
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

// data names what the models are trained on.
func (c Config) data() string {
	return map[string]string{
		"housing": "California housing", "digit-columns": "8 columns of the digits", "cifar-10": "CIFAR-10", "digits": "embedded digits",
		"features": "CIFAR-10, features of a ConvNet trained on public images",
	}[c.Data]
}

// network names the network.
func (c Config) network() string {
	return map[string]string{
		"fcnn": "FCNN, 68 weights", "convnet": "ConvNet, 62,006 weights", "small-convnet": "small ConvNet, 1,636 weights",
		"resnet18": "ResNet18, 11,173,962 weights", "narrow-resnet": "ResNet18 cut to 16 channels, 38,586 weights",
		"last-layer": "last layer, 850 weights", "linear-digits": "linear, 650 weights",
	}[c.Network]
}
