package candidate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
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
