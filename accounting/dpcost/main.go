// Command dpcost prints the price of a private computation: ε at a δ with its bounds, or the least
// noise for a wanted ε.
//
//	go run ./accounting/dpcost sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
//	go run ./accounting/dpcost sgd -examples 60000 -batch 256 -epochs 10 -noise 1.1
//	go run ./accounting/dpcost gaussian -noise 1 -count 3 -delta 1e-5
//	go run ./accounting/dpcost tune -law logarithmic -mean 10 \
//	  -base sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
//	go run ./accounting/dpcost advise -target-epsilon 2 -examples 60000 -rate 0.0213 -steps 1878 \
//	  -candidates 10 -cost 15
//	go run ./accounting/dpcost expost candidates.json
//	go run ./accounting/dpcost plan events.json
//	go run ./accounting/dpcost curve -plan events.json -figure curve.png
//	go run ./accounting/dpcost ledger survey.ledger left
//	go run ./accounting/dpcost verify answer.json
//
// With -json the answer is one JSON object, for programs in any language. An error is one too, with
// the exit code. The exit code is 0 for an answer, 2 for a wrong command line, and 1 for a question
// without an answer. Neighbors differ by one added or removed example, unless a plan has another
// relation.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

var errNoCommand = errors.New("no command: must be sgd, gaussian, tune, advise, expost, plan, ledger, curve or verify")

// run answers one command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	report, stop := withProgress(stderr)
	note := func(format string, args ...any) { fmt.Fprintf(stderr, format, args...) }
	text, err := recovered(func() ([]byte, error) { return dispatch(args, report, note) })
	stop()
	if help := flags.HelpError(""); errors.As(err, &help) {
		text, err = helpFor(string(help))
	}
	switch {
	case errors.Is(err, errNoCommand):
		return failed(err, 2, "\n\n"+commandList(), args, stdout, stderr)
	case errors.As(err, new(flags.UsageError)):
		return failed(err, 2, "\nSee dpcost -h.", args, stdout, stderr)
	case err != nil:
		return failed(err, 1, "", args, stdout, stderr)
	}
	if _, err := stdout.Write(text); err != nil {
		fmt.Fprintf(stderr, "dpcost: %v\n", err)
		return 1
	}
	return 0
}

// recovered turns a panic into an error. Go's exit code of a panic is 2, which here means a wrong
// command line.
func recovered(price func() ([]byte, error)) (text []byte, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			text, err = nil, fmt.Errorf("internal error (%v): this is a fault of dpcost, please report it with the command line", fault)
		}
	}()
	return price()
}

// failed writes an error for people, and as JSON if the command line has -json.
func failed(err error, code int, hint string, args []string, stdout, stderr io.Writer) int {
	message := format.Escaped(format.OnceEach(err.Error()))
	fmt.Fprintf(stderr, "dpcost: %s%s\n", message, hint)
	if command.AsksJSON(args) {
		_, _ = stdout.Write(command.ErrorJSON(message, code))
	}
	return code
}

// dispatch calls the command. A note goes to standard error, next to the answer.
func dispatch(args []string, report, note answer.ReportFunc) ([]byte, error) {
	if len(args) == 0 {
		return nil, errNoCommand
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		if len(args) > 1 {
			return helpFor(args[1])
		}
		return []byte(usage()), nil
	case "version", "-version", "--version":
		return []byte(command.Version("dpcost")), nil
	case "sgd":
		return sgdCommand(args[1:])
	case "gaussian":
		return gaussianCommand(args[1:])
	case "tune":
		return tuneCommand(args[1:])
	case "advise":
		return adviseCommand(args[1:], report)
	case "expost":
		return expostCommand(args[1:], report)
	case "plan":
		return planCommand(args[1:], report)
	case "ledger":
		return ledgerCommand(args[1:], note)
	case "verify":
		return verifyCommand(args[1:])
	case "curve":
		return curveCommand(args[1:], report, note)
	}
	return nil, flags.Usagef("unknown command %q: must be sgd, gaussian, tune, advise, expost, plan, ledger, curve or verify", args[0])
}
