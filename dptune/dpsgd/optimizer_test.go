package dpsgd_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
)

func TestSchedules(t *testing.T) {
	for name, c := range map[string]struct {
		schedule dpsgd.Schedule
		want     []float64
	}{
		"cosine":   {dpsgd.Cosine(4), []float64{1, (2 + math.Sqrt2) / 4, 0.5, (2 - math.Sqrt2) / 4, 0, 0}},
		"steps":    {dpsgd.StepDecay(2, 0.1), []float64{1, 1, 0.1, 0.1, 0.01}},
		"no steps": {dpsgd.StepDecay(0, 0.1), []float64{1, 1}},
		"warm-up":  {dpsgd.Warmup(3, dpsgd.StepDecay(1, 0.5)), []float64{0.25, 0.5, 0.75, 1, 0.5, 0.25}},
		"nil":      {dpsgd.Warmup(1, nil), []float64{0.5, 1, 1}},
	} {
		for step, want := range c.want {
			if got := c.schedule(step); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: %g at step %d, want %g", name, got, step, want)
			}
		}
	}
}
