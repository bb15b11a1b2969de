package unproved

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/interval"
)

var one = interval.Of(1)

// Fates checks the bound of a tuning on a Poisson sample and a training after it, by their
// likelihood ratios (subsample, likelihood.go). with and without are the masses of a given pair
// that dominates the tuning, r their ratio, q the rate and x = e^ε. H is of the training. δ is at
// most the larger mean over without of
//
//	q r + (1-q) s    E(qr + (1-q)s - x)₊,   E(1 - x(qr + (1-q)s))₊    training on the rest
//	s (1-q+qr)       E(s(1-q+qr) - x)₊,     E(1 - x s(1-q+qr))₊       training on all
//
// over the ratio s of the training, whose law H bounds in both orders.
func Fates(with, without []float64, training selected.Run, rate float64, all bool) selected.Check {
	return func(epsilon, _ float64) (float64, int) {
		f := fates{training, interval.Of(rate), one.Sub(interval.Of(rate)), interval.Of(epsilon).Exp()}
		direction := f.rest
		if all {
			direction = f.all
		}
		var forth, back interval.Sum
		for i, p := range with {
			q := without[i]
			if !(q > 0) {
				forth.Add(f.rate.Mul(interval.Of(p)))
				continue
			}
			more, less := direction(interval.Of(p).Div(interval.Of(q)))
			forth.Add(interval.Of(q).Mul(interval.Of(more)))
			back.Add(interval.Of(q).Mul(interval.Of(less)))
		}
		return max(forth.I().Hi, back.I().Hi), len(with)
	}
}

type fates struct {
	training    selected.Run
	rate, other interval.I // q and 1-q
	x           interval.I
}

// mean returns an upper bound on E(a s - t)₊. It rises with a and falls with t.
func (f fates) mean(a, t interval.I) float64 {
	switch {
	case t.Lo <= 0:
		return a.Sub(t).Hi
	case !(a.Hi > 0):
		return 0
	}
	most := interval.Of(a.Hi)
	return most.Mul(interval.Of(f.training.Excess(max(0, t.Div(most).Lo)))).Hi
}

func (f fates) rest(r interval.I) (forth, back float64) {
	shown := f.rate.Mul(r)
	// E(left - x(1-q)s)₊ is E'(left - x(1-q)/s)₊ in the other order.
	left := one.Sub(f.x.Mul(shown))
	if left.Hi > 0 {
		back = f.mean(interval.Of(left.Hi), f.x.Mul(f.other))
	}
	return f.mean(f.other, f.x.Sub(shown)), back
}

func (f fates) all(r interval.I) (forth, back float64) {
	ratio := f.other.Add(f.rate.Mul(r))
	return f.mean(ratio, f.x), f.mean(one, f.x.Mul(ratio))
}

// Fate is a given ε at a δ.
type Fate struct{ Epsilon, Delta float64 }

// Mixed checks the bound of two fates of one record, with chances q and 1-q: see
// subsample.mixtureEpsilon. For some w from 1 - (1-q)e^(ε-ε2) to q e^(ε-ε1), δ is at most the
// larger of
//
//	q δ1 + (1-q) δ2,    w δ1 + (1-w) δ2,    if e^ε >= q e^ε1 + (1-q) e^ε2.
func Mixed(rate float64, inside, outside Fate) selected.Check {
	q := interval.Of(rate)
	other := one.Sub(q)
	in, out := interval.Of(inside.Epsilon), interval.Of(outside.Epsilon)
	return func(epsilon, _ float64) (float64, int) {
		e := interval.Of(epsilon)
		if !(q.Mul(in.Sub(e).Exp()).Add(other.Mul(out.Sub(e).Exp())).Hi <= 1) {
			return 1, 1
		}
		low, w := max(0, one.Sub(other.Mul(e.Sub(out).Exp())).Hi), min(1, q.Mul(e.Sub(in).Exp()).Lo)
		switch {
		case !(low <= w):
			return 1, 1
		case inside.Delta > outside.Delta:
			w = low
		}
		mean := func(w interval.I) float64 {
			return w.Mul(interval.Of(inside.Delta)).Add(one.Sub(w).Mul(interval.Of(outside.Delta))).Hi
		}
		return math.Max(mean(q), mean(interval.Of(w))), 1
	}
}
