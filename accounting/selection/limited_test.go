package selection_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/baserun"
	"github.com/dplab/dplab/accounting/selection/law"
)

// A limit never costs more: by privacy profiles, the price of a truncated and of a withheld law is at most that
// of the law, to the last bit, wherever the limit stands.
func TestTruncationNeverCosts(t *testing.T) {
	for i, c := range []struct {
		law law.Law
		max []int
	}{
		{tnb(t, 0, 10), []int{1, 2, 5, 30, 400, 2000}}, {tnb(t, 1, 10), []int{3, 40, 1000}}, {tnb(t, -0.5, 20), []int{20, 3000}},
		{law.Poisson{MeanRepeats: 10}, []int{1, 12, 60}}, {law.Poisson{MeanRepeats: 0.5}, []int{1, 9}},
		{law.Binomial{Trials: 20, P: 0.5}, []int{10, 19}}, {law.TwoPoint{Runs: 10, Single: 0.2}, []int{9, 10}},
		{law.Truncated{Law: tnb(t, 0, 10), Max: 500}, []int{100, 499}}, {law.Capped{Law: tnb(t, 0, 10), Max: 50}, []int{49, 50}},
	} {
		events := []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, accounting.PureDP{Epsilon: 1}}
		if testing.Short() {
			if i%3 == 1 {
				continue
			}
			events, c.max = events[i%2:][:1], c.max[1:2]
		}
		for _, event := range events {
			whole := profilePrices(price(t, c.law, event, 1e-5))
			for _, most := range c.max {
				for _, l := range []law.Law{law.Truncated{Law: c.law, Max: most}, law.Withheld{Law: c.law, Max: most}} {
					for name, got := range profilePrices(price(t, l, event, 1e-5)) {
						if got > whole[name] {
							t.Errorf("%v over %v: ε %.17g by %s, more than %.17g without the limit", l, event, got, name, whole[name])
						}
					}
				}
			}
		}
	}
}

// profilePrices returns the ε of the sharpened profile bounds by what is known of one run.
func profilePrices(p accounting.Price) map[string]float64 {
	out := map[string]float64{}
	for _, b := range p.Bounds {
		if _, source, ok := strings.Cut(b.Name, "profile, "); ok {
			if least, known := out[source]; !known || b.Epsilon < least {
				out[source] = b.Epsilon
			}
		}
	}
	return out
}

// The theorem behind it, on random laws, limits and ranks, by naive sums; and the weight of every
// finite order that limited claims.
func TestTruncatedWeights(t *testing.T) {
	rng := newRand(33)
	derivative := func(w []float64, most int, x float64) float64 {
		sum := 0.0
		for k := 1; k <= most; k++ {
			sum += float64(k) * w[k] * math.Pow(x, float64(k-1))
		}
		return sum
	}
	for range 5000 {
		n := 2 + rng.IntN(30)
		w, total := make([]float64, n+1), 0.0
		for k := range w {
			w[k] = math.Pow(rng.Float64(), 1+8*rng.Float64())
			total += w[k]
		}
		for k := range w {
			w[k] /= total
		}
		most := 1 + rng.IntN(n)
		kept := 0.0
		for k := 0; k <= most; k++ {
			kept += w[k]
		}
		a, b := rng.Float64(), math.Pow(rng.Float64(), 3)
		q, qPrime := math.Max(a, b), math.Min(a, b)
		ratio, truncated := derivative(w, n, q)/derivative(w, n, qPrime), derivative(w, most, q)/derivative(w, most, qPrime)
		if truncated > ratio*(1+1e-12) {
			t.Fatalf("%v, at most %d, ranks %g and %g: ratio %g, without the limit %g", w, most, q, qPrime, truncated, ratio)
		}
		if mean := derivative(w, most, 1) / kept; mean > derivative(w, n, 1)*(1+1e-12) {
			t.Fatalf("%v, at most %d: mean %g, without the limit %g", w, most, mean, derivative(w, n, 1))
		}
		order := 1 + 20*rng.Float64()
		weight := func(most int, kept, q, qPrime float64) float64 {
			return math.Pow(derivative(w, most, q)/kept, order) * math.Pow(derivative(w, most, qPrime)/kept, 1-order)
		}
		if got, limit := weight(most, kept, q, qPrime), weight(n, 1, q, qPrime)/kept; got > limit*(1+1e-12) {
			t.Fatalf("%v, at most %d, ranks %g and %g, order %g: weight %g, limit %g", w, most, q, qPrime, order, got, limit)
		}
		if got, limit := weight(most, kept, qPrime, q), derivative(w, most, 1)/kept; got > limit*(1+1e-12) {
			t.Fatalf("%v, at most %d, ranks %g and %g, order %g: weight %g, limit %g", w, most, qPrime, q, order, got, limit)
		}
	}
}

// Where the law without its limit decides, the price still holds: small random runs, every
// truncation, all outputs in random orders, by enumeration.
func TestTruncatedPricesHold(t *testing.T) {
	rng := newRand(34)
	cases := 100
	if testing.Short() {
		cases = 10
	}
	for i := range cases {
		n := 3 + rng.IntN(3)
		d := enumerate.Of(make([]float64, n), make([]float64, n))
		sumP, sumQ := 0.0, 0.0
		for j := range n {
			d.P[j] = 0.02 + rng.Float64()
			d.Q[j] = d.P[j] * math.Exp(1.5*(rng.Float64()-0.5))
			sumP, sumQ = sumP+d.P[j], sumQ+d.Q[j]
		}
		for j := range n {
			d.P[j], d.Q[j] = d.P[j]/sumP, d.Q[j]/sumQ
		}
		inner := []law.Law{tnb(t, 0, 5), tnb(t, 1, 8), tnb(t, -0.5, 3), law.Poisson{MeanRepeats: 4}, law.Poisson{MeanRepeats: 0.7}}[i%5]
		law := law.Truncated{Law: inner, Max: 1 + rng.IntN(60)}
		delta := math.Pow(10, -1-3*rng.Float64())
		p, err := selection.PriceAt(law, knownOf(d), delta)
		if err != nil {
			t.Fatal(err)
		}
		best := d.Best(law)
		for _, b := range p.Bounds {
			if got := best.Delta(b.Epsilon); got > delta*(1+1e-9) {
				t.Errorf("%s, %v: at ε %g by %s the exact δ is %g, above %g", fmt.Sprint(d), law, b.Epsilon, b.Name, got, delta)
			}
		}
		curve, err := selection.Lemma7(law, knownOf(d))
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []float64{1.5, 3, 20} {
			if got, exact := curve(order), best.Divergence(order); got < exact*(1-1e-9) {
				t.Errorf("%s, %v: divergence at order %g at most %g, exactly %g", fmt.Sprint(d), law, order, got, exact)
			}
		}
	}
}

// Of a law that gives one run with chance p, and else none, the divergence is ln(1 + p(e^((λ-1)D) - 1))/(λ-1), and Lemma 7 says so, however
// small it is; it was 0 for some, and 4 % too low for others.
func TestLemma7OfAtMostOneRun(t *testing.T) {
	for _, c := range []struct {
		law law.Law
		p   float64
	}{
		{law.Binomial{Trials: 1, P: 0.75}, 0.75}, {law.PMF{Weights: []float64{0.9, 0.1}}, 0.1}, {law.Fixed{Count: 1}, 1},
		{law.Withheld{Law: law.Poisson{MeanRepeats: 1}, Max: 1}, math.Exp(-1)}, {law.Capped{Law: law.Poisson{MeanRepeats: 1}, Max: 1}, -math.Expm1(-1)},
		{law.Truncated{Law: law.Poisson{MeanRepeats: 0.5}, Max: 1}, 1.0 / 3},
	} {
		for _, rho := range []float64{1e-20, 1e-12, 1e-5, 1e-2} {
			curve, err := selection.Lemma7(c.law, baserun.Run{Curve: func(order float64) float64 { return rho * order }})
			if err != nil {
				t.Fatal(err)
			}
			for _, order := range []float64{1 + 1e-6, 1.01, 2, 200} {
				a := order - 1
				want := math.Log1p(c.p*math.Expm1(a*rho*order)) / a
				if got := curve(order); got < want*(1-1e-15) || got > want*(1+1e-12) {
					t.Errorf("%v, ρ = %g, order %g: %g, want %g", c.law, rho, order, got, want)
				}
			}
		}
	}
}
