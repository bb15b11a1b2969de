package pld_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/internal/certificate/attach"
	"github.com/dplab/dplab/accounting/pld"
)

// sums is T sums of clipped vectors on Poisson samples.
func sums(q, sigma float64, steps int) accounting.Event {
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{
		SamplingRate: q, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}}
}

// The values are of the exact pair, composed by a quadrature of its moment generating function to
// about 1e-7 (numpy). dp_accounting 0.6.0 gives 2.95596 for the first.
func TestReplacedClippedSum(t *testing.T) {
	a := pld.Accountant{Relation: accounting.ReplaceOne}
	for _, c := range []struct {
		q, sigma float64
		steps    int
		delta    float64
		want     float64
	}{
		{0.01, 2, 5000, 1e-5, 2.955928329860931},
		{256. / 60000, 1.1, 14062, 1e-5, 4.22129673437948},
		{0.1, 4, 1000, 1e-6, 8.282502788787001},
		{0.003, 0.9, 3000, 1e-7, 2.0591360357413704},
		{0.001, 1, 100000, 1e-6, 3.191159138620242},
	} {
		g, err := a.EpsilonAt(sums(c.q, c.sigma, c.steps), c.delta)
		if err != nil || !(g.Epsilon.Lower <= c.want*(1+1e-6) && g.Epsilon.Upper >= c.want*(1-1e-6) && g.Epsilon.Width() <= 0.01) {
			t.Errorf("%+v: %v, %v", c, g, err)
		}
		if g.Certificate == nil {
			t.Errorf("%+v: %v: has no certificate", c, g.Warnings)
		}
	}
}

// cellsOf lists the masses of (1-q) N(0) + q N(u) and (1-q) N(0) + q N(v) in narrow cells, with
// σ = 1 and the distances in its unit.
func cellsOf(q, u, v, width float64) (p, r []float64) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for x := -9.0; x < 9; x += width {
		mass := func(m float64) float64 {
			return (1-q)*(phi(x+width)-phi(x)) + q*(phi(x+width-m)-phi(x-m))
		}
		p, r = append(p, mass(u)), append(r, mass(v))
	}
	return p, r
}

// TestReplacedClippedSumTwin compares δ of one and of two steps with sums over narrow cells of the
// output, which err by about their width squared. The same sums with the new record at 0 instead
// of -1 lie outside: a planted mistake.
func TestReplacedClippedSumTwin(t *testing.T) {
	a := pld.Accountant{Relation: accounting.ReplaceOne, Width: 1e-4}
	for _, c := range []struct{ q, sigma, epsilon float64 }{{0.2, 1, 0.5}, {0.5, 2, 0.3}, {0.05, 0.7, 0.2}} {
		for steps := 1; steps <= 2; steps++ {
			got, err := a.DeltaAt(sums(c.q, c.sigma, steps), c.epsilon)
			if err != nil {
				t.Fatal(err)
			}
			twin := func(other float64) (sum float64) {
				p, r := cellsOf(c.q, 1/c.sigma, other/c.sigma, 0.01)
				for i := range p {
					if steps == 1 {
						sum += math.Max(0, p[i]-math.Exp(c.epsilon)*r[i])
						continue
					}
					for j := range p {
						sum += math.Max(0, p[i]*p[j]-math.Exp(c.epsilon)*r[i]*r[j])
					}
				}
				return sum
			}
			if want := twin(-1); !(got.Lower <= want*1.0005 && got.Upper >= want*0.9995 && got.Width() < 2e-3*want) {
				t.Errorf("%+v, %d steps: δ %v, want %.9g", c, steps, got, want)
			}
			if wrong := twin(0); got.Lower <= wrong*1.0005 {
				t.Errorf("%+v, %d steps: δ %v holds %.9g, that of a removed record", c, steps, got, wrong)
			}
		}
	}
}

// TestReplacedClippedSumDominates draws vectors of the old and the new record in the plane. No pair
// costs more than opposite ones of norm 1. This is the claim of replaceone_sum.go.
func TestReplacedClippedSumDominates(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	a := pld.Accountant{Relation: accounting.ReplaceOne, Width: 1e-4}
	disc := func() (x, y float64) {
		r, angle := math.Sqrt(rng.Float64()), 2*math.Pi*rng.Float64()
		return r * math.Cos(angle), r * math.Sin(angle)
	}
	for range 40 {
		q, sigma, epsilon := 0.02+0.9*rng.Float64(), 0.5+2*rng.Float64(), 0.7*rng.Float64()
		most, err := a.DeltaAt(sums(q, sigma, 1), epsilon)
		if err != nil {
			t.Fatal(err)
		}
		vx, vy := disc()
		wx, wy := disc()
		at := func(x, y float64) float64 { return math.Exp(-(x*x + y*y) / (2 * sigma * sigma)) }
		step, delta := sigma/20, 0.0
		for x := -1 - 7*sigma; x < 1+7*sigma; x += step {
			for y := -1 - 7*sigma; y < 1+7*sigma; y += step {
				p, r := (1-q)*at(x, y)+q*at(x-vx, y-vy), (1-q)*at(x, y)+q*at(x-wx, y-wy)
				delta += math.Max(0, p-math.Exp(epsilon)*r) * step * step / (2 * math.Pi * sigma * sigma)
			}
		}
		if delta > most.Upper+1e-4*most.Upper+1e-6 {
			t.Errorf("q %g, σ %g, ε %g, vectors (%g, %g) and (%g, %g): δ %.9g, above %v", q, sigma, epsilon, vx, vy, wx, wy, delta, most)
		}
	}
}

// Without a sample a replaced record moves the sum by 2. With a further event on the same sample
// the price is an upper end only.
func TestReplacedClippedSumElsewhere(t *testing.T) {
	replaced := pld.Accountant{Relation: accounting.ReplaceOne}
	sum, half := accounting.ClippedSum{NoiseMultiplier: 3}, accounting.Gaussian{NoiseMultiplier: 1.5}
	same := func(a pld.Accountant, e, want accounting.Event) {
		t.Helper()
		got, err := a.EpsilonAt(e, 1e-5)
		other, errOther := a.EpsilonAt(want, 1e-5)
		if err != nil || errOther != nil || got.Epsilon != other.Epsilon {
			t.Errorf("%v, %v: %v, %v; %v: %v, %v", e, a.Neighboring(), got, err, want, other, errOther)
		}
	}
	same(replaced, sum, half)
	same(replaced, accounting.SelfComposed{Event: sum, Count: 7}, accounting.SelfComposed{Event: half, Count: 7})
	for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial} {
		same(pld.Accountant{Relation: relation}, sums(0.01, 1, 100), accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{
			SamplingRate: 0.01, Event: accounting.Gaussian{NoiseMultiplier: 1}}})
	}
	both := func(e accounting.Event) accounting.Event {
		return accounting.PoissonSampled{SamplingRate: 0.1, Event: accounting.Composed{Events: []accounting.Event{e, e}}}
	}
	g, err := replaced.EpsilonAt(both(sum), 1e-5)
	shown, errShown := replaced.EpsilonAt(both(half), 1e-5)
	if err != nil || errShown != nil || g.Epsilon.HasLower || math.Abs(g.Epsilon.Upper-shown.Epsilon.Upper) > 1e-12 {
		t.Errorf("two sums on one sample: %v, %v; as shown %v, %v", g, err, shown, errShown)
	}
	if attach.Wanted(replaced) && g.Certificate == nil {
		t.Errorf("two sums on one sample: %v has no certificate", g)
	}
	if _, err := replaced.EpsilonAt(sums(0.01, 1e-4, 3), 1e-5); err == nil || errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("noise below the grid's: error %v", err)
	}
}

// More rate, more steps and less noise cost more. The pair of rate next to 1 is that of no sample.
func TestReplacedClippedSumSeams(t *testing.T) {
	a := pld.Accountant{Relation: accounting.ReplaceOne, Width: 1e-3}
	at := func(q, sigma float64, steps int) accounting.Interval {
		g, err := a.EpsilonAt(sums(q, sigma, steps), 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon
	}
	base := at(0.02, 1.3, 200)
	for name, more := range map[string]accounting.Interval{"rate": at(0.03, 1.3, 200), "noise": at(0.02, 1.1, 200), "steps": at(0.02, 1.3, 300)} {
		if !(more.Lower > base.Upper) {
			t.Errorf("%s: %v, not above %v", name, more, base)
		}
	}
	near, one := at(1-1e-9, 4, 3), at(1, 4, 3)
	if math.Abs(near.Upper-one.Upper) > 2e-3 {
		t.Errorf("rate next to 1: %v, at 1: %v", near, one)
	}
	for _, c := range []struct{ q, sigma float64 }{{1e-12, 0.05}, {1e-6, 0.3}, {0.999, 50}, {0.3, 0.01}, {1e-3, 1e3}} {
		if e := at(c.q, c.sigma, 10); !(e.Lower >= 0 && e.Lower <= e.Upper && e.Upper < 1e6) {
			t.Errorf("%+v: %v", c, e)
		}
	}
}
