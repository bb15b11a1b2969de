package accounting

func init() {
	RegisterEventFormat(NewEventFormat("gaussian",
		func(e Gaussian) []JSONField { return noise(e.NoiseMultiplier) },
		func(o *JSONObject) Gaussian { return Gaussian{o.Float("noise_multiplier")} }))
	RegisterEventFormat(NewEventFormat("laplace",
		func(e Laplace) []JSONField { return noise(e.NoiseMultiplier) },
		func(o *JSONObject) Laplace { return Laplace{o.Float("noise_multiplier")} }))
	RegisterEventFormat(NewEventFormat("randomized_response",
		func(e RandomizedResponse) []JSONField { return []JSONField{{"truth", e.Truth}} },
		func(o *JSONObject) RandomizedResponse { return RandomizedResponse{o.Float("truth")} }))
	RegisterEventFormat(NewEventFormat("pure_dp",
		func(e PureDP) []JSONField { return []JSONField{{"epsilon", e.Epsilon}} },
		func(o *JSONObject) PureDP { return PureDP{o.Float("epsilon")} }))
	RegisterEventFormat(NewEventFormat("approx_dp",
		func(e ApproxDP) []JSONField { return []JSONField{{"epsilon", e.Epsilon}, {"delta", e.Delta}} },
		func(o *JSONObject) ApproxDP { return ApproxDP{Epsilon: o.Float("epsilon"), Delta: o.Float("delta")} }))
	RegisterEventFormat(NewEventFormat("zcdp",
		func(e ZCDP) []JSONField { return []JSONField{{"rho", e.Rho}} },
		func(o *JSONObject) ZCDP { return ZCDP{o.Float("rho")} }))
	RegisterEventFormat(NewEventFormat("non_private",
		func(NonPrivate) []JSONField { return nil },
		func(*JSONObject) NonPrivate { return NonPrivate{} }))
	RegisterEventFormat(NewEventFormat("poisson_sampled",
		func(e PoissonSampled) []JSONField {
			return []JSONField{{"sampling_rate", e.SamplingRate}, {"event", e.Event}}
		},
		func(o *JSONObject) PoissonSampled {
			return PoissonSampled{SamplingRate: o.Float("sampling_rate"), Event: o.Event("event")}
		}))
	RegisterEventFormat(NewEventFormat("sampled_without_replacement",
		func(e SampledWithoutReplacement) []JSONField {
			return []JSONField{{"sample_size", e.SampleSize}, {"population_size", e.PopulationSize}, {"event", e.Event}}
		},
		func(o *JSONObject) SampledWithoutReplacement {
			return SampledWithoutReplacement{SampleSize: o.Int("sample_size"), PopulationSize: o.Int("population_size"), Event: o.Event("event")}
		}))
	RegisterEventFormat(NewEventFormat("self_composed",
		func(e SelfComposed) []JSONField { return []JSONField{{"count", e.Count}, {"event", e.Event}} },
		func(o *JSONObject) SelfComposed { return SelfComposed{Count: o.Int("count"), Event: o.Event("event")} }))
	RegisterEventFormat(NewEventFormat("composed",
		func(e Composed) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) Composed { return Composed{o.Events("events")} }))
	RegisterEventFormat(NewEventFormat("parallel",
		func(e Parallel) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) Parallel { return Parallel{o.Events("events")} }))
	RegisterEventFormat(NewEventFormat("worst_case",
		func(e WorstCase) []JSONField { return []JSONField{{"events", e.Events}} },
		func(o *JSONObject) WorstCase { return WorstCase{o.Events("events")} }))
}

// noise is the one field of an additive mechanism.
func noise(multiplier float64) []JSONField { return []JSONField{{"noise_multiplier", multiplier}} }

// NewEventFormat makes the format of one type of event: encode lists its fields, decode reads
// them.
func NewEventFormat[E Event](name string, encode func(E) []JSONField, decode func(*JSONObject) E) EventFormat {
	return EventFormat{
		Type: name,
		Encode: func(event Event) ([]JSONField, bool) {
			if e, ok := event.(E); ok {
				return encode(e), true
			}
			return nil, false
		},
		Decode: func(o *JSONObject) Event { return decode(o) },
	}
}
