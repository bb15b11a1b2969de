package certified

import "github.com/dplab/dplab/accounting"

// Simplify replaces each Parallel and WorstCase by the member that dominates all others,
// where there is one: its outputs can be turned into those of the others, so that it is the
// worst in any composition as well. What it does not know stays as it is.
func Simplify(event accounting.Event) accounting.Event {
	switch e := event.(type) {
	case accounting.Parallel:
		return worst(e.Events, event)
	case accounting.WorstCase:
		return worst(e.Events, event)
	case accounting.SelfComposed:
		return accounting.SelfComposed{Event: Simplify(e.Event), Count: e.Count}
	case accounting.PoissonSampled:
		return accounting.PoissonSampled{SamplingRate: e.SamplingRate, Event: Simplify(e.Event)}
	case accounting.Composed:
		events := make([]accounting.Event, len(e.Events))
		for i, inner := range e.Events {
			events[i] = Simplify(inner)
		}
		return accounting.Composed{Events: events}
	}
	return event
}

func worst(events []accounting.Event, otherwise accounting.Event) accounting.Event {
candidates:
	for _, candidate := range events {
		for _, other := range events {
			if !dominates(candidate, other) {
				continue candidates
			}
		}
		return Simplify(candidate)
	}
	return otherwise
}

// dominates reports whether a is of the form of b with no more noise, no lower rate and
// no fewer runs. Then b is a post-processing of a: noise is added; a run at rate q' < q
// is one at rate q whose output is replaced, with chance 1 - q'/q, by one of a run without
// the example; runs are dropped.
func dominates(a, b accounting.Event) bool {
	switch a := a.(type) {
	case accounting.Gaussian:
		b, ok := b.(accounting.Gaussian)
		return ok && a.NoiseMultiplier <= b.NoiseMultiplier
	case accounting.PoissonSampled:
		b, ok := b.(accounting.PoissonSampled)
		return ok && a.SamplingRate >= b.SamplingRate && dominates(a.Event, b.Event)
	case accounting.SelfComposed:
		b, ok := b.(accounting.SelfComposed)
		return ok && a.Count >= b.Count && dominates(a.Event, b.Event)
	}
	return false
}
