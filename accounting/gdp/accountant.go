// Package gdp holds Gaussian differential privacy: the exact cost of a Gaussian mechanism and of
// any composition of Gaussian mechanisms.
//
// A mechanism is µ-GDP if its outputs on two neighbors are at least as hard to distinguish as N(0,
// 1) and N(µ, 1). The Gaussian mechanism with noise multiplier σ is 1/σ-GDP. Composition adds the
// squares of µ, so one closed form gives ε and δ of everything that the [Accountant] supports. It
// is exact where a Rényi bound is not.
//
// A [TradeOff] limits attacks on any event that an accountant prices, with certified ends. It gives
//
//   - the type II error at a type I error, and the true positive rate at a false positive rate;
//   - the advantage;
//   - the smallest µ that dominates the event on a range of δ or of type I errors.
//
// Approximations of sampled mechanisms by µ-GDP (the central limit theorem) have a separate type,
// [CLT]. They are not bounds, and no accountant uses them.
//
// Neighbors differ by one added or removed example, unless [Accountant] has another Relation. The
// closed form is the same in both directions.
//
//	g, err := gdp.EpsilonAt(1, 1e-5) // µ = 1, δ = 1e-5
//	if err != nil { ... }
//	fmt.Println(g.Upper) // 4.377...
//
// It promises nothing to other modules.
package gdp

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/interval"
)

// Accountant is exact for compositions of Gaussian mechanisms. It supports Gaussian, ClippedSum,
// PoissonSampled with rate 1 around them, SelfComposed, Composed, WorstCase and NonPrivate. It
// supports Parallel unless the relation is ReplaceOne, and all events that
// accounting.Node.Lowered replaces by these. Shuffled batches of Gaussians and ClippedSums are
// priced from above, as releases in a known order.
type Accountant struct {
	Relation accounting.Neighboring // 0 is AddOrRemoveOne

	options accounting.Options
}

var _ accounting.Optional = Accountant{}

// NewAccountant returns the accountant for AddOrRemoveOne.
func NewAccountant() Accountant { return Accountant{} }

// Name returns "GDP".
func (Accountant) Name() string { return "GDP" }

// Neighboring returns the relation. The default is AddOrRemoveOne.
func (a Accountant) Neighboring() accounting.Neighboring {
	if a.Relation == 0 {
		return accounting.AddOrRemoveOne
	}
	return a.Relation
}

// Options returns the options of its answers.
func (a Accountant) Options() accounting.Options { return a.options }

// WithOptions returns the accountant with other options.
func (a Accountant) WithOptions(o accounting.Options) accounting.Accountant {
	a.options.Unchecked = o.Unchecked
	return a
}

// EpsilonAt returns ε, in nats, for event at delta in (0, 1), exact to rounding.
func (a Accountant) EpsilonAt(event accounting.Event, delta float64) (accounting.Guarantee, error) {
	return ask.EpsilonAt(a, event, delta)
}

// EpsilonTo is EpsilonAt for a question.
func (a Accountant) EpsilonTo(q ask.Question, delta float64) (accounting.Guarantee, error) {
	mu, err := a.muTo(q)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	epsilon, err := EpsilonAt(mu, delta)
	if err != nil {
		return accounting.NoGuarantee(), err
	}
	g := accounting.Guarantee{
		Epsilon:     epsilon,
		Delta:       delta,
		Neighboring: q.Relation(),
		Method:      fmt.Sprintf("exact Gaussian (Balle and Wang 2018, Theorem 8), µ = %.6g", mu),
	}
	if q.Options().Unchecked {
		return g, nil
	}
	return attach.Lower(attach.Of(g, closed.Check(q.Node(), q.Relation())), closed.Below(q.Node(), q.Relation())), nil
}

// DeltaAt returns δ for event at epsilon >= 0, exact to rounding.
func (a Accountant) DeltaAt(event accounting.Event, epsilon float64) (accounting.Interval, error) {
	return ask.DeltaAt(a, event, epsilon)
}

// DeltaTo is DeltaAt for a question.
func (a Accountant) DeltaTo(q ask.Question, epsilon float64) (accounting.Interval, error) {
	mu, err := a.muTo(q)
	if err != nil {
		return accounting.NoDelta(), err
	}
	return DeltaAt(mu, epsilon)
}

// Mu returns µ if event is exactly µ-GDP under AddOrRemoveOne. It is
//
//   - 1/σ for a Gaussian and a ClippedSum, and +Inf for NonPrivate,
//   - the square root of the sum of squares for a composition,
//   - the largest µ for Parallel and WorstCase. Its pair N(0, 1), N(µ, 1) can be turned into that
//     of each smaller µ, so it dominates.
//
// The relative error is about one eps for each event in a Composed. Any other event is an error
// that wraps accounting.ErrUnsupportedEvent; µ is then +Inf.
//
// Reference: Dong, Roth, Su (2019), arXiv:1905.02383v3, Sections 2 (the Gaussian mechanism) and 3
// (composition).
func Mu(event accounting.Event) (float64, error) {
	return Accountant{}.exactMu(event)
}

// exactMu is Mu for the accountant's relation.
func (a Accountant) exactMu(event accounting.Event) (float64, error) {
	q, err := ask.Asked(a, event)
	if err != nil {
		return math.Inf(1), err
	}
	return MuTo(q)
}

// MuInterval returns the µ of Mu between the float64 numbers next to it, which are equal if it is
// one of them. The lower end is checked, and so is the upper one, unless µ is extreme or infinite.
func MuInterval(event accounting.Event) (accounting.Interval, error) {
	mu, checked, err := Accountant{}.muIn(event)
	if err != nil {
		return accounting.NoEpsilon(), err
	}
	return muInterval(mu, checked), nil
}

// muIn is MuInterval for the accountant's relation.
func (a Accountant) muIn(event accounting.Event) (mu interval.I, checked bool, err error) {
	q, err := ask.Asked(a, event)
	if err != nil {
		return interval.I{}, false, err
	}
	near, err := MuTo(q)
	if err != nil {
		return interval.I{}, false, err
	}
	if mu, checked = nearestMu(q.Node()); !checked {
		const rounding = 1e-12 // of thousands of events
		mu = interval.I{Lo: near * (1 - rounding), Hi: near * (1 + rounding)}
	}
	return mu, checked && q.Interval(muInterval(mu, true)).LowerChecked, nil
}

func muInterval(mu interval.I, checked bool) accounting.Interval {
	out := accounting.Certified(mu.Lo, mu.Lo, mu.Hi)
	if checked {
		out = out.WithLower(mu.Lo)
	}
	return out
}

// muTo returns the µ of a question that the accountant may answer. It is at least that of shuffled
// batches.
func (a Accountant) muTo(q ask.Question) (float64, error) {
	if err := q.Under(a); err != nil {
		return math.Inf(1), err
	}
	return muOf(q)
}

// MuTo is Mu for a question, under its relation. It refuses shuffled batches, though their ε and δ
// have an upper end: they may cost less than releases in a known order. The µ of these is therefore
// not exact, and the upper ends of its trade-off function would be false.
func MuTo(q ask.Question) (float64, error) {
	if _, _, shuffled := q.Shuffled(); shuffled {
		return math.Inf(1), fmt.Errorf("gdp: shuffled batches: %w", accounting.ErrUnsupportedEvent)
	}
	return muOf(q)
}

// muOf returns µ under the relation of the question. The noise of a Gaussian is relative to the
// change of its release by one record under that relation. A ClippedSum that the question has not
// made a Gaussian has no µ.
func muOf(q ask.Question) (float64, error) {
	switch q.Node().Shape {
	case accounting.Repetition:
		mu, err := muOf(q.Parts()[0])
		return mu * math.Sqrt(float64(q.Node().Count)), err
	case accounting.Sequence:
		return combine(q.Parts(), math.Hypot) // squares could underflow to 0
	case accounting.Either:
		return combine(q.Parts(), math.Max)
	}
	switch e := q.Event().(type) {
	case accounting.Gaussian:
		return 1 / e.NoiseMultiplier, nil
	case accounting.NonPrivate:
		return math.Inf(1), nil
	}
	return math.Inf(1), fmt.Errorf("gdp: event %T: %w", q.Event(), accounting.ErrUnsupportedEvent)
}

func combine(parts []ask.Question, with func(a, b float64) float64) (float64, error) {
	total := 0.0
	for _, inner := range parts {
		mu, err := muOf(inner)
		if err != nil {
			return math.Inf(1), err
		}
		total = with(total, mu)
	}
	return total, nil
}
