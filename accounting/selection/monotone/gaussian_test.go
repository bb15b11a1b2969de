package monotone_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/monotone"
)

// By mpmath quadrature with 30 digits, testdata/gaussian.py.
var vectors = []struct {
	law         law.Law
	mu, order   float64
	forth, back float64
}{
	{law.TwoPoint{Runs: 100, Single: 0.01}, 0.8774181844973472, 14, 5.70863118713579, 5.74251722072434},
	{law.TwoPoint{Runs: 10, Single: 0.1}, 0.25, 30, 0.858151734746475, 1.01364660634967},
	{law.TwoPoint{Runs: 1000, Single: 0.001}, 0.25, 2.5, 2.09736621726538, 0.469895093262386},
	{law.TNB{Eta: 0, Gamma: 0.01}, 1, 8, 3.78039613870142, 4.43824757022881},
	{law.TNB{Eta: 1, Gamma: 0.1}, 0.5, 1.5, 0.230927383456728, 0.303114382194307},
	{law.Poisson{MeanRepeats: 10}, 0.5, 6, 1.39554580158269, 1.10908173681742},
}

// The truth lies in the interval, and the interval is narrow.
func TestDivergences(t *testing.T) {
	for _, v := range vectors {
		forth, back, err := monotone.Gaussian{Law: v.law, Mu: v.mu}.Divergences(v.order)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []struct{ lower, upper, want float64 }{{forth.Lower, forth.Upper, v.forth}, {back.Lower, back.Upper, v.back}} {
			if got.want < got.lower || got.want > got.upper || got.upper-got.lower > 2e-5/(v.order-1) {
				t.Errorf("%v, µ %g, order %g, direction %d: [%.15g, %.15g], want %.15g inside (mpmath, 30 digits)", v.law, v.mu, v.order, i, got.lower, got.upper, got.want)
			}
		}
	}
}

// One run is the Gaussian mechanism itself, whose divergence is αµ²/2: the two-point law
// with s near 1.
func TestOneRun(t *testing.T) {
	m := monotone.Gaussian{Law: law.TwoPoint{Runs: 2, Single: 1 - 1e-9}, Mu: 0.7}
	for _, order := range []float64{1.01, 2, 50, 400} {
		forth, back, err := m.Divergences(order)
		if err != nil {
			t.Fatal(err)
		}
		want := order * 0.49 / 2
		allowed := 1e-5/(order-1) + 3e-9*order/(order-1)
		for _, got := range []float64{forth.Upper, forth.Lower, back.Upper, back.Lower} {
			if math.Abs(got-want) > allowed {
				t.Errorf("order %g: %.12g, want αµ²/2 = %.12g", order, got, want)
			}
		}
	}
}

// DeltaAt against a partition into small cells, which is a lower bound short by 1e-4 at most.
func TestDelta(t *testing.T) {
	deltas := []float64{1e-2, 1e-9, 1e-5}
	for i, v := range vectors {
		m := monotone.Gaussian{Law: v.law, Mu: v.mu}
		for _, delta := range deltas[i%3 : i%3+1] {
			epsilon, err := m.EpsilonAt(delta)
			if err != nil {
				t.Fatal(err)
			}
			if at := exactDelta(v.law, v.mu, epsilon.Upper); at > delta*(1+1e-9) {
				t.Errorf("%v, µ %g: δ at the upper ε %g for δ = %g is at least %g", v.law, v.mu, epsilon.Upper, delta, at)
			}
			// The partition moves ε by its h² share of the local slope of ln δ.
			if at := exactDelta(v.law, v.mu, epsilon.Lower-2e-3); at < delta && epsilon.Lower > 2e-3 {
				t.Errorf("%v, µ %g: δ just below the lower ε %g for δ = %g is %g", v.law, v.mu, epsilon.Lower, delta, at)
			}
			back, err := m.DeltaAt(epsilon.Upper)
			if err != nil || back.Lower > delta {
				t.Errorf("%v: δ at ε(%g) is at least %g (%v)", v.law, delta, back.Lower, err)
			}
		}
	}
}

// Laws without K = 1, where Rényi divergences are infinite. By mpmath with 40 digits from the
// threshold of the likelihood ratio, testdata/gaussian.py. In the row with µ = 20 and K = 1,000,000
// masses of both laws leave the range of float64.
func TestLawsWithHoles(t *testing.T) {
	fixed := func(count int) law.Law { return law.Fixed{Count: count} }
	for _, c := range []struct {
		law         law.Law
		mu, delta   float64
		want, width float64
	}{
		{fixed(10), 1, 1e-5, 13.9575749003221, 1e-4}, {fixed(10), 3, 1e-5, 69.297503207027, 1e-3},
		{fixed(10), 20, 1e-5, 2120.81487306628, 3}, {fixed(1000), 2, 1e-5, 481.365206181854, 1e-2},
		{fixed(1_000_000), 20, 1e-3, 126185381.78838, math.Inf(1)},
		{law.PMF{Weights: []float64{0.5, 0, 0.25, 0.25}}, 3, 1e-5, 23.9694685891973, 1e-3},
		{fixed(1), 1, 0.12693673750664397, 1, 1e-4}, // Φ(-1/2) - e Φ(-3/2), Balle and Wang (2018), Theorem 8
	} {
		if testing.Short() && math.IsInf(c.width, 1) {
			continue
		}
		m := monotone.Gaussian{Law: c.law, Mu: c.mu}
		got, err := m.EpsilonAt(c.delta)
		if err != nil || !(got.Lower <= c.want*(1+1e-13) && c.want*(1-1e-13) <= got.Upper && got.Width() <= c.width) {
			t.Errorf("%v, µ %g, δ %g: ε %v (%v), want %.15g (mpmath, 40 digits)", c.law, c.mu, c.delta, got, err, c.want)
		}
		if c.width > 1e-4 {
			continue
		}
		at, err := m.DeltaAt(c.want)
		if err != nil || !(at.Lower <= c.delta*(1+1e-6) && c.delta*(1-1e-6) <= at.Upper) {
			t.Errorf("%v, µ %g: δ(%.15g) is %v (%v), want %g (mpmath, 40 digits)", c.law, c.mu, c.want, at, err, c.delta)
		}
	}
}

// Where K may be 0, the chance that all runs are low is a small part of f(Φ(x)), which f(0) hides.
// By mpmath with 60 digits, from the roots of the likelihood ratio.
func TestMassBesideNoRun(t *testing.T) {
	runs := law.Poisson{MeanRepeats: 0.5}
	const delta, epsilon = 1.35301690147843e-16, 24.79474641784408
	d, err := monotone.Gaussian{Law: runs, Mu: 0.5}.DeltaAt(4)
	if err != nil || !(d.Lower <= delta && delta <= d.Upper && d.Width() < delta) {
		t.Errorf("δ(4) of µ = 0.5: %v (%v), want %g", d, err, delta)
	}
	e, err := monotone.Gaussian{Law: runs, Mu: 3}.EpsilonAt(1e-12)
	if err != nil || !(e.Lower <= epsilon && epsilon <= e.Upper && e.Width() < 1e-2) {
		t.Errorf("ε at 1e-12 of µ = 3: %v (%v), want %.10g", e, err, epsilon)
	}
}

// A Rényi price never falls below the exact ε of the same game.
func TestRDPEpsilonIsAboveExact(t *testing.T) {
	for _, v := range vectors[1:4] {
		m := monotone.Gaussian{Law: v.law, Mu: v.mu}
		exact, err := m.EpsilonAt(1e-5)
		if err != nil {
			t.Fatal(err)
		}
		price, order, err := m.RDPEpsilon(rdp.CanonneKamathSteinke, 1e-5)
		if err != nil || !(price.Lower > exact.Upper) || price.Width() > 1e-4 || !(order > 1) {
			t.Errorf("%v, µ %g: %v at order %g (%v): must be narrow and above the exact ε %v", v.law, v.mu, price, order, err, exact)
		}
		// The floor is below the best order's ε, by the spacing of its orders only.
		if floor, err := m.RDPEpsilonFloor(1e-5); err != nil || floor > price.Upper || floor < 0.97*price.Lower {
			t.Errorf("%v, µ %g: floor %g (%v): must be just below %v", v.law, v.mu, floor, err, price)
		}
	}
}

// One order for both directions, as Algorithm 3 has it, gives at least each direction's own,
// and at most what the mpmath divergences of the vector's order give. In the first vector the
// directions cross next to order 14, and one order for both costs 0.04 more.
func TestAlgorithm3(t *testing.T) {
	for i, v := range vectors {
		m := monotone.Gaussian{Law: v.law, Mu: v.mu}
		each, _, err := m.RDPEpsilon(rdp.CanonneKamathSteinke, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		got, order, err := m.Algorithm3Epsilon(rdp.CanonneKamathSteinke, 1e-5)
		at := rdp.CanonneKamathSteinke.Epsilon(v.order, math.Max(v.forth, v.back), 1e-5)
		if err != nil || got.Upper < each.Lower || got.Lower > at || got.Width() > 1e-4 || !(order > 1) {
			t.Errorf("%v, µ %g: %v at order %g (%v): must be narrow, at least %v, at most %g", v.law, v.mu, got, order, err, each, at)
		}
		if i == 0 && got.Lower < each.Upper+0.03 {
			t.Errorf("%v, each direction by itself %v: want a gap", got, each)
		}
		if floor, err := m.Algorithm3Floor(1e-5); err != nil || floor > got.Upper || floor < 0.96*got.Lower {
			t.Errorf("%v, µ %g: floor %g (%v): must be just below %v", v.law, v.mu, floor, err, got)
		}
	}
}

func TestRefuses(t *testing.T) {
	l := law.TNB{Eta: 0, Gamma: 0.1}
	for want, m := range map[string]monotone.Gaussian{
		"Law is nil": {Mu: 1}, "Mu 0": {Law: l}, "Mu NaN": {Law: l, Mu: math.NaN()}, "Mu 21": {Law: l, Mu: 21},
		"Gamma 2": {Law: law.TNB{Gamma: 2}, Mu: 1},
	} {
		if _, err := m.EpsilonAt(1e-5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("EpsilonAt: error %v, want one with %q", err, want)
		}
	}
	holed := monotone.Gaussian{Law: law.Fixed{Count: 3}, Mu: 1} // its divergences are infinite
	_, _, divergences := holed.Divergences(2)
	_, _, renyi := holed.RDPEpsilon(rdp.Classic, 1e-5)
	_, _, printed := holed.Algorithm3Epsilon(rdp.Classic, 1e-5)
	_, floor := holed.RDPEpsilonFloor(1e-5)
	_, printedFloor := holed.Algorithm3Floor(1e-5)
	for i, err := range []error{divergences, renyi, printed, floor, printedFloor} {
		if err == nil || !strings.Contains(err.Error(), "P[K = 1] = 0") {
			t.Errorf("question %d about divergences without K = 1: error %v", i, err)
		}
	}
	m := monotone.Gaussian{Law: l, Mu: 1}
	for _, order := range []float64{1, math.NaN(), 1e4} {
		if _, _, err := m.Divergences(order); err == nil {
			t.Errorf("Divergences(%g): no error", order)
		}
	}
	if _, _, err := m.RDPEpsilon(rdp.Conversion(99), 1e-5); err == nil {
		t.Error("unknown conversion: no error")
	}
}

// At q = 1 the law of large numbers is exact. The central limit theorem was evaluated by
// mpmath 1.3 with 30 digits: √2·c·sqrt(exp(σ^-2) Φ(1.5/σ) + 3 Φ(-0.5/σ) - 2).
func TestApproximateMu(t *testing.T) {
	exact, err := monotone.LargeNumbersMu(1, 25, 400)
	if err != nil || math.Abs(exact.Mu-0.8) > 1e-15 {
		t.Errorf("µ = %v (%v), want √400/25", exact, err)
	}
	clt, err := monotone.CentralLimitMu(1, 25.884023373300252, 500)
	if err != nil || math.Abs(clt.Mu-0.8774181844973472) > 1e-11 {
		t.Errorf("µ = %v (%v), want 0.8774181844973472 (the formula in Python floats, good to 1e-12)", clt, err)
	}
	for _, bad := range []struct {
		q, sigma float64
		steps    int
	}{{0, 1, 1}, {2, 1, 1}, {1, 0, 1}, {1, math.NaN(), 1}, {1, 1, 0}, {1, 1e-3, 1}} {
		if got, err := monotone.CentralLimitMu(bad.q, bad.sigma, bad.steps); err == nil {
			t.Errorf("%v: %v, no error", bad, got)
		}
	}
}

// BenchmarkGaussian is the exact ε of the best of K Gaussian runs, and that by Rényi divergences.
func BenchmarkGaussian(b *testing.B) {
	for name, l := range map[string]law.Law{
		"logarithmic": law.TNB{Eta: 0, Gamma: 0.0269183},
		"geometric":   law.TNB{Eta: 1, Gamma: 0.1},
		"poisson":     law.Poisson{MeanRepeats: 10},
		"two-point":   law.TwoPoint{Runs: 20, Single: 0.1},
		"truncated":   law.Truncated{Law: law.TNB{Eta: 0, Gamma: 0.0269183}, Max: 100},
		"capped":      law.Capped{Law: law.Poisson{MeanRepeats: 10}, Max: 20},
	} {
		m := monotone.Gaussian{Law: l, Mu: 1}
		b.Run(name+"/exact", func(b *testing.B) {
			for b.Loop() {
				if _, err := m.EpsilonAt(1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/rdp", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := m.RDPEpsilon(rdp.CanonneKamathSteinke, 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// normalCDF returns Φ(x).
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// rise returns f(1-a) - f(1-b) for 0 <= a <= b <= 1, with the chances 1-a and 1-b given
// too: the smaller of f and 1-f has the digits.
func rise(l law.Distribution, a, b, oneMinusA, oneMinusB float64) float64 {
	if l.SuccessProbability(a) < 0.5 {
		return l.SuccessProbability(b) - l.SuccessProbability(a)
	}
	return l.PGF(oneMinusA) - l.PGF(oneMinusB)
}

// exactDelta is the exact δ at ε of the best of K runs that release N(0,1) or N(µ,1)
// and whose score is the output, from a partition of the line into cells of 0.004 σ: a
// lower bound, short by about h² relative.
func exactDelta(l law.Law, mu, epsilon float64) float64 {
	const h = 0.004
	runs := l.Distribution()
	var forth, back float64
	for x := -12.0; x < 12; x += h {
		p := rise(runs, normalCDF(mu-x-h), normalCDF(mu-x), normalCDF(x+h-mu), normalCDF(x-mu))
		q := rise(runs, normalCDF(-x-h), normalCDF(-x), normalCDF(x+h), normalCDF(x))
		forth += math.Max(0, p-math.Exp(epsilon)*q)
		back += math.Max(0, q-math.Exp(epsilon)*p)
	}
	return math.Max(forth, back)
}
