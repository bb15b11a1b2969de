package gridlaw

import (
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/interval"
)

// outcome has its masses under both laws of an unsampled mechanism, and its loss.
type outcome struct{ p, q, loss I }

// atom is a loss with its mass under the first law, on the sample.
type atom struct{ mass, loss I }

var boundless = interval.Of(math.Inf(1))

// outcomes lists the outcomes of a mechanism, if it has finitely many.
func (m Mechanism) outcomes() (all []outcome) {
	switch m.Kind {
	case Approximate: // Kairouz, Oh, Viswanath (2015), arXiv:1311.0776v4, Theorem 3.3
		a, b := interval.Of(m.A), interval.Of(m.B)
		truth := one.Sub(b).Div(one.Add(a.Neg().Exp()))
		lie := truth.Mul(a.Neg().Exp())
		all = []outcome{{truth, lie, a}, {lie, truth, a.Neg()}}
		if m.B > 0 {
			all = append(all, outcome{b, zero, boundless}, outcome{zero, b, boundless.Neg()})
		}
	case Outcomes:
		for i, with := range m.With {
			p, q := interval.Of(with), interval.Of(m.Without[i])
			all = append(all, outcome{p, q, logRatio(p, q)})
		}
	case Ratio:
		for loss, masses := range m.Curve.Points() {
			all = append(all, outcome{interval.Of(masses[0]), interval.Of(masses[1]), loss})
		}
	}
	return all
}

// logRatio returns log p/q for numbers, and for small losses without cancellation.
func logRatio(p, q I) I {
	switch r := p.Sub(q).Div(q); {
	case q.Lo == 0:
		return boundless
	case p.Lo == 0:
		return boundless.Neg()
	case math.Abs(r.Lo) < 0.5:
		return r.Log1p()
	}
	return p.Div(q).Log()
}

// loss returns log(1-q+q e^l), the loss on a sample in the direction of a removed record.
func (m Mechanism) loss(l I) I {
	q := interval.Of(m.Rate)
	switch {
	case m.Rate == 1 || m.Shown > 0:
		return l
	case l.Lo > 30:
		return l.Add(q.Add(one.Sub(q).Mul(l.Neg().Exp())).Log())
	}
	return q.Mul(l.Expm1()).Log1p()
}

// added reports whether the first law is that without the record.
func (m Mechanism) added() bool { return m.Add && !m.FixedSize }

// run lists the atoms of one run, and its infinite mass. ok is false if the losses are on a line.
func (m Mechanism) run() (finite []atom, infinite I, ok bool) {
	var rest interval.Sum
	q := interval.Of(m.Rate)
	for _, o := range m.outcomes() {
		ok = true
		a := atom{o.p, m.loss(o.loss)}
		if m.Rate < 1 && m.Shown == 0 {
			a.mass = one.Sub(q).Mul(o.q).Add(q.Mul(o.p))
		}
		if m.added() {
			a = atom{o.q, a.loss.Neg()}
		}
		if m.Shown > 0 {
			a.mass = a.mass.Mul(interval.Of(m.Shown))
		}
		switch {
		case a.mass.Hi <= 0:
		case math.IsInf(a.loss.Hi, 1):
			rest.Add(a.mass)
		default:
			finite = append(finite, a)
		}
	}
	return finite, rest.I(), ok
}

// atoms is run for so many runs as one, and without negative losses.
func (m Mechanism) atoms(runs float64) (positive []atom, infinite I, ok bool) {
	all, infinite, ok := m.run()
	switch {
	case ok && runs > 1 && len(all) == 2:
		all, infinite = binomial(all[0], all[1], infinite, runs)
	case runs > 1:
		return nil, one, true // no law of several runs is known
	}
	for _, a := range all {
		if a.loss.Hi > 0 {
			positive = append(positive, a)
		}
	}
	return positive, infinite, ok
}

// leastShare is where the masses end, relative to the largest.
const leastShare = 1e-120

// binomial returns the law of n releases of a mechanism with two outcomes. The number k of outcomes
// of the larger loss is binomial. The masses are listed around the mode. With the ratio
//
//	mass(k+1)/mass(k) = (n-k)/(k+1) odds,
//
// which falls in k, they follow from the one at the mode. They are divided by their sum, as all sum
// to at most (1-B)^n, B the chance of an outcome that only the first law has. The mass above them
// is at most the last one times ratio/(1-ratio), and is infinite here. That below counts at the
// lowest loss.
func binomial(high, low atom, infinite I, n float64) (out []atom, all I) {
	if high.loss.Hi < low.loss.Hi {
		high, low = low, high
	}
	odds := high.mass.Div(low.mass)
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
	above := I{}
	if top < n {
		r := ratio(top)
		above = I{Hi: shares[len(shares)-1].Mul(r).Div(one.Sub(r)).Hi}
	}
	if bottom > 0 {
		r := one.Div(ratio(bottom - 1))
		shares[0] = shares[0].Add(I{Hi: shares[0].Mul(r).Div(one.Sub(r)).Hi})
	}
	none := interval.Of(n).Mul(infinite.Neg().Log1p()) // log of (1-B)^n
	unit := none.Exp().Div(total.I())
	for i, share := range shares {
		k := interval.Of(bottom + float64(i))
		out = append(out, atom{share.Mul(unit), k.Mul(high.loss).Add(interval.Of(n).Sub(k).Mul(low.loss))})
	}
	// Some run has an outcome of infinite loss with chance 1-(1-B)^n.
	return out, above.Mul(unit).Add(none.Expm1().Neg().Positive())
}
