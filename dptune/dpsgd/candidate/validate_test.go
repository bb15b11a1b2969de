package candidate

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/streams"
)

func TestFaults(t *testing.T) {
	roots := []streams.Root{streams.Fixed("a")}
	for want, spoil := range map[string]func(*DPSGD[float64]){
		"Configure":       func(c *DPSGD[float64]) { c.Configure = nil },
		"Validation":      func(c *DPSGD[float64]) { c.Validation = data.Dataset{} },
		"NoiseMultiplier": func(c *DPSGD[float64]) { c.Score.NoiseMultiplier = 0 },
		"DPSGD.Model":     func(c *DPSGD[float64]) { c.Model = dpsgd.Model{} },
		"Loss is nil":     func(c *DPSGD[float64]) { c.Model.Loss = nil },
		"Sampling is nil": func(c *DPSGD[float64]) {
			c.Configure = func(float64) dpsgd.Config { return dpsgd.Config{} }
		},
	} {
		c := small(t)
		spoil(&c)
		if _, err := c.RunAll(t.Context(), []float64{1}, roots); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fault in %s: error %v must name it", want, err)
		}
		if want == "Validation" {
			continue
		}
		if _, err := c.Event(1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("event with a fault in %s: error %v must name it", want, err)
		}
		if _, err := searchOf(c).Statement(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("statement with a fault in %s: error %v must name it", want, err)
		}
	}
	event, err := small(t).Event(1)
	if _, ok := event.(accounting.Parallel); err != nil || !ok {
		t.Errorf("event %v, error %v: must be Parallel", event, err)
	}
}

// Runs that cannot be scored are not trained and do not panic: the error names the part and its
// fault.
func TestPartsThatCannotBeUsed(t *testing.T) {
	for want, spoil := range map[string]func(*DPSGD[float64]){
		"Validation: data: held out: 1 features": func(c *DPSGD[float64]) { c.Validation.Features = c.Validation.Features[:1] },
		"Validation: nn: model": func(c *DPSGD[float64]) {
			c.Validation.Shape, c.Validation.Features = []int{1}, c.Validation.Features[:c.Validation.Len()]
		},
		"Train: data": func(c *DPSGD[float64]) { c.Train.Features = c.Train.Features[:64] },
		"Validation: data: held out: label 7 in row": func(c *DPSGD[float64]) { c.Validation.Labels[0], c.Validation.Classes = 7, 7 },
	} {
		c := small(t)
		c.Validation.Name = "held out"
		c.Progress = func(dpsgd.Progress) { t.Errorf("%s: it trains", want) }
		spoil(&c)
		if _, err := c.RunAll(t.Context(), []float64{1}, []streams.Root{streams.Fixed("a")}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: must have %q", err, want)
		}
	}
}
