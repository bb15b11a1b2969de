package gridlaw

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/internal/batchpairs"
	"github.com/dplab/dplab/accounting/interval"
)

// outcome is an output with its masses under the laws of an unsampled mechanism.
type outcome struct{ p, q float64 }

// outputs lists the outputs of a mechanism, those of a line in narrow cells.
func outputs(m Mechanism) (all []outcome) {
	line := func(lo, hi float64, p, q func(x float64) float64) {
		const n = 100_000
		step := (hi - lo) / n
		for i := range n {
			x := lo + (float64(i)+0.5)*step
			all = append(all, outcome{p(x) * step, q(x) * step})
		}
	}
	switch m.Kind {
	case Gaussian:
		density := func(mean float64) func(float64) float64 {
			return func(x float64) float64 {
				z := (x - mean) / m.A
				return math.Exp(-z*z/2) / (m.A * math.Sqrt(2*math.Pi))
			}
		}
		line(-10*m.A, 1+10*m.A, density(1), density(0))
	case Batches:
		pair := pairs[slices.IndexFunc(pairs, func(p pair) bool { return p.profile == m.Profile })]
		density := func(law []float64) func(float64) float64 {
			return func(x float64) (sum float64) {
				for i := 0; i < len(law); i += 2 {
					z := (x - law[i+1]) / pair.sigma
					sum += law[i] * math.Exp(-z*z/2) / (pair.sigma * math.Sqrt(2*math.Pi))
				}
				return sum
			}
		}
		line(-1-10*pair.sigma, 3+10*pair.sigma, density(pair.p), density(pair.q))
	case Laplace:
		line(0, 1, func(x float64) float64 { return math.Exp(-(1-x)/m.A) / (2 * m.A) }, func(x float64) float64 { return math.Exp(-x/m.A) / (2 * m.A) })
		far := math.Exp(-1/m.A) / 2
		all = append(all, outcome{far, 0.5}, outcome{0.5, far})
	case Approximate:
		t, l := (1-m.B)/(1+math.Exp(-m.A)), (1-m.B)/(1+math.Exp(m.A))
		all = []outcome{{t, l}, {l, t}, {m.B, 0}, {0, m.B}}
	case Range:
		c := -math.Expm1(-m.A)
		line(-m.A, m.A, func(l float64) float64 { return math.Exp((l-m.A)/2) / (2 * c) }, func(l float64) float64 { return math.Exp((-l-m.A)/2) / (2 * c) })
	case Outcomes:
		for i := range m.With {
			all = append(all, outcome{m.With[i], m.Without[i]})
		}
	}
	return all
}

// want returns Σ (p - e^ε q)_+ over the outputs on a sample.
func (m Mechanism) want(all []outcome, epsilon float64) (sum float64) {
	x := math.Exp(epsilon)
	for _, o := range all {
		p, q := o.p, o.q
		switch {
		case m.Shown > 0:
			p, q = m.Shown*p, m.Shown*q
			if m.Add {
				p, q = q, p
			}
		case m.Rate < 1:
			p = (1-m.Rate)*q + m.Rate*p
			fallthrough
		default:
			if m.Add && !m.FixedSize {
				p, q = q, p
			}
		}
		sum += max(0, p-x*q)
	}
	if m.Shown > 0 {
		sum += (1 - m.Shown) * max(0, 1-x)
	}
	return sum
}

// pair is a profile of package batchpairs with the two laws that it must have, written out: each
// number is the chance of a normal law, and the next one its mean.
type pair struct {
	profile *batchpairs.Profile
	sigma   float64
	p, q    []float64
}

var pairs = []pair{
	{batchpairs.Replaced(0.6, 0.3), 0.6, []float64{0.7, 0, 0.3, 1}, []float64{0.7, 0, 0.3, -1}},
	{batchpairs.Replaced(2, 0.02), 2, []float64{0.98, 0, 0.02, 1}, []float64{0.98, 0, 0.02, -1}},
	{mixture(1.5, 1, 0.6, 0, 0.3, 0.5, 0.1, 3), 1.5, []float64{0.6, 0, 0.3, 0.5, 0.1, 3}, []float64{1, 0}},
	{mixture(0.8, 1, 0, 0, 0.7, 1, 0.3, 2), 0.8, []float64{0.7, 1, 0.3, 2}, []float64{1, 0}},
	// On a sample at rate 0.2 the first law has the chance 0.8 + 0.2·0.6.
	{mixture(1.5, 0.2, 0.6, 0, 0.3, 0.5, 0.1, 3), 1.5, []float64{0.92, 0, 0.06, 0.5, 0.02, 3}, []float64{1, 0}},
}

// mixture returns the profile of a mixture. Each number of its law is a chance, and the next one a
// mean.
func mixture(sigma, rate float64, numbers ...float64) *batchpairs.Profile {
	var law []batchpairs.Component
	for i := 0; i < len(numbers); i += 2 {
		law = append(law, batchpairs.Component{Chance: numbers[i], Mean: numbers[i+1]})
	}
	return batchpairs.Mixture(law, sigma, rate)
}

func mechanisms() (all []Mechanism) {
	bases := []Mechanism{
		{Kind: Gaussian, A: 0.7}, {Kind: Gaussian, A: 3}, {Kind: Laplace, A: 0.5}, {Kind: Laplace, A: 4},
		{Kind: Approximate, A: 0.8}, {Kind: Approximate, A: 0.3, B: 1e-3}, {Kind: Range, A: 1.5},
		{Kind: Outcomes, With: []float64{0.5, 0.3, 0.15, 0.05}, Without: []float64{0.1, 0.3, 0.6, 0}},
	}
	for _, p := range pairs {
		bases = append(bases, Mechanism{Kind: Batches, Profile: p.profile})
	}
	for _, base := range bases {
		for _, add := range []bool{false, true} {
			base.Add = add
			for _, rate := range []float64{1, 0.3, 1e-3} {
				m := base
				m.Rate = rate
				all = append(all, m)
			}
			shown := base
			shown.Rate, shown.Shown = 1, 0.2
			all = append(all, shown)
		}
		if base.Kind != Outcomes && base.Kind != Batches {
			fixed := base
			fixed.Add, fixed.Rate, fixed.FixedSize = false, 0.3, true
			all = append(all, fixed)
		}
	}
	return all
}

// TestProfiles compares δ with sums over the outputs, whose cells err by less than 1e-7.
func TestProfiles(t *testing.T) {
	for _, m := range mechanisms() {
		all := outputs(m)
		for _, epsilon := range []float64{-6, -1.2, -0.4, -0.36, -0.01, -1e-4, 0, 1e-4, 0.02, 0.3, 1.4, 5} {
			got := m.delta(interval.Of(epsilon))
			want := m.want(all, epsilon)
			if m.FixedSize && epsilon < 0 {
				want = -math.Expm1(epsilon) + math.Exp(epsilon)*m.want(all, -epsilon)
			}
			if got < want-2e-7 || got > want+2e-7 {
				t.Errorf("%+v: δ(%g) <= %.12g, want %.12g", m, epsilon, got, want)
			}
		}
	}
}

// delta returns δ of a law on the grid.
func (l Law) deltaOf(step, epsilon float64) float64 {
	sum := l.Infinite
	for i, p := range l.Mass {
		sum += p * max(0, -math.Expm1(epsilon-float64(l.First+i)*step))
	}
	return sum
}

// TestDominating: whatever the law, the one that is made of it dominates the mechanism. A law
// that dominates it already gets hardly any mass.
func TestDominating(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const step = 0.05
	for _, m := range mechanisms() {
		for trial := range 4 {
			l := Law{Mechanism: m, Count: 1, First: -40, Mass: make([]float64, 90)}
			for i := range l.Mass {
				if trial > 0 {
					l.Mass[i] = rng.ExpFloat64() / 90 * float64(trial-1)
				}
			}
			above, _ := l.dominating(step, 3)
			again, _ := above.dominating(step, 3)
			for range 60 {
				epsilon := -4 + 9*rng.Float64()
				if got, want := above.deltaOf(step, epsilon), m.delta(interval.Of(epsilon)); got < want*(1-1e-12) {
					t.Errorf("%+v, trial %d: δ(%g) = %.15g of the law, %.15g of the mechanism", m, trial, epsilon, got, want)
				}
			}
			if more := sum(again.Mass).Hi + again.Infinite - sum(above.Mass).Hi - above.Infinite; more > 1e-9 {
				t.Errorf("%+v, trial %d: mass %g is added to a law that dominates", m, trial, more)
			}
		}
	}
}

// TestBinomial compares runs of two outcomes with sums over their numbers.
func TestBinomial(t *testing.T) {
	for _, m := range []Mechanism{
		{Kind: Approximate, A: 0.5, Rate: 1, Runs: 7}, {Kind: Approximate, A: 0.5, B: 1e-3, Rate: 1, Runs: 7},
		{Kind: Approximate, A: 2, Rate: 0.1, Runs: 30}, {Kind: Approximate, A: 2, Rate: 0.1, Runs: 30, Add: true},
	} {
		n := int(m.Runs)
		truth, lie := (1-m.B)/(1+math.Exp(-m.A)), (1-m.B)/(1+math.Exp(m.A))
		high, low := outcome{(1-m.Rate)*lie + m.Rate*truth, lie}, outcome{(1-m.Rate)*truth + m.Rate*lie, truth}
		if m.Add {
			high, low = outcome{low.q, low.p}, outcome{high.q, high.p}
		}
		walk := m.walk()
		for epsilon := 8.0; epsilon > -8; epsilon -= 0.37 {
			want := 1 - math.Pow(1-m.B, m.Runs)
			for k := range n + 1 {
				ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))).Float64()
				p := ways * math.Pow(high.p, float64(k)) * math.Pow(low.p, float64(n-k))
				q := ways * math.Pow(high.q, float64(k)) * math.Pow(low.q, float64(n-k))
				want += max(0, p-math.Exp(epsilon)*q)
			}
			if got := walk(interval.Of(epsilon)); got < want*(1-1e-12) || got > want*(1+1e-9)+1e-12 {
				t.Errorf("%+v: δ(%g) <= %.15g, want %.15g", m, epsilon, got, want)
			}
		}
	}
}

// TestConvolution compares the composed law with exact rational sums, on up to 64 points. The
// error is at least the difference, and small.
func TestConvolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	for _, n := range []int{4, 8, 16, 64} {
		for _, counts := range [][]int{{1}, {3}, {2, 5}} {
			c := composed{&shared{Grid: Grid{First: -n / 4, Points: n}}}
			exact := make([]*big.Rat, n)
			for i := range exact {
				exact[i] = new(big.Rat)
			}
			exact[modulo(0, n)].SetInt64(1)
			for _, count := range counts {
				l := Law{Count: float64(count), First: -rng.IntN(4)}
				masses := make([]float64, 1+rng.IntN(n))
				for i := range masses {
					masses[i] = rng.Float64() / float64(len(masses))
				}
				c.laws, c.tilted = append(c.laws, l), append(c.tilted, masses)
				for range count {
					next := make([]*big.Rat, n)
					for i := range next {
						next[i] = new(big.Rat)
					}
					for i, e := range exact {
						for j, m := range masses {
							at := next[modulo(i+l.First+j, n)]
							at.Add(at, new(big.Rat).Mul(e, new(big.Rat).SetFloat64(m)))
						}
					}
					exact = next
				}
			}
			if err := c.convolve(); err != nil {
				t.Fatal(err)
			}
			for i, v := range c.values {
				want, _ := exact[modulo(c.First+i, n)].Float64()
				if math.Abs(v-want) > c.error+1e-18 {
					t.Errorf("%d points, runs %v, point %d: %.17g, exactly %.17g, error %g", n, counts, i, v, want, c.error)
				}
			}
			if c.error > 1e-13 {
				t.Errorf("%d points, runs %v: error %g", n, counts, c.error)
			}
		}
	}
}

// TestWeights compares the weights of the transform with 2^14 points with exact turns.
func TestWeights(t *testing.T) {
	for _, n := range []int{2, 4, 8, 32, 1 << 14} {
		for k := range n / 2 {
			angle := interval.Pi().Mul(interval.Of(2 * float64(k) / float64(n)))
			re, im := angle.Cos(), angle.Sin().Neg()
			w := weight(k, n)
			far := max(max(re.Hi-real(w), real(w)-re.Lo), max(im.Hi-imag(w), imag(w)-im.Lo))
			if far > weightError {
				t.Fatalf("weight %d of %d: off by %g units", k, n, far/unit)
			}
		}
	}
}
