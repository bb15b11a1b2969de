package main

import (
	"flag"
	"fmt"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
)

// fileOptions are the arguments of plan and expost, which price the events of a file.
type fileOptions struct {
	path      string
	delta     flags.Number
	json      bool
	statement statementOptions // of plan; expost always has one
}

func parseFileOptions(name string, args []string) (o fileOptions, err error) {
	o.delta.Value = defaultDelta
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.Var(&o.delta, "delta", "")
	command.SwitchVar(set, &o.json, "json", "")
	if name == "plan" {
		o.statement.define(set)
	}
	if o.path, err = flags.ParseFile(set, args); err != nil {
		return o, err
	}
	return o, flags.AsUsage(flags.Obey("delta", o.delta, check.OpenUnit), o.statement.validate())
}

// deltaOr returns the δ of the flag if it was given, else that of the file, else the default.
func deltaOr(given flags.Number, file float64) float64 {
	if !given.Given && file > 0 {
		return file
	}
	return given.Value
}

func planCommand(args []string, report answer.ReportFunc) ([]byte, error) {
	o, err := parseFileOptions("plan", args)
	if err != nil {
		return nil, err
	}
	p, err := input.ReadPlan(o.path)
	if err != nil {
		return nil, err
	}
	r, err := answer.Plan(p, deltaOr(o.delta, p.Delta), report)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", o.path, err)
	}
	return output.Report(o.statement.add(r), o.json)
}

func expostCommand(args []string, report answer.ReportFunc) ([]byte, error) {
	o, err := parseFileOptions("expost", args)
	if err != nil {
		return nil, err
	}
	c, err := input.ReadCandidates(o.path)
	if err != nil {
		return nil, err
	}
	r, err := answer.ExPost(c, deltaOr(o.delta, c.Delta), report)
	if err != nil {
		return nil, fmt.Errorf("expost %s: %w", o.path, err)
	}
	return output.Releases(r, o.json)
}
