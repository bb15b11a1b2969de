package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
)

// How batches are drawn: the values of -batches. A later scheme is one more of them.
const (
	batchesPoisson  = "poisson"
	batchesShuffled = "shuffled"
	batchesFixed    = "fixed"
	sampleOfSize    = "fixed size" // only of a plan's sampled_without_replacement
)

// batches says how the batches of an answer are drawn, and what its price rests on.
type batches struct {
	Scheme    string     `json:"scheme"`
	Drawn     string     `json:"drawn"`
	Epochs    int        `json:"epochs,omitempty"`
	Neighbors []neighbor `json:"neighbors,omitempty"` // the price by which data sets are compared
}

// neighbor is the price of shuffled batches under one relation.
type neighbor struct {
	Neighboring accounting.Neighboring `json:"neighboring"`
	Epsilon     accounting.Number      `json:"epsilon"`
	If          string                 `json:"if"`
}

// shuffled reports whether prices are only upper ends: those of a pair that shuffled batches do
// not reach.
func (b *batches) shuffled() bool { return b != nil && b.Scheme == batchesShuffled }

const (
	coins         = "each example joins each step by its own coin (Poisson)"
	sizes         = "each step draws a fixed number of examples afresh"
	otherwise     = "; for shuffled batches: -batches shuffled"
	otherwisePlan = "; shuffled batches cost more: dpcost sgd -batches shuffled"
)

// drawn returns how the batches of a mechanism are drawn, nil if it samples nothing. It reads the
// mechanism's text: every event writes the events inside it, also one that this program has never
// met.
func drawn(mechanism, hint string) *batches {
	var b batches
	var schemes, says []string
	if strings.Contains(mechanism, "PoissonSampled(") {
		schemes, says = append(schemes, batchesPoisson), append(says, coins+hint)
	}
	if strings.Contains(mechanism, "SampledWithoutReplacement(") {
		schemes, says = append(schemes, sampleOfSize), append(says, sizes)
	}
	if len(schemes) == 0 {
		return nil
	}
	b.Scheme, b.Drawn = strings.Join(schemes, " and "), strings.Join(says, "; ")
	return &b
}

// What one record can change in an epoch of disjoint batches, in clipping norms: the root of the
// sum over steps of the squares. Every order is drawn without looking at the data.
//
//	1   its place stays empty (fixed), or its gradient is zero
//	2   another record takes its place
//	√5  the loader shuffles one record fewer
//
// Proof. Compare the two runs at one order of each epoch, for √5 at one pair of orders, and given
// what was released before. A step whose batches are equal has equal laws. Every other step is a
// Gaussian release whose sums differ by at most a known number of clipping norms. Gaussian releases
// of distances s_i compose to one of distance √Σs_i², whatever later ones see of earlier ones
// (Dong, Roth, Su 2019, arXiv:1905.02383v3, Corollary 3.3). The orders have one law in both runs,
// and the divergences are jointly convex: the mixture over orders is no larger.
//
// 1 and 2: a record is in one batch of each epoch, and both runs have the same order.
//
// √5: let record x be missing from the second run. Take the order of the first, drop x, and put the
// last record into x's place. Given x's place, the rest of an evenly drawn order is evenly drawn.
// Moving its last record to that place is one-to-one, so that the second order is evenly drawn too.
// x's batch loses x and gains the moved record: distance 2. The last batch loses the moved record:
// distance 1. If x is in the last batch, the distance is 1. An order that is kept for all epochs
// changes nothing.
//
// The last argument needs the same number of steps in both runs, and sums that are divided by one
// number in both.
const (
	distanceEmpty    = 1
	distanceReplaced = 2
)

var distanceShuffled = math.Sqrt(5) // the float64 is above √5

// disjoint is epochs of disjoint batches, in each of which a record changes at most the distance.
func disjoint(epochs int, distance float64) func(noise float64) accounting.Event {
	return func(noise float64) accounting.Event {
		scaled := noise / distance
		if distance != distanceEmpty {
			scaled = math.Nextafter(scaled, 0) // the quotient may be rounded up
		}
		one := accounting.Gaussian{NoiseMultiplier: scaled}
		if epochs == 1 {
			return one
		}
		return accounting.SelfComposed{Event: one, Count: epochs}
	}
}

// epochsOf is how often a record takes part, at most. rate is the batch size over the number of
// records, and an epoch has 1/rate steps, rounded down where the incomplete batch is dropped. The
// factor keeps 1/(1/49) at 49: sizes are below 1e12, so that no other quotient of them is as near
// to a whole number.
func epochsOf(rate float64, steps int) int {
	return int(max(1, math.Ceil(float64(steps)/max(1, math.Floor(1/rate*(1+1e-13))))))
}

// epochCount is the number of epochs of -epochs, or else of -rate and -steps.
func (o *options) epochCount() int {
	if o.epochs.given {
		return int(o.epochs.value)
	}
	return epochsOf(o.rate.value, int(o.steps.value))
}

// scheme is the value of -batches.
func (o *options) scheme() string {
	if !o.batches.given {
		return batchesPoisson
	}
	return o.batches.text
}

// validateBatches checks -batches and -epochs.
func (o *options) validateBatches() error {
	switch o.scheme() {
	case batchesPoisson:
		return refuse("epochs", o.epochs, "with Poisson batches, which have no epochs: must be -rate and -steps")
	case batchesShuffled, batchesFixed:
		return obey("epochs", o.epochs, wholeCount)
	}
	return fmt.Errorf("-batches %q: must be poisson, shuffled or fixed", o.batches.text)
}

// batchesOf is what the answer to a command line says of its batches.
func (o *options) batchesOf() *batches {
	if o.base.given && o.base.text != baseSGD {
		return nil
	}
	switch o.scheme() {
	case batchesShuffled:
		e := o.epochCount()
		return &batches{Scheme: batchesShuffled, Epochs: e, Drawn: fmt.Sprintf("shuffled in every epoch (%d), priced as if the order were known: an epoch is one Gaussian of distance √5, "+
			"as a loader without the example moves another one into its batch, and the last batch is one smaller", e)}
	case batchesFixed:
		e := o.epochCount()
		return &batches{Scheme: batchesFixed, Epochs: e, Drawn: fmt.Sprintf("each example is in one batch of every epoch (%d), by a rule that looks at no data; "+
			"a missing example leaves its place empty, and no other one moves (else -batches shuffled)", e)}
	}
	return &batches{Scheme: batchesPoisson, Drawn: coins + otherwise}
}

// neighborsOf prices shuffled batches under every relation.
func neighborsOf(epochs int, noise, delta float64) ([]neighbor, error) {
	list := []neighbor{
		{accounting.ReplaceSpecial, 0, "an example's gradient is zero and its place in the order stays; also under add-or-remove-one, if the place stays empty"},
		{accounting.ReplaceOne, 0, "another example takes its place"},
		{accounting.AddOrRemoveOne, 0, "the loader shuffles one example fewer, the number of steps is the same, and sums are divided by the same number"},
		{accounting.AddOrRemoveOne, accounting.Number(math.Inf(1)), "the number of steps, or what sums are divided by, depends on how many examples there are"},
	}
	for i, distance := range []float64{distanceEmpty, distanceReplaced, distanceShuffled} {
		g, err := auto.NewAccountant().EpsilonAt(disjoint(epochs, distance)(noise), delta)
		if err != nil {
			return nil, err
		}
		list[i].Epsilon = accounting.Number(g.Epsilon.Upper)
	}
	return list, nil
}

// writeNeighbors writes the block of shuffled batches.
func (b *batches) writeNeighbors(out io.Writer, w *tabwriter.Writer) {
	if len(b.Neighbors) == 0 {
		return
	}
	fmt.Fprintf(out, "\nepsilon by how data sets differ\n")
	for _, n := range b.Neighbors {
		fmt.Fprintf(w, "  %s\t%v\t%s\n", roundUp(float64(n.Epsilon)), n.Neighboring, n.If)
	}
	w.Flush()
}
