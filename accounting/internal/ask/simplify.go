package ask

import "github.com/dplab/dplab/accounting"

// simplified writes an event in a form with fewer alternatives. The result has the same laws, or is
// the worst of them.
//
//   - A sample of a Parallel or a WorstCase becomes one of samples: the records of each part are
//     sampled separately, and the choice does not look at them.
//   - Each Parallel and WorstCase becomes the member that dominates all others, if there is one.
//     Its outputs can be turned into those of the others, so it is the worst in any composition as
//     well.
//
// Any other event stays.
func simplified(event accounting.Node) accounting.Node {
	if event.Shape == accounting.Mechanism {
		return event
	}
	children := make([]accounting.Node, len(event.Children))
	for i, child := range event.Children {
		children[i] = simplified(child)
	}
	return simplest(event, children)
}

// simplest returns a node whose children are in their simplest form.
func simplest(event accounting.Node, children []accounting.Node) accounting.Node {
	switch {
	case event.Shape == accounting.PoissonSample && children[0].Shape == accounting.Either:
		either := children[0]
		sampled := make([]accounting.Node, len(either.Children))
		for i, member := range either.Children {
			sampled[i] = simplest(event, []accounting.Node{member})
		}
		return simplest(either, sampled)
	case event.Shape == accounting.Either:
		if i := worst(children); i >= 0 {
			return children[i]
		}
	}
	return event.With(children...)
}

// worst returns the place of the event that dominates the others, -1 if none does.
func worst(events []accounting.Node) int {
candidates:
	for i, candidate := range events {
		for j, other := range events {
			if i != j && !dominates(candidate, other) {
				continue candidates
			}
		}
		return i
	}
	return -1
}

// dominates reports whether a is of the form of b with at most the noise, and at least the rate and
// the runs. Then b is a post-processing of a: noise is added, or runs are dropped. A run at rate q'
// < q is one at rate q whose output is replaced, with chance 1 - q'/q, by one of a run without the
// example.
func dominates(a, b accounting.Node) bool {
	if a.Shape != b.Shape {
		return false
	}
	switch a.Shape {
	case accounting.Mechanism:
		switch less := a.Event.(type) {
		case accounting.Gaussian:
			more, same := b.Event.(accounting.Gaussian)
			return same && less.NoiseMultiplier <= more.NoiseMultiplier
		case accounting.ClippedSum:
			more, same := b.Event.(accounting.ClippedSum)
			return same && less.NoiseMultiplier <= more.NoiseMultiplier
		}
	case accounting.PoissonSample:
		return a.Rate >= b.Rate && dominates(a.Children[0], b.Children[0])
	case accounting.Repetition:
		return a.Count >= b.Count && dominates(a.Children[0], b.Children[0])
	}
	return false
}
