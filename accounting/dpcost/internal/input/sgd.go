// Package input reads the subject of a question from flags and files: one run, its batches, the law
// of the number of runs, a plan of events, or candidates. It does not price.
package input

import (
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
)

// SGD is the flags of one run of DP-SGD.
type SGD struct {
	Rate, Steps, Epochs flags.Number
	Batches             flags.Word
}

// Define adds all its flags except -epochs.
func (s *SGD) Define(set *flag.FlagSet) {
	flags.Define(set, map[string]flag.Value{"rate": &s.Rate, "steps": &s.Steps, "batches": &s.Batches})
}

// DefineEpochs adds -epochs.
func (s *SGD) DefineEpochs(set *flag.FlagSet) { set.Var(&s.Epochs, "epochs", "") }

// Validate checks the flags.
func (s *SGD) Validate() error {
	if s.Epochs.Given && s.Scheme() != Poisson {
		return flags.AsUsage(s.validateBatches(), flags.Refuse("rate", s.Rate, "with -epochs"), flags.Refuse("steps", s.Steps, "with -epochs"))
	}
	return flags.AsUsage(s.validateBatches(), flags.Need("rate", s.Rate, check.Rate), flags.Need("steps", s.Steps, flags.WholeCount))
}

// validateBatches checks -batches and -epochs.
func (s *SGD) validateBatches() error {
	switch s.Scheme() {
	case Poisson:
		return flags.Refuse("epochs", s.Epochs, "with Poisson batches, which have no epochs: use -rate and -steps")
	case Shuffled, Fixed:
		return flags.Obey("epochs", s.Epochs, flags.WholeCount)
	}
	return fmt.Errorf("-batches %q: must be poisson, shuffled or fixed", s.Batches.Text)
}

// refuse returns errors for the flags that are given, in a place where they have no meaning.
func (s *SGD) refuse(why string) []error {
	return []error{
		flags.Refuse("rate", s.Rate, why), flags.Refuse("steps", s.Steps, why), flags.Refuse("epochs", s.Epochs, why),
		flags.RefuseWord("batches", s.Batches, why),
	}
}

// Event returns the run as a function of its noise multiplier.
func (s *SGD) Event() func(noise float64) accounting.Event {
	switch s.Scheme() {
	case Fixed:
		return Disjoint(s.EpochCount(), DistanceEmpty)
	case Shuffled:
		return Disjoint(s.EpochCount(), DistanceShuffled)
	}
	rate, steps := s.Rate.Value, int(s.Steps.Value)
	return func(noise float64) accounting.Event {
		return accounting.SelfComposed{
			Event: accounting.PoissonSampled{SamplingRate: rate, Event: accounting.Gaussian{NoiseMultiplier: noise}},
			Count: steps,
		}
	}
}

// Scheme returns the value of -batches.
func (s *SGD) Scheme() string {
	if !s.Batches.Given {
		return Poisson
	}
	return s.Batches.Text
}

// EpochCount returns the number of epochs from -epochs, or else from -rate and -steps.
func (s *SGD) EpochCount() int {
	if s.Epochs.Given {
		return int(s.Epochs.Value)
	}
	return epochsOf(s.Rate.Value, int(s.Steps.Value))
}

// Drawn returns how the batches are drawn.
func (s *SGD) Drawn() *Batches {
	switch s.Scheme() {
	case Shuffled:
		e := s.EpochCount()
		return &Batches{Scheme: Shuffled, Epochs: e, Drawn: fmt.Sprintf("shuffled in every epoch (%d), priced as if the order were known. Each epoch is one Gaussian of distance √5: "+
			"without the example the loader moves another one into its batch, and the last batch is one smaller", e)}
	case Fixed:
		e := s.EpochCount()
		return &Batches{Scheme: Fixed, Epochs: e, Drawn: fmt.Sprintf("each example is in one batch of every epoch (%d), by a rule that reads no data. "+
			"A missing example leaves its place empty, and no other example moves; otherwise use -batches shuffled", e)}
	}
	return &Batches{Scheme: Poisson, Drawn: coins + otherwise}
}
