package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/numeric"
)

// curve is δ(ε), or the trade-off function, on a grid.
type curve struct {
	Kind        string                 `json:"kind"`
	Mechanism   string                 `json:"mechanism"`
	Batches     *batches               `json:"batches,omitempty"`
	Neighboring accounting.Neighboring `json:"neighboring"`
	Accountant  string                 `json:"accountant"`
	X           []float64              `json:"-"`
	Y           []accounting.Interval  `json:"-"`
	Points      []curvePoint           `json:"points"`
}

type curvePoint struct {
	X float64             `json:"x"`
	Y accounting.Interval `json:"y"`
}

const (
	kindProfile  = "profile"  // δ at ε
	kindTradeOff = "tradeoff" // type II error at type I error

	defaultPoints = 101
	maxPoints     = 10000
	// leastRate is the first type I error of a trade-off curve; the last is 1 minus it.
	leastRate = 1e-6
	// questions bounds what one point of a trade-off curve may ask of a grid accountant.
	questions = 12
)

func curveCommand(args []string, tell, note teller) ([]byte, error) {
	var o options
	var kind, source, out, figure word
	points := number{value: defaultPoints}
	var maxEpsilon number
	set := flag.NewFlagSet("curve", flag.ContinueOnError)
	o.delta.value = defaultDelta
	set.Var(&o.delta, "delta", "")
	set.Var(&o.noise, "noise", "")
	o.jsonFlag(set)
	o.sgdFlags(set)
	set.Var(&o.epochs, "epochs", "")
	set.Var(&o.count, "count", "")
	set.Var(&o.base, "base", "")
	for name, w := range map[string]*word{"kind": &kind, "plan": &source, "out": &out, "figure": &figure} {
		set.Var(w, name, "")
	}
	set.Var(&points, "points", "")
	set.Var(&maxEpsilon, "max-epsilon", "")
	if err := parse(set, args); err != nil {
		return nil, err
	}
	if !kind.given {
		kind.text = kindProfile
	}
	wholePoints := check.Rule{Text: fmt.Sprintf("must be a whole number from 2 to %d", maxPoints), Holds: func(x float64) bool { return x >= 2 && x <= maxPoints && x == math.Floor(x) }}
	errs := []error{obey("delta", o.delta, check.OpenUnit), obey("points", points, wholePoints), obey("max-epsilon", maxEpsilon, check.Positive), checkKind(kind.text)}
	if kind.text == kindTradeOff {
		errs = append(errs, refuse("max-epsilon", maxEpsilon, "with -kind tradeoff"))
		if o.scheme() == batchesShuffled {
			errs = append(errs, errors.New("-batches shuffled: must be poisson or fixed with -kind tradeoff, which needs both ends"))
		}
	}
	if figure.given {
		if err := render.CheckPath(figure.text); err != nil {
			errs = append(errs, fmt.Errorf("-figure %w", err))
		}
	}
	if source.given && source.text == "" {
		errs = append(errs, errors.New("-plan \"\": must be the path of a plan, or - for standard input"))
	}
	if out.given && out.text == "" {
		errs = append(errs, errors.New("-out \"\": must be a file"))
	}
	if out.given && figure.given && filepath.Clean(out.text) == filepath.Clean(figure.text) {
		errs = append(errs, fmt.Errorf("-out %s and -figure %s: must be two files", out.text, figure.text))
	}
	p, err := o.curvePlan(source)
	if err := asUsage(append(errs, err)...); err != nil {
		return nil, err
	}
	if source.given {
		if p, err = readPlan(source.text); err != nil {
			return nil, err
		}
		if !o.delta.given && p.delta > 0 {
			o.delta.value = p.delta
		}
	}
	if err := checkFiles(output{flag: "figure", path: figure.text}, output{flag: "out", path: out.text}); err != nil {
		return nil, err
	}
	c, err := p.curve(kind.text, o.delta.value, maxEpsilon.value, int(points.value), tell)
	if err != nil {
		return nil, err
	}
	if !source.given {
		c.Batches = o.batchesOf()
	}
	if c.Batches.shuffled() {
		c.onlyUpper()
	}
	return c.write(out, figure, o.json, note)
}

func checkKind(kind string) error {
	if kind != kindProfile && kind != kindTradeOff {
		return fmt.Errorf("-kind %q: must be profile or tradeoff", kind)
	}
	return nil
}

// curvePlan returns the plan of -base and its flags, or nothing if -plan names a file.
func (o *options) curvePlan(file word) (plan, error) {
	p := plan{relation: accounting.AddOrRemoveOne}
	if file.given {
		return p, errors.Join(refuse("rate", o.rate, "with -plan"), refuse("steps", o.steps, "with -plan"), refuse("noise", o.noise, "with -plan"),
			refuse("count", o.count, "with -plan"), refuse("epochs", o.epochs, "with -plan"), refuseWord("batches", o.batches, "with -plan"),
			o.refuseBase())
	}
	if !o.base.given {
		return p, errors.New("-base or -plan is missing: must give sgd or gaussian, or a file")
	}
	event, err := o.baseOf()
	if err := errors.Join(err, need("noise", o.noise, check.Positive)); err != nil {
		return p, err
	}
	p.entries = []entry{{name: o.base.text, repeat: 1, event: event(o.noise.value)}}
	return p, nil
}

func (o *options) refuseBase() error {
	if o.base.given {
		return fmt.Errorf("-base %s: must not be given with -plan", o.base.text)
	}
	return nil
}

// curve asks package auto.
func (p plan) curve(kind string, delta, maxEpsilon float64, points int, tell teller) (curve, error) {
	a, err := auto.NewAccountantFor(p.relation)
	if err != nil {
		return curve{}, err
	}
	event := p.event()
	c := curve{Kind: kind, Mechanism: event.String(), Batches: drawn(event.String(), otherwisePlan), Neighboring: a.Neighboring(), Accountant: a.Name()}
	if kind == kindProfile {
		err = c.profile(a, event, delta, maxEpsilon, points, tell)
	} else {
		err = c.tradeOff(a, event, points, tell)
	}
	if err != nil {
		return curve{}, fmt.Errorf("curve: %w", err)
	}
	for i, x := range c.X {
		c.Points = append(c.Points, curvePoint{x, c.Y[i]})
	}
	return c, nil
}

// onlyUpper drops the lower ends.
func (c *curve) onlyUpper() {
	for i, y := range c.Y {
		c.Y[i] = accounting.UpperBound(y.Upper)
		c.Points[i].Y = c.Y[i]
	}
}

// profile fills in δ at ε from 0 to maxEpsilon, or to where δ falls to delta.
func (c *curve) profile(a accounting.Accountant, event accounting.Event, delta, maxEpsilon float64, points int, tell teller) error {
	if maxEpsilon == 0 {
		g, err := a.EpsilonAt(event, delta)
		if err != nil {
			return err
		}
		if maxEpsilon = g.Epsilon.Upper; math.IsInf(maxEpsilon, 1) || maxEpsilon == 0 {
			maxEpsilon = 1
		}
	}
	for i := range points {
		epsilon := maxEpsilon * (float64(i) / float64(points-1)) // in this order it does not overflow
		tell("point %d of %d", i+1, points)
		d, err := a.DeltaAt(event, epsilon)
		if err != nil {
			return err
		}
		c.X, c.Y = append(c.X, epsilon), append(c.Y, d)
	}
	return nil
}

// tradeOff fills in the type II error at type I errors evenly spaced in log α/(1-α).
func (c *curve) tradeOff(a accounting.Accountant, event accounting.Event, points int, tell teller) error {
	t, err := gdp.NewTradeOff(event, a)
	if err != nil {
		return err
	}
	t.Questions = questions
	end := numeric.Log(leastRate) - math.Log1p(-leastRate)
	for i := range points {
		alpha := 1 / (1 + math.Exp(-end*(1-2*float64(i)/float64(points-1))))
		tell("point %d of %d", i+1, points)
		d, err := t.TypeIIAt(alpha)
		if err != nil {
			return err
		}
		c.X, c.Y = append(c.X, alpha), append(c.Y, d)
	}
	return nil
}

// write answers with CSV or JSON, in a file if one is named, and draws the figure. A note stands
// beside bare CSV. Files are written when all of them are made.
func (c curve) write(out, figure word, asJSON bool, note teller) ([]byte, error) {
	text, err := c.csv()
	if asJSON {
		text, err = json.MarshalIndent(c, "", "  ")
		text = append(text, '\n')
	}
	if err != nil {
		return nil, err
	}
	var files []output
	var said []byte
	if c.Batches != nil {
		said = []byte(command.Wrap("batches  "+c.Batches.Drawn) + "\n")
	}
	if figure.given {
		picture, err := render.File(c.figure(), figure.text)
		if err != nil {
			return nil, fmt.Errorf("-figure %s: %w", figure.text, err)
		}
		files = append(files, output{"figure", figure.text, picture})
		said = fmt.Appendf(said, "figure %s\n", figure.text)
	}
	if out.given {
		files = append(files, output{"out", out.text, text})
		said = fmt.Appendf(said, "%d points %s\n", len(c.X), out.text)
	}
	if len(files) == 0 {
		if !asJSON && c.Batches != nil { // a reader of CSV takes no other lines
			note("%s", said)
		}
		return text, nil
	}
	return said, writeAll(files)
}

// csv has the lower end empty where it is not known.
func (c curve) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"epsilon", "delta_lower", "delta_upper"}
	if c.Kind == kindTradeOff {
		header = []string{"type_1_error", "type_2_error_lower", "type_2_error_upper"}
	}
	rows := [][]string{header}
	for i, x := range c.X {
		lower := ""
		if c.Y[i].HasLower {
			lower = format(c.Y[i].Lower)
		}
		rows = append(rows, []string{format(x), lower, format(c.Y[i].Upper)})
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

func format(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
