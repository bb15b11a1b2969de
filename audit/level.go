package audit

import (
	"errors"
	"fmt"
)

// Level says about which ε a bound speaks and how often it may be wrong.
type Level struct {
	Delta      float64 // δ in [0, 1)
	Confidence float64 // chance that the bound is true, in (0, 1); 0 means 0.95
}

// DefaultConfidence is the confidence of a Level that gives none.
const DefaultConfidence = 0.95

func (l Level) withDefaults() Level {
	if l.Confidence == 0 {
		l.Confidence = DefaultConfidence
	}
	return l
}

// Validate returns an error unless δ is in [0, 1) and the confidence is in (0, 1) or 0.
func (l Level) Validate() error {
	var errs []error
	if !(l.Delta >= 0 && l.Delta < 1) {
		errs = append(errs, fmt.Errorf("audit: delta %g: must be in [0, 1)", l.Delta))
	}
	if c := l.withDefaults().Confidence; !(c > 0 && c < 1) {
		errs = append(errs, fmt.Errorf("audit: confidence %g: must be in (0, 1)", l.Confidence))
	}
	return errors.Join(errs...)
}

func (l Level) significance() float64 { return 1 - l.withDefaults().Confidence }
