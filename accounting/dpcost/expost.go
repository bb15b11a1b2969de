package main

import (
	"bytes"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/expost"
	"github.com/dplab/dplab/accounting/selection/law"
)

// tuning is a search among candidates of different ε, as a file lists it.
type tuning struct {
	expost.Tuning
	names []string
	delta float64 // 0 if the file has none
}

// mostCandidates keeps an answer within some ten seconds: each asks a hundred questions about its runs.
const mostCandidates = 200

// parseTuning reads {"law": {...}, "candidates": [...]} with the optional field "delta"; a candidate is an event with the
// optional fields "name" and "weight". Faults name candidate and field.
func parseTuning(text []byte) (tuning, error) {
	var t tuning
	o := eventjson.NewObject(text)
	if o.Has("delta") {
		if t.delta = o.Float("delta"); !check.OpenUnit.Holds(t.delta) {
			o.Fault("delta", "%g: %s", t.delta, check.OpenUnit.Text)
		}
	}
	t.Law = law.Read(o.Object("law"))
	candidates := o.Objects("candidates")
	for i, inner := range candidates {
		name := fmt.Sprintf("candidate %d", i+1)
		if inner.Has("name") {
			name = inner.Text("name")
		}
		var c expost.Candidate
		if weighted := candidates[0].Has("weight"); inner.Has("weight") {
			if c.Weight = inner.Float("weight"); !check.Rate.Holds(c.Weight) {
				inner.Fault("weight", "%g: %s", c.Weight, check.Rate.Text)
			} else if !weighted {
				inner.Fault("weight", "%g: must be given for all candidates or for none", c.Weight)
			}
		} else if weighted {
			inner.Fault("weight", "is missing: must be given for all candidates or for none")
		}
		c.Event = inner.AsEvent()
		t.names, t.Candidates = append(t.names, name), append(t.Candidates, c)
	}
	o.Done()
	if n := len(candidates); n > mostCandidates {
		o.Fault("candidates", "%d of them: must be at most %d", n, mostCandidates)
	}
	if err := o.Err(); err != nil {
		return tuning{}, err
	}
	if err := t.Validate(); err != nil {
		o.Invalid(err)
	}
	return t, o.Err()
}

func expostCommand(args []string, tell teller) ([]byte, error) {
	o, file, err := fileAndDelta("expost", args)
	if err != nil {
		return nil, err
	}
	text, err := readText("expost", file)
	if err != nil {
		return nil, err
	}
	t, err := parseTuning(text)
	if err != nil {
		return nil, fmt.Errorf("expost %s: %w", file, err)
	}
	a, err := t.answer(o.deltaOf(t.delta), tell)
	if err != nil {
		return nil, fmt.Errorf("expost %s: %w", file, err)
	}
	if o.json {
		return indented(a)
	}
	return a.text(), nil
}

// releases is what a tuning costs by what it releases.
type releases struct {
	Before     accounting.Interval `json:"epsilon_before"` // whichever is released
	Delta      float64             `json:"delta"`
	Relation   string              `json:"neighboring"`
	Law        string              `json:"law"`
	Batches    *batches            `json:"batches,omitempty"`
	Candidates []released          `json:"candidates"`
	Statement  string              `json:"statement"`
	Warnings   []string            `json:"warnings,omitempty"`
}

// released is one candidate.
type released struct {
	Name      string            `json:"name"`
	Mechanism string            `json:"mechanism"`
	Weight    float64           `json:"weight,omitempty"`
	Epsilon   accounting.Number `json:"epsilon"`
	One       accounting.Number `json:"epsilon_of_one_run"`
	Method    string            `json:"method"`
}

// answer prices the tuning before the release, and after that of each candidate.
func (t tuning) answer(delta float64, tell teller) (releases, error) {
	events := make([]accounting.Event, len(t.Candidates))
	for i, c := range t.Candidates {
		events[i] = c.Event
	}
	tell("pricing %d candidates", len(events))
	prices, err := expost.PriceAt(t.Tuning, delta)
	if err != nil {
		return releases{}, err
	}
	a := releases{Delta: delta, Relation: accounting.AddOrRemoveOne.String(), Law: t.Law.String()}
	largest := 0.0
	for i, p := range prices {
		largest = math.Max(largest, p.Epsilon)
		a.Candidates = append(a.Candidates, released{t.names[i], events[i].String(), t.Candidates[i].Weight, accounting.Number(p.Epsilon), accounting.Number(p.One), p.Method})
	}
	tell("ε <= %s after the release; pricing the tuning before it", roundUp(largest))
	whole, err := auto.NewAccountant().PriceAt(selection.Event{Law: t.Law, Base: accounting.WorstCase{Events: events}}, delta)
	if err != nil {
		return releases{}, err
	}
	for _, w := range whole.Guarantee.Warnings {
		a.Warnings = append(a.Warnings, w.Error())
	}
	a.Batches = drawn(accounting.WorstCase{Events: events}.String(), otherwisePlan)
	a.Before = accounting.UpperBound(math.Min(whole.Guarantee.Epsilon.Upper, largest)) // the largest holds whatever is released
	a.Statement = expost.Statement(delta)
	return a, nil
}

// text is the answer for people.
func (a releases) text() []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "tuning\tthe best of K runs, K from the %s, each of one of %d candidates\n", shortened(accounting.RoundParameters(a.Law)), len(a.Candidates))
	if a.Batches != nil {
		fmt.Fprintf(w, "batches\t%s\n", a.Batches.Drawn)
	}
	fmt.Fprintf(w, "delta\t%g\n", a.Delta)
	fmt.Fprintf(w, "neighboring\t%s\n", a.Relation)
	fmt.Fprintf(w, "epsilon\t<= %s  (before the release, whichever it is)\n", roundUp(a.Before.Upper))
	for _, warning := range a.Warnings {
		fmt.Fprintf(w, "warning\t%s\n", escaped(warning))
	}
	w.Flush()
	fmt.Fprintf(&out, "\nepsilon after the release of each candidate, and of one run of it\n")
	for _, c := range a.Candidates {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", roundUp(float64(c.Epsilon)), roundUp(float64(c.One)), visible(c.Name), shortened(accounting.RoundParameters(c.Mechanism)))
	}
	w.Flush()
	fmt.Fprintf(&out, "\n%s\n", a.Statement)
	return []byte(command.Wrap(string(trimLines(out.Bytes()))))
}
