package pld

import (
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/gridlaw"
)

// The exponential mechanism, and every other of ε-bounded range.
//
// On one pair of neighbors all losses lie in [t-ε, t] for some t in [0, ε]. So the pair of two
// outputs with the losses t-ε and t dominates it. For e^L has mean 1 under the second law, and
// functions that are convex in it lie below their chord. With x = e^e, c = e^{-ε/2} and s = e^t the
// profile of that pair is
//
//	H_t(x) = (1 - s c²)(1 - x/s)/(1-c²)    for x in [s c², s],
//
// It is 1-x below and 0 above. t depends on the data, and is not known. In a composition a later
// choice may have another t for each earlier output. At each x in [c², 1/c²] the largest H_t has s²
// = x/c², which is in [1, 1/c²]:
//
//	H(x) = max over t of H_t(x) = (1 - c√x)²/(1-c²).
//
// It is convex, as a maximum of convex functions, and so the profile of a pair. Its second
// derivative (c/2) x^{-3/2}/(1-c²) is the density of e^L under the second law. Its slope is -1 at
// c² and 0 at 1/c². So the loss has on [-ε, ε] the densities
//
//	c e^{l/2}/(2(1-c²)) with the record,    c e^{-l/2}/(2(1-c²)) without it.
//
// A pair whose profile is at least that of a mechanism everywhere dominates it, in adaptive
// compositions (Zhu, Dong, Wang 2022, arXiv:2106.08567v3, Theorem 10) and on samples (there,
// Theorem 11). ∎
//
// One choice attains H at each x: two candidates, with scores that both move by Δ, in opposite
// directions. A composition does not attain the product, as one pair of data sets cannot have every
// t. So it has no lower end.
//
// References: bounded range: Durfee and Rogers (2019), arXiv:1905.04273. The two outputs: Dong,
// Durfee and Rogers (2020), arXiv:1909.13830, which gives the least ε of compositions that consist
// only of choices. The pair for any composition is derived here.

// rangeBase is that pair. Its coordinate is the loss.
type rangeBase struct{ epsilon float64 }

func (rangeBase) points() []outcome                        { return nil }
func (r rangeBase) line(float64) (lo, hi float64, ok bool) { return -r.epsilon, r.epsilon, true }
func (r rangeBase) reach() float64                         { return r.epsilon }
func (rangeBase) loss(x float64) float64                   { return x }
func (r rangeBase) at(loss float64) float64                { return math.Min(r.epsilon, math.Max(-r.epsilon, loss)) }

func (r rangeBase) checked(m gridlaw.Mechanism, _ mechanism, _ float64) (gridlaw.Mechanism, bool) {
	m.Kind, m.A = gridlaw.Range, r.epsilon
	return m, true
}

// cells integrates the densities.
func (r rangeBase) cells(edges []float64) []atom {
	out := make([]atom, len(edges)-1)
	for i := range out {
		a, b := r.at(edges[i]), r.at(edges[i+1])
		if !(b > a) {
			continue
		}
		width := math.Expm1(-(b-a)/2) / math.Expm1(-r.epsilon)
		out[i] = atom{
			p:   width * math.Exp((b-r.epsilon)/2),
			q:   width * math.Exp(-(a+r.epsilon)/2),
			eta: 8 * unit * (1 + r.epsilon),
		}
	}
	return out
}

// apart returns H(1).
func (r rangeBase) apart() (distance, tied float64) { return math.Tanh(r.epsilon / 4), 0 }

// addChoice adds an exponential mechanism.
func (c *collector) addChoice(e accounting.ExponentialMechanism, rate, count float64) error {
	if e.Epsilon < leastRange { // nearly pure differential privacy, whose formulas have no quotients of small numbers
		c.upperOnly = c.upperOnly || e.Epsilon > 0
		return c.addResponse(e, e.Epsilon, 0, rate, count)
	}
	if e.Epsilon > mostResponse {
		return tooLarge(e)
	}
	return c.put(key{kind: 3, rate: rate, a: e.Epsilon}, rangeBase{e.Epsilon}, count)
}

// Below leastRange, an exponential mechanism is priced as pure differential privacy.
const leastRange = 1e-12

// attained reports whether the worst event costs as much as the mechanisms. A choice attains its
// mechanism only if nothing else runs.
func (p program) attained() bool {
	if p.upperOnly {
		return false
	}
	for _, f := range p.mechanisms {
		if _, choice := f.base.(rangeBase); choice && (len(p.mechanisms) > 1 || f.count > 1) {
			return false
		}
	}
	return true
}

// attainable removes the lower end if no event attains it.
func (p program) attainable(known accounting.Interval) accounting.Interval {
	if p.attained() {
		return known
	}
	return accounting.UpperBound(known.Upper)
}
