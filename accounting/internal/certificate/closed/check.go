// Package closed checks upper ends of ε by closed forms of δ, in intervals that are rounded
// outward. It knows Gaussian mechanisms, Laplace noise, randomized response and pure differential
// privacy, and Poisson samples of them.
package closed

import (
	"fmt"
	"math"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/interval"
)

// Rule is the rule of a proof by this package. It has no witness.
const Rule = "closed form"

// Check returns the check of an event under a relation. An event is supported if it is
//
//   - a composition of Gaussians, also on a Poisson sample;
//   - a ClippedSum on a Poisson sample under ReplaceOne. Elsewhere accounting.Node.Lowered turns it
//     into a Gaussian;
//   - Laplace noise, randomized response, or an (ε, δ)-private mechanism, also on a sample;
//   - a composition of (ε, δ)-private mechanisms: by the sums of all ε and δ;
//   - a Parallel or a WorstCase of these.
func Check(event accounting.Node, relation accounting.Neighboring) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		c := checker{relation: relation, ends: upper}
		value, err := c.delta(event, of(epsilon), of(delta))
		if err != nil {
			return accounting.Certificate{}, err
		}
		if c.loose && !(value.Hi <= of(delta).Log().Lo) {
			return accounting.Certificate{}, unsupported(event)
		}
		return accounting.Certificate{
			Claim: strings.Join(c.claims, "; "), Epsilon: epsilon, DeltaUpper: certificate.Within(value, delta), Work: c.work,
			Proof: certificate.Proof(Rule, nil),
		}, nil
	}
}

type checker struct {
	relation accounting.Neighboring
	ends     ends
	claims   []string
	work     int
	loose    bool // the bound may be above δ, so it refutes nothing
}

// by notes the source of a value.
func (c *checker) by(claim string) {
	c.work++
	for _, known := range c.claims {
		if known == claim {
			return
		}
	}
	c.claims = append(c.claims, claim)
}

// delta returns ln δ of the event at epsilon. target is the δ that will be compared.
func (c *checker) delta(event accounting.Node, epsilon, target I) (logDelta I, err error) {
	if mu, ok := certificate.Mu(event); ok {
		c.by("the closed form of the Gaussian (Balle and Wang 2018, Theorem 8)")
		return c.ends.gaussian(mu, epsilon), nil
	}
	switch event.Shape {
	case accounting.Either:
		return c.largest(event.Children, epsilon, target)
	case accounting.PoissonSample, accounting.FixedSizeSample:
		return c.sample(event, epsilon, target)
	case accounting.Sequence, accounting.Repetition:
		return c.sums(event, epsilon)
	}
	switch e := event.Event.(type) {
	case accounting.Laplace:
		c.by("the closed form of Laplace noise")
		return Laplace(e.NoiseMultiplier, epsilon).Log(), nil
	case accounting.RandomizedResponse:
		c.by("the closed form of randomized response")
		return RandomizedResponse(e.Truth, epsilon).Log(), nil
	}
	if pure, shown, ok := certificate.Private(event.Event); ok {
		_, choice := event.Event.(accounting.ExponentialMechanism) // its range is bounded too
		_, flip := event.Event.(accounting.PermuteAndFlip)
		c.loose = c.loose || choice || flip && c.ends == lower
		c.by("the profile of an (ε, δ)-private mechanism (Kairouz, Oh and Viswanath 2015, Theorem 3.3)")
		return of(shown).Add(one.Sub(of(shown)).Mul(Pure(pure, epsilon))).Log(), nil
	}
	return I{}, unsupported(event)
}

func unsupported(event accounting.Node) error {
	return fmt.Errorf("closed: %v: %w", event.Event, accounting.ErrUnsupportedEvent)
}

// largest returns ln δ of an event that runs one of events: the largest of theirs.
func (c *checker) largest(events []accounting.Node, epsilon, target I) (I, error) {
	worst := I{Lo: math.Inf(-1), Hi: -math.MaxFloat64}
	for _, event := range events {
		one, err := c.delta(event, epsilon, target)
		if err != nil {
			return I{}, err
		}
		worst = I{Lo: max(worst.Lo, one.Lo), Hi: max(worst.Hi, one.Hi)}
	}
	return worst, nil
}

// sample returns ln δ on a sample. A record joins it with chance q, so δ is at most q.
//
// It is also at most q times δ of the inner event at ε'. If the outputs do not show the sample,
// e^ε' is 1 + (e^ε-1)/q. If they do, ε' is ε.
//
// Reference: Balle, Barthe and Gaboardi (2018), arXiv:1807.01647v2, Theorems 8 and 10; for samples
// that may be shown both laws agree with chance 1-q.
func (c *checker) sample(event accounting.Node, epsilon, target I) (I, error) {
	inner, q := event.Children[0], event.Rate
	if event.Shape == accounting.FixedSizeSample {
		if c.relation != accounting.ReplaceOne || inner.Shape == accounting.FixedSizeSample {
			return I{}, unsupported(event)
		}
		q, c.loose = min(1, interval.Up(q)), true // m/n was rounded
	}
	if c.ends == lower { // the rate may have been rounded up, and δ rises with it
		q *= 1 - certificate.RateRounding
		c.loose = c.loose || q < certificate.LeastRate
	}
	logRate := of(q).Log()
	if logRate.Hi <= target.Log().Lo {
		c.by("δ is at least the sampling rate")
		return logRate, nil
	}
	shown := event.Shape == accounting.PoissonSample && c.relation == accounting.ReplaceOne
	if sum, ok := inner.Event.(accounting.ClippedSum); ok && shown {
		c.by("the closed form of a sum of clipped vectors on a Poisson sample (package pld, replaceone_sum.go)")
		return ReplacedOnSample(q, of(sum.NoiseMultiplier), epsilon).Log(), nil
	}
	if shown && inner.Contains(accounting.IsClippedSum) {
		inner, c.loose = inner.Lowered(c.relation), true
	}
	if mu, ok := certificate.Mu(inner); ok && event.Shape == accounting.PoissonSample && !shown {
		c.by("the closed form of a Gaussian on a Poisson sample (Balle, Barthe and Gaboardi 2018, Theorem 8)")
		return c.ends.sampled(q, mu, epsilon), nil
	}
	at := epsilon
	if !shown {
		at = Unsampled(q, epsilon)
	}
	logDelta, err := c.delta(inner, at, target.Div(of(q)))
	c.by("the sampling lemma (Balle, Barthe and Gaboardi 2018, Theorem 8)")
	return logRate.Add(logDelta), err
}

// sums returns ln δ of a composition of (ε, δ)-private mechanisms, if epsilon is at least the sum
// of their ε. It is then at most the sum of their δ.
func (c *checker) sums(event accounting.Node, epsilon I) (I, error) {
	var all, shown interval.Sum
	for run, times := range event.Runs() {
		e, delta, ok := certificate.Private(run.Event)
		if !ok {
			return I{}, unsupported(event)
		}
		all.Add(e.Mul(of(times)))
		shown.Add(of(delta).Mul(of(times)))
	}
	if !(epsilon.Lo >= all.I().Hi) {
		return I{}, unsupported(event)
	}
	c.loose = true
	c.by("the sums of all ε and δ (basic composition)")
	return shown.I().Log(), nil
}

// Delta returns an upper bound of δ of an event at epsilon >= 0. It returns 1 for an event without
// a closed form.
func Delta(event accounting.Node, relation accounting.Neighboring, epsilon float64) float64 {
	c := checker{relation: relation, ends: upper}
	value, err := c.delta(event, of(epsilon), of(math.SmallestNonzeroFloat64))
	if err != nil {
		return 1
	}
	return min(1, value.Exp().Hi)
}

// Below returns lower bounds of δ of an event. They are 0 for an event without a closed form, or
// with one that is above δ. An event that states only its ε and δ has the δ of the worst mechanism
// that they allow.
func Below(event accounting.Node, relation accounting.Neighboring) certificate.Below {
	return func(epsilon float64) float64 {
		c := checker{relation: relation, ends: lower}
		value, err := c.delta(event, of(epsilon), of(0)) // no rate is below a δ of 0
		if err != nil || c.loose {
			return 0
		}
		return value.Exp().Lo
	}
}
