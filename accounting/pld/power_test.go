package pld

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/ask"
	"github.com/dplab/dplab/accounting/numeric"
)

// kind is count runs of randomised response on a Poisson sample.
type kind struct {
	truth, rate float64
	count       int
}

func (k kind) event() accounting.Event {
	return accounting.SelfComposed{Count: k.count, Event: accounting.PoissonSampled{
		SamplingRate: k.rate, Event: accounting.RandomizedResponse{Truth: k.truth}}}
}

const truthBits = 300

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(truthBits).SetFloat64(x) }

func product(xs ...*big.Float) *big.Float {
	out := bigOf(1)
	for _, x := range xs {
		out.Mul(out, x)
	}
	return out
}

// outcomes are the binomial masses of both laws, with the example and without.
func (k kind) outcomes() (with, without []*big.Float) {
	one, t, q := bigOf(1), bigOf(k.truth), bigOf(k.rate)
	lie := new(big.Float).Sub(one, t)
	mix := func(p, other *big.Float) *big.Float {
		rest := product(new(big.Float).Sub(one, q), other)
		return rest.Add(rest, product(q, p))
	}
	masses := func(p, other *big.Float) []*big.Float {
		powers := func(x *big.Float) []*big.Float {
			out := []*big.Float{bigOf(1)}
			for i := range k.count {
				out = append(out, product(out[i], x))
			}
			return out
		}
		a, b := powers(p), powers(other)
		out := make([]*big.Float, k.count+1)
		for i := range out {
			choose := new(big.Float).SetPrec(truthBits).SetInt(new(big.Int).Binomial(int64(k.count), int64(i)))
			out[i] = product(choose, a[i], b[k.count-i])
		}
		return out
	}
	return masses(mix(t, lie), mix(lie, t)), masses(lie, t)
}

// logDeltaOf sums (p - e^ε q)_+ over all pairs of counts, in both directions, and returns the
// logarithm of the larger.
func logDeltaOf(a, b kind, epsilon float64) float64 {
	aWith, aWithout := a.outcomes()
	bWith, bWithout := b.outcomes()
	e := expBig(epsilon)
	remove, add := bigOf(0), bigOf(0)
	for i := range aWith {
		for j := range bWith {
			p, q := product(aWith[i], bWith[j]), product(aWithout[i], bWithout[j])
			if d := new(big.Float).Sub(p, product(e, q)); d.Sign() > 0 {
				remove.Add(remove, d)
			}
			if d := new(big.Float).Sub(q, product(e, p)); d.Sign() > 0 {
				add.Add(add, d)
			}
		}
	}
	if add.Cmp(remove) > 0 {
		remove = add
	}
	exponent := remove.MantExp(remove)
	m, _ := remove.Float64()
	return numeric.Log(m) + float64(exponent)*math.Ln2
}

// Two kinds of runs with two outcomes each, hundreds of times, against the double binomial sum at
// 300 bits. Each is put on the grid once, so that the width asked for is reached, whatever the
// counts.
func TestPowersAgainstBinomialSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	draw := func() kind {
		k := kind{truth: 1 / (1 + math.Exp(-math.Exp(4*rng.Float64()-2))), rate: 1, count: 2 + rng.IntN(149)}
		if rng.IntN(3) > 0 {
			k.rate = math.Exp(-5 * rng.Float64())
		}
		return k
	}
	cases := 16
	if testing.Short() {
		cases = 4 // one for each place of ε
	}
	for i := range cases {
		a, b := draw(), draw()
		event := accounting.Composed{Events: []accounting.Event{a.event(), b.event()}}
		q, err := ask.Of("pld", event, accounting.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile(q)
		if err != nil {
			t.Fatal(err)
		}
		most, _ := newGrid(p.mechanisms, remove, defaultWidth, defaultMaxGrid, question{forDelta: true}).ceiling()
		epsilon := most * []float64{0.02, 0.1, 0.3, 0.8}[i%4]
		want := logDeltaOf(a, b, epsilon)
		logs, err := NewAccountant().LogDeltaAt(event, epsilon)
		if err != nil || want < logs.Lower-1e-9 || want > logs.Upper+1e-9 {
			t.Errorf("%+v, %+v: log δ(%g) %v, %v: the double binomial sum is %.15g", a, b, epsilon, logs, err, want)
		}
		if want < -690 || want > -1e-9 {
			continue // no float64 holds that δ, or 1-δ to some digits
		}
		g, err := NewAccountant().EpsilonAt(event, math.Exp(want))
		if err != nil || epsilon < g.Epsilon.Lower-1e-9*(1+epsilon) || epsilon > g.Epsilon.Upper+1e-9*(1+epsilon) {
			t.Errorf("%+v, %+v: ε(log δ = %g) %v, %v: the double binomial sum gives %.15g", a, b, want, g.Epsilon, err, epsilon)
		}
		if want > leastPower && g.Epsilon.Width() > defaultWidth*(1+1e-9) {
			t.Errorf("%+v, %+v: ε(log δ = %g) %v, %g wide: want at most %g", a, b, want, g.Epsilon, g.Epsilon.Width(), defaultWidth)
		}
	}
}

// Beside one Laplace or Gaussian release, or one of approximate differential privacy: the closed
// form of its profile, averaged over the exact losses of the others.
func TestPowersBesideOthers(t *testing.T) {
	const e0, d0, b, mu = 1.2, 1e-4, 0.7, 1.5
	tell := 1 / (1 + math.Exp(-e0))
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	gain := func(e float64) float64 { return math.Max(0, -math.Expm1(e)) } // (1 - e^e)_+
	others := []struct {
		event   accounting.Event
		profile func(e float64) float64 // at any real ε
	}{
		{accounting.Laplace{NoiseMultiplier: b}, func(e float64) float64 {
			if e <= -1/b {
				return gain(e)
			}
			return gain((e - 1/b) / 2)
		}},
		{accounting.Gaussian{NoiseMultiplier: 1 / mu}, func(e float64) float64 { return phi(mu/2-e/mu) - math.Exp(e)*phi(-mu/2-e/mu) }},
		{accounting.ApproxDP{Epsilon: e0, Delta: d0}, func(e float64) float64 {
			return d0 + (1-d0)*(tell*gain(e-e0)+(1-tell)*gain(e+e0))
		}},
	}
	rng := rand.New(rand.NewPCG(9, 9))
	cases := 12
	if testing.Short() {
		cases = len(others)
	}
	for i := range cases {
		k := kind{truth: 0.51 + 0.4*rng.Float64(), rate: 0.02 + 0.98*rng.Float64(), count: 2 + rng.IntN(100)}
		other := others[i%len(others)]
		with, without := k.outcomes()
		delta := func(epsilon float64) float64 {
			remove, add := 0.0, 0.0
			for j := range with {
				p, _ := with[j].Float64()
				q, _ := without[j].Float64()
				remove += p * other.profile(epsilon-numeric.Log(p/q))
				add += q * other.profile(epsilon-numeric.Log(q/p))
			}
			return math.Max(remove, add)
		}
		event := accounting.Composed{Events: []accounting.Event{k.event(), other.event}}
		for _, epsilon := range []float64{0.3, 2} {
			want := delta(epsilon)
			if want > 0.999 || want < 1e-9 { // the sum is good to 1e-13
				continue
			}
			got, err := NewAccountant().DeltaAt(event, epsilon)
			if err != nil || got.Lower > want*(1+1e-9)+1e-13 || got.Upper < want*(1-1e-9)-1e-13 {
				t.Errorf("%+v and %v: δ(%g) %v, %v, want %.12g", k, other.event, epsilon, got, err, want)
			}
			g, err := NewAccountant().EpsilonAt(event, want*1.001)
			if err != nil || g.Epsilon.Width() > defaultWidth*(1+1e-9) || delta(g.Epsilon.Upper) > want*1.001+1e-13 || delta(g.Epsilon.Lower) < want*1.001-1e-13 {
				t.Errorf("%+v and %v: ε at δ = %g %v, %v: want δ at its ends on both sides, and at most %g between them", k, other.event, want*1.001, g.Epsilon, err, defaultWidth)
			}
		}
	}
}

// Far apart counts and rates: the mass of each point to the error it claims, by products of
// integers.
func TestBinomialMasses(t *testing.T) {
	for _, n := range []int{2, 60, 700} {
		for _, high := range []float64{0.5, 1e-3, 0.999} {
			low := 1 - high
			w, ok := binomial(point{-1, low, unit}, point{2, high, unit}, float64(n), -300)
			if !ok {
				t.Fatal("no points")
			}
			total := new(big.Float).SetPrec(truthBits)
			for _, p := range w.points {
				k := int64(math.Round((p.loss + float64(n)) / 3))
				mass := new(big.Float).SetPrec(truthBits).SetInt(new(big.Int).Binomial(int64(n), k))
				for range k {
					mass.Mul(mass, bigOf(high))
				}
				for range int64(n) - k {
					mass.Mul(mass, bigOf(low))
				}
				off, _ := new(big.Float).Quo(bigOf(p.p), mass).Float64()
				if math.Abs(off-1) > p.eta || p.eta > 1e-9 {
					t.Fatalf("n = %d, k = %d at %g: mass %g is off by %g, claimed are %g", n, k, high, p.p, off-1, p.eta)
				}
				total.Add(total, mass)
			}
			left, _ := total.Sub(bigOf(1), total).Float64()
			if left > w.low+w.high+float64(n)*unit {
				t.Errorf("n = %d at %g: %g is not listed, claimed are %g and %g", n, high, left, w.low, w.high)
			}
		}
	}
}
