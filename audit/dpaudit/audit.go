package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/level"
	"github.com/dplab/dplab/audit/onerun"
	"github.com/dplab/dplab/audit/scorefile"
)

const auditUsage = `Usage: dpaudit scores.csv [flags]
       dpaudit plan -mu 1 -epsilon 3 [flags]
       dpaudit help [plan]
       dpaudit version

Reads a CSV whose first line names the columns score and member, or NumPy's file of two arrays of
these names (.npz) or of one [n, 2] (.npy), and prints lower bounds on ε.
dpaudit plan prints how many games or canaries an audit needs, before it is run.

The first line printed is the answer: the bound that was chosen before the scores were seen,
with its confidence and its assumptions. By default it is rank-two-tail; -rank or -expected-mu
fix its rank. With -threshold it is clopper-pearson at that threshold. With -one-run it is
one-run-max; -guesses or -expected-mu fix its number of guesses. Verdicts on claims and warnings
follow. With -json the answer is in the fields "answer", in words, and "headline", as a bound;
an error is {"error": ..., "exit_code": ...}.

The other bounds are listed below. Each is valid by itself, but the largest of them is not: of
the audits of a mechanism that leaks nothing, 14.5 % show some bound of confidence 0.95 above 0.
To report the largest of m bounds, use -confidence 1 - 0.05/m; the last line has the numbers.
Bounds that prove nothing are listed apart, with -json in "without_confidence": their threshold
is the best on the same scores, as in papers.

A score must grow with the evidence for membership. If yours are losses, change their signs.
member is 0 or 1, or false or true. Columns may be in any order, and others (an index) are
ignored. -score-column and -member-column give other names, of arrays too. Commas, semicolons or
tabs separate columns. Lines that start with # are ignored. The
file - is standard input. Flags may come before or after the file.

Flags:
`

// auditOptions are the parsed flags of an audit.
type auditOptions struct {
	path    string
	columns scorefile.Columns
	config  audit.Config
	oneRun  bool
	claims  []audit.Curve
	figure  string
	json    bool
}

func auditCommand(args []string, stdout io.Writer) error {
	opts, err := parseAudit(args, stdout)
	if err != nil {
		return err
	}
	if opts.figure != "" {
		if err := command.CheckWritable(opts.figure); err != nil {
			return fmt.Errorf("-figure: %w: must be a file that can be written", err)
		}
	}
	scores, err := readScores(opts.path, opts.columns)
	if err != nil {
		return err
	}
	bounds := audit.Bounds
	if opts.oneRun {
		bounds = onerun.Bounds
	}
	report, err := bounds(scores, opts.config)
	if err != nil {
		return fmt.Errorf("%s: %w", opts.path, byFlags(err))
	}
	opts.config.Seed = report.Seed
	if err := testClaims(&report, scores, opts); err != nil {
		return fmt.Errorf("%s: %w", opts.path, byFlags(err))
	}
	if opts.figure != "" {
		if err := writeFigure(opts.figure, scores, report, opts.claims); err != nil {
			return fmt.Errorf("-figure %s: %w", opts.figure, byFlags(err))
		}
	}
	if opts.json {
		return writeJSON(stdout, report)
	}
	_, err = io.WriteString(stdout, command.Wrap(strings.Replace(report.String(), "ask for confidence ", "ask for -confidence ", 1)))
	return err
}

func parseAudit(args []string, stdout io.Writer) (auditOptions, error) {
	var o auditOptions
	flags := flag.NewFlagSet("dpaudit", flag.ContinueOnError)
	flags.StringVar(&o.columns.Score, "score-column", "score", "`name` of the column with the scores, in any case")
	flags.StringVar(&o.columns.Member, "member-column", "member", "`name` of the column that marks the members, in any case")
	o.config.Delta, o.config.Confidence = 1e-5, audit.DefaultConfidence
	command.NumberVar(flags, &o.config.Delta, "delta", "`δ` of the bounds, in [0, 1)")
	command.NumberVar(flags, &o.config.Confidence, "confidence", "`chance` that a bound is true, each by itself, in [0.5, 1), with a warning below 0.9")
	flags.Func("threshold", "`score` above which a game is called a member, fixed before the scores were seen (default: the best, uncorrected)", o.setThreshold)
	rank := 2
	command.WholeVar(flags, &rank, "rank", "rank `k` of the rank tests, fixed before the scores were seen (the default is less if the smaller class has n < 16 games, and δ n if that is more and δ is at most 0.1)")
	command.NumberVar(flags, &o.config.ExpectedMu, "expected-mu", "`µ` of the leak that the audit was planned for: sets the rank (of claims too) and, with -one-run, the number of guesses")
	command.SwitchVar(flags, &o.oneRun, "one-run", "the rows are the canaries of one training run, each included by a fair coin (all of them, guessed or not)")
	command.WholeVar(flags, &o.config.Guesses, "guesses", "with -one-run: `number` of canaries guessed, half at each end or, if scores have two values, by the value, fixed before the scores were seen (default: the best for -expected-mu, or µ = 1)")
	seed := func(text string) (uint64, error) {
		n, err := strconv.ParseUint(text, 10, 64)
		if n == 0 && err == nil {
			err = strconv.ErrRange
		}
		return n, err
	}
	command.Var(flags, &o.config.Seed, seed, "must be a whole number from 1 to 2^64 - 1, in decimal digits", "seed", "`seed` of broken ties, random splits and simulations: fix it before the scores are seen, or repeat that of a report (default: a random one, printed in the report)")
	var claims []string
	flags.Func("claim", claimHelp, func(text string) error { claims = append(claims, text); return nil })
	flags.StringVar(&o.figure, "figure", "", "draw the ROC into this `file` (.pdf, .svg or .png), or write its points (.csv)")
	command.SwitchVar(flags, &o.json, "json", "print JSON")
	paths, err := parseAnywhere(flags, args, auditUsage, stdout)
	if err != nil {
		return o, err
	}
	if len(paths) != 1 {
		return o, usageError{fmt.Errorf("%d score files given: must be one (a CSV with the columns score and member, or NumPy's arrays)", len(paths))}
	}
	o.path = paths[0]
	given := givenFlags(flags)
	if given["rank"] {
		o.config.Rank = audit.Chosen(rank)
	}
	if err := o.checkCombination(given); err != nil {
		return o, usageError{err}
	}
	if o.config.Confidence == 0 { // the zero of Config means the default, the flag's zero is a mistake
		return o, usageError{level.Of("-confidence", 0)}
	}
	if err := o.config.Validate(); err != nil {
		return o, usageError{byFlags(err)}
	}
	for _, text := range claims {
		claim, err := parseClaim(text, o.config.Delta)
		if err != nil {
			return o, usageError{fmt.Errorf("-claim %q: %w", text, byFlags(err))}
		}
		o.claims = append(o.claims, claim)
	}
	if given["figure"] {
		if err := render.CheckPath(o.figure); err != nil && !isCSV(o.figure) {
			return o, usageError{fmt.Errorf("-figure %w, or in .csv for the points", err)}
		}
		if command.SameFile(o.path, o.figure) {
			return o, usageError{fmt.Errorf("-figure %s: is the file of the scores: must be another", o.figure)}
		}
	}
	return o, nil
}

// setThreshold parses the flag's value. Validate checks its range.
func (o *auditOptions) setThreshold(text string) error {
	x, err := check.Decimal(text)
	if err != nil {
		return err
	}
	o.config.Threshold = audit.Chosen(x)
	return nil
}

// checkCombination refuses flags that the other flags make meaningless.
func (o auditOptions) checkCombination(given map[string]bool) error {
	switch {
	case given["guesses"] && !o.oneRun:
		return fmt.Errorf("-guesses %d: must not be given without -one-run", o.config.Guesses)
	case given["guesses"] && o.config.Guesses < 1:
		return fmt.Errorf("-guesses %d: must be >= 1", o.config.Guesses)
	case o.oneRun && given["threshold"]:
		threshold, _ := o.config.Threshold.Value()
		return fmt.Errorf("-threshold %g: must not be given with -one-run, which guesses by -guesses", threshold)
	case o.oneRun && given["rank"]:
		rank, _ := o.config.Rank.Value()
		return fmt.Errorf("-rank %d: must not be given with -one-run, which guesses by -guesses", rank)
	case o.columns.Score == "" || o.columns.Member == "" || strings.EqualFold(o.columns.Score, o.columns.Member):
		return fmt.Errorf("-score-column %q, -member-column %q: must be two names", o.columns.Score, o.columns.Member)
	}
	return nil
}

func readScores(path string, columns scorefile.Columns) (audit.Scores, error) {
	if path == "-" {
		scores, err := columns.Read(os.Stdin)
		if err != nil {
			return audit.Scores{}, fmt.Errorf("standard input: %w", byFlags(err))
		}
		return scores, nil
	}
	scores, err := columns.Load(path)
	if of := new(fs.PathError); errors.As(err, &of) { // it names the path
		return audit.Scores{}, byFlags(err)
	}
	if err != nil {
		return audit.Scores{}, fmt.Errorf("%s: %w", path, byFlags(err))
	}
	return scores, nil
}

func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}
