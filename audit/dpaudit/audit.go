package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/dplab/dplab/audit"
)

const auditUsage = `Usage: dpaudit scores.csv [flags]

Reads a CSV with the header score,member (member 0 or 1; - reads standard input) and prints
every lower bound on ε with its assumption, its confidence and its ceiling. Flags may stand
before or after the file.

Flags:
`

// auditOptions are the parsed flags of an audit.
type auditOptions struct {
	path   string
	config audit.Config
	json   bool
}

func auditCommand(args []string, stdout io.Writer) error {
	opts, err := parseAudit(args, stdout)
	if err != nil {
		return err
	}
	rows, err := readRows(opts.path)
	if err != nil {
		return err
	}
	report, err := audit.Bounds(audit.Group(rows), opts.config)
	if err != nil {
		return fmt.Errorf("%s: %w", opts.path, err)
	}
	if opts.json {
		return writeJSON(stdout, report)
	}
	return writeReport(stdout, report)
}

func parseAudit(args []string, stdout io.Writer) (auditOptions, error) {
	var o auditOptions
	flags := flag.NewFlagSet("dpaudit", flag.ContinueOnError)
	delta := flags.Float64("delta", 1e-5, "`δ` of the bounds, in [0, 1)")
	confidence := flags.Float64("confidence", audit.DefaultConfidence, "`chance` that a bound is true, in (0, 1)")
	threshold := flags.Float64("threshold", math.NaN(), "`score` above which a game is called a member, fixed before the scores were seen (default: the best, uncorrected)")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	paths, err := parseAnywhere(flags, args, auditUsage, stdout)
	if err != nil {
		return o, err
	}
	if len(paths) != 1 {
		return o, usageError{fmt.Errorf("%d score files given: must be one (a CSV with the header score,member)", len(paths))}
	}
	o.path = paths[0]
	o.config = audit.Config{Delta: *delta, Confidence: *confidence}
	given := givenFlags(flags)
	if given["threshold"] {
		o.config.Threshold = threshold
	}
	if *confidence == 0 { // the zero of Config means the default, the flag's zero is a mistake
		return o, usageError{errors.New("-confidence 0: must be in (0, 1)")}
	}
	if err := o.config.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

func readRows(path string) ([]audit.Row, error) {
	if path == "-" {
		return audit.ReadRows(os.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := audit.ReadRows(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}
