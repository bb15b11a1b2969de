package worstorder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/worstorder"
)

func tnb(eta, mean float64) law.Law {
	l, err := law.TNBFromMean(eta, mean)
	if err != nil {
		panic(err)
	}
	return l
}

// The wanted values are those of another program, which merges the same two lists of outputs on 4,000 cells, for µ = 1 and
// δ = 1e-5. Cells only lower a limit.
func TestEpsilonAt(t *testing.T) {
	for _, c := range []struct {
		law         law.Law
		want, below float64
	}{
		{tnb(0, 10), 6.0812, 0.001}, {tnb(1, 10), 6.4243, 0.001}, {law.Poisson{MeanRepeats: 10}, 8.1613, 0.002},
		{law.Binomial{Trials: 20, P: 0.5}, 9.1180, 0.002}, {law.Fixed{Count: 2}, 6.5730, 0.001}, {law.Fixed{Count: 10}, 14.937, 0.01},
		{law.Fixed{Count: 1}, 4.3771780957, 0.001}, // the exact Gaussian
	} {
		got, err := worstorder.EpsilonAt(c.law, worstorder.Gaussian(1, 400), 1e-5)
		if err != nil || got > c.want+1e-4 || got < c.want-c.below {
			t.Errorf("%v: %.5f, %v: want %.4f, or up to %g less", c.law, got, err, c.want, c.below)
		}
	}
}

// The ε returned is where the larger δ of both directions meets delta, from below, and the Gaussian pair, of which one direction is played, is the
// same read backwards.
func TestEpsilonAtIsTheRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 20))
	for i := range 60 {
		l, delta := enumerate.Laws[i%len(enumerate.Laws)], math.Exp(-12*rng.Float64())
		drawn := enumerate.DrawnPair(rng, 2+rng.IntN(12), math.Exp(rng.NormFloat64()))
		pair := worstorder.Pair{With: drawn.P, Without: drawn.Q}
		if i%3 == 0 {
			pair = worstorder.Gaussian(3*rng.Float64(), 2+rng.IntN(60))
		}
		for _, p := range []worstorder.Pair{pair, {With: pair.Without, Without: pair.With}} {
			epsilon, err := worstorder.EpsilonAt(l, pair, delta)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := worstorder.DeltaAt(l, p, epsilon)
			beyond, _ := worstorder.DeltaAt(l, p, epsilon*(1+1e-8))
			if epsilon > 0 && at < delta*(1-1e-12) || beyond > delta*(1+1e-12) {
				t.Errorf("%v, %v, δ = %g: ε %.12g, where δ is %.12g, and just beyond %.12g", l, p, delta, epsilon, at, beyond)
			}
		}
	}
}

// Of all orders of a few outputs none leaks more than by a rounding where it has the form of Order, the order returned leaks what is
// said, and the worst of all orders mostly has that form.
func TestAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 4))
	reached := 0
	const cases = 120
	for i := range cases {
		l := enumerate.Laws[i%len(enumerate.Laws)]
		pair := enumerate.DrawnPair(rng, 2+rng.IntN(4), math.Exp(rng.NormFloat64()))
		epsilon := 2 * rng.Float64()
		asked := worstorder.Pair{With: pair.P, Without: pair.Q}
		got, err := worstorder.DeltaAt(l, asked, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for order := range orders(len(pair.P)) {
			worst = math.Max(worst, ranked(pair, order).Best(l).Delta(epsilon))
		}
		if got > worst*(1+1e-9)+1e-13 {
			t.Errorf("%v, %v, ε = %g: δ %.12g, above that of all orders, %.12g", l, pair, epsilon, got, worst)
		}
		if got > 0.999*worst-1e-13 {
			reached++
		}
		order, err := worstorder.Order(l, asked, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(order)
		if shown := ranked(pair, order).Best(l).Delta(epsilon); shown > got*(1+1e-9)+1e-12 {
			t.Errorf("%v, %v: the order shown leaks δ(%g) = %g, more than %g", l, pair, epsilon, shown, got)
		}
	}
	if reached < cases*9/10 {
		t.Errorf("the worst order had the form in %d of %d cases", reached, cases)
	}
}

// ranked returns the outputs from the worst to the best.
func ranked(pair enumerate.Pair, order []int) enumerate.Pair {
	var out enumerate.Pair
	for _, i := range order {
		out.P, out.Q = append(out.P, pair.P[i]), append(out.Q, pair.Q[i])
	}
	return out
}

// orders yields all orders of 0..n-1.
func orders(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var place func(order []int) bool
		place = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !place(append(slices.Clone(order), i)) {
					return false
				}
			}
			return true
		}
		place(nil)
	}
}

func TestErrors(t *testing.T) {
	good := worstorder.Gaussian(1, 10)
	for name, c := range map[string]struct {
		law   law.Law
		pair  worstorder.Pair
		delta float64
	}{
		"no law":         {nil, good, 1e-5},
		"an invalid law": {law.Poisson{}, good, 1e-5},
		"no outputs":     {law.Fixed{Count: 2}, worstorder.Pair{}, 1e-5},
		"no chances":     {law.Fixed{Count: 2}, worstorder.Pair{With: []float64{0.5}, Without: []float64{1}}, 1e-5},
		"δ = 0":          {law.Fixed{Count: 2}, good, 0},
	} {
		if _, err := worstorder.EpsilonAt(c.law, c.pair, c.delta); err == nil {
			t.Errorf("%s: must be refused", name)
		}
	}
}

// The least known bound for these runs is 6.0814.
func ExampleEpsilonAt() {
	limit, err := worstorder.EpsilonAt(tnb(0, 10), worstorder.Gaussian(1, 400), 1e-5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("no bound for the best of 10 Gaussian runs can be below %.3f\n", limit)
	// Output:
	// no bound for the best of 10 Gaussian runs can be below 6.081
}

// What runs of pure ε leak is at most K times that, also where e^-ε is far below what 1 - p can tell from 0: the digits of what is ranked last count.
func TestPureRunsOfLargeEpsilon(t *testing.T) {
	for _, c := range []struct{ flips, runs int }{{21, 2}, {30, 3}, {28, 5}} {
		for _, truth := range []float64{0.7, 0.76} {
			var pair worstorder.Pair
			binomial := distuv.Binomial{N: float64(c.flips), P: truth}
			for k := range c.flips + 1 {
				for range 5 {
					pair.With = append(pair.With, binomial.Prob(float64(k))/5)
					pair.Without = append(pair.Without, binomial.Prob(float64(c.flips-k))/5)
				}
			}
			for _, delta := range []float64{3e-11, 1e-6} {
				got, err := worstorder.EpsilonAt(law.Fixed{Count: c.runs}, pair, delta)
				if most := float64(c.runs*c.flips) * numeric.Log(truth/(1-truth)); err != nil || got > most {
					t.Errorf("%+v of truth %g: an order leaks ε = %g at δ = %g, %v: want at most %g", c, truth, got, delta, err, most)
				}
			}
		}
	}
}

// The limit is below what randomized response leaks in one of its two orders, within the term that is left out, and below composition.
func TestProposition17(t *testing.T) {
	for _, k := range []int{1, 2, 10} {
		for _, epsilon := range []float64{0.1, 1, 3} {
			limit := func(order float64) float64 {
				limit, err := worstorder.Proposition17(k, epsilon, order)
				if err != nil {
					t.Fatal(err)
				}
				return limit
			}
			p := 1 / (1 + math.Exp(epsilon))
			best := enumerate.Of([]float64{1 - p, p}, []float64{p, 1 - p}).Best(law.Fixed{Count: k})
			for _, order := range []float64{1.5, 2, 10, 100} {
				got, exact := limit(order), best.Divergence(order)
				left := numeric.Log(2) / (order - 1) // of two terms the larger one has at least half, if it is this one
				if got > exact || order >= 10 && epsilon >= 1 && got < exact-left {
					t.Errorf("k = %d, ε = %g, order %g: limit %.12g, exact %.12g", k, epsilon, order, got, exact)
				}
			}
			if got, want := limit(math.Inf(1)), float64(k)*epsilon; math.Abs(got-want) > 1e-12*want || got > want {
				t.Errorf("k = %d, ε = %g: limit %.15g of pure ε, want kε = %g", k, epsilon, got, want)
			}
		}
	}
	for _, c := range []struct {
		runs           int
		epsilon, order float64
	}{{0, 1, 2}, {1, 0, 2}, {1, math.Inf(1), 2}, {1, 1, 1}, {1, 1, math.NaN()}} {
		if _, err := worstorder.Proposition17(c.runs, c.epsilon, c.order); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// A fixed number of runs costs nearly what composition costs.
func ExampleProposition17() {
	limit, err := worstorder.Proposition17(10, 1, 20)
	if err != nil {
		panic(err)
	}
	fmt.Printf("the best of 10 runs of ε = 1 has a Rényi divergence of at least %.3f at order 20\n", limit)
	// Output:
	// the best of 10 runs of ε = 1 has a Rényi divergence of at least 9.835 at order 20
}
