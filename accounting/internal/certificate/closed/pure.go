package closed

// Laplace returns δ(ε) of Laplace noise of scale b > 0 over the L1 sensitivity:
//
//	δ(ε) = 1 - e^((ε-1/b)/2)    for ε <= 1/b, and 0 above.
//
// Proof. The loss of noise x against noise around 1 is (|x-1|-|x|)/b, which is at least ε for x <=
// (1-bε)/2. The two laws give this half line 1 - e^((ε-1/b)/2)/2 and e^-((ε+1/b)/2)/2. ∎
func Laplace(b float64, epsilon I) I {
	return epsilon.Sub(one.Div(of(b))).Mul(half).Expm1().Neg().Positive()
}

// Pure returns δ(ε) of randomized response at ε0, the largest of all (ε0, 0)-private mechanisms:
//
//	δ(ε) = (1 - e^(ε-ε0)) / (1 + e^-ε0)    for ε <= ε0, and 0 above.
//
// Reference: Kairouz, Oh and Viswanath (2015), arXiv:1311.0776v4, Theorem 3.3 and its proof.
func Pure(epsilon0, epsilon I) I {
	return epsilon.Sub(epsilon0).Expm1().Neg().Positive().Div(one.Add(epsilon0.Neg().Exp()))
}

// RandomizedResponse returns δ(ε) of randomized response with the given chance of truth in [1/2,
// 1): p - e^ε (1-p), and 0 where that is negative.
func RandomizedResponse(truth float64, epsilon I) I {
	return of(truth).Sub(epsilon.Exp().Mul(one.Sub(of(truth)))).Positive()
}
