package certified

import "github.com/dplab/dplab/accounting"

// Simplify writes an event in its simplest form: what is left has the same laws, or is the worst of
// them. Samples of samples are joined; a composition of one event and a sample of all are taken
// off. A sample of a Parallel or a WorstCase is one of samples: the records of each part are
// sampled by themselves, and the choice does not look at them. Each Parallel and WorstCase becomes
// the member that dominates all others, where there is one: its outputs can be turned into those of
// the others, so that it is the worst in any composition as well. What it does not know stays.
func Simplify(event accounting.Event) accounting.Event {
	switch e := event.(type) {
	case accounting.Parallel:
		return parallel(simplified(e.Events))
	case accounting.WorstCase:
		return worstCase(simplified(e.Events))
	case accounting.PoissonSampled:
		return sampled(e.SamplingRate, Simplify(e.Event))
	case accounting.SampledWithoutReplacement:
		e.Event = Simplify(e.Event)
		return e
	case accounting.SelfComposed:
		if e.Count == 1 {
			return Simplify(e.Event)
		}
		return accounting.SelfComposed{Event: Simplify(e.Event), Count: e.Count}
	case accounting.Composed:
		if len(e.Events) == 1 {
			return Simplify(e.Events[0])
		}
		return accounting.Composed{Events: simplified(e.Events)}
	}
	return event
}

func simplified(events []accounting.Event) []accounting.Event {
	return each(events, Simplify)
}

func each(events []accounting.Event, change func(accounting.Event) accounting.Event) []accounting.Event {
	all := make([]accounting.Event, len(events))
	for i, inner := range events {
		all[i] = change(inner)
	}
	return all
}

// sampled returns the simplest form of a sample of an event that is in its own.
func sampled(rate float64, event accounting.Event) accounting.Event {
	if rate == 1 {
		return event
	}
	sample := func(inner accounting.Event) accounting.Event { return sampled(rate, inner) }
	switch e := event.(type) {
	case accounting.Parallel:
		return parallel(each(e.Events, sample))
	case accounting.WorstCase:
		return worstCase(each(e.Events, sample))
	}
	return accounting.PoissonSampled{SamplingRate: rate, Event: event}.Flat()
}

func parallel(events []accounting.Event) accounting.Event {
	if worst := worst(events); worst != nil {
		return worst
	}
	return accounting.Parallel{Events: events}
}

func worstCase(events []accounting.Event) accounting.Event {
	if worst := worst(events); worst != nil {
		return worst
	}
	return accounting.WorstCase{Events: events}
}

// worst returns the event that dominates the others, nil if none does.
func worst(events []accounting.Event) accounting.Event {
candidates:
	for i, candidate := range events {
		for j, other := range events {
			if i != j && !dominates(candidate, other) {
				continue candidates
			}
		}
		return candidate
	}
	return nil
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
