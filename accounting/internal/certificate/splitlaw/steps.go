package splitlaw

import (
	"errors"
	"math"

	"github.com/dplab/dplab/accounting/interval"
)

// Nodes and weights of Gauss and Legendre's rule on [-1, 1], to 17 digits. Abramowitz and Stegun,
// Table 25.4.
var (
	nodes   = [4]float64{-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480, 0.86113631159405257522}
	weights = [4]float64{0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263, 0.34785484513745385737}
)

func nearly(x float64) I { return I{Lo: interval.Down(x), Hi: interval.Up(x)} }

// oneStep returns a law above X = e^{s x - s²/2}, x normal, on the grid of the step h, for x about
// from -far to far+s. Between two points z_k and z_{k+1} the mass is split, for each x, with the
// mean X: it goes to z_{k+1} with the share (X-z_k)/(z_{k+1}-z_k). With y = x-x_k and w = h/s,
//
//	up    φ(x_k)/(e^h-1) ∫_0^w e^{-x_k y - y²/2} (e^{sy}-1) dy
//	down  φ(x_k)/(e^h-1) ∫_0^w e^{-x_k y - y²/2} (e^h-e^{sy}) dy
//
// by the rule of four nodes. Its error is at most w^9 4!^4/(9·8!^3) times the largest eighth
// derivative. G_b(y) = e^{-by-y²/2} has the eighth derivative He_8(y+b) G_b(y), with |He_8(x)| <=
// (|x|+√8)^8, and G_b <= e^{|b|w}. The integrands are G_{a-s} - G_a and e^h G_a - G_{a-s}. ∎
//
// Below the first point x_0 the mass is split between it and 0, and above the last one x_n it stays
// there, and all of P's mass is moved to ∞. With Φ(-x) <= φ(x)/x for x > 0, that is at most
//
//	Φ(x_0-s)/z_0 <= φ(x_0)/(|x_0|+s),   φ(x_0)/|x_0| at 0,   φ(x_n)/x_n,   φ(x_n-s)/(x_n-s) at ∞.
func oneStep(s, h, far float64) (law, error) {
	first := math.Floor((-s*far - s*s/2) / h)
	n := int(math.Ceil((s*far+s*s/2)/h)-first) + 1
	if !(n > 2 && n <= 4*mostCells) {
		return law{}, errors.New("the grid of one step does not fit")
	}
	l := law{step: h, first: int(first), mass: make([]float64, n+1)}
	S, H := of(s), of(h)
	x := func(k int) I { // (log z_k + s²/2)/s
		return H.Mul(of(first + float64(k))).Div(S).Add(S.Mul(of(0.5)))
	}
	w := H.Div(S)
	var y, up, down [4]I
	for i := range nodes {
		right := nearly(nodes[i]).Add(one).Mul(of(0.5)) // (1+t)/2
		left := one.Sub(right)
		y[i] = w.Mul(right)
		weight := nearly(weights[i]).Mul(w).Mul(of(0.5))
		up[i] = H.Mul(right).Expm1().Mul(weight)
		down[i] = H.Mul(right).Exp().Mul(H.Mul(left).Expm1()).Mul(weight)
	}
	rule := of(24).PowInt(4).Div(of(9).Mul(of(40320).PowInt(3))).Mul(w.PowInt(9)).Mul(of(2)).Mul(H.Exp())
	for k := range n {
		a := x(k)
		sumUp, sumDown := of(0), of(0)
		for i := range y {
			e := a.Mul(y[i]).Add(y[i].Mul(y[i]).Mul(of(0.5))).Neg().Exp()
			sumUp, sumDown = sumUp.Add(e.Mul(up[i])), sumDown.Add(e.Mul(down[i]))
		}
		size := of(max(math.Abs(a.Lo), math.Abs(a.Hi))).Add(S)
		error := rule.Mul(size.Add(w).Add(of(3)).PowInt(8)).Mul(size.Mul(w).Exp())
		here := density(a).Div(H.Expm1())
		l.mass[k] = interval.Up(l.mass[k] + here.Mul(sumDown.Add(error)).Hi)
		l.mass[k+1] = interval.Up(l.mass[k+1] + here.Mul(sumUp.Add(error)).Hi)
	}
	begin, end := x(0), x(n)
	l.mass[0] = interval.Up(l.mass[0] + density(begin).Div(S.Sub(begin)).Hi)
	l.zero = density(begin).Div(begin.Neg()).Hi
	l.mass[n] = interval.Up(l.mass[n] + density(end).Div(end).Hi)
	l.infinite = density(end.Sub(S)).Div(end.Sub(S)).Hi
	return l, nil
}

// density returns φ(x), times scale. It has an upper end near φ for |x| < 53.
func density(x I) I {
	e := x.Mul(x).Mul(of(0.25)).Neg().Exp()
	return e.Mul(of(scale)).Mul(e).Div(interval.Pi().Mul(of(2)).Sqrt())
}

// logMean returns ln(1-u+u e^x), for x >= 0 and u in [0, 1].
func logMean(u, x I) I {
	if x.Hi < 600 {
		return x.Expm1().Mul(u).Log1p()
	}
	return x.Add(u.Add(one.Sub(u).Mul(x.Neg().Exp())).Log())
}

// average returns a law above (m Z_a + n Z_b)/(m+n), for independent Z of laws on one grid with
// shift 0. The result has the step of a over finer, 1 or 2.
//
// Proof. With u = m/(m+n), E f(uZ_a + z) is at most the sum over a's law, plus u a.infinite f'(∞),
// for each z. For each z of a's law, E f(uz + (1-u)Z_b) is at most the sum over b's law plus (1-u)
// b.infinite f'(∞). An atom is split between two points with the same mean, which raises E f
// (Jensen). The average of 0 and z is split between 0 and z. ∎
//
// From the smaller point on, the average is 1-u + u e^{step |i-j|}, with the weight u of the
// larger. So the place depends on j-i only. A point gets at most two terms of each j-i, and one
// more for each 0.
func average(a, b law, m, n, finer int) law {
	na, nb := len(a.mass), len(b.mass)
	step := a.step / float64(finer)
	shareA := of(float64(m)).Div(of(float64(m + n)))
	shareB := of(float64(n)).Div(of(float64(m + n)))
	low := finer * min(a.first, b.first)
	last := finer * max(a.first+na-1, b.first+nb-1)
	places := make([]place, na+nb-1)
	for d := range places {
		apart := d - (na - 1) + b.first - a.first // j - i
		larger := shareB
		if apart < 0 {
			larger = shareA
		}
		p := placeOf(logMean(larger, of(a.step).Mul(of(math.Abs(float64(apart))))), step)
		p.k += finer*(a.first+min(0, apart)) - low // from finer·i on
		places[d] = p
	}
	out := law{step: step, first: low, mass: make([]float64, last-low+3)}
	left, right, same := a.halved(), b.halved(), m == n && na == nb && &a.mass[0] == &b.mass[0]
	for d, p := range places {
		if p.wide > 1 {
			for i := max(0, na-1-d); i < na && i+d-(na-1) < nb; i++ {
				q := left[i] * right[i+d-(na-1)]
				out.mass[finer*i+p.k] += q * p.low
				out.mass[finer*i+p.k+p.wide] += q * p.high
			}
			places[d].low, places[d].high = 0, 0
		}
	}
	for i, p := range left {
		if p == 0 {
			continue
		}
		row, from := places[na-1-i:], 0
		if same {
			out.mass[finer*i+row[i].k] += p * p * row[i].low
			out.mass[finer*i+row[i].k+1] += p * p * row[i].high
			p, from = 2*p, i+1
		}
		row = row[from:nb]
		for j, q := range right[from:] {
			m, at := p*q, &row[j]
			k := finer*i + at.k
			out.mass[k] += m * at.low
			out.mass[k+1] += m * at.high
		}
	}
	out.zero = of(a.zero).Mul(of(b.zero).Div(of(scale))).Hi
	for _, side := range [2]struct {
		zero  float64
		of    law
		share I
	}{{a.zero, b, shareB}, {b.zero, a, shareA}} {
		zero := of(side.zero).Div(of(scale)).Hi
		for k, m := range side.of.mass {
			out.mass[finer*(side.of.first+k)-low] += zero * m * side.share.Hi
		}
		out.zero = interval.Up(out.zero + of(side.zero).Mul(of(side.of.total())).Mul(one.Sub(side.share)).Hi)
	}
	for k, m := range out.mass {
		if m > 0 {
			out.mass[k] = inflated(m, 2*(na+nb)+8)
		}
	}
	out.infinite = shareA.Mul(of(a.infinite)).Add(of(a.total()).Mul(shareB).Mul(of(b.infinite))).Hi
	return out.charged(float64(na) * float64(nb))
}

// product returns a law above Z_a Z_b, for independent Z of mean 1 on one grid.
//
// Proof. As for average. E f(Z_a z) is at most the sum plus a.infinite z f'(∞), and Z_b has mean 1.
// For each z of a's law, E f(z Z_b) is at most the sum plus b.infinite z f'(∞). ∎
func product(a, b law) law {
	na, nb := len(a.mass), len(b.mass)
	out := law{step: a.step, shift: a.shift.Add(b.shift), first: a.first + b.first, mass: make([]float64, na+nb-1)}
	left, right, same := a.halved(), b.halved(), na == nb && &a.mass[0] == &b.mass[0]
	for i, p := range left {
		if p == 0 {
			continue
		}
		from := 0
		if same {
			out.mass[2*i] += p * p
			p, from = 2*p, i+1
		}
		here := out.mass[i+from : i+nb]
		for j, q := range right[from:] {
			here[j] += p * q
		}
	}
	for k, m := range out.mass {
		if m > 0 {
			out.mass[k] = inflated(m, min(na, nb)+8)
		}
	}
	out.zero = of(a.zero).Mul(of(b.total())).Add(of(a.total()).Mul(of(b.zero))).Hi
	out.infinite = of(a.infinite).Add(of(a.mean()).Mul(of(b.infinite))).Hi
	return out.charged(float64(na) * float64(nb))
}

// mixed returns a law above 1-w+wZ, for Z of law l with shift 0, on n points or up to twice as
// many:
//
//	1-w+wZ = (1-w) (1 + Z/c),    c = (1-w)/w.
func (l law) mixed(w float64, n int) (law, error) {
	u := of(w)
	odds := u.Div(one.Sub(u)).Log()
	above := func(k int) I { // ln(1+Z/c)
		if x := l.at(k).Add(odds); x.Hi < 600 {
			return x.Exp().Log1p()
		} else {
			return x.Add(x.Neg().Exp().Log1p())
		}
	}
	lo, hi := above(0).Lo, above(len(l.mass)-1).Hi
	step := l.step * halvings((hi-lo)/l.step/float64(n))
	if !(step > 0 && hi < 1e3 && hi/step < 1e12) {
		return law{}, errors.New("no grid for a mixture")
	}
	out := law{step: step, shift: one.Sub(u).Log(), first: max(0, int(lo/step)-1)}
	out.mass = make([]float64, int(hi/step)-out.first+5)
	for k, q := range l.mass {
		if q != 0 {
			out.put(q, placeOf(above(k), step))
		}
	}
	first := of(step).Mul(of(float64(out.first))).Neg() // 1 is split between 0 and the first point
	out.mass[0] = interval.Up(out.mass[0] + of(l.zero).Mul(first.Exp()).Hi)
	out.zero = of(l.zero).Mul(first.Expm1().Neg().Positive()).Hi
	out.infinite = of(l.infinite).Mul(u).Hi
	return out, nil
}

// halvings returns the largest power of two that is at most x > 0.
func halvings(x float64) float64 { return math.Exp2(math.Floor(math.Log2(x))) }
