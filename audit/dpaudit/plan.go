package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/audit"
	"github.com/dplab/dplab/audit/internal/digits"
	"github.com/dplab/dplab/audit/internal/level"
	"github.com/dplab/dplab/audit/onerun"
)

const planUsage = `Usage: dpaudit plan -mu 1 -epsilon 3 [flags]
       dpaudit plan -mu 1 -games 1000 [flags]

Prints how many games an audit needs until its bound can be expected to reach ε, or the bound
to expect from a number of games. The scores are N(µ,1) with the canary and N(0,1) without it.
A DP-SGD step with noise multiplier σ on a canary of full norm has µ = 1/σ.

Flags:
`

type planOptions struct {
	mu, epsilon float64
	games       int
	config      audit.Config
	json        bool
}

type planReport struct {
	Mu         float64      `json:"mu"`
	Delta      float64      `json:"delta"`
	Confidence float64      `json:"confidence"`
	Limit      float64      `json:"limit"` // the mechanism's own ε
	Epsilon    *float64     `json:"epsilon,omitempty"`
	Plans      []audit.Plan `json:"plans"`
	Warnings   []string     `json:"warnings,omitempty"`
}

func planCommand(args []string, stdout io.Writer) error {
	o, err := parsePlan(args, stdout)
	if err != nil {
		return err
	}
	report, err := o.report()
	if err != nil {
		return usageError{byFlags(err)}
	}
	if o.json {
		return writeJSON(stdout, report)
	}
	return writePlan(stdout, report)
}

func parsePlan(args []string, stdout io.Writer) (planOptions, error) {
	var o planOptions
	flags := flag.NewFlagSet("dpaudit plan", flag.ContinueOnError)
	o.mu, o.config = 1, audit.Config{Delta: 1e-5, Confidence: audit.DefaultConfidence}
	command.NumberVar(flags, &o.mu, "mu", "`µ` of the expected leak")
	command.NumberVar(flags, &o.epsilon, "epsilon", "`ε` that the bound is to reach")
	command.WholeVar(flags, &o.games, "games", "`number` of games with and of games without the canary; with one run, half the number of canaries")
	command.NumberVar(flags, &o.config.Delta, "delta", "`δ` of the bounds, in (0, 1)")
	command.NumberVar(flags, &o.config.Confidence, "confidence", "`chance` that a bound is true, in [0.5, 1), with a warning below 0.9")
	command.SwitchVar(flags, &o.json, "json", "print JSON")
	rest, err := parseAnywhere(flags, args, planUsage, stdout)
	if err != nil {
		return o, err
	}
	given := givenFlags(flags)
	switch {
	case len(rest) > 0:
		err = fmt.Errorf("plan: argument %q: must be a flag (plan takes no file)", rest[0])
	case given["epsilon"] && given["games"]:
		err = fmt.Errorf("plan: -epsilon %g and -games %d: must be one of them, not both", o.epsilon, o.games)
	case !given["epsilon"] && !given["games"]:
		err = fmt.Errorf("plan: -epsilon or -games is missing: must give one of -epsilon and -games")
	default:
		f := check.In("-")
		f.Number("mu", o.mu, check.UpTo(mostMu))
		if given["epsilon"] {
			f.Number("epsilon", o.epsilon, check.UpTo(mostEpsilon))
		}
		f.That(!given["games"] || o.games >= 1 && o.games <= audit.MaxPlannedGames, "games", o.games, fmt.Sprintf("must be in [1, %d]", audit.MaxPlannedGames))
		f.Number("delta", o.config.Delta, check.OpenUnit)
		f.Add(level.Of("-confidence", o.config.Confidence))
		err = f.Err()
	}
	if err != nil {
		return o, usageError{err}
	}
	return o, nil
}

func (o planOptions) report() (planReport, error) {
	r := planReport{Mu: o.mu, Delta: o.config.Delta, Confidence: o.config.Confidence}
	if doubt := level.Doubt(o.config.Confidence); doubt != nil {
		r.Warnings = append(r.Warnings, doubt.Error())
	}
	var err error
	if r.Limit, err = audit.EpsilonOfMu(o.mu, o.config.Delta); err != nil {
		return r, err
	}
	for _, name := range slices.Concat(audit.PlannedBounds, onerun.PlannedBounds) {
		expect, gamesFor := audit.Expect, audit.GamesFor
		if slices.Contains(onerun.PlannedBounds, name) {
			expect, gamesFor = onerun.Expect, onerun.GamesFor
			if o.games > onerun.MaxGames {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s is planned up to %d games of each only", name, onerun.MaxGames))
				continue
			}
		}
		var plan audit.Plan
		if o.games > 0 {
			plan, err = expect(name, o.mu, o.games, o.config)
		} else {
			r.Epsilon = &o.epsilon
			plan, err = gamesFor(name, o.mu, o.epsilon, o.config)
		}
		if err != nil {
			return r, err
		}
		r.Plans = append(r.Plans, plan)
	}
	return r, nil
}

func writePlan(w io.Writer, r planReport) error {
	fmt.Fprintf(w, "Scores N(%g, 1) with the canary, N(0, 1) without; δ = %s, confidence %g.\n", r.Mu, digits.Delta(r.Delta), r.Confidence)
	fmt.Fprintf(w, "The mechanism's own ε is %s: no true bound exceeds it.\n\n", accounting.FormatUpper(r.Limit))
	if r.Epsilon != nil && *r.Epsilon > r.Limit {
		fmt.Fprintf(w, "An ε of %g is above it: no number of games can show that.\n\n", *r.Epsilon)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "bound\tgames of each\texpected ε >=\tceiling\tassumes\tfix beforehand")
	for _, p := range r.Plans {
		games := fmt.Sprint(p.Games)
		if !p.Reached {
			games = fmt.Sprintf("more than %d", p.Games)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, games, audit.FormatLower(p.Expected), audit.FormatLower(p.Ceiling), p.Assumption, p.Choice)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	return nil
}
