package verify

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"

	"github.com/dplab/dplab/accounting"
)

// This file writes an event in its simplest form under a relation, in exact arithmetic. Each step
// is an identity of mechanisms, or an event that costs at least as much. The comments of package
// accounting have the proofs: Flatten, Node.Lowered, and the events.

// checkRelation returns an error if the event has no price under the relation. It looks inside
// selections too.
func (n node) checkRelation(relation accounting.Neighboring) (err error) {
	n.has(func(inside node) bool {
		switch {
		case relation == accounting.ReplaceOne && inside.is("parallel", "mixture_of_gaussians", "selection", "first_above", "tune_then_train", "above_threshold"):
			err = fmt.Errorf("%s: its theorem is not about %v", inside.kind, relation)
		case inside.is("selection", "first_above", "tune_then_train", "above_threshold") && relation != accounting.AddOrRemoveOne:
			err = fmt.Errorf("%s: its theorem is about %v", inside.kind, accounting.AddOrRemoveOne)
		case inside.sampled():
			for _, child := range inside.children {
				if child.has(func(batches node) bool { return batches.counted(relation) }) {
					err = errors.New("batches whose number of examples must be public, on a Poisson sample, which hides it")
				}
			}
		}
		return err != nil
	})
	return err
}

// sampled reports whether the event runs others on a Poisson sample.
func (n node) sampled() bool {
	return n.kind == "poisson_sampled" && n.rate.Cmp(whole) < 0 || n.kind == "tune_then_train"
}

// counted reports whether the price of batches needs the number of examples.
func (n node) counted(relation accounting.Neighboring) bool {
	return n.is("sampled_without_replacement", "sampled_with_replacement", "shuffled") || n.kind == "truncated_poisson" && relation != accounting.AddOrRemoveOne
}

// inForm returns the event in its simplest form, and the names of the rules that changed it.
func (n node) inForm(relation accounting.Neighboring) (node, []string, error) {
	if err := n.checkRelation(relation); err != nil {
		return n, nil, err
	}
	f := &former{relation: relation, done: map[string]bool{}}
	out, err := f.of(n, false)
	var rules []string
	for _, rule := range []string{ruleOrder, ruleSum, ruleBatches, ruleSamples, ruleWorst} {
		if f.done[rule] {
			rules = append(rules, rule)
		}
	}
	return out, rules, err
}

// The rules of forms.
const (
	ruleOrder   = "shuffled batches as releases in a known order"
	ruleSum     = "a sum of clipped vectors as a Gaussian under the relation"
	ruleBatches = "batches in other words"
	ruleSamples = "samples of samples merged"
	ruleWorst   = "the part that dominates the others"
)

type former struct {
	relation accounting.Neighboring
	done     map[string]bool
}

// of returns n in its simplest form. On a sample whose outputs may be shown or whose size is fixed,
// sums stay as they are.
func (f *former) of(n node, kept bool) (node, error) {
	if n.kind == "shuffled" {
		var err error
		if n, err = f.inOrder(n); err != nil {
			return n, err
		}
		return f.of(n, kept)
	}
	if n = f.inOtherWords(n); n.kind == "clipped_sum" && !kept {
		f.done[ruleSum] = true
		return n.gaussian(f.moves(whole)), nil
	}
	switch n.kind {
	case "self_composed", "composed", "parallel", "worst_case":
	case "poisson_sampled":
		kept = kept || f.relation == accounting.ReplaceOne && n.rate.Cmp(whole) < 0
	case "sampled_without_replacement":
		if sum := n.children[0]; sum.kind == "clipped_sum" && f.relation == accounting.AddOrRemoveOne && n.rate.Cmp(whole) < 0 {
			f.done[ruleBatches] = true
			return f.of(node{kind: "poisson_sampled", rate: n.rate, children: []node{sum.gaussian(big.NewRat(4, 1))}}, kept)
		}
		kept = true
	default:
		return n, nil // a mechanism, whose rules know what it holds
	}
	out := n
	out.children = nil
	for _, child := range n.children {
		if child.kind == "shuffled" && n.is("poisson_sampled", "sampled_without_replacement") {
			return n, errors.New("shuffled batches of a sample, which hides their number of examples")
		}
		in, err := f.of(child, kept)
		if err != nil {
			return n, err
		}
		out.children = append(out.children, in)
	}
	return f.joined(out), nil
}

// moves returns the square of the distance that a record moves a sum of clipped vectors, times a
// factor.
func (f *former) moves(factor *big.Rat) *big.Rat {
	if f.relation == accounting.ReplaceOne {
		return product(factor, big.NewRat(4, 1))
	}
	return factor
}

// gaussian returns a release as one that a record moves by a distance of this square.
func (n node) gaussian(squared *big.Rat) node {
	return node{kind: "gaussian", noise: new(big.Rat).Quo(n.noise, squared)}
}

// repeated returns count runs of an event.
func repeated(n node, count float64) node {
	return node{kind: "self_composed", numbers: map[string]float64{"count": count}, children: []node{n}}
}

// inOrder returns releases in a known order in the place of shuffled batches. In an epoch a record
// moves them by 1, by 2 if another takes its place, and by √5 if there is one record fewer.
func (f *former) inOrder(n node) (node, error) {
	f.done[ruleOrder] = true
	inner, epochs := n.children[0], n.numbers["epochs"]
	if !inner.is("gaussian", "clipped_sum") {
		if f.relation == accounting.AddOrRemoveOne {
			return n, fmt.Errorf("shuffled batches of a %s, as another example moves into the place of a missing one", inner.kind)
		}
		return repeated(inner, epochs), nil
	}
	squared := whole
	switch {
	case f.relation == accounting.AddOrRemoveOne && n.numbers["batches"] > 1:
		squared = big.NewRat(5, 1)
	case inner.kind == "clipped_sum":
		squared = f.moves(whole)
	}
	return repeated(inner.gaussian(squared), epochs), nil
}

// inOtherWords returns the usual event for some that draw batches.
func (f *former) inOtherWords(n node) (out node) {
	defer func() { f.done[ruleBatches] = f.done[ruleBatches] || out.kind != n.kind }()
	poisson := func(rate *big.Rat, inner node) node {
		return node{kind: "poisson_sampled", rate: rate, children: []node{inner}}
	}
	counted := func(inside node) bool { return inside.counted(f.relation) }
	switch n.kind {
	case "random_allocation":
		inner, t, k := n.children[0], n.numbers["period"], n.numbers["participations"]
		switch {
		case inner.has(counted):
		case k == t:
			return repeated(inner, n.numbers["steps"])
		case n.numbers["steps"] == 1:
			return poisson(ratio(k, t), inner)
		}
	case "sampled_with_replacement":
		inner, draws, of := n.children[0], n.numbers["sample_size"], n.numbers["population_size"]
		switch {
		case inner.kind != "clipped_sum":
		case of == 1 && f.relation != accounting.AddOrRemoveOne:
			return inner.gaussian(f.moves(square(rational(draws))))
		case draws == 1 && of > 1:
			one := n
			one.kind, one.rate = "sampled_without_replacement", ratio(1, of)
			return f.inOtherWords(one)
		}
	case "sampled_without_replacement":
		inner := n.children[0]
		if n.rate.Cmp(whole) == 0 && (f.relation == accounting.ReplaceOne || f.relation == accounting.ReplaceSpecial && inner.kind == "clipped_sum") {
			return inner
		}
	case "mixture_of_gaussians":
		if rate, distance, ok := n.oneDistance(); ok && f.relation != accounting.ReplaceOne {
			noise := new(big.Rat).Quo(square(rational(n.numbers["noise_multiplier"])), square(distance))
			return f.joined(poisson(rate, node{kind: "gaussian", noise: noise}))
		}
	case "truncated_poisson":
		if n.numbers["cap"] >= n.numbers["population_size"] && n.children[0].kind == "clipped_sum" {
			return poisson(rational(n.numbers["sampling_rate"]), n.children[0])
		}
	}
	return n
}

// oneDistance returns the chance that a record moves a mixture of Gaussians, if all distances above
// 0 are equal. The chance that the list lacks of 1, apart from rounding, belongs to that distance.
func (n node) oneDistance() (rate, distance *big.Rat, ok bool) {
	rate, stays := new(big.Rat), new(big.Rat)
	for j, w := range n.lists["chances"] {
		s := rational(n.lists["distances"][j])
		switch {
		case w == 0:
		case s.Sign() == 0:
			stays.Add(stays, rational(w))
		case distance == nil || distance.Cmp(s) == 0:
			distance = s
			rate.Add(rate, rational(w))
		default:
			return nil, nil, false
		}
	}
	most := new(big.Rat).Sub(whole, stays)
	if lack := new(big.Rat).Sub(most, rate); stays.Sign() == 0 || lack.Cmp(rational(float64(len(n.lists["chances"]))*0x1p-52)) > 0 {
		rate = most
	}
	if rate.Cmp(whole) > 0 {
		rate = whole
	}
	return rate, distance, distance != nil
}

// joined returns an event whose parts are in their simplest form. Samples of samples become one,
// and what runs once is itself.
func (f *former) joined(n node) node {
	switch first := n.children[0]; n.kind {
	case "poisson_sampled":
		switch {
		case n.rate.Cmp(whole) == 0:
			return first
		case first.kind == "poisson_sampled":
			f.done[ruleSamples] = true
			n.rate, n.children = product(n.rate, first.rate), first.children
		case first.is("parallel", "worst_case"):
			f.done[ruleSamples] = true
			either := first
			either.children = nil
			for _, member := range first.children {
				either.children = append(either.children, f.joined(node{kind: n.kind, rate: n.rate, children: []node{member}}))
			}
			return f.joined(either)
		}
	case "sampled_without_replacement":
		if first.kind == n.kind && first.numbers["population_size"] == n.numbers["sample_size"] {
			f.done[ruleSamples] = true
			sizes := map[string]float64{"sample_size": first.numbers["sample_size"], "population_size": n.numbers["population_size"]}
			n.numbers, n.children, n.rate = sizes, first.children, ratio(sizes["sample_size"], sizes["population_size"])
		}
	case "self_composed":
		if n.numbers["count"] == 1 {
			return first
		}
	case "composed":
		if len(n.children) == 1 {
			return first
		}
	case "parallel", "worst_case":
		for i, candidate := range n.children {
			all := true
			for j, other := range n.children {
				all = all && (i == j || candidate.covers(other))
			}
			if all {
				f.done[ruleWorst] = f.done[ruleWorst] || len(n.children) > 1
				return candidate
			}
		}
	}
	return n
}

// covers reports whether an event has the noise of another or less, and its rate and number of runs
// or more. The other is then a post-processing of it.
func (n node) covers(other node) bool {
	switch {
	case n.kind != other.kind:
		return false
	case n.is("gaussian", "clipped_sum"):
		return n.noise.Cmp(other.noise) <= 0
	case n.kind == "poisson_sampled":
		return n.rate.Cmp(other.rate) >= 0 && n.children[0].covers(other.children[0])
	case n.kind == "self_composed":
		return n.numbers["count"] >= other.numbers["count"] && n.children[0].covers(other.children[0])
	}
	return false
}

// rounding limits how much a rounded number of a form may be on the safe side of the exact one.
const rounding = 1e-12

// above returns nil if n is the exact event, up to numbers that are rounded to the safe side, by at
// most the share within.
func (n node) above(exact node, within float64) error {
	if n.kind != exact.kind || len(n.children) != len(exact.children) {
		return fmt.Errorf("it has %s, and the rules give %s", n.kind, exact.kind)
	}
	far := func(a, b *big.Rat) bool { return a.Cmp(product(b, rational(1+within))) > 0 }
	switch n.kind {
	case "gaussian", "clipped_sum":
		if n.noise.Cmp(exact.noise) > 0 || far(exact.noise, n.noise) {
			return fmt.Errorf("%s: its noise is not that of the rules", n.kind)
		}
	case "poisson_sampled":
		if n.rate.Cmp(exact.rate) < 0 || far(n.rate, exact.rate) {
			return fmt.Errorf("%s: its rate is not that of the rules", n.kind)
		}
	case "self_composed":
		if a, b := n.numbers["count"], exact.numbers["count"]; a < b || a > b*(1+within) {
			return errors.New("self_composed: its count is not that of the rules")
		}
	case "composed", "parallel", "worst_case":
	default:
		if !reflect.DeepEqual(n.numbers, exact.numbers) || !reflect.DeepEqual(n.lists, exact.lists) || !reflect.DeepEqual(n.words, exact.words) || !reflect.DeepEqual(n.law, exact.law) {
			return fmt.Errorf("%s: its fields are not those of the event", n.kind)
		}
		if n.is("selection", "first_above", "tune_then_train", "random_allocation", "truncated_poisson", "sampled_with_replacement", "shuffled") {
			within = 0 // what a mechanism holds is not rewritten
		}
	}
	for i, child := range n.children {
		if err := child.above(exact.children[i], within); err != nil {
			return err
		}
	}
	return nil
}
