package attach

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate"
	"github.com/dplab/dplab/accounting/internal/certificate/closed"
	"github.com/dplab/dplab/accounting/internal/certificate/renyi"
	"github.com/dplab/dplab/accounting/interval"
)

// Sampled returns the check of an event on a sample, from the certificate of that event. A record
// joins the sample with chance rate. hidden is false if the outputs may show the sample.
//
// If the event has δ at ε, it has at most rate·δ at ε' on the sample. For a hidden sample, e^ε' is
// 1 + rate (e^ε-1). For one that may be shown, ε' is ε.
//
// Reference: Balle, Barthe and Gaboardi (2018), arXiv:1807.01647v2, Theorem 8.
func Sampled(inner *accounting.Certificate, rate float64, hidden bool) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		if inner == nil {
			return accounting.Certificate{}, fmt.Errorf("a sample of an event without a certificate: %w", accounting.ErrUnsupportedEvent)
		}
		at := interval.Of(epsilon)
		if hidden {
			at = closed.Unsampled(rate, at)
		}
		if !(at.Lo >= inner.Epsilon) {
			return accounting.Certificate{}, fmt.Errorf("the sampled event has ε <= %.12g, which is above %.12g", inner.Epsilon, at.Lo)
		}
		return accounting.Certificate{
			Claim:   inner.Claim + "; the sampling lemma (Balle, Barthe and Gaboardi 2018, Theorem 8)",
			Epsilon: epsilon, DeltaUpper: interval.Of(rate).Mul(interval.Of(inner.DeltaUpper)).Hi, Given: inner.Given, Work: inner.Work + 1,
			Proof: certificate.Proof(certificate.RuleSample, nil, inner.Proof),
		}, nil
	}
}

// Divergence returns the check of a curve that is not checked itself: its Rényi divergence at the
// order is given.
func Divergence(order, divergence float64) certificate.Check {
	return func(epsilon, delta float64) (accounting.Certificate, error) {
		exponent := interval.Of(order).Sub(interval.Of(1)).Mul(interval.Of(divergence))
		return accounting.Certificate{
			Claim:   "the conversion of a Rényi divergence (Canonne, Kamath and Steinke 2020, Proposition 12)",
			Epsilon: epsilon, DeltaUpper: certificate.Within(renyi.Convert(exponent, interval.Of(order), epsilon), delta), Work: 1,
			Given: []string{fmt.Sprintf("a Rényi divergence of at most %.9g at order %.6g", divergence, order)},
		}, nil
	}
}
