package answer

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
)

// Solved is the flag that was found for a target ε. One of its fields is not 0.
type Solved struct {
	Steps        int     // the most
	SamplingRate float64 // the largest
}

// Solve finds the most steps, or the largest rate, that cost at most the target, and sets them in
// the run.
func Solve(s *input.SGD, noise float64, target accounting.Target) (*Solved, error) {
	var found Solved
	var err error
	if s.Solve.Text == input.SolveSteps {
		rate := s.SamplingRate()
		found.Steps, err = auto.CalibrateSteps(func(steps int) accounting.Event { return input.Steps(rate, noise, steps) }, target, flags.MaxCount)
		s.Steps = flags.Number{Value: float64(found.Steps), Given: true}
	} else {
		steps := s.StepCount()
		found.SamplingRate, err = auto.CalibrateSamplingRate(func(rate float64) accounting.Event { return input.Steps(rate, noise, steps) }, target)
		s.Rate = flags.Number{Value: found.SamplingRate, Given: true}
	}
	if err != nil {
		name := map[string]string{input.SolveSteps: "number of steps", input.SolveRate: "sampling rate in [1e-9, 1]"}[s.Solve.Text]
		return nil, fmt.Errorf("no %s costs at most -target-epsilon %g at -delta %g with -noise %g: %w", name, target.Epsilon, target.Delta, noise, err)
	}
	return &found, nil
}

// BatchOf returns the largest mean batch size, of so many examples, whose rate is at most rate.
func BatchOf(rate, examples float64) float64 {
	batch := math.Floor(rate * examples)
	if math.FMA(rate, examples, -batch) < 0 { // the product was rounded up
		batch--
	}
	return batch
}
