package pld_test

import (
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

// logTail returns log Φ(-z), by its asymptotic series where erfc underflows.
func logTail(z float64) float64 {
	if z < 20 {
		return numeric.Log(math.Erfc(z/math.Sqrt2) / 2)
	}
	s := 1 / (z * z)
	return -z*z/2 - numeric.Log(z*math.Sqrt(2*math.Pi)) + math.Log1p(-s*(1-3*s*(1-5*s*(1-7*s))))
}

// replacedDelta returns δ(ε) of N(0) against draws with replacement of a record at distance 2: P =
// Σ w_j N(2j) and Q = N(0), in logarithms. It is closed but for the root of P = e^ε Q.
func replacedDelta(draws, population int, sigma, epsilon float64) float64 {
	weights := make([]float64, draws+1)
	q := 1 / float64(population)
	for j := range weights {
		choose, _ := math.Lgamma(float64(draws + 1))
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(draws - j + 1))
		weights[j] = choose - a - b + float64(j)*numeric.Log(q) + float64(draws-j)*math.Log1p(-q)
	}
	loss := func(y float64) float64 {
		top, sum := math.Inf(-1), 0.0
		for j, w := range weights {
			top = max(top, w+2*float64(j)*(2*y-2*float64(j))/(2*sigma*sigma))
		}
		for j, w := range weights {
			sum += math.Exp(w + 2*float64(j)*(2*y-2*float64(j))/(2*sigma*sigma) - top)
		}
		return top + numeric.Log(sum)
	}
	low, high := -10.0, 1000.0
	for range 200 {
		if m := (low + high) / 2; loss(m) < epsilon {
			low = m
		} else {
			high = m
		}
	}
	delta := -math.Exp(epsilon + logTail(high/sigma))
	for j, w := range weights {
		delta += math.Exp(w + logTail((high-2*float64(j))/sigma))
	}
	return delta
}

// Losses above 709, where e^ε overflows, keep their mass: upper ends are not below the truth, near
// it, and checked.
func TestBatchesBeyondTheLargestExponential(t *testing.T) {
	type draws struct {
		count          int
		sigma, epsilon float64
	}
	list := []draws{{3, 0.15, 720}}
	if !testing.Short() {
		list = append(list, draws{10, 0.3, 720}, draws{10, 0.5, 480})
	}
	for _, c := range list {
		e := accounting.SampledWithReplacement{SampleSize: c.count, PopulationSize: 100, Event: accounting.ClippedSum{NoiseMultiplier: c.sigma}}
		truth, a := replacedDelta(c.count, 100, c.sigma, c.epsilon), pld.NewAccountant()
		got, err := a.DeltaAt(e, c.epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if !(got.Upper >= truth*(1-1e-9) && got.Upper <= truth*1.01) || got.Lower > truth*(1+1e-9) {
			t.Errorf("σ = %g: δ at ε %g in %v, closed form %.9g", c.sigma, c.epsilon, got, truth)
		}
		g, err := a.EpsilonAt(e, truth)
		if err != nil {
			t.Fatal(err)
		}
		if !(g.Epsilon.Upper >= c.epsilon*(1-1e-9) && g.Epsilon.Upper <= c.epsilon*1.001) || len(g.Warnings) > 0 {
			t.Errorf("σ = %g: ε at δ %g in %v with warnings %v, by the closed form %g and none", c.sigma, truth, g.Epsilon, g.Warnings, c.epsilon)
		}
	}
}
