package game

import (
	"context"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// hidden is shared by all games of a HiddenState.
type hidden struct {
	HiddenState
	root    streams.Root
	initial dpsgd.Parameters // of all runs; with UnknownInitial, only of the adversary's simulations
}

// run plays all games of all adversaries. First come the models without a canary, each next to one
// with the canary of the first adversary. Then come those with the canaries of the others.
func (h hidden) run(ctx context.Context, attacks []Attack, results []HiddenResult) error {
	meter := newMeter(h.Progress, (1+len(attacks))*h.Games)
	if err := h.runWorlds(ctx, 2, attacks, results, meter); err != nil {
		return err
	}
	for a := 1; a < len(attacks); a++ {
		if err := h.runWorlds(ctx, 1, attacks[a:a+1], results[a:a+1], meter); err != nil {
			return err
		}
	}
	return nil
}

// runWorlds trains all models of both worlds, or only those with the first attack's canary. It adds
// their scores to the results, one for each attack.
func (h hidden) runWorlds(ctx context.Context, worlds int, attacks []Attack, results []HiddenResult, meter *meter) error {
	return h.train(ctx, worlds, attacks, meter, func(c *cohort) error { return c.score(ctx, results) })
}

// train trains all models of both worlds, or only those with the first attack's canary. It hands
// over the models of each run of the engine.
func (h hidden) train(ctx context.Context, worlds int, attacks []Attack, meter *meter, trained func(*cohort) error) error {
	most := h.gamesAtOnce(worlds, attacks)
	var c *cohort
	for first := 0; first < h.Games; first += most {
		count := min(most, h.Games-first)
		if c == nil || len(c.in) != worlds*count {
			var err error
			if c, err = h.cohort(worlds, count, attacks, meter); err != nil {
				return err
			}
		}
		out, err := c.trainer.RunEach(ctx, c.roots(h.First+first))
		if err != nil {
			return err
		}
		c.warnings = out.Warnings
		if err := trained(c); err != nil {
			return err
		}
		meter.add(len(c.in))
	}
	return nil
}

// gamesAtOnce returns how many games of each world one run of the engine plays: as many as keep the
// held weights below 4 GiB. Runs have equal length if that takes less than twice as many, since a
// run of another length needs another program.
func (h hidden) gamesAtOnce(worlds int, attacks []Attack) int {
	const values = 1 << 29
	each := 1 // the engine's result
	if slices.ContainsFunc(attacks, Attack.keeps) {
		each += len(h.observe())
	}
	most := max(1, values/(worlds*h.Model.Size()*each))
	fewest := (h.Games + most - 1) / most
	for runs := fewest; runs < 2*fewest; runs++ {
		if h.Games%runs == 0 {
			return h.Games / runs
		}
	}
	return (h.Games + fewest - 1) / fewest
}
