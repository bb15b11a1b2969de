package candidate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// A run is timed without its data: here they are such that training on them is an error. What it takes is not asserted, but that it is
// something.
func TestTimeReadsNoRecord(t *testing.T) {
	c := small(t)
	for i := range c.Train.Features {
		c.Train.Features[i] = float32(math.NaN())
	}
	c.Performance.Checkpoint.Dir = "/dev/null/no folder"
	took, err := c.Time(t.Context(), 1)
	if err != nil || took <= 0 {
		t.Errorf("a run takes %v, error %v", took, err)
	}
	if c.Validation = c.Train; c.Validation.Validate() == nil {
		t.Error("the data are fit to train on, so that the test shows nothing")
	}
}

// A run in phases is timed at its mean sampling rate.
func TestTimeOfPhases(t *testing.T) {
	c := small(t)
	configure := c.Configure
	c.Configure = func(rate float64) dpsgd.Config {
		config := configure(rate)
		config.Sampling, config.Steps = dpsgd.Poisson{Rate: 0.2}, 4
		config.Phases = []dpsgd.Phase{{Steps: 3, SamplingRate: 0.4, NoiseFactor: 2}, {Steps: 1}}
		return config
	}
	if took, err := c.Time(t.Context(), 1); err != nil || took <= 0 {
		t.Errorf("a run takes %v, error %v", took, err)
	}
	if got := withoutPhases(c.Configure(1)); got.Phases != nil || math.Abs(got.Sampling.(dpsgd.Poisson).Rate-0.35) > 1e-15 {
		t.Errorf("timed as %+v, want the rate 0.35", got)
	}
}

func TestTimeRefuses(t *testing.T) {
	c := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Time(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: error %v", err)
	}
	if _, err := c.Time(t.Context(), -1); err == nil || !strings.Contains(err.Error(), "LearningRate -1: must be > 0") {
		t.Errorf("learning rate -1: error %v", err)
	}
	c.Configure = nil
	if _, err := c.Time(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "DPSGD.Configure is nil") {
		t.Errorf("no Configure: error %v", err)
	}
}
