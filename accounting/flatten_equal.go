package accounting

import (
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// usual returns the node with other words for some events that draw batches. Then equal mechanisms
// have one price, that of an event which every accountant knows:
//
//	one step of RandomAllocation       PoissonSampled at rate k/t, rounded up
//	RandomAllocation, k = t            SelfComposed
//	SampledWithReplacement, 1 draw     SampledWithoutReplacement, 1 of n > 1
//	b draws from 1, not AddOrRemoveOne a sum that moves b times as far
//	n of n, ReplaceOne                 what runs on the sample
//	n of n, ReplaceSpecial             the same, for a ClippedSum
//	TruncatedPoisson, Cap n            PoissonSampled
//	MixtureOfGaussians, one distance   PoissonSampled Gaussian, or Gaussian: see sampled
//
// Proof of all but the last: both events are one mechanism, on every data set of the relation. A
// uniform set of k of t steps has the first step with chance k/t, and is drawn independently for
// each example. That is a Poisson sample. If k = t, each example is in each step. One draw is a
// uniform set of size 1, also on the smaller data set of AddOrRemoveOne. All b draws from one
// example are that example, which counts b times. A sample of n of n has all examples. A batch of
// at most n examples is not cut if the cap is at least n. ∎
//
// They are one mechanism for a group of several changed records too. For a mixture that is not so:
// see sampled.
func (n Node) usual(relation Neighboring) Node {
	counted := func(inside Node) bool { return inside.counted(relation) }
	switch {
	case n.Shape == PoissonSample && n.Contains(counted): // CheckRelation refuses it
		return n
	case n.Shape != Mechanism:
		children := make([]Node, len(n.Children))
		for i, child := range n.Children {
			children[i] = child.usual(relation)
		}
		if n.Shape == FixedSizeSample && n.Rate == 1 && (relation == ReplaceOne || relation == ReplaceSpecial && IsClippedSum(children[0])) {
			return children[0]
		}
		return n.With(children...)
	}
	switch e := n.Event.(type) {
	case RandomAllocation:
		inner := n.Children[0]
		switch {
		case inner.Contains(counted): // a Poisson sample would hide the number of examples
		case e.Participations == e.Period:
			return Node{Shape: Repetition, Count: e.Steps}.With(inner.usual(relation))
		case e.Steps == 1:
			return Node{Shape: PoissonSample, Rate: ratioUp(e.Participations, e.Period), Count: 1}.With(inner.usual(relation))
		}
	case SampledWithReplacement:
		sum, ok := n.Children[0].Event.(ClippedSum)
		switch {
		case !ok:
		case e.PopulationSize == 1 && relation != AddOrRemoveOne:
			distance := float64(e.SampleSize)
			if relation == ReplaceOne {
				distance *= 2
			}
			return Node{Event: moved(sum.NoiseMultiplier, distance), Count: 1}
		case e.SampleSize == 1 && e.PopulationSize > 1:
			sample := SampledWithoutReplacement{SampleSize: 1, PopulationSize: e.PopulationSize}
			return Node{Event: sample, Shape: FixedSizeSample, Count: 1}.With(n.Children[0])
		}
	case TruncatedPoisson:
		if e.Cap >= e.PopulationSize && IsClippedSum(n.Children[0]) {
			return Node{Shape: PoissonSample, Rate: e.SamplingRate, Count: 1}.With(n.Children[0])
		}
	case MixtureOfGaussians:
		if rate, gaussian, ok := e.sampled(); ok && relation != ReplaceOne {
			return Node{Shape: PoissonSample, Rate: rate, Count: 1}.With(Node{Event: gaussian, Count: 1})
		}
	}
	return n
}

// sampled returns the Gaussian on a Poisson sample that a mixture is for one added, removed or
// zeroed record, if all of its distances above 0 are equal. ok is false for all others.
//
// Proof. With the record the release is N(s, σ²) with chance q, and else N(0, σ²). That is the pair
// of a Gaussian of σ/s on a Poisson sample at rate q. Both are attained. ∎ For several changed
// records it does not hold: their distances may be drawn by one coin.
//
// The chance that the list lacks of 1 belongs to the largest distance. What rounding may have
// taken, half a unit of 1 for each entry, belongs to distance 0.
func (e MixtureOfGaussians) sampled() (rate float64, gaussian Event, ok bool) {
	distance, stays := 0.0, 0.0
	for j, w := range e.Chances {
		switch s := e.Distances[j]; {
		case w == 0:
		case s == 0:
			stays += w
		case rate == 0:
			distance, rate = s, w
		case s == distance:
			rate = math.Nextafter(rate+w, 2)
		default:
			return 0, nil, false
		}
	}
	if rate == 0 { // nothing moves: no event has this meaning
		return 0, nil, false
	}
	if most := 1 - stays; stays == 0 || most-rate > float64(len(e.Chances))*0x1p-53 {
		rate = math.Nextafter(most, 2)
	}
	return math.Min(1, rate), moved(e.NoiseMultiplier, distance), true
}

// moved returns the Gaussian that moves by a distance, its noise multiplier rounded down.
func moved(noise, distance float64) Event {
	relative := noise / distance
	if math.FMA(relative, distance, -noise) > 0 {
		relative = math.Nextafter(relative, 0)
	}
	if relative < check.LeastNormal { // no event has such a noise multiplier
		return NonPrivate{}
	}
	return Gaussian{relative}
}

// ratioUp returns m/n, rounded up.
func ratioUp(m, n int) float64 {
	ratio := float64(m) / float64(n)
	if math.FMA(ratio, float64(n), -float64(m)) < 0 {
		ratio = math.Nextafter(ratio, 2)
	}
	return ratio
}
