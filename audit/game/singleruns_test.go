package game_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/streams"
)

// Where the proxy is the score, or the score is a growing function of it, first runs are the scores of a bound on the search.
func TestSingleRunsOfAProxyThatSelects(t *testing.T) {
	g := tuning(t, 150)
	along := g.Scores[0]
	cubed := func(ctx context.Context, initial, final [][]float64) ([]float64, error) {
		out, err := along(ctx, initial, final)
		for i, x := range out {
			out[i] = x * x * x
		}
		return out, err
	}
	g.Scores = append(g.Scores, cubed)
	result, err := g.Run(t.Context(), streams.Fixed("single runs"))
	if err != nil {
		t.Fatal(err)
	}
	for score := range g.Scores {
		scores, err := result.SingleRuns(0, score)
		if err != nil {
			t.Fatalf("score %d: %v", score, err)
		}
		if len(scores.Member) != 150 || scores.NonMember[7] != result.NonMember[7].First[0] {
			t.Errorf("score %d: %d members, and the eighth non-member has %g", score, len(scores.Member), scores.NonMember[7])
		}
		if _, err := audit.RankOfSearch(scores, g.Law, 135, audit.Config{Delta: 1e-5}); err != nil {
			t.Error(err)
		}
	}
}

// A proxy that is not the released score is an error, and so are scores that select by nothing.
func TestSingleRunsRefuseAnotherScore(t *testing.T) {
	g := tuning(t, 20)
	along := g.Scores[0]
	g.Scores = append(g.Scores,
		func(ctx context.Context, initial, final [][]float64) ([]float64, error) {
			out, err := along(ctx, initial, final)
			for i := range out {
				out[i] = -out[i]
			}
			return out, err
		},
		func(_ context.Context, initial, final [][]float64) ([]float64, error) {
			out := make([]float64, len(final))
			for i := range out {
				out[i] = initial[i][1] - final[i][1] // another weight
			}
			return out, nil
		},
		constantScore(0, 3))
	result, err := g.Run(t.Context(), streams.Fixed("single runs"))
	if err != nil {
		t.Fatal(err)
	}
	for score, want := range map[int]string{
		1: "proxy 0 is not the score that selects: a released run has score", 2: "another the lower score", 3: "two released runs of score 3 have the proxies",
		4: "must be below 1 and 4", -1: "must be below 1 and 4",
	} {
		if _, err := result.SingleRuns(0, score); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("score %d: error %v, want %q", score, err, want)
		}
	}
	if _, err := (game.TuningResult{Member: result.Member}).SingleRuns(0, 0); err == nil || !strings.Contains(err.Error(), "must have both") {
		t.Errorf("games of one world: error %v", err)
	}
}
