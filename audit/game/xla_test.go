//go:build xla

package game_test

import (
	"testing"

	"github.com/dplab/dplab/audit/game"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	_ "github.com/dplab/dplab/dptune/dpsgd/xla"
)

// onXLA moves to XLA, with so many steps in a call.
func onXLA(t *testing.T, stepsPerCall int) func(*game.Recorded) {
	t.Helper()
	if _, err := backend.Open("xla:cpu"); err != nil {
		t.Skip(err)
	}
	return func(g *game.Recorded) {
		g.Performance = engine.Performance{Backend: "xla:cpu", Microbatch: 32, StepsPerCall: stepsPerCall}
		g.Config.Steps, g.Config.Optimizer = 40, dpsgd.SGD{Momentum: 0.9}
	}
}

// One run on XLA is what it declares, its noise made on the device, a step or several in a call.
func TestOneRunOnXLA(t *testing.T) {
	d := background(20)
	for name, stepsPerCall := range map[string]int{"a step in a call": 1, "seven steps in a call": 7} {
		checkHonestRun(t, name, recorded(t, onXLA(t, stepsPerCall)), d, neighborsOf(d)[:1])
	}
}
