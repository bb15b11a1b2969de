package pld_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/accounting/pld"
)

func replaceOne() pld.Accountant { return pld.Accountant{Relation: accounting.ReplaceOne} }

func fixedSize(m, n int, event accounting.Event) accounting.Event {
	return accounting.SampledWithoutReplacement{SampleSize: m, PopulationSize: n, Event: event}
}

func TestReplaceOneAccountant(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant {
		return pld.Accountant{Relation: accounting.ReplaceOne, Width: 0.05, MaxGrid: 1 << 14}
	})
}

// One release has the closed form q δ_µ(log(1+(e^ε-1)/q)): Balle, Barthe, Gaboardi 2018,
// arXiv:1807.01647v2, Theorem 9, with equality for the worst data.
func TestFixedSizeOnce(t *testing.T) {
	for _, c := range []struct {
		m, n           int
		sigma, epsilon float64
	}{{1, 2, 1, 0.5}, {256, 60000, 0.6, 1}, {9, 10, 2, 0.3}, {1, 1000000, 0.3, 0.01}, {1, 4, 1, 0}} {
		q := float64(c.m) / float64(c.n)
		want, err := gdp.DeltaAt(1/c.sigma, math.Log1p(math.Expm1(c.epsilon)/q))
		if err != nil {
			t.Fatal(err)
		}
		got, err := replaceOne().DeltaAt(fixedSize(c.m, c.n, gaussian(c.sigma)), c.epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if exact := q * want.Estimate; got.Lower > exact*(1+1e-10) || got.Upper < exact*(1-1e-10) || got.Width() > 0.05*exact {
			t.Errorf("%+v: δ in [%.12g, %.12g], want %.12g (closed form)", c, got.Lower, got.Upper, exact)
		}
	}
}

// The mechanism itself, on small data: the sum of a sample of m of n records in {-1/2, 1/2} (a
// replaced record moves it by at most 1) with noise σ, T times. No pair of neighbors may have a
// larger δ than the upper end, in one run or in two. Laws are mixtures over all samples; their
// masses on a partition bound δ from below, by about h².
func TestFixedSizeAgainstMechanism(t *testing.T) {
	for _, c := range []struct {
		m, n  int
		sigma float64
	}{{1, 2, 0.8}, {1, 3, 0.5}, {2, 4, 1}, {2, 3, 0.7}} {
		for _, epsilon := range []float64{0, 0.2, 1} {
			once, twice := worstMechanism(c.m, c.n, c.sigma, epsilon)
			event := fixedSize(c.m, c.n, gaussian(c.sigma))
			for count, exact := range map[int]float64{1: once, 2: twice} {
				got, err := replaceOne().DeltaAt(times(event, count), epsilon)
				if err != nil {
					t.Fatal(err)
				}
				if got.Upper < exact {
					t.Errorf("%+v, ε %g, %d runs: δ at most %.10g, but a mechanism has %.10g", c, epsilon, count, got.Upper, exact)
				}
				if count == 1 && got.Lower > exact*1.002 { // the worst data attain it
					t.Errorf("%+v, ε %g: δ at least %.10g, but the worst mechanism has %.10g", c, epsilon, got.Lower, exact)
				}
			}
		}
	}
}

// worstMechanism returns the largest δ at ε over neighbors, of one run and of two.
func worstMechanism(m, n int, sigma, epsilon float64) (once, twice float64) {
	const h, reach = 0.05, 6
	lo := -float64(m)/2 - reach*sigma
	size := int(math.Ceil((float64(m) + 2*reach*sigma) / h))
	masses := func(ones int) []float64 { // of n records, ones are 1/2
		out := make([]float64, size)
		for k := 0; k <= min(m, ones); k++ { // hypergeometric
			w := choose(ones, k) * choose(n-ones, m-k) / choose(n, m)
			for i := range out {
				z := (lo + float64(i)*h - (float64(k) - float64(m)/2)) / (sigma * math.Sqrt2)
				out[i] += w * (math.Erfc(z) - math.Erfc(z+h/(sigma*math.Sqrt2))) / 2
			}
		}
		return out
	}
	for ones := range n {
		for _, pair := range [][2]int{{ones, ones + 1}, {ones + 1, ones}} {
			p, q := masses(pair[0]), masses(pair[1])
			d1, d2 := 0.0, 0.0
			for i := range p {
				d1 += math.Max(0, p[i]-math.Exp(epsilon)*q[i])
				for j := range p {
					d2 += math.Max(0, p[i]*p[j]-math.Exp(epsilon)*q[i]*q[j])
				}
			}
			once, twice = math.Max(once, d1), math.Max(twice, d2)
		}
	}
	return once, twice
}

func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	out := 1.0
	for i := range k {
		out *= float64(n-i) / float64(i+1)
	}
	return out
}

// Sampling all records is no sampling; a sample of the sample is a sample; and both relations
// refuse what they have no theorem for, by name.
func TestFixedSizeRules(t *testing.T) {
	same := func(a, b accounting.Event) {
		t.Helper()
		x, err := replaceOne().EpsilonAt(times(a, 3), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		y, err := replaceOne().EpsilonAt(times(b, 3), 1e-5)
		if err != nil || x.Epsilon != y.Epsilon || x.Neighboring != accounting.ReplaceOne {
			t.Errorf("%v: %v, %v: %v, %v", a, x, b, y, err)
		}
	}
	same(fixedSize(7, 7, gaussian(2)), gaussian(2))
	same(fixedSize(4, 100, fixedSize(2, 4, gaussian(1))), fixedSize(2, 100, gaussian(1)))
	same(fixedSize(3, 9, times(gaussian(2), 4)), fixedSize(3, 9, gaussian(1)))
	same(fixedSize(3, 9, laplace(2)), fixedSize(1, 3, laplace(2)))
	for _, c := range []struct {
		a     pld.Accountant
		event accounting.Event
	}{
		{pld.NewAccountant(), fixedSize(1, 2, gaussian(1))},
		{pld.Accountant{Relation: accounting.ReplaceSpecial}, fixedSize(1, 2, gaussian(1))},
		{replaceOne(), sampled(0.5, fixedSize(1, 2, gaussian(1)))},
		{replaceOne(), pld.DiscretePair{With: []float64{1}, Without: []float64{1}}},
		{replaceOne(), fixedSize(1, 2, sampled(0.5, gaussian(1)))},
		{replaceOne(), fixedSize(1, 2, times(laplace(1), 2))},
	} {
		if g, err := c.a.EpsilonAt(c.event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("%v, %v: %v, %v, want ErrUnsupportedEvent", c.a.Neighboring(), c.event, g, err)
		}
	}
	if _, err := replaceOne().EpsilonAt(fixedSize(4, 100, fixedSize(2, 5, gaussian(1))), 1e-5); err == nil {
		t.Error("a sample of 5 records out of a sample of 4: must be refused")
	}
	if _, err := (pld.Accountant{Relation: 9}).EpsilonAt(gaussian(1), 1e-5); err == nil {
		t.Error("relation 9: must be refused")
	}
}

// A point whose loss is next to 0, within the rounding of the grid, must not be lost: with its mass
// ε of the whole came out as 0. A part that costs nothing cannot make the rest cheaper, nor
// dearer by more than the width.
func TestFixedSizeNextToNoLoss(t *testing.T) {
	const delta, width = 1e-5, 0.01
	alone, err := replaceOne().EpsilonAt(gaussian(0.1), delta)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []accounting.Event{
		accounting.PureDP{Epsilon: 1e-10}, accounting.PureDP{Epsilon: 1e-12}, accounting.ApproxDP{Epsilon: 1e-11, Delta: 1e-20}, laplace(1e12),
	} {
		got, err := replaceOne().EpsilonAt(accounting.Composed{Events: []accounting.Event{fixedSize(1, 1_000_000, part), gaussian(0.1)}}, delta)
		if err != nil || got.Epsilon.Upper < alone.Epsilon.Lower || got.Epsilon.Lower > alone.Epsilon.Upper || got.Epsilon.Width() > width*1.01 {
			t.Errorf("%v on one of a million records, and a Gaussian: ε %v, %v, want about that of the Gaussian, %v", part, got.Epsilon, err, alone.Epsilon)
		}
	}
}
