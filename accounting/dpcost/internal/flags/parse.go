package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/dplab/dplab/accounting/command"
)

// UsageError is a mistake in the command line.
type UsageError struct{ error }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// AsUsage makes the errors of validation one usage error.
func AsUsage(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return UsageError{err}
	}
	return nil
}

// HelpError asks for the help of the command that it names.
type HelpError string

// Error returns "help".
func (HelpError) Error() string { return "help" }

// Parse reads args and refuses arguments that are not flags.
func Parse(set *flag.FlagSet, args []string) error {
	set.SetOutput(io.Discard)
	if err := asked(set, set.Parse(args)); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return Usagef("%s: argument %q: must be a flag", set.Name(), set.Arg(0))
	}
	return nil
}

// asked returns an error of package flag as an error of this package.
func asked(set *flag.FlagSet, err error) error {
	switch {
	case errors.Is(err, flag.ErrHelp):
		return HelpError(set.Name())
	case err != nil:
		return Usagef("%s: %v", set.Name(), command.Known(set, err))
	}
	return nil
}

// StandardInput is the path of standard input.
const StandardInput = "-"

// ParseFile reads args with one file before or after the flags, and returns its path.
func ParseFile(set *flag.FlagSet, args []string) (file string, err error) {
	set.SetOutput(io.Discard)
	if len(args) > 0 && (args[0] == StandardInput || !strings.HasPrefix(args[0], "-")) {
		file, args = args[0], args[1:]
	}
	err = set.Parse(args)
	rest := set.Args()
	if err == nil && file == "" && len(rest) > 0 {
		file = rest[0]
		err = set.Parse(rest[1:])
		rest = set.Args()
	}
	switch {
	case err != nil:
		return "", asked(set, err)
	case len(rest) > 0:
		return "", Usagef("%s: argument %q: must be one file, and flags before or after it", set.Name(), rest[0])
	case file == "":
		return "", Usagef("%s: no file: must be the path of a JSON file, or - for standard input (see dpcost %s -h)", set.Name(), set.Name())
	}
	return file, nil
}
