package selected

import "github.com/dplab/dplab/accounting/interval"

// Fates checks the bound of a tuning on a Poisson sample and a training after it, by their
// likelihood ratios (subsample, likelihood.go). r is the ratio of a pair of laws that dominates the
// tuning, q the rate and x = e^ε. δ is at most the larger mean, over the law without the record, of
//
//	q r + (1-q) s    E(qr + (1-q)s - x)₊,   E(1 - x(qr + (1-q)s))₊    training on the rest
//	s (1-q+qr)       E(s(1-q+qr) - x)₊,     E(1 - x s(1-q+qr))₊       training on all
//
// over the ratio s of the training, whose profile holds in both orders.
func Fates(tuning, training Run, rate float64, all bool) Check {
	outcomes, only := tuning.pair()
	return func(epsilon, _ float64) (float64, int) {
		f := fates{training, interval.Of(rate), one.Sub(interval.Of(rate)), interval.Of(epsilon).Exp()}
		direction := f.rest
		if all {
			direction = f.all
		}
		var forth, back interval.Sum
		forth.Add(f.rate.Mul(interval.Of(only)))
		for _, o := range outcomes {
			more, less := direction(o.ratio)
			forth.Add(o.mass.Mul(interval.Of(more)))
			back.Add(o.mass.Mul(interval.Of(less)))
		}
		return max(forth.I().Hi, back.I().Hi), len(outcomes)
	}
}

type fates struct {
	training    Run
	rate, other I // q and 1-q
	x           I
}

// mean returns an upper bound on E(a s - t)₊. It rises with a and falls with t.
func (f fates) mean(a, t I) float64 {
	switch {
	case t.Lo <= 0:
		return a.Sub(t).Hi
	case !(a.Hi > 0):
		return 0
	}
	most := interval.Of(a.Hi)
	return most.Mul(interval.Of(f.training.Excess(max(0, t.Div(most).Lo)))).Hi
}

func (f fates) rest(r I) (forth, back float64) {
	shown := f.rate.Mul(r)
	// E(left - x(1-q)s)₊ is E'(left - x(1-q)/s)₊ in the other order.
	left := one.Sub(f.x.Mul(shown))
	if left.Hi > 0 {
		back = f.mean(interval.Of(left.Hi), f.x.Mul(f.other))
	}
	return f.mean(f.other, f.x.Sub(shown)), back
}

func (f fates) all(r I) (forth, back float64) {
	ratio := f.other.Add(f.rate.Mul(r))
	return f.mean(ratio, f.x), f.mean(one, f.x.Mul(ratio))
}

// outcome is one of a pair of laws: its mass under the second, and the ratio of both masses.
type outcome struct{ mass, ratio I }

// pair returns a pair of laws whose divergences, in both orders, are nowhere below those of the
// run. only is the mass that the first law has where the second has none.
//
// Proof. Let D(t) = ∫ (P' - t Q')₊ of the pair, and H that of the run. D is linear between the
// ratios t_k = e^(ε_k) of the outcomes above 1, and only behind them. H is convex and falls. So D
// >= H from t_0 = 1 on if D(t_k) >= δ(ε_k). Going down, the mass at t_(k+1) is the least one for
// that. The pair is its own mirror image: each outcome has one with its masses exchanged. So D(t) =
// M(1-t) + t D(1/t) for t < 1, M the mass of each, and H(t) <= 1 - t + t H'(1/t), H' that of the
// other order. The mass that is left has ratio 1, so M >= 1. The mean of a convex function φ >= 0
// of the ratio is M φ(1), and the integrals of D(t) over t > 1 and of t D(1/t) over t < 1, with the
// second derivative of φ as the weight. ∎
func (r Run) pair() (all []outcome, only float64) {
	known := append([]Known{{0, r.Excess(1)}}, r.known...)
	n := len(known) - 1
	for k := range n { // δ falls with ε
		known[k+1].Delta = min(known[k+1].Delta, known[k].Delta)
	}
	only = known[n].Delta
	value, above := interval.Of(only), I{} // D, and the mass from the last ratio on
	total := value
	all = []outcome{{value, I{}}}
	for k := n - 1; k >= 0; k-- {
		t, next := interval.Of(known[k].Epsilon).Exp(), interval.Of(known[k+1].Epsilon).Exp()
		gap := next.Sub(t)
		lacks := interval.Of(known[k].Delta).Sub(value.Add(gap.Mul(above))).Hi
		switch {
		case next == t: // twice the same
			continue
		case !(gap.Lo > 0):
			return nil, 1
		}
		if lacks > 0 {
			mass := interval.Of(interval.Up(lacks / gap.Lo))
			above = above.Add(mass)
			mirrored := next.Mul(mass)
			total = total.Add(mass).Add(mirrored)
			all = append(all, outcome{mass, next}, outcome{mirrored, one.Div(next)})
		}
		value = value.Add(gap.Mul(above))
	}
	return append(all, outcome{one.Sub(total).Positive(), one}), only
}
