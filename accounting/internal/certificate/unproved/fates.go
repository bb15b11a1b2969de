package unproved

import (
	"math"

	"github.com/dplab/dplab/accounting/internal/certificate/selected"
	"github.com/dplab/dplab/accounting/interval"
)

var one = interval.Of(1)

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
