package gridlaw

import (
	"cmp"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/interval"
)

// walk returns upper bounds of δ at falling ε, one after the other.
func (m Mechanism) walk() func(epsilon I) float64 {
	switch {
	case m.Runs > 1:
		return m.binomial().walk()
	case m.Kind == Outcomes && !m.FixedSize && m.Shown == 0:
		return m.outcomesOfRun().walk()
	}
	return m.delta
}

// atoms is a law of finitely many losses. Masses under the first law and losses are upper bounds,
// from the largest loss down.
type atoms struct {
	masses, losses []float64
	infinite       float64
}

// outcomesOfRun returns the outcomes of a run in its direction, on its Poisson sample. Their order
// is that of the upper bounds of losses, so it does not matter that these are rounded.
func (m Mechanism) outcomesOfRun() (out atoms) {
	type outcome struct{ mass, loss float64 }
	var finite []outcome
	var infinite interval.Sum
	q := interval.Of(m.Rate)
	for i, p := range m.With {
		without := interval.Of(m.Without[i])
		with := one.Sub(q).Positive().Mul(without).Add(q.Mul(interval.Of(p)))
		if m.Rate == 1 {
			with = interval.Of(p)
		}
		if m.Add {
			with, without = without, with
		}
		switch {
		case !(with.Hi > 0):
		case !(without.Lo > 0):
			infinite.Add(with)
		default:
			finite = append(finite, outcome{with.Hi, with.Div(without).Log().Hi})
		}
	}
	slices.SortFunc(finite, func(a, b outcome) int { return cmp.Compare(b.loss, a.loss) })
	for _, o := range finite {
		out.masses, out.losses = append(out.masses, o.mass), append(out.losses, o.loss)
	}
	out.infinite = infinite.I().Hi
	return out
}

// leastShare is where the masses end, relative to the largest.
const leastShare = 1e-120

// binomial returns the law of Runs releases of a mechanism with two outcomes. The number k of
// outcomes of the larger loss is binomial. The masses are listed around the mode. With the ratio
//
//	mass(k+1)/mass(k) = (n-k)/(k+1) odds,
//
// which falls in k, they follow from the one at the mode. They are divided by their sum, as all
// sum to at most (1-B)^n, B the chance of an outcome that only one law has. The mass above them
// is at most the last one times ratio/(1-ratio), and is infinite here. That below counts at the
// lowest loss.
func (m Mechanism) binomial() (out atoms) {
	e, n := interval.Of(m.A), m.Runs
	truth, lie := one.Div(one.Add(e.Neg().Exp())), one.Div(one.Add(e.Exp())) // with the record; without it the other way round
	q := interval.Of(m.Rate)
	rest := one.Sub(q).Positive()
	withHigh, withLow := rest.Mul(lie).Add(q.Mul(truth)), rest.Mul(truth).Add(q.Mul(lie))
	gain := withHigh.Div(lie).Log()        // of the outcome that the record makes more probable
	lose := withLow.Div(truth).Log().Neg() // of the other one
	if m.Rate == 1 {
		gain, lose = e, e
	}
	high, low, up, down := withHigh, withLow, gain, lose.Neg()
	if m.Add {
		high, low, up, down = truth, lie, lose, gain.Neg()
	}
	odds := high.Div(low)
	mode := min(n, math.Floor((n+1)*odds.Lo/(1+odds.Lo)))
	ratio := func(k float64) I {
		return interval.Of(n - k).Div(interval.Of(k + 1)).Mul(odds)
	}
	top, bottom := mode, mode
	shares := []I{one} // of k = bottom to top
	for s := one; bottom > 0 && s.Hi > leastShare; bottom-- {
		s = s.Div(ratio(bottom - 1))
		shares = append(shares, s)
	}
	slices.Reverse(shares)
	for s := one; top < n && s.Hi > leastShare; top++ {
		s = s.Mul(ratio(top))
		shares = append(shares, s)
	}
	var total interval.Sum
	for _, s := range shares {
		total.Add(s)
	}
	all := interval.Of(total.I().Lo)
	above, below := I{}, I{}
	if top < n {
		r := ratio(top)
		above = I{Hi: shares[len(shares)-1].Mul(r).Div(one.Sub(r)).Hi}
	}
	if bottom > 0 {
		r := one.Div(ratio(bottom - 1))
		below = I{Hi: shares[0].Mul(r).Div(one.Sub(r)).Hi}
	}
	none := interval.Of(n).Mul(one.Sub(interval.Of(m.B)).Log()) // of the outcomes that only one law has
	all = all.Div(none.Exp())
	for k := top; k >= bottom; k-- {
		share := shares[int(k-bottom)]
		if k == bottom {
			share = share.Add(below)
		}
		out.masses = append(out.masses, share.Div(all).Hi)
		out.losses = append(out.losses, interval.Of(k).Mul(up).Add(interval.Of(n-k).Mul(down)).Hi)
	}
	// Some run has an outcome of infinite loss with chance 1-(1-B)^n.
	out.infinite = interval.Up(above.Div(all).Hi + none.Expm1().Neg().Positive().Hi)
	return out
}

// walk adds up Σ p (1-e^{ε-l})_+ at falling ε. Let b = Σ p e^{ε-l} over the losses above ε. A
// step by d adds b (1-e^-d) and multiplies b by e^-d.
func (b atoms) walk() func(epsilon I) float64 {
	next, delta, rest, at := 0, I{Lo: b.infinite, Hi: b.infinite}, I{}, math.Inf(1)
	return func(epsilon I) float64 {
		low := epsilon.Lo
		if d := interval.Of(at).Sub(interval.Of(low)); at < math.Inf(1) && at > low {
			delta = delta.Add(rest.Mul(d.Neg().Expm1().Neg()))
			rest = rest.Mul(d.Neg().Exp())
		}
		at = low
		for ; next < len(b.losses) && b.losses[next] > low; next++ {
			gap, p := interval.Of(low).Sub(interval.Of(b.losses[next])), interval.Of(b.masses[next])
			delta = delta.Add(p.Mul(gap.Expm1().Neg().Positive()))
			rest = rest.Add(p.Mul(gap.Exp()))
		}
		return delta.Hi
	}
}
