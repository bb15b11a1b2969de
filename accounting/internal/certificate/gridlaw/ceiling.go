package gridlaw

import (
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// Single is a mechanism that runs Count times.
type Single struct {
	Mechanism
	Count float64
}

// ceiling bounds δ(ε) where ε is at least the sum of all largest losses: by the chance of an
// outcome that only the first law has. Elsewhere it returns 1.
func (g Grid) ceiling(epsilon float64) float64 {
	var loss, infinite I
	for _, s := range g.Singles {
		count := interval.Of(s.Count)
		loss = loss.Add(count.Mul(I{Hi: s.largest()}))
		infinite = infinite.Add(count.Mul(I{Hi: s.shown()}))
	}
	if len(g.Singles) == 0 || !(loss.Hi <= epsilon) {
		return 1
	}
	return infinite.Hi
}

// largest bounds the largest finite loss of a run. It is at least 0.
func (m Mechanism) largest() float64 {
	loss := math.Inf(1)
	switch m.Kind {
	case Laplace:
		loss = one.Div(interval.Of(m.A)).Hi
	case Approximate, Range:
		loss = m.A
	case Outcomes:
		loss = 0
		for i, p := range m.With {
			if q := m.Without[i]; p > 0 && q > 0 {
				r := interval.Of(p).Div(interval.Of(q)).Log()
				loss = max(loss, max(r.Hi, -r.Lo))
			}
		}
	}
	if m.Rate == 1 {
		return loss
	}
	q, l := interval.Of(m.Rate), interval.Of(loss)
	rest := one.Sub(q)
	switch {
	case m.Add && !m.FixedSize && math.IsInf(loss, 1):
		return rest.Log().Neg().Hi
	case m.Add && !m.FixedSize:
		return rest.Add(q.Mul(l.Neg().Exp())).Log().Neg().Positive().Hi
	}
	return rest.Add(q.Mul(l.Exp())).Log().Positive().Hi
}

// shown bounds the chance of an outcome that only the first law has. On a sample it is at most
// that of the mechanism.
func (m Mechanism) shown() float64 {
	switch m.Kind {
	case Approximate:
		return m.B
	case Outcomes:
		var with, without interval.Sum
		for i, p := range m.With {
			if q := m.Without[i]; q == 0 {
				with.Add(interval.Of(p))
			} else if p == 0 {
				without.Add(interval.Of(q))
			}
		}
		return max(with.I().Hi, without.I().Hi)
	}
	return 0
}
