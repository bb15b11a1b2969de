package game_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

// own is an adversary of a test: it prepares what attack returns.
type own struct {
	attack func(h game.Hidden) (game.Attack, error)
}

func (own) String() string { return "own" }

func (a own) Prepare(_ context.Context, h game.Hidden) (game.Attack, error) { return a.attack(h) }

// quiet is an attack along a weight of the last input, which the data do not move.
func quiet(h game.Hidden) game.Attack {
	c, start, gradient := h.Game.Config, h.Initial.Values[0][5], make([]float64, h.Game.Model.Size())
	gradient[5] = c.ClipNorm
	step := c.LearningRate / c.ExpectedBatchSize * c.NoiseStdDev()
	return game.Attack{Canary: dpsgd.Canary{Gradient: gradient}, Score: func(steps int, weights []float64) float64 {
		return (start - weights[5]) / (step * math.Sqrt(float64(steps)))
	}}
}

// A known attack has its known laws as an adversary from outside, one model at a time and all
// together, and by a gradient that is given for each step.
func TestAdversaryOfOnesOwn(t *testing.T) {
	var scores [][]float64
	for name, change := range map[string]func(h game.Hidden, a *game.Attack){
		"one at a time": func(game.Hidden, *game.Attack) {},
		"together": func(_ game.Hidden, a *game.Attack) {
			score := a.Score
			a.Score, a.ScoreModels = nil, func(_ context.Context, steps []int, weights [][]float64) ([]float64, error) {
				list := make([]float64, len(weights))
				for i := range list {
					list[i] = score(steps[i], weights[i])
				}
				return list, nil
			}
		},
		"for each step": func(_ game.Hidden, a *game.Attack) {
			gradient := a.Canary.Gradient
			a.Canary = dpsgd.Canary{GradientAt: func(int, int) []float64 { return gradient }}
		},
		"its copy of the weights changed": func(h game.Hidden, _ *game.Attack) { clear(h.Initial.Values[0]) },
	} {
		result := playHidden(t, hiddenState(t, own{func(h game.Hidden) (game.Attack, error) {
			a := quiet(h)
			change(h, &a)
			return a, nil
		}}, 250), "own")
		if result.Adversary != "own" {
			t.Errorf("adversary %q, want own", result.Adversary)
		}
		for i, steps := range []float64{1, 20} {
			checkLaws(t, name, result.Observed[i].Scores, 4/math.Sqrt(steps), 1)
		}
		scores = append(scores, result.Observed[1].Scores.Member)
	}
	for _, other := range scores[1:] {
		checkClose(t, "the same attack", other, scores[0])
	}
}

// The root of an adversary is neither that of the games nor that of another seed.
func TestRootOfAnAdversary(t *testing.T) {
	draw := func(name string) (drawn uint64) {
		g := hiddenState(t, own{func(h game.Hidden) (game.Attack, error) {
			drawn = h.Root.Rand("coordinate").Uint64()
			return game.Attack{}, errors.New("enough")
		}}, 1)
		if _, err := g.Run(context.Background(), streams.Fixed(name)); err == nil || !strings.Contains(err.Error(), "own: enough") {
			t.Errorf("error %v: want that of the adversary", err)
		}
		return drawn
	}
	list := []uint64{draw("a"), draw("b"), streams.Fixed("a").Rand("coordinate").Uint64()}
	if list[0] != draw("a") || list[0] == list[1] || list[0] == list[2] {
		t.Errorf("draws %v: want equal ones for equal roots, and others than the game's", list)
	}
}

func TestAttackErrors(t *testing.T) {
	for want, change := range map[string]func(h game.Hidden, a *game.Attack){
		"own: Attack has 0 of Score, ScoreModels: must have exactly one": func(_ game.Hidden, a *game.Attack) { a.Score = nil },
		"own: Attack has 2 of Score, ScoreModels": func(_ game.Hidden, a *game.Attack) {
			a.ScoreModels = func(context.Context, []int, [][]float64) ([]float64, error) { return nil, nil }
		},
		"own: Attack.Canary.In [true]: must be nil":                        func(_ game.Hidden, a *game.Attack) { a.Canary.In = []bool{true} },
		"own: Attack.Canary.At is given: must be nil":                      func(_ game.Hidden, a *game.Attack) { a.Canary.At = func(int) bool { return false } },
		"own: Attack.Canary.Gradient has norm 0: must be":                  func(_ game.Hidden, a *game.Attack) { clear(a.Canary.Gradient) },
		"Canary.Gradient has norm 1.4: must be at most ClipNorm 0.7":       func(_ game.Hidden, a *game.Attack) { a.Canary.Gradient[5] = 1.4 },
		"Plan.Canary.Gradient":                                             func(_ game.Hidden, a *game.Attack) { a.Canary.Gradient = []float64{0.1} },
		"Plan.Canary has 0 of Gradient, GradientAt, Example":               func(_ game.Hidden, a *game.Attack) { a.Canary = dpsgd.Canary{} },
		"own: no usable scores after 1 steps: audit: Scores.Member[0] NaN": func(_ game.Hidden, a *game.Attack) { a.Score = func(int, []float64) float64 { return math.NaN() } },
		"own: no usable scores after 20 steps: audit: Scores.Member[0]": func(_ game.Hidden, a *game.Attack) {
			a.Score = func(steps int, _ []float64) float64 { return 1 / float64(20-steps) }
		},
		"own: Attack.ScoreModels returned 11 scores: must be 12, one for each model": func(_ game.Hidden, a *game.Attack) {
			a.Score, a.ScoreModels = nil, func(_ context.Context, _ []int, weights [][]float64) ([]float64, error) {
				return slices.Repeat([]float64{1}, len(weights)-1), nil
			}
		},
		"own: it broke": func(_ game.Hidden, a *game.Attack) {
			a.Score, a.ScoreModels = nil, func(context.Context, []int, [][]float64) ([]float64, error) { return nil, errors.New("it broke") }
		},
	} {
		g := hiddenState(t, own{func(h game.Hidden) (game.Attack, error) {
			a := quiet(h)
			change(h, &a)
			return a, nil
		}}, 3)
		result, err := g.Run(context.Background(), streams.Fixed("attack errors"))
		if err == nil || !strings.Contains(err.Error(), want) || len(result.Observed) > 0 {
			t.Errorf("result %v, error %v: want only one that names %q", result, err, want)
		}
	}
}

// The norms of a canary that is an example do not need an adversary that keeps weights.
func TestCanaryNormsOfAnAttackOnOneModel(t *testing.T) {
	g := hiddenState(t, own{func(h game.Hidden) (game.Attack, error) {
		x := &dpsgd.Example{Features: h.Game.Data.Row(0), Label: h.Game.Data.Labels[0]}
		return game.Attack{Canary: dpsgd.Canary{Example: x}, Score: func(int, []float64) float64 { return 0 }}, nil
	}}, 2)
	norms, err := g.CanaryNorms(context.Background(), streams.Fixed("norms"))
	if err != nil || len(norms) != 2 || len(norms[0]) != 2 || !(norms[0][0] > 0) {
		t.Errorf("norms %v, error %v: want two positive ones after each of two numbers of steps", norms, err)
	}
}
