package papers

// ConditionalPoint is the example of appendix D.2 at one order λ: the three-point pair
// (Q, Q') with parameters a, s, t such that both Rényi divergences are ρλ, conditioned on
// the first two points. The text does not print a.
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
