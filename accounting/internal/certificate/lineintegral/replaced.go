package lineintegral

import "github.com/dplab/dplab/accounting/interval"

// The law of a replaced record. A sum of clipped vectors on a Poisson sample has the pair of laws
// (package pld, replaceone_sum.go)
//
//	P = (1-q) N(0, σ²) + q N(1, σ²),   Q = (1-q) N(0, σ²) + q N(-1, σ²).
//
// With A(x) = e^{l(x)} = 1-q + q e^v their densities are ρ(x) A(x) and ρ(x) A(-x). The loss is L(x)
// = l(x) - l(-x), which rises, and
//
//	M(z) = E_P e^{zL} = ∫ ρ A(x)^{z+1} A(-x)^{-z} dx.
//
// x -> -x exchanges P and Q, so both directions are equal. The direction here is remove, which
// has e^{+itL} too. What the proofs of this package need is as follows, with r(x) = σ² l'(x), c the
// real part of z, and θ = y/σ².
//
// The strip. A(x+iy) and A(-x-iy) are not 0 for |θ| < π. For 0 <= θ < π let ψ(x) = arg(1-q + q
// e^{v+iθ}). It is in [0, θ] and rises in x. As v(-x-iy) = v(-x) - iθ, Im L(x+iy) is ψ(x) + ψ(-x),
// which is not negative. So |e^{itL}| <= 1 for t >= 0.
//
// The growth G. |A(x+iy)| <= A(x), and |A(-x-iy)|² = A(-x)² (1 - 4r(1-r) sin²(θ/2)), r = r(-x). So
// on Im x = ±y the size of the integrand is at most e^{y²/2σ²} R(x) times that at Re x, with
//
//	R(x) = (1 - 4r(1-r) sin²(θ/2))^{-c/2} <= cos(θ/2)^-c.
//
// If cos θ >= 0, |A(-x-iy)| >= 1-q. So its integral is at most e^{y²/2σ²} (1-q)^-c F(c+1), F(α) =
// E_ρ A(x)^α. F(c+1) <= M(c): with ν the law of density ρ A^{c+1}/F(c+1),
//
//	M(c)/F(c+1) = E_ν A(-x)^-c >= (E_ν A(-x))^-c >= (E_ρ A(-x))^-c = 1,
//
// by Jensen, and as A(x) rises and A(-x) falls in x (Chebyshev). So G is the lesser of cos(θ/2)^-c
// and (1-q)^-c. Both are at least 1.
//
// The ends. σ² times the slope of the tilted law's logarithm is (c+1) r(x) + c r(-x) - x. It is at
// least |x| below 0, and at most c+1 + c r(-h) - x from h on, as r rises.
//
// The levels. The slope of L is S/σ², S = r(x) + r(-x), and
//
//	-(log S)'' = (S'/S)² - S''/S <= (1 + 1/8)/σ⁴,
//
// as r' = r(1-r)/σ² <= r/σ² and r'' = r(1-r)(1-2r)/σ⁴ >= -r/(8σ⁴). The second derivative of the
// tilted law's logarithm is ((c+1) r(1-r)(x) - c r(1-r)(-x))/σ⁴ - 1/σ², at least -1/σ² - c/(4σ⁴).
// For the density of the tilted loss it is at most ((c+1)/4 + 9/8)/σ⁴ - 1/σ².
//
// The shifted line. |φ(t)| <= e^{b²/2σ²} E[R e^{-t(ψ(x)+ψ(-x))}]. On a cell [u, w] the exponent is
// at most -t(ψ(u)+ψ(-w)). r(-x) falls, so r(1-r) is at most that of the end next to 1/2, or 1/4 if
// r passes 1/2.
//
// A law is trimmed by the chance of an output above a point. This is the chance under P, as in the
// remove direction.

// slopeBend is σ⁴ times the bound of -(log S)”.
const slopeBend = 9. / 8

// replacedLine adds to a shifted line what its cells need.
func (r realLine) replacedLine(line shiftedLine, a angle) shiftedLine {
	line.beyond = logTurned(r.a, a).Exp().Hi
	psi := func(x float64) float64 {
		_, im := r.lossAt(r.exponent(x), a)
		return max(0, im.Lo)
	}
	square := a.sinHalf.Mul(a.sinHalf).Mul(interval.Of(4))
	for i := range len(r.nodes) - 1 {
		u := float64(r.first+i) * r.step
		w := float64(r.first+i+1) * r.step
		line.im = append(line.im, interval.Down(psi(u)+psi(-w)))
		high, low := r.posterior(-u), r.posterior(-w)
		both := interval.Of(0.25)
		if high.Hi < 0.5 {
			both = high.Mul(one.Sub(high))
		} else if low.Lo > 0.5 {
			both = low.Mul(one.Sub(low))
		}
		log := interval.Of(r.a).Mul(square.Mul(both).Neg().Log1p()).Mul(half).Neg()
		line.growth = append(line.growth, log.Exp().Hi)
	}
	return line
}

// logOfSum returns log(e^a + e^b).
func logOfSum(a, b I) I {
	if a.Hi < b.Hi {
		a, b = b, a
	}
	return a.Add(b.Sub(a).Exp().Log1p())
}
