package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/selection/law"
)

// number is the value of a flag, and whether it was given.
type number struct {
	value float64
	given bool
}

// Set accepts a finite number that a float64 can hold.
func (n *number) Set(text string) error {
	if n.given {
		return errors.New("given twice")
	}
	v, err := check.Decimal(text)
	if err != nil {
		return err
	}
	n.value, n.given = v, true
	return nil
}

// String returns the value.
func (n *number) String() string { return strconv.FormatFloat(n.value, 'g', -1, 64) }

// word is the text of a flag, and whether it was given.
type word struct {
	text  string
	given bool
}

// Set accepts any text.
func (w *word) Set(text string) error {
	if w.given {
		return errors.New("given twice")
	}
	w.text, w.given = text, true
	return nil
}

// String returns the text.
func (w *word) String() string { return w.text }

// options are the flags of all commands; a command defines those that it knows.
type options struct {
	rate, noise, steps, count   number
	epochs                      number
	delta, target               number
	eta, mean, gamma, baseCount number
	tuningRate                  number
	law, base, variant, release word
	batches                     word
	json                        bool
}

// defaultDelta is the δ of most papers, and of dpaudit. The answer prints it.
const defaultDelta = 1e-5

// define adds flags of no default to set.
func define(set *flag.FlagSet, flags map[string]flag.Value) {
	for name, value := range flags {
		set.Var(value, name, "")
	}
}

// common defines the flags of every command.
func (o *options) common(set *flag.FlagSet) {
	o.delta.value = defaultDelta
	set.Var(&o.delta, "delta", "")
	set.Var(&o.target, "target-epsilon", "")
	set.Var(&o.noise, "noise", "")
	o.jsonFlag(set)
}

// jsonFlag defines -json.
func (o *options) jsonFlag(set *flag.FlagSet) {
	set.BoolFunc("json", "", func(text string) (err error) {
		if o.json, err = strconv.ParseBool(text); err != nil {
			err = errors.New("must be true or false")
		}
		return err
	})
}

// parse reads args and refuses what is left over.
func parse(set *flag.FlagSet, args []string) error {
	set.SetOutput(io.Discard)
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return helpFor(set.Name())
	} else if err != nil {
		return usagef("%s: %v", set.Name(), command.Known(set, err))
	}
	if set.NArg() > 0 {
		return usagef("%s: argument %q: must be a flag (there are no other arguments)", set.Name(), set.Arg(0))
	}
	return nil
}

// maxCount keeps counts exact in float64 and in int.
const maxCount = 1e12

var (
	aboveOne   = check.Rule{Text: "must be > 1 (for one run use -law fixed -count 1)", Holds: func(x float64) bool { return x > 1 }}
	aboveMinus = check.Rule{Text: fmt.Sprintf("must be > -1 and at most %g", float64(law.MostEta)), Holds: func(x float64) bool { return x > -1 && x <= law.MostEta }}
	poisson    = check.Rule{Text: "must be > 0 for -law poisson", Holds: func(x float64) bool { return x > 0 }}
	gamma      = check.Rule{Text: fmt.Sprintf("must be at least %g and below 1", law.LeastGamma), Holds: func(x float64) bool { return x >= law.LeastGamma && x < 1 }}
	wholeCount = check.Rule{Text: "must be a whole number from 1 to 1e12", Holds: func(x float64) bool { return x >= 1 && x <= maxCount && x == math.Floor(x) }}
)

// need returns an error unless the flag is given and obeys the rule.
func need(name string, n number, r check.Rule) error {
	if !n.given {
		return fmt.Errorf("-%s is missing: it is required, and %s", name, r.Text)
	}
	return obey(name, n, r)
}

// obey returns an error if the flag is given and does not obey the rule.
func obey(name string, n number, r check.Rule) error {
	if n.given && !r.Holds(n.value) {
		return fmt.Errorf("-%s %v: %s", name, n.String(), r.Text)
	}
	return nil
}

// refuse returns an error if the flag is given, where it means nothing.
func refuse(name string, n number, why string) error {
	if n.given {
		return fmt.Errorf("-%s %v: must not be given %s", name, n.String(), why)
	}
	return nil
}

// refuseWord is refuse for a word.
func refuseWord(name string, w word, why string) error {
	if w.given {
		return fmt.Errorf("-%s %s: must not be given %s", name, w.text, why)
	}
	return nil
}

// validateCommon checks the flags of every command.
func (o *options) validateCommon() error {
	errs := []error{obey("delta", o.delta, check.OpenUnit), obey("target-epsilon", o.target, check.Positive)}
	if o.target.given {
		errs = append(errs, refuse("noise", o.noise, "with -target-epsilon, which finds it"))
	} else {
		errs = append(errs, need("noise", o.noise, check.Positive))
	}
	return errors.Join(errs...)
}

// asUsage makes the errors of validation one usage error.
func asUsage(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	return nil
}
