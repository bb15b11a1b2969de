package accounting

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting/check"
)

// Accountant turns an event into a guarantee. An Accountant has no state, as composition is part of
// the event. Every implementation must pass accountingtest.Run.
type Accountant interface {
	// Name is the short name of the method, for instance "RDP".
	Name() string
	// Neighboring is the relation of all answers.
	Neighboring() Neighboring
	// EpsilonAt returns bounds on ε at delta in (0, 1). An event without a finite ε has
	// Epsilon.Upper = +Inf, which is not an error. An event of an unknown type is an error that
	// wraps ErrUnsupportedEvent.
	EpsilonAt(event Event, delta float64) (Guarantee, error)
	// DeltaAt returns bounds on δ, in [0, 1], at epsilon >= 0. With an error both methods return
	// the safe side: NoGuarantee and NoDelta.
	DeltaAt(event Event, epsilon float64) (Interval, error)
}

// Guarantee is an (ε, δ)-differential-privacy guarantee: bounds on ε at one δ. The zero Guarantee
// promises nothing, and its String is "no guarantee: nothing was computed".
type Guarantee struct {
	Epsilon     Interval    // in nats; Epsilon.Upper is the guarantee
	Delta       float64     // δ in [0, 1)
	Neighboring Neighboring // which data sets are compared
	Method      string      // accountant and conversion, for instance "RDP, order 12.4"
	Warnings    []error     // doubts that did not stop the computation

	// Certificate is the check of Epsilon.Upper in outward-rounded arithmetic. Nil if there was none.
	Certificate *Certificate
}

// String returns the guarantee in one line. An end that was not checked is "about" its value.
func (g Guarantee) String() string {
	if !g.Epsilon.Computed() {
		return "no guarantee: nothing was computed"
	}
	return fmt.Sprintf("ε %s, δ = %g, %v, %s", g.Epsilon.text(g.holds()), g.Delta, g.Neighboring, g.Method)
}

// holds reports whether the upper end was checked, or claims nothing.
func (g Guarantee) holds() bool { return g.Certificate.made() || math.IsInf(g.Epsilon.Upper, 1) }

// Fingerprint returns 12 hexadecimal digits of SHA-256 of ε as it is printed, δ, the relation and
// the event. It is empty without a proof.
func (g Guarantee) Fingerprint() string {
	if g.Certificate == nil || g.Certificate.Proof == nil {
		return ""
	}
	var event bytes.Buffer // without the spaces of a file
	if err := json.Compact(&event, g.Certificate.Proof.Event); err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v %s", FormatUpper(g.Epsilon.Upper), g.Delta, g.Neighboring, &event))
	return hex.EncodeToString(sum[:6])
}

// ValidateDelta returns an error unless delta is in (0, 1).
func ValidateDelta(delta float64) error {
	return check.OpenUnit.Of("accounting: delta", delta)
}

// ValidateEpsilon returns an error unless epsilon is >= 0 and finite.
func ValidateEpsilon(epsilon float64) error {
	return check.NotNegative.OfAnySize().Of("accounting: epsilon", epsilon)
}

// ValidateEpsilons returns an error unless all epsilons are >= 0, finite and not decreasing.
func ValidateEpsilons(epsilons []float64) error {
	for i, e := range epsilons {
		if err := check.NotNegative.OfAnySize().Of(fmt.Sprintf("accounting: epsilons[%d]", i), e); err != nil {
			return err
		}
		if i > 0 && e < epsilons[i-1] {
			return check.AtLeast(epsilons[i-1]).With("as the one before it").Of(fmt.Sprintf("accounting: epsilons[%d]", i), e)
		}
	}
	return nil
}

type guaranteeJSON struct {
	Epsilon     Interval    `json:"epsilon"`
	Delta       float64     `json:"delta"`
	Neighboring Neighboring `json:"neighboring"`
	Method      string      `json:"method"`
	Warnings    []string    `json:"warnings,omitempty"`

	Certificate *Certificate `json:"certificate,omitempty"`
}

// MarshalJSON writes {"epsilon":{..},"delta":..,"neighboring":"..","method":".."}, and "warnings"
// as strings and "certificate" if there are any. It returns an error if nothing was computed.
func (g Guarantee) MarshalJSON() ([]byte, error) {
	out := guaranteeJSON{Epsilon: g.Epsilon, Delta: g.Delta, Neighboring: g.Neighboring, Method: g.Method, Certificate: g.Certificate}
	for _, w := range g.Warnings {
		out.Warnings = append(out.Warnings, w.Error())
	}
	return json.Marshal(out)
}

var guaranteeShape = shape{"guarantee", []string{"epsilon", "delta", "neighboring", "method"}, []string{"warnings", "certificate"}}

// UnmarshalJSON reads what MarshalJSON writes. Warnings come back as plain errors. It returns an
// error if a field is unknown or missing, ε is negative, or δ is not in [0, 1].
func (g *Guarantee) UnmarshalJSON(text []byte) error {
	var in guaranteeJSON
	if err := guaranteeShape.read(text, &in); err != nil {
		return err
	}
	f := check.In("accounting: guarantee.")
	f.Number("epsilon.upper", in.Epsilon.Upper, check.AtLeast(0))
	f.Number("delta", in.Delta, check.Unit)
	if err := f.Err(); err != nil {
		return err
	}
	*g = Guarantee{Epsilon: in.Epsilon, Delta: in.Delta, Neighboring: in.Neighboring, Method: in.Method, Certificate: in.Certificate}
	for _, w := range in.Warnings {
		g.Warnings = append(g.Warnings, errors.New(w))
	}
	return nil
}

// NoGuarantee is the guarantee that goes with an error: ε is +Inf and δ is 1.
func NoGuarantee() Guarantee { return Guarantee{Epsilon: NoEpsilon(), Delta: 1} }

// safe is an accountant's answer, NoGuarantee with an error.
func safe(g Guarantee, err error) (Guarantee, error) {
	if err != nil {
		return NoGuarantee(), err
	}
	return g, nil
}
