package input

import (
	"errors"
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
)

// The values of -base. Only the steps of sgd draw batches.
const (
	baseSGD      = "sgd"
	baseGaussian = "gaussian"
)

// Base is the flags of one run: -base, and those that belong to it.
type Base struct {
	SGD       SGD
	Name      flags.Word
	Count     flags.Number // releases of Gaussian noise, unless the law of a tuning takes -count
	BaseCount flags.Number // the same, for any law
}

// Define adds all its flags except -base-count.
func (b *Base) Define(set *flag.FlagSet) {
	b.SGD.Define(set)
	b.SGD.DefineCounts(set)
	flags.Define(set, map[string]flag.Value{"base": &b.Name, "count": &b.Count})
}

// Event returns the run as a function of its noise multiplier. The law of a tuning may take -count.
func (b *Base) Event(lawTakesCount bool) (func(noise float64) accounting.Event, error) {
	with := "with -base " + b.Name.Text
	switch {
	case !b.Name.Given:
		return nil, errors.New("-base is missing: it is required, and must be sgd or gaussian")
	case b.Name.Text == baseSGD:
		errs := []error{b.SGD.Validate(), flags.Refuse("base-count", b.BaseCount, with)}
		if !lawTakesCount {
			errs = append(errs, flags.Refuse("count", b.Count, with+" and this law"))
		}
		return b.SGD.Event(), flags.AsUsage(errs...)
	case b.Name.Text == baseGaussian:
		errs := append([]error{flags.Obey("base-count", b.BaseCount, flags.WholeCount)}, b.SGD.refuse(with)...)
		count := b.BaseCount
		if !lawTakesCount && b.Count.Given {
			errs = append(errs, flags.Obey("count", b.Count, flags.WholeCount), flags.Refuse("base-count", b.BaseCount, "with -count, which means the same here"))
			count = b.Count
		}
		return Gaussian(count), flags.AsUsage(errs...)
	}
	return nil, fmt.Errorf("-base %q: must be sgd or gaussian", b.Name.Text)
}

// Gaussian returns count Gaussian releases as a function of their noise multiplier. It returns one
// release if count was not given.
func Gaussian(count flags.Number) func(noise float64) accounting.Event {
	return func(noise float64) accounting.Event {
		one := accounting.Gaussian{NoiseMultiplier: noise}
		if !count.Given || count.Value == 1 {
			return one
		}
		return accounting.SelfComposed{Event: one, Count: int(count.Value)}
	}
}

// Drawn returns how the batches are drawn. It is nil if the base draws none.
func (b *Base) Drawn() *Batches {
	if b.Name.Given && b.Name.Text != baseSGD {
		return nil
	}
	return b.SGD.Drawn()
}

// Plan returns the run with this noise as a plan of one entry. If the plan comes from a file, it
// refuses the flags of the run with file, which is what names it: "-plan".
func (b *Base) Plan(noise flags.Number, file string) (Plan, error) {
	p := Plan{Relation: accounting.AddOrRemoveOne}
	if file != "" {
		with := "with " + file
		errs := append(b.SGD.refuse(with), flags.Refuse("noise", noise, with), flags.Refuse("count", b.Count, with), flags.RefuseWord("base", b.Name, with))
		return p, errors.Join(errs...)
	}
	if !b.Name.Given {
		return p, errors.New("-base or -plan is missing: must give sgd or gaussian, or a file")
	}
	event, err := b.Event(false)
	if err := errors.Join(err, flags.Need("noise", noise, check.Positive)); err != nil {
		return p, err
	}
	p.Entries = []Entry{{Name: b.Name.Text, Repeat: 1, Event: event(noise.Value)}}
	return p, nil
}
