package ask

import (
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
)

// This file bounds the cost of shuffled batches from above by Gaussian releases, as if the order
// were known.

// The distances bound the change by one record in an epoch of disjoint batches, in clipping norms:
// the root of the sum over steps of the squares. Every order is drawn without looking at the data.
//
//	1   its place stays empty, or its gradient is zero
//	2   another record takes its place
//	√5  the loader shuffles one record fewer, into as many batches
//
// Proof. Compare the two runs at one order of each epoch, for √5 at one pair of orders, and given
// all earlier releases. A step whose batches are equal has equal laws. Every other step is a
// Gaussian release whose sums differ by at most a known number of clipping norms. Gaussian
// releases of distances s_i compose to one of distance √Σs_i², also if later ones depend on
// earlier ones (Dong, Roth, Su 2019, arXiv:1905.02383v3, Corollary 3.3). The orders have the same
// law in both runs. Divergences are jointly convex. So the mixture over orders has no larger one.
//
// 1 and 2: a record is in one batch of each epoch, and both runs have the same order.
//
// √5: let record x be missing from the second run. Take the order of the first, drop x, and put
// the last record into x's place. Given x's place, the rest of an evenly drawn order is evenly
// drawn. Moving its last record to that place is one-to-one, so the second order is evenly drawn
// too. x's batch loses x and gains the moved record: distance 2. The last batch loses the moved
// record: distance 1. If x is in the last batch, the distance is 1. An order that is kept for all
// epochs changes nothing.
//
// The last argument needs the same number of steps in both runs, and the same divisor of the sums.
const (
	Empty    = 1
	Replaced = 2
)

// Moved is √5. The float64 is above it.
var Moved = math.Sqrt(5)

// KnownOrder names the proof, and GivenOrder is what a certificate takes from it.
const (
	KnownOrder = "shuffled batches as releases in a known order, by joint convexity"
	GivenOrder = "that releases in a known order dominate shuffled batches (joint convexity)"
)

// Gaussians returns epochs of disjoint batches. In each of them a record changes the sums by at
// most the distance. noise is the noise over the clip norm.
func Gaussians(epochs int, noise, distance float64) accounting.Event {
	return gaussians(epochs, noise, distance).Event
}

func gaussians(epochs int, noise, distance float64) accounting.Node {
	scaled := noise / distance
	if distance != Empty {
		scaled = math.Nextafter(scaled, 0) // the quotient may be rounded up
	}
	return repeated(accounting.Node{Event: accounting.Gaussian{NoiseMultiplier: scaled}, Count: 1}, epochs)
}

func repeated(event accounting.Node, count int) accounting.Node {
	return accounting.Node{Shape: accounting.Repetition, Count: count}.With(event)
}

// aboveShuffled returns an event that dominates shuffled batches under a relation. Under
// AddOrRemoveOne the number of batches is the same without the record, and the event on a batch
// must be a Gaussian or a ClippedSum. Otherwise the error wraps ErrUnsupportedEvent.
//
// A Gaussian is only known to move by 1 under the relation. A record that takes the place of
// another under AddOrRemoveOne is a removed and an added one, so it moves a release by at most 2.
func aboveShuffled(n accounting.Node, relation accounting.Neighboring) (accounting.Node, error) {
	e := n.Event.(accounting.Shuffled)
	distance, noise := float64(Empty), 0.0
	switch inner := e.Event.(type) {
	case accounting.ClippedSum:
		if noise = inner.NoiseMultiplier; relation == accounting.ReplaceOne {
			distance = Replaced
		}
	case accounting.Gaussian:
		noise = inner.NoiseMultiplier
	default:
		if relation != accounting.AddOrRemoveOne {
			return repeated(n.Children[0], e.Epochs), nil // one batch of an epoch changes, by one record
		}
		return accounting.Node{}, fmt.Errorf("%v: %w for %v: the event on a batch must be a ClippedSum or a Gaussian, as another example moves into the place of a missing one", e, accounting.ErrUnsupportedEvent, relation)
	}
	if relation == accounting.AddOrRemoveOne && e.Batches > 1 {
		distance = Moved
	}
	return gaussians(e.Epochs, noise, distance), nil
}

// errSampled explains why shuffled batches of a sample have no price.
var errSampled = errors.New("the number of examples that are shuffled must be public, and a sample hides it")

// replaceShuffled returns the node with the event above in the place of each Shuffled, and whether
// there was one. Those inside Holders stay. A Shuffled inside a sample is refused with an error
// that wraps ErrUnsupportedEvent.
func replaceShuffled(node accounting.Node, relation accounting.Neighboring) (replaced accounting.Node, found bool, err error) {
	if isShuffled(node) {
		if node, err = aboveShuffled(node, relation); err == nil {
			node, _, err = replaceShuffled(node, relation) // of the event on a batch
		}
		return node, true, err
	}
	if node.Shape == accounting.Mechanism {
		return node, false, nil
	}
	children := make([]accounting.Node, len(node.Children))
	for i, child := range node.Children {
		inside, foundHere, err := replaceShuffled(child, relation)
		if err != nil {
			return accounting.Node{}, true, err
		}
		children[i], found = inside, found || foundHere
	}
	if !found {
		return node, false, nil
	}
	if node.Shape == accounting.PoissonSample || node.Shape == accounting.FixedSizeSample {
		return accounting.Node{}, true, fmt.Errorf("%v: %w: %w", node.Event, accounting.ErrUnsupportedEvent, errSampled)
	}
	return node.With(children...), true, nil
}
