package pld_test

import (
	"errors"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/pld"
)

// user is one step on Poisson samples of the examples of a user who has K of them.
func user(examples int, q, sigma float64) accounting.MixtureOfGaussians {
	m := accounting.MixtureOfGaussians{NoiseMultiplier: sigma}
	lgamma := func(x int) float64 { v, _ := math.Lgamma(float64(x)); return v }
	for j := range examples + 1 {
		log := lgamma(examples+1) - lgamma(j+1) - lgamma(examples-j+1) + float64(j)*numeric.Log(q) + float64(examples-j)*math.Log1p(-q)
		m.Chances, m.Distances = append(m.Chances, math.Exp(log)), append(m.Distances, float64(j))
	}
	return m
}

// The values are of the exact pair, composed by a quadrature of its moment generating function to
// about 1e-7 (numpy). dp_accounting 0.6.0 gives 1.23989 and 2.62768 for the second and the third.
func TestMixtureOfGaussians(t *testing.T) {
	for _, c := range []struct {
		examples int
		q, sigma float64
		steps    int
		delta    float64
		want     float64
	}{
		{1, 0.01, 1, 1000, 1e-5, 1.8282366665143532},
		{4, 0.01, 4, 1000, 1e-5, 1.2398769727693022},
		{16, 0.01, 8, 1000, 1e-5, 2.6276763637707425},
		{16, 0.01, 2, 100, 1e-6, 4.691538995861755},
		{64, 0.005, 6, 500, 1e-6, 6.142685461566207},
	} {
		if testing.Short() && c.examples > 4 {
			continue
		}
		for _, relation := range []accounting.Neighboring{accounting.AddOrRemoveOne, accounting.ReplaceSpecial} {
			g, err := pld.Accountant{Relation: relation}.EpsilonAt(accounting.SelfComposed{Count: c.steps, Event: user(c.examples, c.q, c.sigma)}, c.delta)
			if err != nil || !(g.Epsilon.Lower <= c.want*(1+1e-6) && g.Epsilon.Upper >= c.want*(1-1e-6) && g.Epsilon.Width() <= 0.01) {
				t.Errorf("%+v, %v: %v, %v", c, relation, g, err)
			}
			if small := c.examples < 24; (g.Certificate != nil) != small {
				t.Errorf("%+v: certificate %v, %v; want one for few distances", c, g.Certificate, g.Warnings)
			}
			if testing.Short() {
				break
			}
		}
	}
}

// TestMixtureTwin compares δ of one and of two steps, and of a Poisson sample, with sums over
// narrow cells of the output. The same sums without the largest distance lie outside: a planted
// mistake.
func TestMixtureTwin(t *testing.T) {
	a := pld.Accountant{Width: 1e-4}
	m := accounting.MixtureOfGaussians{Chances: []float64{0.2, 0.5, 0.3}, Distances: []float64{1, 0, 2.5}, NoiseMultiplier: 1.5}
	const q, width = 0.3, 0.03
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	laws := func(distances []float64, q float64) (p, r []float64) {
		for x := -14.0; x < 18; x += width {
			mass := func(s float64) float64 {
				return phi((x+width-s)/m.NoiseMultiplier) - phi((x-s)/m.NoiseMultiplier)
			}
			sum := (1 - q) * mass(0)
			for j, w := range m.Chances {
				sum += q * w * mass(distances[j])
			}
			p, r = append(p, sum), append(r, mass(0))
		}
		return p, r
	}
	twin := func(distances []float64, q float64, steps int, epsilon float64) float64 {
		p, r := laws(distances, q)
		var remove, add float64
		for i := range p {
			if steps == 1 {
				remove += math.Max(0, p[i]-math.Exp(epsilon)*r[i])
				add += math.Max(0, r[i]-math.Exp(epsilon)*p[i])
				continue
			}
			for j := range p {
				remove += math.Max(0, p[i]*p[j]-math.Exp(epsilon)*r[i]*r[j])
				add += math.Max(0, r[i]*r[j]-math.Exp(epsilon)*p[i]*p[j])
			}
		}
		return math.Max(remove, add)
	}
	for _, c := range []struct {
		event accounting.Event
		rate  float64
	}{{m, 1}, {accounting.PoissonSampled{SamplingRate: q, Event: m}, q}} {
		for steps := 1; steps <= 2; steps++ {
			const epsilon = 0.4
			got, err := a.DeltaAt(accounting.SelfComposed{Event: c.event, Count: steps}, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			want, wrong := twin(m.Distances, c.rate, steps, epsilon), twin([]float64{1, 0, 1}, c.rate, steps, epsilon)
			if !(got.Lower <= want*1.001 && got.Upper >= want*0.999 && got.Width() < 2e-3*want) || got.Lower <= wrong*1.001 {
				t.Errorf("%d x %v: δ %v, want %.9g, and %.9g is that of smaller distances", steps, c.event, got, want, wrong)
			}
		}
	}
}

// A mixture of one distance is a Gaussian, and one of distances 0 is nothing. One example that
// joins with chance q is a Gaussian on a Poisson sample. Relations and numbers out of range are
// refused.
func TestMixtureSeams(t *testing.T) {
	a := pld.Accountant{Width: 1e-3}
	at := func(e accounting.Event) accounting.Interval {
		t.Helper()
		g, err := a.EpsilonAt(accounting.SelfComposed{Event: e, Count: 20}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon
	}
	one, gaussian := at(accounting.MixtureOfGaussians{Chances: []float64{0.4, 0, 0.6}, Distances: []float64{2, 7, 2}, NoiseMultiplier: 6}), at(accounting.Gaussian{NoiseMultiplier: 3})
	if !(math.Abs(one.Upper-gaussian.Upper) < 1e-12) {
		t.Errorf("one distance: %v, want %v", one, gaussian)
	}
	if nothing := at(accounting.MixtureOfGaussians{Chances: []float64{1}, Distances: []float64{0}, NoiseMultiplier: 1}); nothing.Upper != 0 {
		t.Errorf("no distance: %v, want 0", nothing)
	}
	coin, sample := at(user(1, 0.2, 1)), at(accounting.PoissonSampled{SamplingRate: 0.2, Event: accounting.Gaussian{NoiseMultiplier: 1}})
	if coin.Lower > sample.Upper || sample.Lower > coin.Upper || coin.Width() > 1.1e-3 {
		t.Errorf("one example: %v, on a sample %v", coin, sample)
	}
	if more := at(user(3, 0.2, 1)); more.Lower <= coin.Upper {
		t.Errorf("three examples: %v, not above %v", more, coin)
	}
	_, err := pld.Accountant{Relation: accounting.ReplaceOne}.EpsilonAt(user(2, 0.1, 1), 1e-5)
	if !errors.Is(err, accounting.ErrUnsupportedEvent) {
		t.Errorf("replace-one: error %v", err)
	}
	if _, err := a.EpsilonAt(accounting.MixtureOfGaussians{Chances: []float64{0.5, 0.5}, Distances: []float64{0, 1e5}, NoiseMultiplier: 1}, 1e-5); err == nil {
		t.Error("distances beyond the grid: no error")
	}
}

// Without a distance of 0 the ratio of densities underflows far to the left, and its logarithm does
// not: this panicked. The truth is a closed form, as the likelihood ratio rises in y. Where masses
// of Q underflow, the upper end is up to twice the truth.
func TestMixtureOfFarGaussians(t *testing.T) {
	e := accounting.MixtureOfGaussians{Chances: []float64{0.7, 0.3}, Distances: []float64{3, 4}, NoiseMultiplier: 0.08}
	const sigma, tau = 0.08, 4.2
	top := numeric.Log(0.3) + 4*(2*tau-4)/(2*sigma*sigma)
	epsilon := top + math.Log1p(0.7/0.3*math.Exp((3*(2*tau-3)-4*(2*tau-4))/(2*sigma*sigma)))
	want := -math.Exp(epsilon + logTail(tau/sigma))
	for i, d := range e.Distances {
		want += e.Chances[i] * math.Exp(logTail((tau-d)/sigma))
	}
	got, err := pld.NewAccountant().DeltaAt(e, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	if !(got.Lower <= want*(1+1e-9) && got.Upper >= want*(1-1e-9) && got.Upper < 2.1*want) {
		t.Errorf("δ at ε %g in %v, closed form %g", epsilon, got, want)
	}
}

// A record that is moved with a tiny chance q: δ at ε = 0 is q times that of the moved laws, and
// the lower end has nothing of what the cells leave out.
func TestRareMixture(t *testing.T) {
	for _, q := range []float64{0.1, 1e-3, 1e-6, 1e-30, 1e-200} {
		e := accounting.MixtureOfGaussians{Chances: []float64{1 - q, q / 2, q / 2}, Distances: []float64{0, 1, 2}, NoiseMultiplier: 2}
		far := math.Inf(-1) // the densities cross where the mean of the likelihood ratios is 1
		for x := -5.0; x < 5; x += 1e-4 {
			if math.Exp((2*x-1)/8)+math.Exp((4*x-4)/8) < 2 {
				far = x
			}
		}
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		want := q * ((phi((1-far)/2)+phi((2-far)/2))/2 - phi(-far/2))
		got, err := pld.NewAccountant().DeltaAt(e, 0)
		if err != nil || !(got.Lower <= want*(1+1e-5) && got.Upper >= want*(1-1e-5)) {
			t.Errorf("chance %g: δ(0) %v, %v, want %g", q, got, err, want)
		}
	}
}
