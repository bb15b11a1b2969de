package batchpairs

import (
	"cmp"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/interval"
	"github.com/dplab/dplab/accounting/numeric"
)

// Component is a normal law N(Mean, σ²) with a chance.
type Component struct{ Chance, Mean float64 }

// Term is Weight times the profile of P against Q, with
//
//	P = (Zero+Gap) N(0) + Σ First,   Q = Zero N(0) + Σ Second.
//
// No mean of First and Second is 0. For each c >= 1 the set {P > cQ} is a half line y > τ. For the
// positive terms of (P - cQ)/f_0, divided by the negative ones, rise in y.
type Term struct {
	Weight        float64
	Zero, Gap     float64
	First, Second []Component
}

// Side bounds δ in one direction: the sum of its Terms' profiles, and Rest.
type Side struct {
	Terms []Term
	Rest  float64 // the chance of what the terms leave out
}

// Profile bounds δ of one step: δ(ε) <= With at ε >= 0 for the law with the record against the law
// without it, and Without in the other direction. Both have the same value at ε = 0. So there is a
// pair of laws with these profiles.
type Profile struct {
	NoiseMultiplier float64
	With, Without   Side
	Mirrored        bool // both sides are equal
}

// pairAt is (u, v) at chance q. v may be 0.
func pairAt(weight, q, u, v float64) Term {
	t := Term{Weight: weight, Zero: 1 - q, First: []Component{{q, u}}}
	if v == 0 {
		t.Zero, t.Gap = 1, -q
	} else {
		t.Second = []Component{{q, v}}
	}
	return t
}

// reversedAt is N(0) against (1-q)N(0) + qN(u). The line is mirrored: {P > cQ} is y > τ.
func reversedAt(weight, q, u float64) Term {
	return Term{Weight: weight, Zero: 1 - q, Gap: q, Second: []Component{{q, -u}}}
}

// Distances returns the law of the distance of a mixture. The first is 0, and the others rise.
// Equal distances are joined. The sum of the chances may be off by 1e-12. What is missing goes to
// the largest distance, and what is too much leaves the smallest ones. Larger distances cost more.
func Distances(e accounting.MixtureOfGaussians) (law []Component) {
	parts, sum := []Component{{}}, 0.0
	for j, w := range e.Chances {
		if w > 0 {
			parts = append(parts, Component{Chance: w, Mean: e.Distances[j]})
		}
	}
	slices.SortStableFunc(parts, func(a, b Component) int { return cmp.Compare(a.Mean, b.Mean) })
	for _, p := range parts {
		if n := len(law); n > 0 && law[n-1].Mean == p.Mean {
			law[n-1].Chance += p.Chance
		} else {
			law = append(law, p)
		}
		sum += p.Chance
	}
	last := len(law) - 1
	law[last].Chance += math.Max(0, 1-sum)
	for j, excess := 0, sum-1; excess > 0 && j < last; j++ {
		taken := math.Min(excess, law[j].Chance)
		law[j].Chance -= taken
		excess -= taken
	}
	return law
}

// Mixture is Σ law against N(0) on a Poisson sample of the given rate. law[0] has mean 0, the means
// of the others rise, and the chances add up to 1.
func Mixture(law []Component, sigma, rate float64) *Profile {
	var moves interval.Sum
	var first, second []Component
	for _, c := range law[1:] {
		w := math.Max(rate*c.Chance, check.LeastNormal)
		moves.Add(interval.Of(w))
		first, second = append(first, Component{w, c.Mean}), append(second, Component{w, -c.Mean})
	}
	gap := moves.I().Hi
	return &Profile{
		NoiseMultiplier: sigma,
		With:            Side{Terms: []Term{{Weight: 1, Zero: 1, Gap: -gap, First: first}}},
		Without:         Side{Terms: []Term{{Weight: 1, Zero: 1 - rate + rate*law[0].Chance, Gap: gap, Second: second}}},
	}
}

// Replaced is (1, -1) at the given rate, and its own mirror image.
func Replaced(sigma, rate float64) *Profile {
	side := Side{Terms: []Term{pairAt(1, rate, 1, -1)}}
	return &Profile{NoiseMultiplier: sigma, With: side, Without: side, Mirrored: true}
}

// AtZero returns the factor of f_0 in P - cQ at c = e^l. It overflows from an l of about 709 on.
func (t Term) AtZero(l float64) float64 { return t.Gap - t.Zero*math.Expm1(l) }

// MostExp is an l at which e^l and what is computed from it do not overflow.
const MostExp = 700

// logAtZero returns the logarithms of the positive and of the negative part of AtZero, for any l.
// One of them is -Inf.
func (t Term) logAtZero(l float64) (positive, negative float64) {
	none := math.Inf(-1)
	if l <= MostExp {
		switch k := t.AtZero(l); {
		case k > 0:
			return numeric.Log(k), none
		case k < 0:
			return none, numeric.Log(-k)
		}
		return none, none
	}
	first, second := logOf(t.Zero+t.Gap), logOf(t.Zero)+l
	switch {
	case first > second:
		return first + math.Log1p(-math.Exp(second-first)), none
	case second > first:
		return none, second + math.Log1p(-math.Exp(first-second))
	}
	return none, none
}

// logOf returns the logarithm of a mass, -Inf of none.
func logOf(mass float64) float64 {
	if mass > 0 {
		return numeric.Log(mass)
	}
	return math.Inf(-1)
}

// Root returns τ at c = e^l, l >= 0: P > cQ for y > τ. It is +Inf if P <= cQ everywhere, and -Inf
// if P > cQ everywhere. from is a number at most τ, or -Inf. sigma is σ.
func (t Term) Root(sigma, l, from float64) float64 {
	positive, negative := t.logAtZero(l)
	if math.IsInf(positive, -1) && len(t.First) == 0 {
		return math.Inf(1)
	}
	if math.IsInf(negative, -1) && len(t.Second) == 0 {
		return math.Inf(-1)
	}
	square := sigma * sigma
	switch {
	case len(t.First) == 1 && len(t.Second) == 0:
		a := t.First[0]
		return math.Max(from, a.Mean/2+square/a.Mean*(negative-numeric.Log(a.Chance)))
	case len(t.First) == 0 && len(t.Second) == 1:
		b := t.Second[0]
		return math.Max(from, b.Mean/2+square/b.Mean*(positive-numeric.Log(b.Chance)-l))
	}
	first, second := logChances(t.First), logChances(t.Second)
	g := func(y float64) (value, slope float64) {
		up, upSlope := logSum(t.First, first, positive, 0, sigma, y)
		down, downSlope := logSum(t.Second, second, negative, l, sigma, y)
		return up - down, upSlope - downSlope
	}
	lo, hi := from, 0.0
	if math.IsInf(lo, -1) {
		lo = -sigma
		for step := sigma; ; step *= 2 {
			if v, _ := g(lo); v <= 0 {
				break
			}
			if lo -= step; math.IsInf(lo, -1) {
				return lo
			}
		}
	}
	y := lo
	v, slope := g(y)
	for step := sigma / 16; ; step *= 2 {
		hi = y + step
		if v, _ := g(hi); v > 0 {
			break
		}
		if step > 1e300 {
			return math.Inf(1)
		}
	}
	for range 200 {
		next := y - v/slope
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if v, slope = g(next); v > 0 {
			hi = next
		} else {
			lo = next
		}
		if math.Abs(next-y) <= 4e-16*math.Abs(next) || !(lo < hi) || v == 0 {
			return next
		}
		y = next
	}
	return y
}

// logChances returns the logarithms of the chances.
func logChances(components []Component) (logs []float64) {
	for _, c := range components {
		logs = append(logs, numeric.Log(c.Chance))
	}
	return logs
}

// logSum returns log(e^logZero + Σ chance e^{shift} f_mean(y)/f_0(y)) and its derivative in y. It
// takes the logarithms of the chances.
func logSum(components []Component, logs []float64, logZero, shift, sigma, y float64) (value, slope float64) {
	top := logZero
	var few [8]float64
	exponents := few[:0]
	for i, c := range components {
		e := logs[i] + shift + c.Mean*(2*y-c.Mean)/(2*sigma*sigma)
		exponents = append(exponents, e)
		top = math.Max(top, e)
	}
	sum := 0.0
	if !math.IsInf(logZero, -1) {
		sum = math.Exp(logZero - top)
	}
	for i, c := range components {
		w := math.Exp(exponents[i] - top)
		sum += w
		slope += w * c.Mean
	}
	return top + numeric.Log(sum), slope / sum / (sigma * sigma)
}

// LogRatio returns log P/Q at y.
func (t Term) LogRatio(sigma, y float64) float64 {
	up, _ := logSum(t.First, logChances(t.First), logOf(t.Zero+t.Gap), 0, sigma, y)
	down, _ := logSum(t.Second, logChances(t.Second), logOf(t.Zero), 0, sigma, y)
	return up - down
}

// Far returns a y above which Weight P has mass at most e^logTail.
func (t Term) Far(sigma, logTail float64) float64 {
	far := math.Inf(-1)
	n := numeric.Log(float64(len(t.First) + 1))
	reach := func(chance, mean float64) {
		if !(chance > 0) {
			return
		}
		// Φ(-z) <= e^{-z²/2}/2
		left := 2 * (numeric.Log(chance) + numeric.Log(t.Weight) + n - logTail)
		far = math.Max(far, mean+sigma*math.Sqrt(math.Max(0, left)))
	}
	reach(t.Zero+t.Gap, 0)
	for _, c := range t.First {
		reach(c.Chance, c.Mean)
	}
	return far
}

// P returns the components of P, and Q those of Q.
func (t Term) P() []Component { return append([]Component{{t.Zero + t.Gap, 0}}, t.First...) }

// Q returns the components of Q.
func (t Term) Q() []Component { return append([]Component{{t.Zero, 0}}, t.Second...) }

// Most bounds the profile without Weight: P and Q have equal masses outside of what differs.
func (t Term) Most() float64 {
	most := math.Max(0, t.Gap)
	for _, c := range t.First {
		most += c.Chance
	}
	return math.Min(1, most)
}
