package audit

import "errors"

// Config says what [Bounds] computes. The zero value, with a Delta, is a fair choice.
type Config struct {
	Delta      float64 // δ in [0, 1)
	Confidence float64 // in (0, 1); 0 means 0.95

	// Threshold, if not nil, was fixed before the scores were seen: a score above it is
	// called a member. The Clopper-Pearson bounds then hold with their confidence.
	// If nil they take the best threshold on the same scores, uncorrected.
	Threshold *float64
}

func (c Config) level() Level { return Level{Delta: c.Delta, Confidence: c.Confidence} }

// Validate returns an error that names every field out of range.
func (c Config) Validate() error {
	return errors.Join(c.level().Validate(), c.validateThreshold())
}
