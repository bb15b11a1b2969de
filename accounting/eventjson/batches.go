package eventjson

import "github.com/dplab/dplab/accounting"

// The events of batches.
func init() {
	Register("clipped_sum",
		func(e accounting.ClippedSum) []Field { return noise(e.NoiseMultiplier) },
		func(o *Object) accounting.ClippedSum {
			return accounting.ClippedSum{NoiseMultiplier: o.Float("noise_multiplier")}
		})
	Register("random_allocation",
		func(e accounting.RandomAllocation) []Field {
			return []Field{{"period", e.Period}, {"steps", e.Steps}, {"participations", e.Participations}, {"event", e.Event}}
		},
		func(o *Object) accounting.RandomAllocation {
			return accounting.RandomAllocation{
				Period: o.Int("period"), Steps: o.Int("steps"), Participations: o.Int("participations"), Event: o.Event("event"),
			}
		})
	Register("shuffled",
		func(e accounting.Shuffled) []Field {
			return []Field{{"batches", e.Batches}, {"epochs", e.Epochs}, {"kept", e.Kept}, {"event", e.Event}}
		},
		func(o *Object) accounting.Shuffled {
			return accounting.Shuffled{Batches: o.Int("batches"), Epochs: o.Int("epochs"), Kept: o.Bool("kept"), Event: o.Event("event")}
		})
	Register("truncated_poisson",
		func(e accounting.TruncatedPoisson) []Field {
			return []Field{{"sampling_rate", e.SamplingRate}, {"cap", e.Cap}, {"population_size", e.PopulationSize}, {"event", e.Event}}
		},
		func(o *Object) accounting.TruncatedPoisson {
			return accounting.TruncatedPoisson{
				SamplingRate: o.Float("sampling_rate"), Cap: o.Int("cap"), PopulationSize: o.Int("population_size"), Event: o.Event("event"),
			}
		})
	Register("sampled_with_replacement",
		func(e accounting.SampledWithReplacement) []Field {
			return []Field{{"sample_size", e.SampleSize}, {"population_size", e.PopulationSize}, {"event", e.Event}}
		},
		func(o *Object) accounting.SampledWithReplacement {
			return accounting.SampledWithReplacement{
				SampleSize: o.Int("sample_size"), PopulationSize: o.Int("population_size"), Event: o.Event("event"),
			}
		})
	Register("mixture_of_gaussians",
		func(e accounting.MixtureOfGaussians) []Field {
			return []Field{{"chances", e.Chances}, {"distances", e.Distances}, {"noise_multiplier", e.NoiseMultiplier}}
		},
		func(o *Object) accounting.MixtureOfGaussians {
			return accounting.MixtureOfGaussians{
				Chances: o.Floats("chances"), Distances: o.Floats("distances"), NoiseMultiplier: o.Float("noise_multiplier"),
			}
		})
}
