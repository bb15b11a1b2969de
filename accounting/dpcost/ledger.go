package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/dpcost/internal/output"
	"github.com/dplab/dplab/accounting/ledger"
)

// ledgerOptions are the arguments of ledger: a file, what to do, and for add and fits a release.
type ledgerOptions struct {
	path, verb, release          string
	base                         input.Base
	noise, delta, epsilon, order flags.Number
	data, plan, filter, relation flags.Word
	solve, note, date, unit      flags.Word
	out, json                    bool
}

var ledgerVerbs = []string{"new", "add", "left", "fits", "show"}

const (
	solveCount = "count"
	// shareOfDelta is the part of the δ of a budget that a release takes under the filter zcdp,
	// unless -delta is given.
	shareOfDelta = 0.01
)

// parseLedger reads FILE VERB and, for add and fits, a release, then flags. VERB may come first.
func parseLedger(args []string) (o ledgerOptions, err error) {
	words := 0
	for words < len(args) && (args[words] == flags.StandardInput || !strings.HasPrefix(args[words], "-")) {
		words++
	}
	named := append(slices.Clone(args[:words]), "", "", "")
	if o.path, o.verb, o.release = named[0], named[1], named[2]; slices.Contains(ledgerVerbs, o.path) && !slices.Contains(ledgerVerbs, o.verb) {
		o.path, o.verb = o.verb, o.path
	}
	set := flag.NewFlagSet("ledger", flag.ContinueOnError)
	set.Var(&o.data, "data", "")
	command.SwitchVar(set, &o.json, "json", "")
	most := 2
	switch o.verb {
	case "new":
		flags.Define(set, map[string]flag.Value{"epsilon": &o.epsilon, "delta": &o.delta, "neighboring": &o.relation, "plan": &o.plan, "filter": &o.filter, "order": &o.order})
	case "show":
		o.unit.Text = "one record"
		set.Var(&o.unit, "unit", "")
	case "add", "fits":
		o.base.SGD.Define(set)
		o.base.SGD.DefineCounts(set)
		flags.Define(set, map[string]flag.Value{"count": &o.base.Count, "noise": &o.noise, "delta": &o.delta})
		if most = 3; o.verb == "fits" {
			set.Var(&o.solve, "solve", "")
			break
		}
		flags.Define(set, map[string]flag.Value{"note": &o.note, "date": &o.date})
		command.SwitchVar(set, &o.out, "released", "")
	}
	err = flags.Parse(set, args[words:])
	switch {
	case errors.As(err, new(flags.HelpError)):
	case o.path == "" || !slices.Contains(ledgerVerbs, o.verb):
		err = flags.Usagef("ledger: %q and %q: must be a file, and then new, add, left, fits or show", o.path, o.verb)
	case err == nil && words < most:
		err = flags.Usagef("ledger %s %s: no release: must be sgd or gaussian with flags, or the file of a plan", o.path, o.verb)
	case err == nil && words > most:
		err = flags.Usagef("ledger %s %s: argument %q: must be a flag", o.path, o.verb, args[most])
	}
	return o, err
}

func ledgerCommand(args []string, note answer.ReportFunc) ([]byte, error) {
	o, err := parseLedger(args)
	if err != nil {
		return nil, err
	}
	if o.verb == "new" {
		if err := o.make(); err != nil {
			return nil, err
		}
	}
	l, err := ledger.Open(o.path)
	if err != nil {
		return nil, err
	}
	if o.data.Given && o.data.Text != l.Data {
		return nil, fmt.Errorf("-data %q: must be %q, the data set of %s", o.data.Text, l.Data, o.path)
	}
	if len(l.Torn) > 0 {
		note("dpcost: note: %s ends with the start of a line that was cut off: %q. It is not counted, and the next add takes its place. If its release ran, add it\n", o.path, l.Torn)
	}
	first := ""
	switch o.verb {
	case "add":
		if first, err = o.add(l); err == nil {
			l, err = ledger.Open(o.path)
		}
	case "fits":
		return o.fits(l)
	}
	if err != nil {
		return nil, err
	}
	r, err := answer.OfLedger(l, o.verb != "show")
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", o.path, err)
	}
	if o.verb == "show" && len(l.Releases) > 0 {
		s := answer.LedgerStatement(r, o.unit.Text)
		r.Statement = &s
	}
	return output.Ledger(r, first, o.json)
}

// make makes the file.
func (o *ledgerOptions) make() error {
	relation, filter := accounting.AddOrRemoveOne, ledger.Filter(o.filter.Text)
	errs := []error{flags.Need("epsilon", o.epsilon, check.Positive), flags.Need("delta", o.delta, check.OpenUnit)}
	if o.relation.Given {
		errs = append(errs, relation.UnmarshalText([]byte(o.relation.Text)))
	}
	if !o.data.Given {
		errs = append(errs, errors.New("-data is missing: it is required, and names the data set"))
	}
	switch o.plan.Text {
	case "fixed":
		errs = append(errs, flags.RefuseWord("filter", o.filter, "with -plan fixed"), flags.Refuse("order", o.order, "with -plan fixed"))
	case "adaptive":
		if !o.filter.Given {
			filter = ledger.Renyi
		}
	default:
		errs = append(errs, fmt.Errorf("-plan %q: must be fixed, if all releases were settled before any answer, or adaptive", o.plan.Text))
	}
	if err := flags.AsUsage(errs...); err != nil {
		return err
	}
	head, err := ledger.NewHead(o.data.Text, relation, accounting.Target{Epsilon: o.epsilon.Value, Delta: o.delta.Value}, filter, o.order.Value)
	if err != nil {
		return err
	}
	return ledger.New(o.path, head)
}

// event returns the release as a function of what is solved for: its noise multiplier, steps or
// count. If nothing is, x is 1.
func (o *ledgerOptions) event(l *ledger.Ledger) (event func(x float64) accounting.Event, err error) {
	solve, fromFile := o.solve.Text, o.release != "sgd" && o.release != "gaussian"
	if _, err := os.Stat(o.release); fromFile && o.release != flags.StandardInput && err != nil {
		return nil, fmt.Errorf("release %q: must be sgd or gaussian with flags, or the file of a plan: %w", o.release, err)
	}
	var errs []error
	switch {
	case o.solve.Given && solve != input.SolveNoise && solve != input.SolveSteps && solve != solveCount:
		errs = append(errs, fmt.Errorf("-solve %q: must be noise, steps or count", solve))
	case solve == input.SolveSteps && o.release != "sgd", fromFile && solve == input.SolveNoise:
		errs = append(errs, fmt.Errorf("-solve %s: must not be given with %s", solve, o.release))
	case solve == input.SolveNoise:
		errs = append(errs, flags.Refuse("noise", o.noise, "with -solve noise, which finds it"))
	case !fromFile:
		errs = append(errs, flags.Need("noise", o.noise, check.Positive))
	}
	whole := func(noise float64) accounting.Event { return nil }
	if fromFile {
		_, err = o.base.Plan(o.noise, o.release)
	} else {
		o.base.Name = flags.Word{Text: o.release, Given: true}
		if solve == input.SolveSteps {
			o.base.SGD.Solve = o.solve
		}
		whole, err = o.base.Event(false)
	}
	if err := flags.AsUsage(append(errs, err, flags.Obey("delta", o.delta, check.OpenUnit))...); err != nil {
		return nil, err
	}
	if fromFile {
		p, err := input.ReadPlan(o.release)
		if err == nil && p.Relation != l.Neighboring {
			err = fmt.Errorf("plan %s: neighboring %v: must be %v, that of the ledger", o.release, p.Relation, l.Neighboring)
		}
		if err != nil {
			return nil, err
		}
		o.delta = flags.Number{Value: deltaOr(o.delta, p.Delta), Given: o.delta.Given || p.Delta > 0}
		whole = func(float64) accounting.Event { return p.Event() }
	}
	if !o.delta.Given {
		if o.delta.Value = l.Budget.Delta; l.Filter == ledger.ZCDP {
			o.delta.Value *= shareOfDelta
		}
	}
	return func(x float64) accounting.Event {
		switch solve {
		case input.SolveNoise:
			return whole(x)
		case input.SolveSteps:
			return input.Steps(o.base.SGD.SamplingRate(), o.noise.Value, int(x))
		case solveCount:
			return accounting.SelfComposed{Event: whole(o.noise.Value), Count: int(x)}
		}
		return whole(o.noise.Value)
	}, nil
}

func (o *ledgerOptions) add(l *ledger.Ledger) (string, error) {
	event, err := o.event(l)
	if err != nil {
		return "", err
	}
	if !o.date.Given {
		o.date.Text = time.Now().Format(time.DateOnly)
	}
	before, err := ledger.Add(o.path, ledger.Release{Date: o.date.Text, Note: o.note.Text, Delta: o.delta.Value, Event: event(1)}, o.out)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("release %d was added to %s\n", len(before.Releases)+1, o.path), nil
}

func (o *ledgerOptions) fits(l *ledger.Ledger) ([]byte, error) {
	event, err := o.event(l)
	if err != nil {
		return nil, err
	}
	if o.solve.Given {
		x, err := answer.SolveLedger(l, o.solve.Text, event, o.delta.Value)
		if err != nil {
			return nil, fmt.Errorf("ledger %s: no %s fits: %w", o.path, o.solve.Text, err)
		}
		return output.Fits(o.solve.Text, x, o.json)
	}
	epsilon, err := l.EpsilonWith(event(1), o.delta.Value)
	if err != nil {
		return nil, err
	}
	return output.FitsOrNot(epsilon <= l.Budget.Epsilon, l.Would(epsilon), o.json)
}
