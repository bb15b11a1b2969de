package eventjson

import "github.com/dplab/dplab/accounting"

// The events of package accounting. Other packages register their events next to the types.
func init() {
	Register("gaussian",
		func(e accounting.Gaussian) []Field { return noise(e.NoiseMultiplier) },
		func(o *Object) accounting.Gaussian {
			return accounting.Gaussian{NoiseMultiplier: o.Float("noise_multiplier")}
		})
	Register("laplace",
		func(e accounting.Laplace) []Field { return noise(e.NoiseMultiplier) },
		func(o *Object) accounting.Laplace {
			return accounting.Laplace{NoiseMultiplier: o.Float("noise_multiplier")}
		})
	Register("randomized_response",
		func(e accounting.RandomizedResponse) []Field { return []Field{{"truth", e.Truth}} },
		func(o *Object) accounting.RandomizedResponse {
			return accounting.RandomizedResponse{Truth: o.Float("truth")}
		})
	Register("pure_dp",
		func(e accounting.PureDP) []Field { return []Field{{"epsilon", e.Epsilon}} },
		func(o *Object) accounting.PureDP { return accounting.PureDP{Epsilon: o.Float("epsilon")} })
	Register("exponential_mechanism",
		func(e accounting.ExponentialMechanism) []Field { return []Field{{"epsilon", e.Epsilon}} },
		func(o *Object) accounting.ExponentialMechanism {
			return accounting.ExponentialMechanism{Epsilon: o.Float("epsilon")}
		})
	Register("permute_and_flip",
		func(e accounting.PermuteAndFlip) []Field { return []Field{{"epsilon", e.Epsilon}} },
		func(o *Object) accounting.PermuteAndFlip {
			return accounting.PermuteAndFlip{Epsilon: o.Float("epsilon")}
		})
	Register("approx_dp",
		func(e accounting.ApproxDP) []Field { return []Field{{"epsilon", e.Epsilon}, {"delta", e.Delta}} },
		func(o *Object) accounting.ApproxDP {
			return accounting.ApproxDP{Epsilon: o.Float("epsilon"), Delta: o.Float("delta")}
		})
	Register("zcdp",
		func(e accounting.ZCDP) []Field { return []Field{{"rho", e.Rho}} },
		func(o *Object) accounting.ZCDP { return accounting.ZCDP{Rho: o.Float("rho")} })
	Register("profile_bound",
		func(e accounting.ProfileBound) []Field {
			return append(named(e.Name), Field{"epsilons", e.Epsilons}, Field{"deltas", e.Deltas})
		},
		func(o *Object) accounting.ProfileBound {
			return accounting.ProfileBound{Name: nameOf(o), Epsilons: o.Floats("epsilons"), Deltas: o.Floats("deltas")}
		})
	Register("renyi_bound",
		func(e accounting.RenyiBound) []Field {
			return append(named(e.Name), Field{"orders", e.Orders}, Field{"divergences", e.Divergences})
		},
		func(o *Object) accounting.RenyiBound {
			return accounting.RenyiBound{Name: nameOf(o), Orders: o.Floats("orders"), Divergences: o.Floats("divergences")}
		})
	Register("non_private",
		func(accounting.NonPrivate) []Field { return nil },
		func(*Object) accounting.NonPrivate { return accounting.NonPrivate{} })
	Register("poisson_sampled",
		func(e accounting.PoissonSampled) []Field {
			return []Field{{"sampling_rate", e.SamplingRate}, {"event", e.Event}}
		},
		func(o *Object) accounting.PoissonSampled {
			return accounting.PoissonSampled{SamplingRate: o.Float("sampling_rate"), Event: o.Event("event")}
		})
	Register("sampled_without_replacement",
		func(e accounting.SampledWithoutReplacement) []Field {
			return []Field{{"sample_size", e.SampleSize}, {"population_size", e.PopulationSize}, {"event", e.Event}}
		},
		func(o *Object) accounting.SampledWithoutReplacement {
			return accounting.SampledWithoutReplacement{
				SampleSize: o.Int("sample_size"), PopulationSize: o.Int("population_size"), Event: o.Event("event"),
			}
		})
	Register("self_composed",
		func(e accounting.SelfComposed) []Field { return []Field{{"count", e.Count}, {"event", e.Event}} },
		func(o *Object) accounting.SelfComposed {
			return accounting.SelfComposed{Count: o.Int("count"), Event: o.Event("event")}
		})
	Register("composed",
		func(e accounting.Composed) []Field { return []Field{{"events", e.Events}} },
		func(o *Object) accounting.Composed { return accounting.Composed{Events: o.Events("events")} })
	Register("parallel",
		func(e accounting.Parallel) []Field { return []Field{{"events", e.Events}} },
		func(o *Object) accounting.Parallel { return accounting.Parallel{Events: o.Events("events")} })
	Register("worst_case",
		func(e accounting.WorstCase) []Field { return []Field{{"events", e.Events}} },
		func(o *Object) accounting.WorstCase { return accounting.WorstCase{Events: o.Events("events")} })
}

// noise returns the only field of an additive mechanism.
func noise(multiplier float64) []Field { return []Field{{"noise_multiplier", multiplier}} }

// named returns the field of a name, which is left out if it is empty.
func named(name string) []Field {
	if name == "" {
		return nil
	}
	return []Field{{"name", name}}
}

func nameOf(o *Object) string {
	if o.Has("name") {
		return o.Text("name")
	}
	return ""
}

// withoutZero returns an event that reveals nothing as one that is valid today. Files of earlier
// versions have an ε or ρ of 0, which was valid.
func withoutZero(event accounting.Event) accounting.Event {
	switch event {
	case accounting.PureDP{}, accounting.ApproxDP{}, accounting.ZCDP{}, accounting.ExponentialMechanism{}, accounting.PermuteAndFlip{}:
		return accounting.RandomizedResponse{Truth: 0.5}
	}
	return event
}
