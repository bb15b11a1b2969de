package papers

// corollary4 is the error of the recomputed closed forms: they are printed to 12 digits.
const corollary4 = 1e-10

// theorem6 is the error of the recomputed Poisson values, which need nested searches over orders.
// Halving the spacing of the outer grids moves them by less.
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

// ConditionalPoint is the example of appendix D.2 at one order λ. It is the three-point pair (Q,
// Q') with parameters a, s, t at which both Rényi divergences are ρλ, conditioned on the first two
// points. The text does not print a.
type ConditionalPoint struct {
	A, Order float64
	S, T     float64 // solutions
	Mass     float64 // Q(S), the chance of the set that is conditioned on
	Exact    float64 // D_λ(Q_S ‖ Q'_S), nats
	Bound    float64 // Corollary 16, second inequality, with D_{λ-1}(Q' ‖ Q) = ρ(λ-1)
	Source   Source
}

var figure8Source = papernot2022Recomputed("Figure 8, appendix D.2 solved for s and t", 1e-8)

var papernot2022Figure8 = []ConditionalPoint{
	{0.25, 3, 0.7927879584, 1.024821758, 0.2262906285, 0.9414055149, 1.885935139, figure8Source},
	{0.25, 5, 0.8296154437, 1.011615639, 0.218108502, 1.122186719, 1.561381312, figure8Source},
	{0.25, 10, 1.154030016, 1.282215401, 0.157681643, 1.749952994, 2.210483821, figure8Source},
	{0.25, 20, 2.072962861, 2.18206617, 0.06290623204, 3.539493325, 4.091169478, figure8Source},
	{0.01, 3, 2.219975632, 3.306195924, 0.00217223511, 4.490432008, 6.531998637, figure8Source},
	{0.01, 5, 1.616306314, 2.018169197, 0.003972620528, 2.794097025, 3.56416466, figure8Source},
	{0.01, 10, 1.511672725, 1.679634796, 0.004410815306, 2.461439193, 3.005265718, figure8Source},
	{0.01, 20, 2.242377378, 2.36039724, 0.002124114257, 3.883120085, 4.447831619, figure8Source},
}
