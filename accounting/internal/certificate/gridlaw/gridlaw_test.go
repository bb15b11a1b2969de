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

// output is an output with its masses under the laws of an unsampled mechanism.
type output struct{ p, q float64 }

// outputs lists the outputs of a mechanism, those of a line in narrow cells.
func outputs(m Mechanism) (all []output) {
	line := func(lo, hi float64, p, q func(x float64) float64) {
		const n = 100_000
		step := (hi - lo) / n
		for i := range n {
			x := lo + (float64(i)+0.5)*step
			all = append(all, output{p(x) * step, q(x) * step})
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
		all = append(all, output{far, 0.5}, output{0.5, far})
	case Approximate:
		t, l := (1-m.B)/(1+math.Exp(-m.A)), (1-m.B)/(1+math.Exp(m.A))
		all = []output{{t, l}, {l, t}, {m.B, 0}, {0, m.B}}
	case Range:
		c := -math.Expm1(-m.A)
		line(-m.A, m.A, func(l float64) float64 { return math.Exp((l-m.A)/2) / (2 * c) }, func(l float64) float64 { return math.Exp((-l-m.A)/2) / (2 * c) })
	case Outcomes:
		for i := range m.With {
			all = append(all, output{m.With[i], m.Without[i]})
		}
	}
	return all
}

// want returns Σ (p - e^ε q)_+ over the outputs on a sample.
func (m Mechanism) want(all []output, epsilon float64) (sum float64) {
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

// bounded returns the bound of δ at epsilon >= 0.
func (m Mechanism) bounded(t *testing.T, epsilon float64) float64 {
	if m.Kind != Outcomes && m.Kind != Approximate {
		return m.bound(interval.Of(epsilon))
	}
	return Law{Mechanism: m}.listed(t, epsilon)
}

// listed is δ at epsilon of a law with finitely many outcomes.
func (l Law) listed(t *testing.T, epsilon float64) float64 {
	atoms, infinite, ok := l.atoms(l.Runs)
	if !ok {
		t.Fatalf("%+v: has no list of outcomes", l)
	}
	var sum interval.Sum
	sum.Add(infinite)
	for _, a := range atoms {
		sum.Add(a.mass.Mul(interval.Of(epsilon).Sub(a.loss).Expm1().Neg().Positive()))
	}
	return sum.I().Hi
}

// TestProfiles compares δ with sums over the outputs, whose cells err by less than 1e-7.
func TestProfiles(t *testing.T) {
	for _, m := range mechanisms() {
		all := outputs(m)
		for _, epsilon := range []float64{0, 1e-4, 0.01, 0.02, 0.3, 0.4, 1.4, 5} {
			if got, want := m.bounded(t, epsilon), m.want(all, epsilon); got < want-2e-7 || got > want+2e-7 {
				t.Errorf("%+v: δ(%g) <= %.12g, want %.12g", m, epsilon, got, want)
			}
		}
	}
}

// deltaOf returns δ of a measure on the grid.
func (l measure) deltaOf(step, epsilon float64) float64 {
	sum := l.infinite
	for i, p := range l.mass {
		sum += p * max(0, -math.Expm1(epsilon-float64(l.first+i)*step))
	}
	return sum
}

// TestDominating: the law of a mechanism is above it at every ε. Below 0, 1 - x + x H'(1/x) has the
// sums over the outputs in the other direction. The law is equal at the points of the grid, but for
// its tails. Its masses sum to 1. Multiples of 0.6 are points of all grids here.
func TestDominating(t *testing.T) {
	for _, m := range mechanisms() {
		all, back := outputs(m), m
		back.Add = !m.Add
		want := func(epsilon float64) float64 {
			if x := math.Exp(epsilon); x < 1 {
				return 1 - x + x*back.want(all, -epsilon)
			}
			return m.want(all, epsilon)
		}
		known := map[float64]float64{}
		for _, epsilon := range []float64{-3, -1.2, -0.6, -0.57, -0.013, 0, 0.007, 0.29, 0.6, 1.8, 2.444} {
			known[epsilon] = want(epsilon)
		}
		for _, grid := range []struct {
			step  float64
			first int
			last  int
		}{{0.05, -80, 90}, {0.004, -1500, 1500}, {0.3, -2, 4}, {0.6, 5, 6}} {
			measure := Law{Mechanism: m, Count: 1, First: grid.first, Points: grid.last + 1 - grid.first}.dominating(grid.step, 3)
			if total := sum(measure.mass).Hi + measure.infinite; !(total >= 1 && total < 1+1e-12) {
				t.Errorf("%+v, %+v: the masses sum to %.15g", m, grid, total)
			}
			lo, hi := float64(grid.first)*grid.step, float64(grid.last)*grid.step
			tails := back.want(all, -min(lo, 0)) + m.want(all, hi)
			for epsilon, want := range known {
				got := measure.deltaOf(grid.step, epsilon)
				if got < want-2e-7 || epsilon >= 0 && got < m.bounded(t, epsilon)*(1-1e-12)-1e-300 {
					t.Errorf("%+v, %+v: δ(%g) = %.15g of the law, %.15g of the mechanism", m, grid, epsilon, got, want)
				}
				if point := epsilon/0.6 == math.Round(epsilon/0.6); point && epsilon >= lo && epsilon <= hi && got > want+2e-7+tails {
					t.Errorf("%+v, %+v: δ(%g) = %.15g of the law, %.15g of the mechanism", m, grid, epsilon, got, want)
				}
			}
		}
	}
}

// TestFineGrid: noise of the intervals adds little on a fine grid, where masses are differences of
// almost equal bounds.
func TestFineGrid(t *testing.T) {
	for _, m := range []Mechanism{
		{Kind: Gaussian, A: 20, Rate: 1e-3}, {Kind: Gaussian, A: 20, Rate: 1e-3, Add: true}, {Kind: Gaussian, A: 30, Rate: 1},
		{Kind: Laplace, A: 40, Rate: 0.01}, {Kind: Range, A: 0.02, Rate: 1}, {Kind: Approximate, A: 0.02, Rate: 0.1},
	} {
		const step = 1e-6
		n := int(min(20_000, 3e-2/step))
		s := m.side(step, n, 1)
		for k := 0; k < n; k += 397 {
			delta := s.infinite
			for j := n; j > k; j-- {
				delta += s.mass[j] * -math.Expm1(float64(k-j)*step)
			}
			if want := m.bounded(t, float64(k)*step); delta < want*(1-1e-11)-1e-300 || delta > want*(1+1e-9)+s.infinite+1e-300 {
				t.Errorf("%+v: δ_%d = %.17g of the law, %.17g of the mechanism", m, k, delta, want)
				break
			}
		}
	}
}

// TestBinomial compares runs of two outcomes with sums over their numbers.
func TestBinomial(t *testing.T) {
	for _, m := range []Law{
		{Mechanism: Mechanism{Kind: Approximate, A: 0.5, Rate: 1}, Runs: 7}, {Mechanism: Mechanism{Kind: Approximate, A: 0.5, B: 1e-3, Rate: 1}, Runs: 7},
		{Mechanism: Mechanism{Kind: Approximate, A: 2, Rate: 0.1}, Runs: 30}, {Mechanism: Mechanism{Kind: Approximate, A: 2, Rate: 0.1, Add: true}, Runs: 30},
	} {
		n := int(m.Runs)
		truth, lie := (1-m.B)/(1+math.Exp(-m.A)), (1-m.B)/(1+math.Exp(m.A))
		high, low := output{(1-m.Rate)*lie + m.Rate*truth, lie}, output{(1-m.Rate)*truth + m.Rate*lie, truth}
		if m.Add {
			high, low = output{low.q, low.p}, output{high.q, high.p}
		}
		for epsilon := 0.0; epsilon < 8; epsilon += 0.187 {
			want := 1 - math.Pow(1-m.B, m.Runs)
			for k := range n + 1 {
				ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))).Float64()
				p := ways * math.Pow(high.p, float64(k)) * math.Pow(low.p, float64(n-k))
				q := ways * math.Pow(high.q, float64(k)) * math.Pow(low.q, float64(n-k))
				want += max(0, p-math.Exp(epsilon)*q)
			}
			if got := m.listed(t, epsilon); got < want*(1-1e-12) || got > want*(1+1e-9)+1e-12 {
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
			c := composed{Grid: Grid{First: -n / 4, Points: n, Step: 0.1, Tilt: 1}}
			exact := make([]*big.Rat, n)
			for i := range exact {
				exact[i] = new(big.Rat)
			}
			exact[modulo(0, n)].SetInt64(1)
			for _, count := range counts {
				first := -rng.IntN(4)
				masses := make([]float64, 1+rng.IntN(n))
				for i := range masses {
					masses[i] = rng.Float64() / float64(len(masses))
				}
				c.laws = append(c.laws, tiltedLaw{measure{first: first}, float64(count), masses})
				for range count {
					next := make([]*big.Rat, n)
					for i := range next {
						next[i] = new(big.Rat)
					}
					for i, e := range exact {
						for j, m := range masses {
							at := next[modulo(i+first+j, n)]
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
			// δ of the window, as a sum over all points.
			for epsilon := -0.1 * float64(n); epsilon < 0.1*float64(n); epsilon += 0.037 {
				want, mass := 0.0, 1e-300
				for i, v := range c.values {
					if s := float64(c.First+i) * c.Step; s > epsilon-1e-12 {
						w := max(0, v+c.error*(1+1e-9)) * math.Exp(-c.Tilt*s)
						want, mass = want+w*max(0, -math.Expm1(epsilon-s)), mass+w
					}
				}
				if got := c.onGrid(epsilon); got < want*(1-1e-13) || got > want*(1+1e-12)+mass*1e-14 {
					t.Errorf("%d points, runs %v: δ(%g) <= %.17g, want %.17g", n, counts, epsilon, got, want)
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

// TestEveryGridIsChecked: a grid that does not fit fails each check, also after one that failed.
func TestEveryGridIsChecked(t *testing.T) {
	good := Grid{Step: 0.01, Tilt: 1, Beyond: 9, First: -600, Points: 1300, Laws: []Law{
		{Mechanism: Mechanism{Kind: Laplace, A: 1, Rate: 1}, Count: 4, First: -101, Points: 203},
	}}
	if c, err := New(good).Check(5, 1); err != nil || !(c.DeltaUpper <= 1) {
		t.Fatalf("%+v, %v", c, err)
	}
	bad := good
	bad.Tilt = 1e6
	both := New(good, bad)
	for range 3 {
		if c, err := both.Check(5, 1); err == nil {
			t.Errorf("%+v, and one grid does not fit", c)
		}
		if d, err := both.Delta(5); err == nil {
			t.Errorf("δ <= %g, and one grid does not fit", d)
		}
	}
}

// A window that begins above ε, or above every loss, shows nothing: 50 runs cost at least as much
// as one, whose δ has a closed form.
func TestWindowAboveEpsilon(t *testing.T) {
	for _, first := range []int{20, 600, 1 << 40, math.MaxInt64 - 2000, math.MaxInt64 - 10, math.MinInt64} {
		laws := []Law{{Mechanism: Mechanism{Kind: Laplace, A: 1, Rate: 1}, Count: 50, First: -10, Points: 21}}
		d, err := New(Grid{Step: 0.1, Tilt: 1, Beyond: 10, First: first, Points: 1024, Laws: laws}).Delta(0.1)
		if once := -math.Expm1((0.1 - 1) / 2); err == nil && !(d >= once) {
			t.Errorf("first point %d: 50 runs have δ <= %g, and one has %g", first, d, once)
		}
	}
}
