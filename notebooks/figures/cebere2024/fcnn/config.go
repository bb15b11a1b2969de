package fcnn

import "github.com/dplab/dplab/notebooks/figures/cebere2024/hidden"

// Config describes the panel.
type Config struct {
	Data            string    // "housing", or "digits" for 8 features of the embedded digits
	BatchSize       int       // B
	Batches         int       // how many there are; they follow each other in a circle
	Models          int       // of one audit, both worlds together, as the paper counts
	Repetitions     int       // audits with other initial weights, orders, canaries and noise
	LearningRates   []float64 // one panel each
	Adversaries     []string  // of A_GC-R, A_GC-S, A_L
	ClipNorm        float64
	NoiseMultiplier float64
	Observe         []int // numbers of steps, increasing; runs take the last
	Delta           float64
	Confidence      float64
}

// adversaries are those of the panel, by the paper's names.
var adversaries = []string{"A_GC-R", "A_GC-S", "A_L"}

// Full is the paper's setup, with both of its learning rates.
func Full() Config { return configOf(hidden.FCNN.Profiles["full"]) }

// configOf returns the part of a config that the panel shows.
func configOf(h hidden.Config) Config {
	first := h.Settings[0]
	c := Config{
		Data: h.Data, BatchSize: h.BatchSize, Batches: h.Batches, Models: 2 * h.Games, Repetitions: h.Repetitions, Adversaries: adversaries,
		ClipNorm: first.ClipNorm, NoiseMultiplier: h.NoiseMultiplier, Observe: first.Observe, Delta: h.Delta, Confidence: h.Confidence,
	}
	if h.Data == "digit-columns" {
		c.Data = "digits"
	}
	for _, s := range h.Settings {
		c.LearningRates = append(c.LearningRates, s.LearningRate)
	}
	return c
}
