package lratio

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/accountingtest"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/accounting/numeric"
)

// coarse uses 1000 cells or few more.
var coarse = Accountant{Width: 0.02}

func allocation(sigma float64, period, steps int) accounting.RandomAllocation {
	return accounting.RandomAllocation{Period: period, Steps: steps, Participations: 1, Event: accounting.ClippedSum{NoiseMultiplier: sigma}}
}

func epsilonOf(t *testing.T, a Accountant, event accounting.Event, delta float64) accounting.Interval {
	t.Helper()
	g, err := a.EpsilonAt(event, delta)
	if err != nil {
		t.Fatal(err)
	}
	return g.Epsilon
}

func TestContract(t *testing.T) {
	accountingtest.Run(t, func() accounting.Accountant { return coarse })
}

// The lower end is not above the upper end for drawn settings, in each direction and for ε and δ.
func TestEndsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 34))
	cases := 60
	if !testing.Short() {
		cases = 2000
	}
	for range cases {
		sigma, period := math.Exp(rng.Float64()*4-1.2), 1+int(math.Exp(rng.Float64()*8))
		f := factor{1 / sigma, period, 1}
		if rng.IntN(3) == 0 {
			f.rate = rng.Float64()
		}
		count, logDelta := 1+int(math.Exp(rng.Float64()*5)), -1-40*rng.Float64()
		p := program{lower: map[factor]int{f: count}, upper: map[factor]int{f: count}}
		both := p.sides(t, 300, logDelta+logCut)
		for _, to := range []direction{remove, add} {
			below, above := both.epsilon(to, logDelta)
			if below > above {
				t.Errorf("%+v, %d times, ln δ %g: ε in [%g, %g]", f, count, logDelta, below, above)
			}
			for epsilon := 0.0; epsilon < 2*above+1; epsilon += (above + 1) / 7 {
				if lo, hi := both.delta(to, epsilon); lo > hi {
					t.Errorf("%+v, %d times, ε %g: δ in [%g, %g]", f, count, epsilon, lo, hi)
				}
			}
		}
	}
}

// ε falls in the period and in the noise, and rises in the number of periods and of steps.
func TestMonotone(t *testing.T) {
	type setting struct {
		sigma         float64
		period, steps int
	}
	for _, pair := range [][2]setting{ // the first costs less
		{{1, 11, 11}, {1, 10, 10}}, {{1, 100, 100}, {1, 99, 99}}, {{1, 128, 128}, {1, 127, 127}}, {{0.5, 1000, 1000}, {0.5, 900, 900}},
		{{1.1, 50, 50}, {1, 50, 50}}, {{2.1, 64, 640}, {2, 64, 640}},
		{{1, 50, 50}, {1, 50, 51}}, {{1, 50, 20}, {1, 50, 30}}, {{1, 50, 90}, {1, 50, 100}}, {{1, 50, 100}, {1, 50, 150}},
	} {
		less := epsilonOf(t, coarse, allocation(pair[0].sigma, pair[0].period, pair[0].steps), 1e-6)
		more := epsilonOf(t, coarse, allocation(pair[1].sigma, pair[1].period, pair[1].steps), 1e-6)
		if less.Lower > more.Upper {
			t.Errorf("%v costs %v, above %v, which costs %v", pair[0], less, pair[1], more)
		}
	}
}

// The width of ε falls by about four if the cells double.
func TestWidthFalls(t *testing.T) {
	p := priceRow{sigma: 1, period: 100, steps: 1000}.program(t)
	var widths []float64
	for _, n := range []int{500, 1000, 2000} {
		ends, _, err := p.epsilon(n, numeric.Log(1e-5), numeric.Log(1e-5)+logCut)
		if err != nil {
			t.Fatal(err)
		}
		widths = append(widths, ends.upper-ends.lower)
	}
	for i := range 2 {
		if ratio := widths[i] / widths[i+1]; ratio < 2.5 || ratio > 7 {
			t.Errorf("widths %v: ratio %g, want about 4", widths, ratio)
		}
	}
}

// Poisson samples and Gaussians, which contour prices by line integrals, are a second method for
// mixed laws, products and the accountant.
func TestAgainstContour(t *testing.T) {
	for _, event := range []accounting.Event{
		accounting.Gaussian{NoiseMultiplier: 0.8},
		accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 5}, Count: 13},
		accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.3, Event: accounting.Gaussian{NoiseMultiplier: 1}}, Count: 5},
		accounting.Composed{Events: []accounting.Event{
			accounting.Gaussian{NoiseMultiplier: 3},
			accounting.SelfComposed{Event: accounting.PoissonSampled{SamplingRate: 0.05, Event: accounting.Gaussian{NoiseMultiplier: 2}}, Count: 100},
		}},
	} {
		want, err := contour.NewAccountant().EpsilonAt(event, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		got := epsilonOf(t, coarse, event, 1e-5)
		if got.Lower > want.Epsilon.Upper || got.Upper < want.Epsilon.Lower || got.Width() > 0.05*got.Upper {
			t.Errorf("%v: %v, contour %v", event, got, want.Epsilon)
		}
	}
}

// Draws of a period of 20 steps, three periods, with and without the example. The mean of 5e4 draws
// of (1-e^{ε-L})₊ is within five standard errors, exceeded with chance 3e-7.
func TestDraws(t *testing.T) {
	const sigma, period, periods, draws = 1.0, 20, 3, 50_000
	rng := rand.New(rand.NewPCG(4, 34))
	logRatio := func(with bool) float64 {
		log := 0.0
		for range periods {
			sum := 0.0
			for i := range period {
				w := sigma * rng.NormFloat64()
				if with && i == 0 { // by symmetry
					w++
				}
				sum += math.Exp((w - 0.5) / (sigma * sigma))
			}
			log += numeric.Log(sum / period)
		}
		return log
	}
	p := priceRow{sigma: sigma, period: period, steps: period * periods}.program(t)
	both := p.sides(t, 1000, -40)
	for _, to := range []direction{remove, add} {
		for _, epsilon := range []float64{0.2, 1, 2} {
			sum, squares := 0.0, 0.0
			for range draws {
				loss := logRatio(to == remove)
				if to == add {
					loss = -loss
				}
				x := math.Max(0, -math.Expm1(epsilon-loss))
				sum, squares = sum+x, squares+x*x
			}
			mean := sum / draws
			slack := 5 * math.Sqrt((squares/draws-mean*mean)/draws)
			lo, hi := both.delta(to, epsilon)
			if mean < lo-slack || mean > hi+slack {
				t.Errorf("direction %d, ε %g: δ in [%g, %g], draws %g ± %g", to, epsilon, lo, hi, mean, slack)
			}
		}
	}
}

// δ and ε answer each other, down to δ = 1e-300.
func TestDeltas(t *testing.T) {
	event := allocation(0.7, 30, 90)
	for _, delta := range []float64{1e-2, 1e-5, 1e-40, 1e-300} {
		epsilon := epsilonOf(t, coarse, event, delta)
		at, err := coarse.DeltaAt(event, epsilon.Upper)
		if err != nil {
			t.Fatal(err)
		}
		if at.Lower > delta || at.Upper < delta/100 {
			t.Errorf("δ = %g costs ε %v, where δ is %v", delta, epsilon, at)
		}
	}
	epsilons := []float64{0, 0.5, 1, 5, 50}
	deltas, err := coarse.DeltasAt(event, epsilons)
	if err != nil || len(deltas) != len(epsilons) {
		t.Fatal(deltas, err)
	}
	for i := range deltas[1:] {
		if deltas[i+1].Upper > deltas[i].Upper {
			t.Errorf("δ rises: %v", deltas)
		}
	}
}

// An allocation costs less than the Gaussian that reveals it, and a period of one participation
// cut after all its steps is a whole one.
func TestSeams(t *testing.T) {
	whole, cut := epsilonOf(t, coarse, allocation(1, 30, 30), 1e-5), epsilonOf(t, coarse, allocation(1, 30, 29), 1e-5)
	if cut.Lower > whole.Upper || cut.Upper < 0.5*whole.Lower {
		t.Errorf("29 of 30 steps cost %v, all cost %v", cut, whole)
	}
	all := accounting.RandomAllocation{Period: 5, Steps: 10, Participations: 5, Event: accounting.Gaussian{NoiseMultiplier: 2}}
	want := epsilonOf(t, coarse, accounting.SelfComposed{Event: accounting.Gaussian{NoiseMultiplier: 2}, Count: 10}, 1e-5)
	if got := epsilonOf(t, coarse, all, 1e-5); math.Abs(got.Upper-want.Upper) > 1e-3 {
		t.Errorf("5 of 5 participations cost %v, want %v", got, want)
	}
	twice := accounting.RandomAllocation{Period: 30, Steps: 30, Participations: 1, Event: accounting.SelfComposed{Event: accounting.ClippedSum{NoiseMultiplier: math.Sqrt2}, Count: 2}}
	if got := epsilonOf(t, coarse, twice, 1e-5); math.Abs(got.Upper-whole.Upper) > 1e-9 {
		t.Errorf("two releases of each batch at σ√2 cost %v, one at σ costs %v", got, whole)
	}
}

// Noise far outside of the usual gives a bound that holds, with a warning if it is wide.
func TestExtremes(t *testing.T) {
	for i, sigma := range []float64{1e-6, 1e-3, 0.03, 0.1, 1e4, 1e8, 1e12} {
		for j, event := range []accounting.Event{allocation(sigma, 2, 3), allocation(sigma, 1_000_000, 10), allocation(sigma, 100, 100)} {
			if testing.Short() && i%3 != j {
				continue
			}
			g, err := coarse.EpsilonAt(event, 1e-5)
			if err != nil {
				t.Fatalf("%v: %v", event, err)
			}
			if g.Epsilon.Upper > 10*(1+1/sigma/sigma) || g.Epsilon.Lower > g.Epsilon.Upper {
				t.Errorf("%v: %v", event, g)
			}
			if g.Epsilon.Width() > wideFrom*g.Epsilon.Upper && len(g.Warnings) == 0 && !(g.Epsilon.Width() <= 0.05*g.Epsilon.Upper) {
				t.Errorf("%v: %v is wide, without a warning", event, g)
			}
		}
	}
}

func TestUnsupported(t *testing.T) {
	laplace := allocation(1, 10, 10)
	laplace.Event = accounting.Laplace{NoiseMultiplier: 1}
	for _, event := range []accounting.Event{laplace, accounting.Laplace{NoiseMultiplier: 1}} {
		if g, err := NewAccountant().EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) || !math.IsInf(g.Epsilon.Upper, 1) {
			t.Errorf("%v: %v, %v", event, g, err)
		}
	}
	replaced := Accountant{Relation: accounting.ReplaceOne}
	moved := allocation(1, 10, 10)
	moved.Event = accounting.Gaussian{NoiseMultiplier: 1}
	several := allocation(1, 10, 10)
	several.Participations = 2
	for _, event := range []accounting.Event{moved, accounting.Composed{Events: []accounting.Event{several, accounting.Gaussian{NoiseMultiplier: 1}}}} {
		if _, err := replaced.EpsilonAt(event, 1e-5); !errors.Is(err, accounting.ErrUnsupportedEvent) {
			t.Errorf("replace-one, %v: %v", event, err)
		}
	}
	if _, err := (Accountant{Width: -1}).EpsilonAt(allocation(1, 10, 10), 1e-5); err == nil {
		t.Error("width -1: no error")
	}
}

// Wide intervals: k of t, and replace-one. Their ends are at most a percent worse than those of an
// independent program, which are certified (testdata/ra.py with random blocks below each other, and
// attacks by sums). So both intervals meet.
func TestWideIntervals(t *testing.T) {
	type row struct {
		relation                    accounting.Neighboring
		sigma                       float64
		period, k, steps            int
		delta, lower, upper, within float64
	}
	seen := map[accounting.Neighboring]bool{}
	for _, c := range []row{
		{accounting.AddOrRemoveOne, 1, 100, 10, 100, 1e-5, 5.815887, 6.117105, 0.01},
		{accounting.ReplaceSpecial, 2, 100, 20, 100, 1e-5, 4.590590, 4.666921, 0.01},
		{accounting.AddOrRemoveOne, 1, 1000, 10, 1000, 1e-5, 1.662355, 1.701665, 0.01},
		{accounting.AddOrRemoveOne, 4, 1000, 100, 1000, 1e-6, 3.785190, 3.808343, 0.01},
		{accounting.AddOrRemoveOne, 1.5, 500, 50, 1000, 1e-8, 15.120789, 15.408893, 0.01},
		{accounting.ReplaceOne, 1, 100, 1, 1000, 1e-5, 2.738573, 3.545365, 0.01},
		{accounting.ReplaceOne, 2, 100, 1, 5000, 1e-5, 2.946388, 3.161738, 0.01},
	} {
		if testing.Short() && seen[c.relation] { // one row of each relation
			continue
		}
		seen[c.relation] = true
		event := allocation(c.sigma, c.period, c.steps)
		event.Participations = c.k
		g, err := Accountant{Relation: c.relation}.EpsilonAt(event, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		got := g.Epsilon
		if got.Lower > c.upper || got.Upper < c.lower || got.Lower < c.lower*(1-c.within) || got.Upper > c.upper*(1+c.within) {
			t.Errorf("%v, %v: %v, want about [%g, %g]", event, c.relation, got, c.lower, c.upper)
		}
		at, err := Accountant{Relation: c.relation, Width: 0.02}.DeltaAt(event, (c.lower+c.upper)/2)
		if err != nil {
			t.Fatal(err)
		}
		if at.Lower > 1.1*c.delta || at.Upper < 0.9*c.delta || at.Lower > at.Upper {
			t.Errorf("%v, %v: δ %v, want about %g", event, c.relation, at, c.delta)
		}
	}
}

// Gaussians under replace-one are priced exactly by package gdp.
func TestReplacedGaussians(t *testing.T) {
	a := Accountant{Relation: accounting.ReplaceOne}
	for _, event := range []accounting.Event{accounting.Gaussian{NoiseMultiplier: 1}, accounting.ClippedSum{NoiseMultiplier: 2}} {
		g, err := a.EpsilonAt(event, 1e-5)
		if err != nil || math.Abs(g.Epsilon.Upper-4.3771780957) > 1e-6 || g.Epsilon.Lower > 4.377178 { // N(1, 1), closed form
			t.Errorf("%v: %v, %v", event, g, err)
		}
	}
}
