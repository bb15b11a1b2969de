package game_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
)

// gaussian plays a Gaussian mechanism of sensitivity 1, with noise of a standard deviation.
func gaussian(noise float64) func(context.Context, []bool, []streams.Root) ([]float64, error) {
	return func(_ context.Context, in []bool, roots []streams.Root) ([]float64, error) {
		scores := make([]float64, len(in))
		for i, root := range roots {
			scores[i] = oneIf(in[i]) + noise*root.Rand("noise").NormFloat64()
		}
		clear(in) // a copy
		clear(roots)
		return scores, nil
	}
}

func ownWorlds(noise float64, games int) game.Worlds {
	return game.Worlds{Event: accounting.Gaussian{NoiseMultiplier: 1}, Games: games, Play: gaussian(noise)}
}

// The scores have the law of the mechanism. Half of the claimed noise is contradicted, and the
// claimed noise is not: 500 games in each world of µ 2 for a claimed 1.
func TestWorldsOfOnesOwn(t *testing.T) {
	for _, noise := range []float64{1, 0.5} {
		result, err := ownWorlds(noise, 500).Run(context.Background(), streams.Fixed("own worlds"))
		if err != nil {
			t.Fatal(err)
		}
		if result.Event != (accounting.Gaussian{NoiseMultiplier: 1}) || !result.Seeded {
			t.Errorf("event %v, seeded %v", result.Event, result.Seeded)
		}
		checkLaws(t, "Gaussian", audit.Scores{Member: scaled(result.Scores.Member, 1/noise), NonMember: scaled(result.Scores.NonMember, 1/noise)}, noise, 1)
		claim, err := audit.ClaimOf(result.Event)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := audit.TestClaim(result.Scores, claim, audit.Config{Seed: 1, Confidence: 0.999})
		if err != nil || verdict.Contradicted != (noise < 1) {
			t.Errorf("noise %g: %v, error %v", noise, verdict, err)
		}
	}
}

func scaled(values []float64, by float64) []float64 {
	values = slices.Clone(values)
	for i := range values {
		values[i] *= by
	}
	return values
}

// A game depends on its number and on the root, whatever is played together.
func TestPartsOfWorlds(t *testing.T) {
	g := ownWorlds(1, 20)
	var seen []game.Progress
	g.Progress = func(p game.Progress) { seen = append(seen, p) }
	all, err := g.Run(context.Background(), streams.Fixed("parts"))
	if err != nil || len(all.Scores.Member) != 20 || len(all.Scores.NonMember) != 20 || len(seen) != 1 {
		t.Fatalf("result %v, error %v, progress %v", all, err, seen)
	}
	calls := []int{}
	g.Games, g.First, g.AtOnce, seen = 7, 5, 3, nil
	g.Play = func(ctx context.Context, in []bool, roots []streams.Root) ([]float64, error) {
		calls = append(calls, len(in))
		return gaussian(1)(ctx, in, roots)
	}
	part, err := g.Run(context.Background(), streams.Fixed("parts"))
	if err != nil || !slices.Equal(part.Scores.Member, all.Scores.Member[5:12]) || !slices.Equal(part.Scores.NonMember, all.Scores.NonMember[5:12]) {
		t.Errorf("games 5 to 11: %v, error %v: want a part of %v", part.Scores, err, all.Scores)
	}
	if !slices.Equal(calls, []int{6, 6, 2}) {
		t.Errorf("calls of %v games, want 6, 6, 2", calls)
	}
	if len(seen) != 3 || seen[2].Games != 14 || seen[2].Total != 14 {
		t.Errorf("progress %v: want three reports up to 14 games", seen)
	}
}

func TestWorldsErrors(t *testing.T) {
	score := func(at int, value float64) func(context.Context, []bool, []streams.Root) ([]float64, error) {
		return func(_ context.Context, in []bool, _ []streams.Root) ([]float64, error) {
			scores := make([]float64, len(in))
			scores[at] = value
			return scores, nil
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	for want, change := range map[string]func(g *game.Worlds){
		"Worlds.Games 1: must be >= 2":    func(g *game.Worlds) { g.Games = 1 },
		"Worlds.First -1: must be >= 0":   func(g *game.Worlds) { g.First = -1 },
		"Worlds.AtOnce -1: must be >= 0":  func(g *game.Worlds) { g.AtOnce = -1 },
		"Worlds.Event is nil":             func(g *game.Worlds) { g.Event = nil },
		"Worlds.Event: ":                  func(g *game.Worlds) { g.Event = accounting.Gaussian{NoiseMultiplier: math.NaN()} },
		"Worlds.Play is nil":              func(g *game.Worlds) { g.Play = nil },
		"score of member game 9 NaN":      func(g *game.Worlds) { g.First, g.Play = 8, score(2, math.NaN()) },
		"score of non-member game 9 +Inf": func(g *game.Worlds) { g.First, g.Play = 8, score(3, math.Inf(1)) },
		"Play returned 0 scores: must be 6": func(g *game.Worlds) {
			g.Play = func(context.Context, []bool, []streams.Root) ([]float64, error) { return nil, nil }
		},
		"Worlds: it broke": func(g *game.Worlds) {
			g.Play = func(context.Context, []bool, []streams.Root) ([]float64, error) { return nil, errors.New("it broke") }
		},
		"Worlds: context canceled": func(g *game.Worlds) {
			g.AtOnce, g.Play = 1, func(_ context.Context, in []bool, _ []streams.Root) ([]float64, error) {
				cancel()
				return make([]float64, len(in)), nil
			}
		},
	} {
		g := ownWorlds(1, 3)
		change(&g)
		result, err := g.Run(ctx, streams.Fixed("errors"))
		if strings.Contains(want, "canceled") {
			ctx, cancel = context.WithCancel(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(result.Scores.Member) > 0 {
			t.Errorf("scores %v, error %v: want only one that names %q", result.Scores, err, want)
		}
	}
	cancel()
	if _, err := ownWorlds(1, 3).Run(context.Background(), streams.Root{}); err == nil {
		t.Error("no root: no error")
	}
}
