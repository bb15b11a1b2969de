package audit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dplab/dplab/audit/internal/digits"
)

// Assumption is what must be true of the mechanism or the scores for a bound to hold.
type Assumption string

const (
	// AssumeNothing: the games are independent; nothing is assumed of the mechanism.
	AssumeNothing Assumption = "none"
	// AssumeGDP: the mechanism's trade-off curve between the two worlds is Gaussian. The
	// bound is about µ; ε at δ follows from µ only under this assumption.
	AssumeGDP Assumption = "gdp"
	// AssumeOneRun: the canaries of one run were included by independent fair coins.
	AssumeOneRun Assumption = "one-run"
	// AssumeOneRunGDP: as AssumeOneRun, and the mechanism's trade-off curve is Gaussian.
	AssumeOneRunGDP Assumption = "one-run+gdp"
	// AssumeScoreSelects: the bound is about a search over runs. The score that was audited on single
	// runs is the one that the search selects by, or grows with it.
	AssumeScoreSelects Assumption = "score-selects"
	// AssumeNormalScores: the scores of each class are normal, with one variance in both. The
	// attack's own ROC is then Gaussian; nothing is assumed of the mechanism.
	AssumeNormalScores Assumption = "normal-scores"
	// AssumeNormalScoreSelects: as AssumeScoreSelects, and the scores of single runs are N(0, 1)
	// and N(µ, 1), or a growing function of such.
	AssumeNormalScoreSelects Assumption = "normal-score-selects"
)

// Describe returns the assumption in words.
func (a Assumption) Describe() string {
	switch a {
	case AssumeNothing:
		return "nothing about the mechanism; independent games"
	case AssumeGDP:
		return "the trade-off curve is Gaussian (no (ε, δ) bound otherwise)"
	case AssumeOneRun:
		return "canaries included by independent fair coins in one run"
	case AssumeOneRunGDP:
		return "as one-run, and the trade-off curve is Gaussian"
	case AssumeScoreSelects:
		return "the audited score is the one that the search selects by"
	case AssumeNormalScores:
		return "scores are normal, with one variance in both classes"
	case AssumeNormalScoreSelects:
		return "the audited score is the one that the search selects by, and normal up to its scale"
	}
	return string(a)
}

// Bound is one lower bound on ε. The zero Bound was never computed.
type Bound struct {
	Name            string     // for instance "rank-two-tail"
	Epsilon         float64    // lower bound on ε, >= 0, rounded down
	Delta           float64    // the δ that Epsilon goes with
	Mu              float64    // lower bound on µ where Gaussian is assumed, else 0
	Assumption      Assumption // what must hold
	Confidence      float64    // chance that the bound is true; 0 if none is guaranteed
	AskedConfidence float64    // the confidence asked for
	Ceiling         float64    // the value that perfect scores would give with so many games
	ChosenBefore    string     // what was stated to be chosen before the scores were seen, or a note that it was chosen on them
	Reference       string     // theorem or derivation
	Warnings        []error    // doubts that did not stop the computation
}

// String returns the bound in one line. For the zero Bound it returns that it was never computed.
func (b Bound) String() string {
	if b.Name == "" {
		return "no bound: it was never computed"
	}
	confidence := "confidence " + digits.Confidence(b.Confidence)
	if b.Confidence == 0 {
		confidence = "no confidence guaranteed"
	}
	return fmt.Sprintf("%s: ε >= %s at δ = %s (%s, assumes %s, ceiling %s)",
		b.Name, digits.Lower(b.Epsilon), digits.Delta(b.Delta), confidence, b.Assumption.Describe(), digits.Lower(b.Ceiling))
}

var errNeverComputed = errors.New("audit: the bound was never computed: must come from a function that bounds ε")

// MarshalJSON writes the bound with the field names that dpaudit -json documents. The zero Bound is
// an error.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.Name == "" {
		return nil, errNeverComputed
	}
	out := boundJSON{
		Name: b.Name, Epsilon: &b.Epsilon, Delta: &b.Delta, Assumption: b.Assumption, Confidence: &b.Confidence, AskedConfidence: &b.AskedConfidence,
		Ceiling: &b.Ceiling, ChosenBefore: b.ChosenBefore, Reference: b.Reference, Warnings: messages(b.Warnings),
	}
	if b.Assumption.boundsMu() {
		out.Mu = &b.Mu
	}
	return json.Marshal(out)
}

// NewBound returns a bound without its numbers, at the δ and confidence of cfg.
func NewBound(name string, assumption Assumption, cfg Config, reference string) Bound {
	confidence := cfg.withDefaults().Confidence
	return Bound{
		Name: name, Delta: cfg.Delta, Assumption: assumption,
		Confidence: confidence, AskedConfidence: confidence, Reference: reference,
	}
}

// FormatLower writes x >= 0 with four digits after the point, or below 1e-4 with three significant
// digits. It rounds towards zero: a printed lower bound is still a lower bound.
func FormatLower(x float64) string { return digits.Lower(x) }
