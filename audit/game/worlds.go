package game

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/dptune/streams"
)

// Worlds plays games of any mechanism: your own training loop, a release without a model, or code
// that is not in Go. Play runs the mechanism and its adversary.
//
//	play := game.Worlds{Event: claim, Games: 1000}
//	play.Play = func(_ context.Context, in []bool, roots []streams.Root) ([]float64, error) {
//		scores := make([]float64, len(in))
//		for i := range in {
//			output := mechanism(data, in[i], roots[i].Rand("mechanism"))
//			scores[i] = adversary(output)
//		}
//		return scores, nil
//	}
//
// A bound on ε holds if each score is a function of only what the mechanism returned in this game,
// and of coins. The adversary must not see in, or what other games returned.
type Worlds struct {
	Event accounting.Event // the claim under audit: what one game does to an example
	Games int              // n >= 2, games of each world: n with the canary and n without
	First int              // >= 0, the number of the first game: parts of many games may be played apart

	// Play plays one game for each root, and returns their scores in order. The canary is in the data
	// of game i if in[i] is true. Everything random must be drawn from roots[i]. Then a game depends
	// only on its number and the root of Run.
	Play func(ctx context.Context, in []bool, roots []streams.Root) ([]float64, error)

	AtOnce   int            // games of each world in one call of Play; 0 for 128
	Progress func(Progress) // called after each call of Play; nil for none
}

// Validate returns every fault of the game, joined.
func (g Worlds) Validate() error {
	f := check.In("game: Worlds.")
	f.That(g.Event != nil, "Event", "is nil", "must be the event that the mechanism claims")
	if g.Event != nil {
		f.Below("Event", g.Event.Validate())
	}
	f.Count("Games", g.Games, 2)
	f.Count("First", g.First, 0)
	f.That(g.Play != nil, "Play", "is nil", "must play games of the mechanism")
	f.Count("AtOnce", g.AtOnce, 0)
	return f.Err()
}

// Run plays the games. Game i of a world draws from its own child of root. Stop it by ctx, and play
// the rest apart with First. A bound still needs the number of games that was fixed beforehand. An
// error comes without scores.
func (g Worlds) Run(ctx context.Context, root streams.Root) (Result, error) {
	if err := g.Validate(); err != nil {
		return Result{}, err
	}
	if err := root.Validate(); err != nil {
		return Result{}, fmt.Errorf("game: %w", err)
	}
	most := cmp.Or(g.AtOnce, 128)
	result, meter := Result{Event: g.Event, Seeded: root.Seeded()}, newMeter(g.Progress, 2*g.Games)
	for first := 0; first < g.Games; first += most {
		count := min(most, g.Games-first)
		if err := g.add(ctx, &result.Scores, roots(root, g.First+first, count), g.First+first); err != nil {
			return Result{}, fmt.Errorf("game: Worlds: %w", err)
		}
		meter.add(2 * count)
	}
	return result, nil
}

// add plays the games of some roots, which alternate between the worlds, and adds their scores.
// Play gets copies of the coins and the roots.
func (g Worlds) add(ctx context.Context, scores *audit.Scores, roots []streams.Root, first int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := make([]bool, len(roots))
	for i := range in {
		in[i] = member(i)
	}
	played, err := g.Play(ctx, in, slices.Clone(roots))
	if err != nil {
		return err
	}
	if len(played) != len(roots) {
		return fmt.Errorf("Play returned %d scores: must be %d, one for each root", len(played), len(roots))
	}
	var errs []error
	for i, score := range played {
		world, list := "non-member", &scores.NonMember
		if member(i) {
			world, list = "member", &scores.Member
		}
		errs = append(errs, check.Finite.Of(fmt.Sprintf("score of %s game %d", world, first+i/2), score))
		*list = append(*list, score)
	}
	return errors.Join(errs...)
}
