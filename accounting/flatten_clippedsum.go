package accounting

// Lowered returns the node with each ClippedSum replaced by the event that it is under the
// relation. Accountants call it after [Flatten]. They need to know about a ClippedSum only on a
// Poisson sample under ReplaceOne. An event that is another in other words is replaced too, such as
// one step of a RandomAllocation by a Poisson sample.
//
//	AddOrRemoveOne, ReplaceSpecial   Gaussian{σ}: the sum moves by at most 1
//	ReplaceOne                       Gaussian{σ/2}: it moves by at most 2; σ/2 is exact
//	ReplaceOne, Poisson sample       it stays, if it is the whole event on the sample
//	AddOrRemoveOne, m of n records   PoissonSampled{m/n, Gaussian{σ/2}}, m/n rounded up: see
//	                                 SampledWithoutReplacement
//	other fixed-size samples         it stays, with all else inside the sample
//
// A Poisson sample under ReplaceOne keeps everything inside. If its child is a ClippedSum, the old
// and the new record may both be absent, and the exact pair of laws is
//
//	(1-q) N(0, σ²) + q N(1, σ²)   and   (1-q) N(0, σ²) + q N(-1, σ²).
//
// For any other child, Lowered of the child is an upper bound of each run that has the record. The
// sample may then be shown, so the price on the sample has no lower end.
//
// What a [Holder] holds stays, because the Holder's package decides what it costs.
//
// The result is for neighbors that differ by one record. Groups of records need their own proof.
func (n Node) Lowered(relation Neighboring) Node { return n.usual(relation).lowered(relation) }

func (n Node) lowered(relation Neighboring) Node {
	if !n.Contains(IsClippedSum) {
		return n
	}
	switch {
	case n.Shape == FixedSizeSample && relation == AddOrRemoveOne && IsClippedSum(n.Children[0]):
		return n.filled()
	case n.Shape == PoissonSample && n.Contains(func(inside Node) bool { return inside.counted(relation) }):
		return n // CheckRelation refuses it
	case n.Shape == FixedSizeSample, n.Shape == PoissonSample && relation == ReplaceOne:
		return n
	case n.Shape == Mechanism:
		if sum, ok := n.Event.(ClippedSum); ok {
			n.Event = sum.lowered(relation)
		}
		return n
	}
	children := make([]Node, len(n.Children))
	for i, child := range n.Children {
		children[i] = child.lowered(relation)
	}
	return n.With(children...)
}

// IsClippedSum reports whether the event of a node is a [ClippedSum].
func IsClippedSum(n Node) bool {
	_, ok := n.Event.(ClippedSum)
	return ok
}

// filled returns a sample of m < n records as the Poisson sample that it is under AddOrRemoveOne. A
// sample of all n records stays: without the record there are too few.
//
// Proof. Let r_1..r_m be m of the n-1 other records, in random order. The sample holds them. With
// chance m/n, independently of the r, the record x takes the place of r_m. Reveal the r and
// subtract their vectors. Without x the release is N(0, σ²). With x it is N(x-r_m, σ²) with chance
// m/n, and N(0, σ²) otherwise. |x-r_m| <= 2, which is attained. ∎
func (n Node) filled() Node {
	sample := n.Event.(SampledWithoutReplacement)
	if sample.SampleSize == sample.PopulationSize {
		return n
	}
	rate := ratioUp(sample.SampleSize, sample.PopulationSize)
	inner := Node{Event: sample.Event.(ClippedSum).lowered(ReplaceOne), Count: 1}
	return Node{Shape: PoissonSample, Rate: rate, Count: 1}.With(inner)
}

// lowered returns the event of a sum that is not on a sample. Under ReplaceOne one vector of norm
// at most 1 takes the place of another, which moves the sum by at most 2.
func (e ClippedSum) lowered(relation Neighboring) Event {
	if relation != ReplaceOne {
		return Gaussian(e)
	}
	return moved(e.NoiseMultiplier, 2)
}
