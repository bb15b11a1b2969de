package game_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// A game that took up the engine's checkpoints would miss the weights of steps before them,
// and score zeros: it is refused.
func TestGamesRefuseCheckpoints(t *testing.T) {
	perf := engine.Performance{Checkpoint: engine.Checkpoint{Dir: t.TempDir()}}
	hidden := hiddenState(t, game.RandomDimension{}, 3)
	hidden.Performance = perf
	for range 2 {
		result, err := hidden.Run(context.Background(), streams.Fixed("checkpoints"))
		if err == nil || !strings.Contains(err.Error(), "HiddenState.Performance.Checkpoint.Dir") {
			t.Errorf("hidden state: error %v, want one that names the field; scores %v", err, result.Observed)
		}
	}
	one := honest(t, 3)
	one.Performance = perf
	if err := one.Validate(); err == nil || !strings.Contains(err.Error(), "OneStep.Performance.Checkpoint.Dir") {
		t.Errorf("one step: error %v, want one that names the field", err)
	}
	g := recorded(t, func(g *game.Recorded) { g.Performance = perf })
	d := background(4)
	_, err := record.Run(g.Mechanism(context.Background(), streams.Fixed("c")), d, neighborsOf(d), record.Config{Claim: accounting.Gaussian{NoiseMultiplier: 1}})
	if err == nil || !strings.Contains(err.Error(), "Recorded.Performance.Checkpoint.Dir") {
		t.Errorf("recorded: error %v, want one that names the field", err)
	}
}
