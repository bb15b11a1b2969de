package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/numeric"
)

// Answer is an upper end of ε with its proof.
type Answer struct {
	Epsilon, Delta float64
	Neighboring    accounting.Neighboring
	Certificate    accounting.Certificate // with the proof

	event node
}

// Verdict is what was verified.
type Verdict struct {
	Epsilon     float64                `json:"epsilon"`
	Delta       float64                `json:"delta"`
	Neighboring accounting.Neighboring `json:"neighboring"`
	Rules       []string               `json:"rules"`              // that show it, outermost first
	Believed    []string               `json:"believed,omitempty"` // what is taken from elsewhere
	Fingerprint string                 `json:"fingerprint"`        // see [Answer.Fingerprint]
}

// ErrNoProof is wrapped if an answer has no proof.
var ErrNoProof = errors.New("the answer has no proof")

// mostText is the largest number of bytes of an answer.
const mostText = 10 << 20

// Read reads an answer: the JSON of an accounting.Guarantee with a certificate, of an
// accounting.Statement, or of dpcost -json.
func Read(text []byte) (Answer, error) {
	if len(text) > mostText {
		return Answer{}, fmt.Errorf("verify: %d bytes: must be at most %d", len(text), mostText)
	}
	var values map[string]json.RawMessage
	err := eventjson.NewObject(text).Err() // a name that is given twice is an error
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("verify: an answer: %w", err)
	}
	for _, name := range []string{"Guarantee", "guarantee"} {
		if inner, ok := values[name]; ok {
			return Read(inner)
		}
	}
	var a Answer
	var epsilon accounting.Interval
	var certificate *accounting.Certificate
	for name, field := range map[string]any{"epsilon": &epsilon, "delta": &a.Delta, "neighboring": &a.Neighboring, "certificate": &certificate} {
		value, ok := values[name] // json.Unmarshal of the whole would take other cases of letters too
		if !ok && name != "certificate" {
			return Answer{}, fmt.Errorf("verify: an answer: %s is missing", name)
		}
		if ok {
			err = errors.Join(err, json.Unmarshal(value, field))
		}
	}
	if err != nil {
		return Answer{}, fmt.Errorf("verify: an answer: %w", err)
	}
	if certificate == nil || certificate.Proof == nil {
		return Answer{}, fmt.Errorf("verify: %w", ErrNoProof)
	}
	a.Epsilon, a.Certificate = epsilon.Upper, *certificate
	return a, a.read()
}

// Of returns a guarantee as an answer.
func Of(g accounting.Guarantee) (Answer, error) {
	if g.Certificate == nil || g.Certificate.Proof == nil {
		return Answer{}, fmt.Errorf("verify: %w", ErrNoProof)
	}
	text, err := json.Marshal(g)
	if err != nil {
		return Answer{}, fmt.Errorf("verify: %w", err)
	}
	return Read(text)
}

// read checks the numbers, and reads the event.
func (a *Answer) read() (err error) {
	switch p := a.Certificate.Proof; {
	case p.Version != accounting.ProofVersion:
		return fmt.Errorf("verify: a proof of version %d: must be %d", p.Version, accounting.ProofVersion)
	case !(a.Epsilon >= 0) || math.IsInf(a.Epsilon, 1):
		return fmt.Errorf("verify: ε %g: must be >= 0 and finite", a.Epsilon)
	case !(a.Delta > 0 && a.Delta < 1):
		return fmt.Errorf("verify: δ %g: must be in (0, 1)", a.Delta)
	case !(a.Certificate.Epsilon <= a.Epsilon):
		return fmt.Errorf("verify: the certificate is about ε = %g: must be at most that of the answer, %g", a.Certificate.Epsilon, a.Epsilon)
	case !(a.Certificate.DeltaUpper <= a.Delta):
		return fmt.Errorf("verify: the certificate has δ <= %g: must be at most that of the answer, %g", a.Certificate.DeltaUpper, a.Delta)
	}
	if err := a.Neighboring.Validate(); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if a.event, err = read(a.Certificate.Proof.Event); err != nil {
		return fmt.Errorf("verify: event: %w", err)
	}
	if err := a.event.checkRelation(a.Neighboring); err != nil {
		return fmt.Errorf("verify: event: %w", err)
	}
	return nil
}

// mostOff is how much the δ that is computed again may be above that of the certificate, as a
// share. Machines differ in last digits, and the numbers of the verifier are rounded in other
// places.
const mostOff = 1e-4

// Verify checks the answer once more, from its event on. The error names the step that failed.
func (a Answer) Verify() (Verdict, error) {
	if a.Certificate.Proof == nil {
		return Verdict{}, fmt.Errorf("verify: %w", ErrNoProof)
	}
	c := newChecker(a.Neighboring)
	delta, err := c.shows(a.event, a.Certificate.Proof.Step, a.Certificate.Epsilon, a.Delta)
	if err != nil {
		return Verdict{}, fmt.Errorf("verify: %s: %w", strings.Join(c.path, ": "), err)
	}
	if !(delta <= a.Delta) {
		return Verdict{}, fmt.Errorf("verify: the steps show δ <= %.12g at ε = %.12g: must be at most %.12g", delta, a.Certificate.Epsilon, a.Delta)
	}
	if !(delta <= a.Certificate.DeltaUpper*(1+mostOff)) {
		return Verdict{}, fmt.Errorf("verify: the steps show δ <= %.12g at ε = %.12g, and the certificate has %.12g", delta, a.Certificate.Epsilon, a.Certificate.DeltaUpper)
	}
	return Verdict{a.Epsilon, a.Delta, a.Neighboring, c.rules, c.believed, a.Fingerprint()}, nil
}

// Fingerprint returns that of the guarantee: 12 hexadecimal digits of SHA-256 of ε as it is
// printed, δ, the relation and the event.
func (a Answer) Fingerprint() string {
	return accounting.Guarantee{Epsilon: accounting.UpperBound(a.Epsilon), Delta: a.Delta, Neighboring: a.Neighboring, Certificate: &a.Certificate}.Fingerprint()
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	if v.Fingerprint == "" {
		return "nothing was verified"
	}
	text := fmt.Sprintf("verified: ε <= %s at δ = %g, %v, by %s", numeric.Significant(v.Epsilon, 6, +1), v.Delta, v.Neighboring, strings.Join(v.Rules, "; "))
	if len(v.Believed) > 0 {
		text += "; believed: " + strings.Join(v.Believed, " and ")
	}
	return text + "; fingerprint " + v.Fingerprint
}
