// Package input reads the subject of a question from flags and files: one run, its batches, the
// law of the number of runs, a plan of events, or candidates. It does not price.
package input

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
)

// SGD is the flags of one run of DP-SGD. Either Rate and Steps describe it, or Examples, Batch and
// Epochs.
type SGD struct {
	Rate, Steps             flags.Number
	Examples, Batch, Epochs flags.Number
	Cap                     flags.Number // the largest batch, of capped ones
	Batches                 flags.Word
	Solve                   flags.Word // what a target ε is solved for
}

// The values of -solve.
const (
	SolveNoise = "noise"
	SolveSteps = "steps"
	SolveRate  = "rate"
)

// Define adds -rate, -steps and -batches.
func (s *SGD) Define(set *flag.FlagSet) {
	flags.Define(set, map[string]flag.Value{"rate": &s.Rate, "steps": &s.Steps, "batches": &s.Batches})
}

// DefineCounts adds -examples, -batch, -epochs and -cap.
func (s *SGD) DefineCounts(set *flag.FlagSet) {
	flags.Define(set, map[string]flag.Value{"examples": &s.Examples, "batch": &s.Batch, "epochs": &s.Epochs, "cap": &s.Cap})
}

// DefineSolve adds -solve.
func (s *SGD) DefineSolve(set *flag.FlagSet) { set.Var(&s.Solve, "solve", "") }

// Solves reports whether the number of steps or the rate is asked for.
func (s *SGD) Solves() bool { return s.Solve.Text == SolveSteps || s.Solve.Text == SolveRate }

// Validate checks the flags.
func (s *SGD) Validate() error {
	return flags.AsUsage(s.validateScheme(), s.validateSizes(), s.validateSolve(), s.validateRate(), s.validateSteps())
}

// validateSolve checks -solve.
func (s *SGD) validateSolve() error {
	switch {
	case s.Solve.Given && s.Solve.Text != SolveNoise && !s.Solves():
		return fmt.Errorf("-solve %q: must be noise, steps or rate", s.Solve.Text)
	case s.Solves() && s.byEpochs():
		return fmt.Errorf("-solve %s: must be noise with -batches %s, whose price depends on the epochs only", s.Solve.Text, s.Scheme())
	case s.Solves() && s.Scheme() != Poisson:
		return fmt.Errorf("-solve %s: must be noise with -batches %s", s.Solve.Text, s.Scheme())
	}
	return nil
}

// validateScheme checks -batches, -examples and -batch.
func (s *SGD) validateScheme() error {
	if !slices.Contains(schemes, s.Scheme()) {
		last := len(schemes) - 1
		return fmt.Errorf("-batches %q: must be %s or %s", s.Batches.Text, strings.Join(schemes[:last], ", "), schemes[last])
	}
	if err := flags.AsUsage(flags.Obey("examples", s.Examples, flags.WholeCount), flags.Obey("batch", s.Batch, flags.WholeCount)); err != nil {
		return err
	}
	switch {
	case s.Scheme() == Allocation && s.Rate.Given && check.Rate.Holds(s.Rate.Value) && s.BatchesOfEpoch() < 2:
		return fmt.Errorf("-rate %v: must be at most 0.5 with -batches allocation, as an epoch has 1/rate steps, and at least 2", s.Rate.String())
	case !s.Batch.Given:
		return nil
	case !s.Examples.Given:
		return fmt.Errorf("-examples is missing: -batch %v needs it, and it %s", s.Batch.String(), flags.WholeCount.Text)
	case s.Batch.Value > s.Examples.Value:
		return fmt.Errorf("-batch %v: must be at most -examples %v", s.Batch.String(), s.Examples.String())
	case s.Scheme() == Allocation && s.BatchesOfEpoch() < 2:
		return fmt.Errorf("-batch %v: must be at most half of -examples %v with -batches allocation, as an epoch has examples / batch steps, and at least 2", s.Batch.String(), s.Examples.String())
	}
	return nil
}

// validateRate checks the sampling rate. Disjoint batches need none if the epochs are given.
func (s *SGD) validateRate() error {
	switch {
	case s.Solve.Text == SolveRate:
		const why = "with -solve rate, which finds it"
		return flags.AsUsage(flags.Refuse("rate", s.Rate, why), flags.Refuse("batch", s.Batch, why))
	case s.Batch.Given:
		return flags.Refuse("rate", s.Rate, "with -batch, which gives the rate: batch / examples")
	case !s.Epochs.Given || s.Solve.Text == SolveSteps:
		return s.needRate()
	case s.byEpochs():
		return flags.Refuse("rate", s.Rate, "with -epochs")
	case s.Rate.Given:
		return flags.Refuse("rate", s.Rate, "with -epochs, which needs -examples and -batch")
	}
	return fmt.Errorf("-batch is missing: -epochs %v needs -examples and -batch, or use -rate and -steps", s.Epochs.String())
}

func (s *SGD) needRate() error {
	if !s.Rate.Given && s.Examples.Given {
		return fmt.Errorf("-batch is missing: -examples %v needs it, or -rate", s.Examples.String())
	}
	return flags.Need("rate", s.Rate, check.Rate)
}

// validateSteps checks the number of steps or of epochs.
func (s *SGD) validateSteps() error {
	switch s.Solve.Text {
	case SolveSteps:
		const why = "with -solve steps, which finds it"
		return flags.AsUsage(flags.Refuse("steps", s.Steps, why), flags.Refuse("epochs", s.Epochs, why))
	case SolveRate:
		return flags.AsUsage(flags.Refuse("epochs", s.Epochs, "with -solve rate, which needs -steps"), flags.Need("steps", s.Steps, flags.WholeCount))
	}
	if !s.Epochs.Given {
		if s.Batch.Given && !s.Steps.Given {
			return fmt.Errorf("-epochs is missing: -batch %v needs it, or -steps", s.Batch.String())
		}
		return flags.Need("steps", s.Steps, flags.WholeCount)
	}
	rule := check.Positive
	if s.byEpochs() {
		rule = flags.WholeCount
	}
	if err := flags.AsUsage(flags.Obey("epochs", s.Epochs, rule), flags.Refuse("steps", s.Steps, "with -epochs")); err != nil {
		return err
	}
	if !s.byEpochs() && s.Batch.Given && s.Batch.Value > 0 && !(s.Epochs.Value*(s.Examples.Value/s.Batch.Value) <= flags.MaxCount) {
		return fmt.Errorf("-epochs %v: must be at most 1e12 steps, which are epochs x examples / batch", s.Epochs.String())
	}
	return nil
}

// refuse returns errors for the flags that are given, in a place where they have no meaning.
func (s *SGD) refuse(why string) []error {
	return []error{
		flags.Refuse("rate", s.Rate, why), flags.Refuse("steps", s.Steps, why), flags.Refuse("epochs", s.Epochs, why),
		flags.Refuse("examples", s.Examples, why), flags.Refuse("batch", s.Batch, why), flags.RefuseWord("batches", s.Batches, why),
		flags.Refuse("cap", s.Cap, why),
	}
}

// SamplingRate returns q, from -rate or as batch / examples, rounded up.
func (s *SGD) SamplingRate() float64 {
	if !s.Batch.Given {
		return s.Rate.Value
	}
	q := s.Batch.Value / s.Examples.Value
	if math.FMA(q, s.Examples.Value, -s.Batch.Value) < 0 { // the quotient was rounded down
		q = math.Nextafter(q, 1)
	}
	return q
}

// StepCount returns the number of steps, from -steps or as epochs x examples / batch, rounded up.
// In random allocation an epoch has BatchesOfEpoch steps.
func (s *SGD) StepCount() int {
	if s.Steps.Given || !s.Epochs.Given {
		return int(s.Steps.Value)
	}
	if s.Scheme() == Allocation {
		return roundedUp(new(big.Rat).Mul(written(s.Epochs.Value), written(float64(s.BatchesOfEpoch()))))
	}
	return roundedUp(s.exactSteps())
}

// Steps returns a run of DP-SGD on Poisson samples. noise is relative to the clip norm.
func Steps(rate, noise float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.ClippedSum{NoiseMultiplier: noise}},
		Count: steps,
	}
}

// Scheme returns the value of -batches.
func (s *SGD) Scheme() string {
	if !s.Batches.Given {
		return Poisson
	}
	return s.Batches.Text
}

// EpochCount returns the number of epochs of disjoint batches, from -epochs, or else from rate and
// steps.
func (s *SGD) EpochCount() int {
	if s.Epochs.Given {
		return int(s.Epochs.Value)
	}
	return epochsOf(s.SamplingRate(), int(s.Steps.Value))
}
