package selected

import (
	"cmp"
	"slices"

	"github.com/dplab/dplab/accounting/interval"
)

// Proposed returns the ranks of runs whose candidates come from proposals of densities in [least,
// most]. If a run gives outputs the chance u at least, on one data set, then on the other it gives
// them at most the least of
//
//	C H + (C t/c) u,              1-c + c H + t u,
//	C H + t (C-1) + t u,          1-c + c H + c t (1-1/C) + (c t/C) u
//
// over t > 0, with H = H(t), c = least and C = most. Package adaptive has the proof. It returns
// them as values of a profile, where the factor of u is at least 1.
func (r Run) Proposed(least, most float64) Run {
	c, most1 := interval.Of(least), interval.Of(most)
	ratio := most1.Div(c)
	var known []Known
	add := func(t, delta I) {
		if at := max(0, t.Log().Hi); t.Hi >= 1 && delta.Hi <= 1 {
			known = append(known, Known{Epsilon: at, Delta: max(0, delta.Hi)})
		}
	}
	inequalities := func(t, h I) {
		high, rest := most1.Mul(h), one.Sub(c).Add(c.Mul(h)) // 1 - c(1-h) would lose a small h
		add(ratio.Mul(t), high)
		add(t, rest)
		add(t, high.Add(t.Mul(most1.Sub(one))))
		add(t.Div(ratio), rest.Add(c.Mul(t).Mul(most1.Sub(one).Div(most1))))
	}
	for _, k := range r.known {
		e, delta := interval.Of(k.Epsilon), interval.Of(k.Delta)
		inequalities(e.Exp(), delta)
		inequalities(e.Neg().Exp(), e.Neg().Expm1().Neg().Add(e.Neg().Exp().Mul(delta))) // H(t) below t = 1
	}
	slices.SortFunc(known, func(a, b Known) int {
		return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
	})
	return NewRun(known)
}

// Proposals checks a bound on the best of K runs whose candidates come from such proposals. inner
// checks the claim for the ranks of [Run.Proposed], at δ/most.
func Proposals(inner Check, least, most float64) Check {
	apart := interval.Of(most).Div(interval.Of(least)).Log()
	return func(epsilon, slack float64) (float64, int) {
		delta, work := inner(interval.Of(epsilon).Sub(apart).Lo, slack)
		return interval.Of(most).Mul(interval.Of(delta)).Hi, work
	}
}
