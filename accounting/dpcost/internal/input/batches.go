package input

import (
	"math"
	"strings"

	"github.com/dplab/dplab/accounting"
)

// The values of -batches.
const (
	Poisson      = "poisson"
	Shuffled     = "shuffled"
	Fixed        = "fixed"
	sampleOfSize = "fixed size" // only for a plan's sampled_without_replacement
)

// Batches describes how the batches of an answer are drawn. The price depends on it.
type Batches struct {
	Scheme    string     `json:"scheme"`
	Drawn     string     `json:"drawn"`
	Epochs    int        `json:"epochs,omitempty"`
	Neighbors []Neighbor `json:"neighbors,omitempty"` // the price under each relation
}

// Neighbor is the price of shuffled batches under one relation.
type Neighbor struct {
	Neighboring accounting.Neighboring `json:"neighboring"`
	Epsilon     accounting.Number      `json:"epsilon"`
	If          string                 `json:"if"`
}

// IsShuffled reports whether the batches are shuffled. Their prices are upper ends only, because
// shuffled batches do not reach the pair that is priced.
func (b *Batches) IsShuffled() bool { return b != nil && b.Scheme == Shuffled }

const (
	coins         = "each example joins each step by its own coin (Poisson)"
	sizes         = "each step draws a new sample of fixed size"
	otherwise     = "; for shuffled batches use -batches shuffled"
	otherwiseFile = "; shuffled batches cost more: dpcost sgd -batches shuffled"
)

// BatchesOf returns how the batches of a mechanism are drawn. It is nil if the mechanism does not
// sample. It reads the mechanism's text, because every event writes the events inside it, also one
// that this program does not know.
func BatchesOf(mechanism string) *Batches {
	var b Batches
	var schemes, texts []string
	if strings.Contains(mechanism, "PoissonSampled(") {
		schemes, texts = append(schemes, Poisson), append(texts, coins+otherwiseFile)
	}
	if strings.Contains(mechanism, "SampledWithoutReplacement(") {
		schemes, texts = append(schemes, sampleOfSize), append(texts, sizes)
	}
	if len(schemes) == 0 {
		return nil
	}
	b.Scheme, b.Drawn = strings.Join(schemes, " and "), strings.Join(texts, "; ")
	return &b
}

// The distances are bounds on the change by one record in an epoch of disjoint batches, in clipping
// norms: the root of the sum over steps of the squares. Every order is drawn without looking at the
// data.
//
//	1   its place stays empty (fixed), or its gradient is zero
//	2   another record takes its place
//	√5  the loader shuffles one record fewer
//
// Proof. Compare the two runs at one order of each epoch, for √5 at one pair of orders, and given
// all earlier releases. A step whose batches are equal has equal laws. Every other step is a
// Gaussian release whose sums differ by at most a known number of clipping norms. Gaussian releases
// of distances s_i compose to one of distance √Σs_i², also if later ones depend on earlier ones
// (Dong, Roth, Su 2019, arXiv:1905.02383v3, Corollary 3.3). The orders have the same law in both
// runs. Divergences are jointly convex, so that of the mixture over orders is not larger.
//
// 1 and 2: a record is in one batch of each epoch, and both runs have the same order.
//
// √5: let record x be missing from the second run. Take the order of the first, drop x, and put the
// last record into x's place. Given x's place, the rest of an evenly drawn order is evenly drawn.
// Moving its last record to that place is one-to-one, so the second order is evenly drawn too. x's
// batch loses x and gains the moved record: distance 2. The last batch loses the moved record:
// distance 1. If x is in the last batch, the distance is 1. An order that is kept for all epochs
// changes nothing.
//
// The last argument needs the same number of steps in both runs, and the same divisor of the sums.
const (
	DistanceEmpty    = 1
	DistanceReplaced = 2
)

// DistanceShuffled is √5. The float64 is above it.
var DistanceShuffled = math.Sqrt(5)

// Disjoint returns epochs of disjoint batches. In each of them a record changes the sums by at most
// the distance.
func Disjoint(epochs int, distance float64) func(noise float64) accounting.Event {
	return func(noise float64) accounting.Event {
		scaled := noise / distance
		if distance != DistanceEmpty {
			scaled = math.Nextafter(scaled, 0) // the quotient may be rounded up
		}
		one := accounting.Gaussian{NoiseMultiplier: scaled}
		if epochs == 1 {
			return one
		}
		return accounting.SelfComposed{Event: one, Count: epochs}
	}
}

// epochsOf returns the largest number of times that a record takes part. rate is the batch size
// over the number of records. An epoch has 1/rate steps, rounded down in case the incomplete batch
// is dropped. The factor keeps 1/(1/49) at 49. Sizes are below 1e12, so no other quotient of them
// is as near to a whole number.
func epochsOf(rate float64, steps int) int {
	return int(max(1, math.Ceil(float64(steps)/max(1, math.Floor(1/rate*(1+1e-13))))))
}
