// Package command has the code that the commands of this module share. Its flags have errors that
// name the rule, and its lines fit a terminal. It checks that files can be written before any work
// starts.
//
// It promises nothing to other modules.
package command

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// Var defines a flag whose errors name the rule. Package flag only reports "parse error".
func Var[T any](flags *flag.FlagSet, to *T, read func(string) (T, error), rule, name, usage string) {
	flags.Var(checked[T]{to, read, rule}, name, usage)
}

// checked is the value of a flag. Without a rule the error is that of read.
type checked[T any] struct {
	to   *T
	read func(string) (T, error)
	rule string
}

// Set reads the value.
func (c checked[T]) Set(text string) error {
	value, err := c.read(text)
	switch {
	case err != nil && c.rule == "":
		return err
	case err != nil:
		return errors.New(c.rule)
	}
	*c.to = value
	return nil
}

// String returns the value.
func (c checked[T]) String() string {
	if c.to == nil { // package flag asks for the text of the zero value
		c.to = new(T)
	}
	return fmt.Sprint(*c.to)
}

// WholeVar defines a flag for a whole number.
func WholeVar(flags *flag.FlagSet, to *int, name, usage string) {
	flags.Var(checked[int]{to, strconv.Atoi, "must be a whole number, in at most 18 decimal digits"}, name, usage)
}

// NumberVar defines a flag for a number, as [check.Decimal] reads it.
func NumberVar(flags *flag.FlagSet, to *float64, name, usage string) {
	flags.Var(checked[float64]{to, check.Decimal, ""}, name, usage)
}

// SwitchVar defines a flag that is on or off, and off if it is not given.
func SwitchVar(flags *flag.FlagSet, to *bool, name, usage string) {
	flags.BoolFunc(name, usage, checked[bool]{to, strconv.ParseBool, "must be true or false"}.Set)
}

// meant has the flags of this module by what other programs and papers call them.
var meant = map[string]string{
	"sigma": "noise", "noise-multiplier": "noise", "noise_multiplier": "noise",
	"q": "rate", "sample-rate": "rate", "sample_rate": "rate", "sampling-rate": "rate", "sampling_rate": "rate", "sampling-probability": "rate",
	"batch-size": "batch", "batch_size": "batch", "n": "examples", "dataset-size": "examples",
	"num-steps": "steps", "iterations": "steps", "epsilon": "target-epsilon", "eps": "target-epsilon", "target_epsilon": "target-epsilon",
	"target-delta": "delta", "target_delta": "delta", "runs": "count",
}

// Known returns an error of package flag. If a flag is not defined, it adds the flag that was
// meant, or the names of the defined flags.
func Known(flags *flag.FlagSet, err error) error {
	if err == nil {
		return nil
	}
	given, undefined := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !undefined {
		return err
	}
	if name := meant[strings.TrimLeft(given, "-")]; name != "" && flags.Lookup(name) != nil {
		return fmt.Errorf("%w: it is called -%s here", err, name)
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return fmt.Errorf("%w: must be among %s", err, strings.Join(names, ", "))
}
