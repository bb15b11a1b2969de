package verify

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/internal/certificate/laws"
)

// node is an event as its JSON has it.
type node struct {
	kind     string           // the value of "type"
	source   accounting.Event // nil if it holds one of outer; not changed by rules
	numbers  map[string]float64
	lists    map[string][]float64
	words    map[string]string // texts, and "true" for a flag
	law      laws.Named        // of the number of runs of a selection
	children []node

	// Exact values, which a rule may change.
	rate  *big.Rat // the chance that a record is in a sample
	noise *big.Rat // σ² of a release over the square of the distance that a record moves it
}

// fields lists what each type of event has: a number, a whole number ("#"), a list ("[]"), a text
// ("?" if it may be missing), a flag ("!"), a law ("&"), an event ("1") or events ("*").
var fields = map[string]string{
	"gaussian": "noise_multiplier", "clipped_sum": "noise_multiplier", "laplace": "noise_multiplier",
	"randomized_response": "truth", "pure_dp": "epsilon", "approx_dp": "epsilon delta", "zcdp": "rho",
	"exponential_mechanism": "epsilon", "permute_and_flip": "epsilon", "non_private": "",
	"profile_bound": "name? epsilons[] deltas[]", "renyi_bound": "name? orders[] divergences[]",
	"mixture_of_gaussians": "chances[] distances[] noise_multiplier",
	"discrete_pair":        "with[] without[] bound?",

	"poisson_sampled":             "sampling_rate event1",
	"sampled_without_replacement": "sample_size# population_size# event1",
	"sampled_with_replacement":    "sample_size# population_size# event1",
	"truncated_poisson":           "sampling_rate cap# population_size# event1",
	"random_allocation":           "period# steps# participations# event1",
	"shuffled":                    "batches# epochs# kept! event1",
	"self_composed":               "count# event1", "composed": "events*", "parallel": "events*", "worst_case": "events*",

	"selection": "law& base1", "first_above": "law& base1",
	"tune_then_train": "tuning_rate tuning1 training1 variant?",
	"above_threshold": "sensitivity threshold_noise score_noise max_tests# max_positives# refresh? noise?",
}

// outer are the types whose Go types belong to searches. Rules read their fields.
var outer = []string{"selection", "first_above", "tune_then_train", "above_threshold"}

// mostRuns is the largest number of runs of one event in others, which float64 has exactly.
const mostRuns = 1 << 53

// read reads an event.
func read(text []byte) (node, error) {
	o := eventjson.NewObject(text)
	n := readObject(o, 1)
	return n, o.Err()
}

// readObject reads an event that runs so many times. The object keeps the faults. Package
// eventjson checks the ranges of numbers.
func readObject(o *eventjson.Object, runs float64) (n node) {
	n = node{kind: o.Text("type"), numbers: map[string]float64{}, lists: map[string][]float64{}, words: map[string]string{}}
	known, ok := fields[n.kind]
	if !ok {
		o.Fault("type", "%q: no rule knows it", n.kind)
		return n
	}
	for _, field := range strings.Fields(known) {
		name := strings.TrimRight(field, "#[]?!&1*")
		switch field[len(name):] {
		case "":
			n.numbers[name] = o.Float(name)
		case "#":
			if n.numbers[name] = float64(o.Int(name)); !(n.numbers[name] >= 1) {
				o.Fault(name, "%g: must be at least 1", n.numbers[name])
			}
		case "[]":
			n.lists[name] = o.Floats(name)
		case "?":
			if o.Has(name) {
				n.words[name] = o.Text(name)
			}
		case "!":
			n.words[name] = fmt.Sprint(o.Bool(name))
		case "&":
			inner := o.Object(name)
			n.law = laws.Read(inner)
			if _, err := laws.Of(n.law); err != nil {
				inner.Fault("", "%v", err)
			}
		case "1":
			if n.kind == "self_composed" {
				runs *= n.numbers["count"]
			}
			n.children = append(n.children, readObject(o.Object(name), runs))
		case "*":
			for _, inner := range o.Objects(name) {
				n.children = append(n.children, readObject(inner, runs))
			}
		}
	}
	o.Done()
	if !(runs <= mostRuns) {
		o.Fault("count", "%.3g runs of one event in all: must be at most 2^53", runs)
	}
	if o.Err() == nil && !n.has(func(inside node) bool { return inside.is(outer...) }) {
		n.source = o.AsEvent()
	}
	if err := n.exact(); err != nil {
		o.Fault("", "%v", err)
	}
	return n
}

// exact sets the exact numbers. It checks those that only rules of form.go take.
func (n *node) exact() error {
	switch n.kind {
	case "gaussian", "clipped_sum":
		sigma := n.numbers["noise_multiplier"]
		if !(sigma > 0) {
			return fmt.Errorf("noise_multiplier %g: must be above 0", sigma)
		}
		n.noise = square(rational(sigma))
	case "poisson_sampled":
		q := n.numbers["sampling_rate"]
		if !(q > 0 && q <= 1) {
			return fmt.Errorf("sampling_rate %g: must be in (0, 1]", q)
		}
		n.rate = rational(q)
	case "sampled_without_replacement":
		if !(n.numbers["population_size"] >= 1) {
			return nil // a fault that is kept
		}
		if n.rate = ratio(n.numbers["sample_size"], n.numbers["population_size"]); n.rate.Cmp(whole) > 0 {
			return errors.New("more records in the sample than in the population")
		}
	case "composed", "parallel", "worst_case":
		if len(n.children) == 0 {
			return errors.New("events: is empty")
		}
	}
	return nil
}

var whole = big.NewRat(1, 1)

// rational returns a float64 exactly.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func ratio(a, b float64) *big.Rat { return new(big.Rat).Quo(rational(a), rational(b)) }

func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func square(a *big.Rat) *big.Rat { return product(a, a) }

// is reports whether the event is of one of some types.
func (n node) is(kinds ...string) bool { return slices.Contains(kinds, n.kind) }

// has reports whether a node or one inside satisfies a condition.
func (n node) has(condition func(node) bool) bool {
	return condition(n) || slices.ContainsFunc(n.children, func(child node) bool { return child.has(condition) })
}
