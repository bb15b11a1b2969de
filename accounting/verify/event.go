package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
)

// node is an event as its JSON has it.
type node struct {
	kind     string // the value of "type"
	text     json.RawMessage
	numbers  map[string]float64
	lists    map[string][]float64
	words    map[string]string          // texts, and "true" for a flag
	objects  map[string]json.RawMessage // such as the law of a selection
	children []node

	// Exact values, which a rule may change.
	rate  *big.Rat // the chance that a record is in a sample
	noise *big.Rat // σ² of a release over the square of the distance that a record moves it
}

// fields lists what each type of event has: a number, a list ("[]"), a text ("?" if it may be
// missing), a flag ("!"), an object ("{}"), an event ("1") or events ("*").
var fields = map[string]string{
	"gaussian": "noise_multiplier", "clipped_sum": "noise_multiplier", "laplace": "noise_multiplier",
	"randomized_response": "truth", "pure_dp": "epsilon", "approx_dp": "epsilon delta", "zcdp": "rho",
	"exponential_mechanism": "epsilon", "permute_and_flip": "epsilon", "non_private": "",
	"profile_bound": "name? epsilons[] deltas[]", "renyi_bound": "name? orders[] divergences[]",
	"mixture_of_gaussians": "chances[] distances[] noise_multiplier",
	"discrete_pair":        "with[] without[] bound?",

	"poisson_sampled":             "sampling_rate event1",
	"sampled_without_replacement": "sample_size population_size event1",
	"sampled_with_replacement":    "sample_size population_size event1",
	"truncated_poisson":           "sampling_rate cap population_size event1",
	"random_allocation":           "period steps participations event1",
	"shuffled":                    "batches epochs kept! event1",
	"self_composed":               "count event1", "composed": "events*", "parallel": "events*", "worst_case": "events*",

	"selection": "law{} base1", "first_above": "law{} base1",
	"tune_then_train": "tuning_rate tuning1 training1 variant?",
	"above_threshold": "sensitivity threshold_noise score_noise max_tests max_positives refresh? noise?",
}

// mostDeep is the largest depth of events inside each other.
const mostDeep = 64

// read reads an event.
func read(text []byte) (node, error) { return readAt(text, 0) }

func readAt(text []byte, depth int) (n node, err error) {
	if depth > mostDeep {
		return n, fmt.Errorf("more than %d events inside each other", mostDeep)
	}
	values, err := object(text)
	if err != nil {
		return n, fmt.Errorf("an event: %w", err)
	}
	if err := json.Unmarshal(values["type"], &n.kind); err != nil {
		return n, errors.New(`an event without a "type"`)
	}
	known, ok := fields[n.kind]
	if !ok {
		return n, fmt.Errorf("an event of type %q, which no rule knows", n.kind)
	}
	delete(values, "type")
	n.text = text
	n.numbers, n.lists, n.words, n.objects = map[string]float64{}, map[string][]float64{}, map[string]string{}, map[string]json.RawMessage{}
	for _, field := range strings.Fields(known) {
		name := strings.TrimRight(field, "[]{}?!1*")
		value, given := values[name]
		if delete(values, name); !given {
			if strings.HasSuffix(field, "?") {
				continue
			}
			return n, fmt.Errorf("%s.%s is missing", n.kind, name)
		}
		if err := n.set(field, name, value, depth); err != nil {
			return n, err
		}
	}
	for name := range values {
		return n, fmt.Errorf("%s.%s is not a field", n.kind, name)
	}
	return n, n.exact()
}

func (n *node) set(field, name string, value json.RawMessage, depth int) (err error) {
	var texts []json.RawMessage
	switch {
	case strings.HasSuffix(field, "[]"):
		var list []float64
		err = json.Unmarshal(value, &list)
		n.lists[name] = list
	case strings.HasSuffix(field, "{}"):
		n.objects[name] = value
	case strings.HasSuffix(field, "!"):
		n.words[name] = string(value)
	case strings.HasSuffix(field, "?"):
		var word string
		err = json.Unmarshal(value, &word)
		n.words[name] = word
	case strings.HasSuffix(field, "1"):
		texts = []json.RawMessage{value}
	case strings.HasSuffix(field, "*"):
		if err = json.Unmarshal(value, &texts); err == nil && len(texts) == 0 {
			err = errors.New("is empty")
		}
	default:
		var number *float64
		if err = json.Unmarshal(value, &number); err == nil && number == nil {
			err = errors.New("must be a number")
		}
		if err == nil {
			n.numbers[name] = *number
		}
	}
	for _, text := range texts {
		child, err := readAt(text, depth+1)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	if err != nil {
		return fmt.Errorf("%s.%s: %w", n.kind, name, err)
	}
	return nil
}

// exact checks the numbers that the rules of form.go use, and sets the exact ones.
func (n *node) exact() error {
	for _, name := range []string{"sample_size", "population_size", "cap", "period", "steps", "participations", "batches", "epochs", "count"} {
		if x, ok := n.numbers[name]; ok && !(x >= 1 && x <= 1<<53 && x == math.Floor(x)) {
			return fmt.Errorf("%s.%s %g: must be a whole number from 1", n.kind, name, x)
		}
	}
	switch sigma := n.numbers["noise_multiplier"]; {
	case n.kind == "gaussian" || n.kind == "clipped_sum":
		if !(sigma > 0) {
			return fmt.Errorf("%s.noise_multiplier %g: must be above 0", n.kind, sigma)
		}
		n.noise = square(rational(sigma))
	case n.kind == "poisson_sampled":
		q := n.numbers["sampling_rate"]
		if !(q > 0 && q <= 1) {
			return fmt.Errorf("%s.sampling_rate %g: must be in (0, 1]", n.kind, q)
		}
		n.rate = rational(q)
	case n.kind == "mixture_of_gaussians":
		if len(n.lists["chances"]) != len(n.lists["distances"]) || !(sigma > 0) {
			return errors.New("mixture_of_gaussians: lists of equal length and noise above 0 are needed")
		}
	case n.kind == "sampled_without_replacement":
		if n.rate = ratio(n.numbers["sample_size"], n.numbers["population_size"]); n.rate.Cmp(whole) > 0 {
			return errors.New("sampled_without_replacement: more records in the sample than in the population")
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

// object returns the fields of a JSON object. A name that is given twice is an error.
func object(text []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("must be a JSON object")
	}
	values := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		var value json.RawMessage
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return nil, err
		}
		name := token.(string) // the decoder takes no other key
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("field %q is given twice", name)
		}
		values[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON object")
	}
	return values, nil
}

// is reports whether the event is of one of some types.
func (n node) is(kinds ...string) bool { return slices.Contains(kinds, n.kind) }

// has reports whether a node or one inside satisfies a condition.
func (n node) has(condition func(node) bool) bool {
	return condition(n) || slices.ContainsFunc(n.children, func(child node) bool { return child.has(condition) })
}
