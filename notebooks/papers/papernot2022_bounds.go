package papers

// corollary4 is the error of the recomputed closed forms: they are printed to 12 digits.
const corollary4 = 1e-10

// theorem6 is the error of the recomputed Poisson values, which need nested searches over orders: halving the spacing of
// the outer grids moves them by less.
const theorem6 = 1e-7

func rdpPoint(law LawID, order, number float64, where string, absErr float64) RDPPoint {
	return RDPPoint{Law: law, Order: order, Value: Value{
		Quantity: "Rényi divergence bound, nats",
		Number:   number,
		Source:   papernot2022Recomputed(where, absErr),
	}}
}

// The caption of Figure 2: logarithmic law, base 0.1-zCDP, curves of Corollary 4. Order 2
// lies on the flat part, order 30 on the rising one.
var papernot2022Figure2 = []RDPPoint{
	rdpPoint(tnbLaw(0, 10), 2, 2.16219433866, "Figure 2, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 10), 30, 4.18188864219, "Figure 2, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 1000), 2, 3.57203609664, "Figure 2, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 1000), 30, 5.04797641827, "Figure 2, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 1e6), 2, 4.9296644198, "Figure 2, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 1e6), 30, 5.95527333512, "Figure 2, Corollary 4", corollary4),
	rdpPoint(fixedLaw(10), 30, 30, "Figure 2, naive composition: 10 · 0.1 · 30", 0),
}

// The caption of Figure 3: mean 10, base 0.1-zCDP.
var papernot2022Figure3 = []RDPPoint{
	rdpPoint(tnbLaw(0, 10), 2, 2.16219433866, "Figure 3, Corollary 4", corollary4),
	rdpPoint(tnbLaw(0, 10), 50, 6.14948068873, "Figure 3, Corollary 4", corollary4),
	rdpPoint(tnbLaw(1, 10), 2, 2.77911554731, "Figure 3, Corollary 4", corollary4),
	rdpPoint(tnbLaw(1, 10), 50, 6.76640189739, "Figure 3, Corollary 4", corollary4),
	rdpPoint(tnbLaw(5, 10), 2, 4.4320975116, "Figure 3, Corollary 4", corollary4),
	rdpPoint(tnbLaw(5, 10), 50, 8.41938386167, "Figure 3, Corollary 4", corollary4),
	rdpPoint(poissonLaw(10), 2, 2.48645308843, "Figure 3, Theorem 6 with Lemma 14", theorem6),
	rdpPoint(poissonLaw(10), 50, 7.62056823667, "Figure 3, Theorem 6 with Lemma 14", theorem6),
	rdpPoint(fixedLaw(10), 50, 50, "Figure 3, naive composition: 10 · 0.1 · 50", 0),
}

func epsilonPoint(law LawID, number float64, where string, absErr float64) EpsilonPoint {
	return EpsilonPoint{Law: law, Delta: 1e-6, Value: Value{
		Quantity: "ε at δ = 1e-6",
		Number:   number,
		Source:   papernot2022Recomputed(where, absErr),
	}}
}

// The caption of Figure 4: base 0.1-zCDP, δ = 1e-6, converted by Lemma 14.
var papernot2022Figure4 = []EpsilonPoint{
	epsilonPoint(fixedLaw(1), 2.14193892839, "Figure 4, Lemma 14", 1e-9),
	epsilonPoint(fixedLaw(10), 7.76621662531, "Figure 4, naive composition, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(0, 10), 3.45084088858, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(0, 100), 4.04773024256, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(0, 1000), 4.52525984711, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(1, 10), 4.06776209723, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(1, 100), 5.05288838155, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(1, 1000), 5.83999815927, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(5, 10), 5.72074406152, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(tnbLaw(5, 100), 8.559694912, "Figure 4, Corollary 4, Lemma 14", 1e-9),
	epsilonPoint(poissonLaw(10), 4.60737296408, "Figure 4, Theorem 6, Lemma 14", theorem6),
	epsilonPoint(poissonLaw(100), 18.7587509464, "Figure 4, Theorem 6, Lemma 14", theorem6),
}
