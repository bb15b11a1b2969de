// Command dpaudit turns attack scores into lower bounds on ε.
//
//	go run ./audit/dpaudit scores.csv -delta 1e-5 -confidence 0.95
//
// scores.csv, or an .npz file of NumPy, has the columns score and member among others. member is 1
// or true for a game with the canary and 0 or false for a game without it. The first line printed
// is the answer: the bound that was chosen before the scores were seen. The other bounds follow,
// each valid by itself. Bounds that prove nothing are listed apart.
//
// -json prints the same for other programs, with the answer as "headline"; an error is JSON too.
// -one-run reads the canaries of one training run, -claim tests a claim, -figure draws the ROC or
// writes its points.
//
//	go run ./audit/dpaudit plan -mu 1 -epsilon 3
//
// prints how many games an audit needs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/command"
)

// Exit codes: a fault in the data or in reading it, and a fault in the command line.
const (
	exitData  = 1
	exitUsage = 2
)

// usageError is a fault in the command line.
type usageError struct{ error }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	err := dispatch(args, stdout)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		return failed(err, exitUsage, "\nFor help: dpaudit -h", args, stdout, stderr)
	}
	return failed(err, exitData, "", args, stdout, stderr)
}

// failed writes an error for people, and as JSON if the command line has -json.
func failed(err error, code int, hint string, args []string, stdout, stderr io.Writer) int {
	fmt.Fprintf(stderr, "dpaudit: %v%s\n", err, hint)
	if command.AsksJSON(args) {
		_, _ = stdout.Write(command.ErrorJSON(err.Error(), code))
	}
	return code
}

// help prints what -h does: of the audit, or of plan.
func help(about []string, stdout io.Writer) error {
	switch {
	case len(about) == 0:
		return auditCommand([]string{"-h"}, stdout)
	case len(about) == 1 && about[0] == "plan":
		return planCommand([]string{"-h"}, stdout)
	}
	return usageError{fmt.Errorf("help %s: must be help, or help plan", strings.Join(about, " "))}
}

func dispatch(args []string, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "plan" {
		return planCommand(args[1:], stdout)
	}
	if len(args) > 0 && args[0] == "help" {
		return help(args[1:], stdout)
	}
	if len(args) == 1 && slices.Contains([]string{"version", "-version", "--version"}, args[0]) {
		_, err := io.WriteString(stdout, command.Version("dpaudit"))
		return err
	}
	return auditCommand(args, stdout)
}

// parseAnywhere parses flags before, between and after the positional arguments, and returns the
// latter. A double dash ends the flags. -h prints usage to stdout.
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

// givenFlags returns the flags that were on the command line.
func givenFlags(flags *flag.FlagSet) map[string]bool {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return given
}

// flagOf has the flag behind each field that package audit names in its errors.
var flagOf = strings.NewReplacer("audit: Config.Threshold", "-threshold", "audit: Config.Rank", "-rank", "audit: rank", "-rank", "audit: Config.Guesses", "-guesses",
	"onerun: Guesses.Guessed", "-guesses", "[1, Canaries = ", "[1, number of canaries = ", "audit: Config.ExpectedMu", "-expected-mu", "audit: Config.Delta", "-delta", "audit: delta", "-delta", "audit: Config.Confidence", "-confidence", "Columns names others", "-score-column and -member-column name others")

// packages are prefixes of errors: the package that found a fault. The user did not write them.
var packages = strings.NewReplacer("audit: ", "", "onerun: ", "", "scorefile: ", "", "contour: ", "", "accounting: ", "")

// byFlags names what the user wrote.
func byFlags(err error) error { return errors.New(packages.Replace(flagOf.Replace(err.Error()))) }
