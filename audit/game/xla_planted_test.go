//go:build xla && planted

package game_test

import (
	"context"
	"slices"
	"testing"

	"github.com/dplab/dplab/audit/record"
	"github.com/dplab/dplab/dptune/dpsgd/planted"
	"github.com/dplab/dplab/dptune/streams"
)

// Bugs that do not depend on where the noise is made are found on XLA as well.
func TestPlantedBugsAreFoundOnXLA(t *testing.T) {
	change := onXLA(t, 7)
	for _, bug := range []planted.Bug{planted.StepIgnored, planted.ClippedAtTwice, planted.WeightsUnnoised} {
		want, g := expected[bug], recorded(t, change)
		g.Config.Steps = 12
		report := checkPlanted(t, bug, g.OneRun(context.Background(), streams.Fixed("planted")), g.Config.Event(), neighborsOf(background(20))[:1])
		if !slices.ContainsFunc(report.Faults, func(f record.Fault) bool { return f.Kind == want.kind && f.Test == want.test }) {
			t.Errorf("%s: not found as %q by %q, but\n%v", bug, want.kind, want.test, report.Err())
		}
	}
}
