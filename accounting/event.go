package accounting

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting/check"
)

// ErrUnsupportedEvent is returned, wrapped, by an accountant that does not know an event.
var ErrUnsupportedEvent = errors.New("unsupported event")

// Event describes the use of the data by a mechanism, as far as privacy depends on it. Events are
// plain data and do not depend on accountants. An accountant returns ErrUnsupportedEvent for an
// event of an unknown type.
type Event interface {
	// Validate returns an error that names field, value and rule if the event is not valid.
	Validate() error
	// String describes the event in one line, with its parameters.
	String() string
}

// Gaussian is one release of a vector of L2 sensitivity 1 with normal noise of standard
// deviation NoiseMultiplier in each coordinate.
type Gaussian struct {
	NoiseMultiplier float64 // σ > 0
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (e Gaussian) Validate() error {
	return check.Positive.With("(for no noise use NonPrivate)").Of("accounting: Gaussian.NoiseMultiplier", e.NoiseMultiplier)
}

// String describes the event.
func (e Gaussian) String() string { return fmt.Sprintf("Gaussian(σ=%g)", e.NoiseMultiplier) }

// PoissonSampled is Event run on a random subset of the data that each example joins
// independently with probability SamplingRate. The subset stays hidden.
type PoissonSampled struct {
	SamplingRate float64 // q in (0, 1]
	Event        Event   // the event on the subset
}

// Validate returns an error unless the rate is in (0, 1] and the inner event is valid.
func (e PoissonSampled) Validate() error {
	f := check.In("accounting: PoissonSampled.")
	f.Number("SamplingRate", e.SamplingRate, check.Rate)
	f.Add(validateInner("PoissonSampled.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e PoissonSampled) String() string {
	return fmt.Sprintf("PoissonSampled(q=%g, %v)", e.SamplingRate, e.Event)
}

// productUp returns a b for a and b in (0, 1], rounded up unless it is exact.
func productUp(a, b float64) float64 {
	p := a * b
	if p < 0x1p-900 || math.FMA(a, b, -p) > 0 { // the rounding error of a small product may underflow
		p = math.Nextafter(p, 1)
	}
	return math.Max(p, check.LeastNormal)
}

// SelfComposed is Event run Count times. Each run may depend on earlier outputs.
type SelfComposed struct {
	Event Event
	Count int // T >= 1
}

// Validate returns an error unless the count is at least 1 and the inner event is valid.
func (e SelfComposed) Validate() error {
	f := check.In("accounting: SelfComposed.")
	f.Count("Count", e.Count, 1)
	f.Add(validateInner("SelfComposed.Event", e.Event))
	return f.Err()
}

// String describes the event.
func (e SelfComposed) String() string { return fmt.Sprintf("%d x %v", e.Count, e.Event) }

// Composed is its Events run one after the other, in this order. Each may depend on earlier
// outputs.
type Composed struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e Composed) Validate() error { return validateList("Composed", e.Events) }

// String describes the event.
func (e Composed) String() string { return listString("Composed", e.Events) }

// NonPrivate is a release without any guarantee: ε is +Inf at every δ < 1.
type NonPrivate struct{}

// Validate returns nil.
func (NonPrivate) Validate() error { return nil }

// String describes the event.
func (NonPrivate) String() string { return "NonPrivate" }

// Laplace is one release of a vector of L1 sensitivity 1 with Laplace noise of scale
// NoiseMultiplier in each coordinate, density e^{-|x|/b}/(2b). It is (1/b, 0)-private.
type Laplace struct {
	NoiseMultiplier float64 // b > 0, the noise scale over the L1 sensitivity
}

// Validate returns an error unless the noise multiplier is positive and finite.
func (e Laplace) Validate() error {
	return check.Positive.Of("accounting: Laplace.NoiseMultiplier", e.NoiseMultiplier)
}

// String describes the event.
func (e Laplace) String() string { return fmt.Sprintf("Laplace(b=%g)", e.NoiseMultiplier) }

// RandomizedResponse reports one private bit truthfully with probability Truth, and its
// opposite otherwise. It is (log(Truth/(1-Truth)), 0)-private in the bit. With a Truth of 1/2 it
// reveals nothing and costs nothing.
type RandomizedResponse struct {
	Truth float64 // in [1/2, 1)
}

// Validate returns an error unless the probability is in [1/2, 1).
func (e RandomizedResponse) Validate() error {
	half := check.Rule{Text: "must be in [0.5, 1)", Holds: func(x float64) bool { return x >= 0.5 && x < 1 }}
	return half.Of("accounting: RandomizedResponse.Truth", e.Truth)
}

// String describes the event.
func (e RandomizedResponse) String() string {
	return fmt.Sprintf("RandomizedResponse(p=%g)", e.Truth)
}

// Epsilon returns the least ε, in nats, such that the event is (ε, 0)-private. It is off by at most
// some units in the last place, as 2 Truth - 1 and 1 - Truth are exact.
func (e RandomizedResponse) Epsilon() float64 { return math.Log1p((2*e.Truth - 1) / (1 - e.Truth)) }

// costs is the rule of a parameter that is a cost. A 0 is refused: it is what a forgotten field or
// an ignored error leaves, and would be free.
var costs = check.Positive.With("(for a mechanism that reads no data use RandomizedResponse of probability 0.5)")

// PureDP is any mechanism with (Epsilon, 0)-differential privacy. Nothing else is known about it.
type PureDP struct {
	Epsilon float64 // in nats, > 0
}

// Validate returns an error unless epsilon is > 0 and finite.
func (e PureDP) Validate() error {
	return costs.Of("accounting: PureDP.Epsilon", e.Epsilon)
}

// String describes the event.
func (e PureDP) String() string { return fmt.Sprintf("PureDP(ε=%g)", e.Epsilon) }

// ApproxDP is any mechanism with (Epsilon, Delta)-differential privacy. Nothing else is known about
// it.
type ApproxDP struct {
	Epsilon float64 // in nats, >= 0; > 0 if Delta is 0
	Delta   float64 // in [0, 1); 0 is PureDP
}

// Validate returns an error unless epsilon is >= 0 and finite, delta is in [0, 1), and one of them
// is not 0.
func (e ApproxDP) Validate() error {
	f := check.In("accounting: ApproxDP.")
	if e.Delta == 0 {
		f.Number("Epsilon", e.Epsilon, costs)
	} else {
		f.Number("Epsilon", e.Epsilon, check.NotNegative)
	}
	f.Number("Delta", e.Delta, check.BelowOne)
	return f.Err()
}

// String describes the event.
func (e ApproxDP) String() string { return fmt.Sprintf("ApproxDP(ε=%g, δ=%g)", e.Epsilon, e.Delta) }

// ZCDP is any mechanism with Rho-zero-concentrated differential privacy (Bun and Steinke 2016,
// arXiv:1605.02065v1, Definition 1.1). Nothing else is known about it.
type ZCDP struct {
	Rho float64 // ρ in nats, > 0
}

// Validate returns an error unless rho is > 0 and finite.
func (e ZCDP) Validate() error { return costs.Of("accounting: ZCDP.Rho", e.Rho) }

// String describes the event.
func (e ZCDP) String() string { return fmt.Sprintf("ZCDP(ρ=%g)", e.Rho) }

// WorstCase is one of the Events, chosen without looking at the data. Its divergence is
// at most the largest of theirs, at each order and each ε, also if the choice is published.
type WorstCase struct {
	Events []Event // at least one
}

// Validate returns an error unless there is an event and all are valid.
func (e WorstCase) Validate() error { return validateList("WorstCase", e.Events) }

// String describes the event.
func (e WorstCase) String() string { return listString("WorstCase", e.Events) }

func validateInner(field string, e Event) error {
	if err := check.Given(e != nil, "accounting: "+field, "must be an event"); err != nil {
		return err
	}
	return e.Validate()
}

func validateList(name string, events []Event) error {
	if len(events) == 0 {
		return fmt.Errorf("accounting: %s.Events is empty: must hold at least one event", name)
	}
	var errs []error
	for i, inner := range events {
		errs = append(errs, validateInner(fmt.Sprintf("%s.Events[%d]", name, i), inner))
	}
	return errors.Join(errs...)
}

func listString(name string, events []Event) string {
	parts := make([]string, len(events))
	for i, inner := range events {
		parts[i] = fmt.Sprint(inner)
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}
