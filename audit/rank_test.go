package audit

import "testing"

func TestRankOneTailReference(t *testing.T) {
	const source = "reference/audit.json rank_exact_one_tail, panel quadrature and mpmath"
	for _, c := range []struct {
		n0, n1, k, tp int
		eps           float64
	}{
		{1000, 1000, 2, 29, 1.456163946307428}, {1000, 1000, 0, 140, 3.835648350581278},
		{100, 100, 0, 100, 4.183520002267249}, {5000, 5000, 4, 96, 2.323741936746403},
	} {
		p := func(g Curve) float64 { return oneTailP(g, c.n1, c.n0, c.k, c.tp) }
		near(t, "ε", epsilonFamily(1e-5).lowerBound(p, 0.05), c.eps, 1e-4, source)
		near(t, "p at ε", p(EpsilonDelta{c.eps, 1e-5}), 0.05, 1e-6, source)
	}
}

func TestRankTwoTailReference(t *testing.T) {
	const source = "reference/audit.json two_tail_sum_hoeffding, tensor quadrature"
	for _, c := range []struct {
		n0, n1, k, s int
		eps, tol     float64
	}{
		{1000, 1000, 2, 74, 1.8853399025189375, 0.002}, {1000, 1000, 2, 482, 3.807032566566484, 0.0043497015404661},
		{5000, 5000, 2, 133, 2.4913813313215085, 0.002}, {200, 100, 1, 30, 0.9394129630044041, 0.002},
	} {
		p := func(g Curve) float64 { return twoTailHoeffding(g, c.n1, c.n0, c.k, c.s) }
		near(t, "ε", epsilonFamily(1e-5).lowerBound(p, 0.05), c.eps, c.tol, source)
	}
	const pSource = "reference/audit.json two_tail_p_values"
	near(t, "Hoeffding's p", twoTailHoeffding(EpsilonDelta{2, 1e-5}, 100, 100, 2, 78), 0.06415298668846246, 2e-3, pSource)
	near(t, "Hoeffding's p", twoTailHoeffding(EpsilonDelta{2, 1e-5}, 100, 200, 1, 30), 0.607182999693527, 5e-3, pSource)
	near(t, "p", twoTailP(EpsilonDelta{2, 1e-5}, 100, 100, 2, 78), 0.054977353591499474, 5e-6, pSource+", p_exact_conv")
	near(t, "p", twoTailExact(EpsilonDelta{2, 1e-5}, 100, 200, 1, 30, 0.5), 0.5559344777156509, 5e-5, pSource+", p_exact_conv")
	// Perfect scores: both tails say no more than one tail with k = 0.
	for n, want := range map[int]float64{100: 4.183520002267249, 5000: 8.11279183629613} {
		p := func(g Curve) float64 { return twoTailP(g, n, n, 0, 2*n) }
		near(t, "ceiling", epsilonFamily(1e-5).lowerBound(p, 0.05), want, 1e-5, "reference/audit.json ceilings rank_exact_k0")
	}
}

func TestGDPRankReference(t *testing.T) {
	const source = "reference/audit.json gdp_rank_exact"
	for _, c := range []struct {
		n, k, tp int
		mu       float64
	}{{1000, 309, 691, 0.8979905303328131}, {1000, 309, 500, 0.40163363202026686}, {1000, 100, 50, 0}} {
		p := func(g Curve) float64 { return oneTailP(g, c.n, c.n, c.k, c.tp) }
		near(t, "µ", gdpFamily.lowerBound(p, 0.05), c.mu, 1e-4, source)
	}
}

func BenchmarkRankTwoTail(b *testing.B) {
	for b.Loop() {
		epsilonFamily(1e-5).twoTailBound(1000, 1000, 2, 74, 0.05)
	}
}

func BenchmarkRankTwoTailExact(b *testing.B) {
	for b.Loop() {
		epsilonFamily(1e-5).twoTailBound(200, 200, 2, 48, 0.05)
	}
}

func BenchmarkRankOneTail(b *testing.B) {
	for b.Loop() {
		p := func(g Curve) float64 { return oneTailP(g, 1000, 1000, 2, 29) }
		epsilonFamily(1e-5).lowerBound(p, 0.05)
	}
}
