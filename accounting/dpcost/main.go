// Command dpcost says what a private computation costs: ε at a δ, with its bounds, or the
// least noise for a wanted ε.
//
//	go run ./accounting/dpcost sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
//	go run ./accounting/dpcost gaussian -noise 1 -count 3 -delta 1e-5
//	go run ./accounting/dpcost tune -law tnb -eta 0 -mean 10 -base sgd -rate 0.01 -noise 2 -steps 5000 -delta 1e-5
//	go run ./accounting/dpcost plan events.json
//	go run ./accounting/dpcost curve -plan events.json -figure curve.png
//
// With -json the answer is one JSON object, for programs in any language. The exit code is
// 0 for an answer, 2 for a wrong command line, 1 for a question without an answer.
// Neighbors differ by one added or removed example, unless a plan says otherwise.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run answers one command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	answer, err := dispatch(args)
	var help helpText
	switch {
	case errors.As(err, &help):
		fmt.Fprint(stdout, string(help))
		return 0
	case errors.As(err, new(usageError)):
		fmt.Fprintf(stderr, "dpcost: %v\nSee dpcost -h.\n", err)
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "dpcost: %v\n", err)
		return 1
	}
	if _, err := stdout.Write(answer); err != nil {
		fmt.Fprintf(stderr, "dpcost: %v\n", err)
		return 1
	}
	return 0
}

func dispatch(args []string) ([]byte, error) {
	if len(args) == 0 {
		return nil, usagef("no command: must be sgd, gaussian, tune, plan or curve")
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		return nil, helpText(usage)
	case "sgd":
		return sgdCommand(args[1:])
	case "gaussian":
		return gaussianCommand(args[1:])
	case "tune":
		return tuneCommand(args[1:])
	case "plan":
		return planCommand(args[1:])
	case "curve":
		return curveCommand(args[1:])
	}
	return nil, usagef("unknown command %q: must be sgd, gaussian, tune, plan or curve", args[0])
}
