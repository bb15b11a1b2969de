package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/dplab/dplab/accounting/command"
)

// parseAnywhere parses flags that stand before, between or after the positional arguments,
// which it returns. A double dash ends the flags. -h prints usage to stdout.
func parseAnywhere(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) ([]string, error) {
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	var positional []string
	for {
		if err := flags.Parse(args); err == flag.ErrHelp {
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return nil, err
		} else if err != nil {
			return nil, usageError{command.Known(flags, err)}
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return positional, nil
		}
		if ended := len(args) - len(rest); ended > 0 && args[ended-1] == "--" {
			return append(positional, rest...), nil
		}
		positional, args = append(positional, rest[0]), rest[1:]
	}
}

// givenFlags tells which flags stood on the command line.
func givenFlags(flags *flag.FlagSet) map[string]bool {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return given
}

// flagOf has the flag behind each field that package audit names in its errors.
var flagOf = strings.NewReplacer("audit: Config.Threshold", "-threshold", "audit: Config.Rank", "-rank", "audit: rank", "-rank", "audit: Config.Guesses", "-guesses",
	"onerun: Guesses.Guessed", "-guesses", "[1, Canaries = ", "[1, number of canaries = ", "audit: Config.ExpectedMu", "-expected-mu", "audit: Config.Delta", "-delta", "audit: delta", "-delta", "audit: Config.Confidence", "-confidence")

// packages are prefixes of errors: the package that found a fault, which the user did not write.
var packages = strings.NewReplacer("audit: ", "", "onerun: ", "", "scorefile: ", "", "contour: ", "", "accounting: ", "")

// byFlags names what the user wrote.
func byFlags(err error) error { return errors.New(packages.Replace(flagOf.Replace(err.Error()))) }
