package auto_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
	"github.com/dplab/dplab/accounting/verify"
)

var (
	allQuestions  = flag.Bool("auto.all", false, "ask all 500 drawn questions, which takes some minutes")
	wildQuestions = flag.Int("auto.wild", 0, "number of wild questions whose upper ends are checked")
	questionsSeed = flag.Uint64("auto.seed", 52, "seed of the drawn questions")
)

// drawer draws questions. Wild ones have parameters near the ends of their ranges.
type drawer struct {
	*rand.Rand
	wild bool
}

func (d drawer) log(lo, hi float64) float64 {
	if d.wild {
		middle, wide := math.Sqrt(lo*hi), math.Sqrt(hi/lo)
		lo, hi = middle/math.Pow(wide, 2), middle*math.Pow(wide, 2)
	}
	return lo * math.Exp(d.Float64()*numeric.Log(hi/lo))
}

func (d drawer) count(lo, hi float64) int { return max(1, int(d.log(lo, hi))) }

func (d drawer) rate() float64 { return math.Min(1, d.log(3e-4, 0.3)) }

func (d drawer) gaussian() accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: d.log(0.6, 8)}
}

func (d drawer) sgd() accounting.Event {
	return accounting.SelfComposed{Count: d.count(1, 5000), Event: accounting.PoissonSampled{SamplingRate: d.rate(), Event: d.gaussian()}}
}

// run is one run of a selection.
func (d drawer) run() accounting.Event {
	switch d.IntN(6) {
	case 0, 1:
		return d.gaussian()
	case 2:
		return accounting.PureDP{Epsilon: d.log(0.02, 1)}
	case 3:
		return accounting.SelfComposed{Count: d.count(2, 30), Event: accounting.Laplace{NoiseMultiplier: d.log(5, 50)}}
	}
	return d.sgd()
}

func (d drawer) law() law.Law {
	mean := d.log(1.5, 60)
	switch d.IntN(10) {
	case 0:
		return law.TNB{Eta: 1, Gamma: math.Min(0.9, 1/mean)}
	case 1:
		return law.TNB{Eta: 0, Gamma: math.Min(0.9, 1/(mean*mean))}
	case 2:
		return law.TNB{Eta: []float64{-0.5, 0.5, 5}[d.IntN(3)], Gamma: math.Min(0.9, 1/mean)}
	case 3:
		return law.Poisson{MeanRepeats: mean}
	case 4:
		return law.Fixed{Count: 1 + d.IntN(20)}
	case 5:
		return law.Binomial{Trials: 1 + int(2*mean), P: 0.5}
	case 6:
		return law.TwoPoint{Runs: 2 + int(mean), Single: 0.05 + 0.5*d.Float64()}
	case 7:
		return law.Truncated{Law: law.TNB{Eta: 1, Gamma: math.Min(0.9, 1/mean)}, Max: 2 + int(3*mean)}
	case 8:
		return law.Withheld{Law: law.Poisson{MeanRepeats: mean}, Max: 2 + int(2*mean)}
	}
	return law.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}}
}

// other is a mechanism that is not Gaussian.
func (d drawer) other() accounting.Event {
	switch d.IntN(8) {
	case 0:
		return accounting.Laplace{NoiseMultiplier: d.log(1, 40)}
	case 1:
		return accounting.RandomizedResponse{Truth: 0.51 + 0.4*d.Float64()}
	case 2:
		return accounting.PureDP{Epsilon: d.log(0.02, 1)}
	case 3:
		return accounting.ApproxDP{Epsilon: d.log(0.02, 1), Delta: math.Min(0.1, d.log(1e-14, 1e-11))}
	case 4:
		return accounting.ZCDP{Rho: d.log(1e-4, 0.1)}
	case 5:
		return accounting.ExponentialMechanism{Epsilon: d.log(0.02, 1)}
	case 6:
		return accounting.PermuteAndFlip{Epsilon: d.log(0.02, 1)}
	}
	return d.gaussian()
}

func (d drawer) others() accounting.Event {
	if d.IntN(3) == 0 {
		return accounting.SelfComposed{Count: d.count(2, 100), Event: accounting.Laplace{NoiseMultiplier: d.log(1, 40)}}
	}
	whole := accounting.Composed{}
	for range 1 + d.IntN(3) {
		whole.Events = append(whole.Events, accounting.SelfComposed{Count: d.count(1, 30), Event: d.other()})
	}
	return whole
}

func (d drawer) batches() accounting.Event {
	n, sum := d.count(500, 50_000), accounting.Event(accounting.ClippedSum{NoiseMultiplier: d.log(0.6, 8)})
	batch := max(1, n/d.count(10, 300))
	steps := d.count(1, 2000)
	switch d.IntN(6) {
	case 0:
		return accounting.SelfComposed{Count: steps, Event: accounting.SampledWithoutReplacement{SampleSize: batch, PopulationSize: n, Event: sum}}
	case 1:
		return accounting.SelfComposed{Count: steps, Event: accounting.SampledWithReplacement{SampleSize: min(batch, 60), PopulationSize: n, Event: sum}}
	case 2:
		return accounting.SelfComposed{Count: steps, Event: accounting.TruncatedPoisson{SamplingRate: float64(batch) / float64(n), Cap: batch + 4*int(math.Sqrt(float64(batch))) + 4, PopulationSize: n, Event: sum}}
	case 3:
		period := d.count(2, 200)
		return accounting.RandomAllocation{Period: max(2, period), Steps: max(2, period) * (1 + d.IntN(4)), Participations: 1, Event: sum}
	case 4:
		return accounting.Shuffled{Batches: max(2, d.count(2, 200)), Epochs: 1 + d.IntN(5), Event: sum}
	}
	return accounting.SelfComposed{Count: steps, Event: accounting.PoissonSampled{SamplingRate: d.rate(), Event: sum}}
}

func (d drawer) search() threshold.Event {
	tests := d.count(2, 60)
	noise := threshold.Laplace
	if d.IntN(4) == 0 {
		noise = threshold.Exponential
	}
	return threshold.Event{
		Sensitivity: 1, ThresholdNoise: d.log(3, 100), ScoreNoise: d.log(5, 200), MaxTests: tests, MaxPositives: 1 + d.IntN(tests),
		Refresh: []threshold.Refresh{threshold.EachTest, threshold.EachPositive, threshold.Once}[d.IntN(3)], Noise: noise,
	}
}

func (d drawer) tuneThenTrain() accounting.Event {
	run := d.sgd()
	return subsample.Event{TuningRate: 0.05 + 0.5*d.Float64(), Tuning: selection.BestOf{Law: d.law(), Base: run}, Training: run,
		Variant: []subsample.Variant{subsample.RestOfData, subsample.AllData}[d.IntN(2)]}
}

// person is what the records of one person are priced by.
func (d drawer) person() accounting.Event {
	q, k := d.rate(), 1+d.IntN(4)
	chances, distances := []float64{}, []float64{}
	left := 1.0
	for j := k; j > 0; j-- {
		p := math.Exp(numeric.LogChoose(float64(k), float64(j))) * math.Pow(q, float64(j)) * math.Pow(1-q, float64(k-j))
		chances, distances, left = append(chances, p), append(distances, float64(j)), left-p
	}
	step := accounting.MixtureOfGaussians{Chances: append(chances, math.Max(0, left)), Distances: append(distances, 0), NoiseMultiplier: d.log(0.6, 8)}
	return accounting.SelfComposed{Count: d.count(1, 2000), Event: step}
}

// classes has the classes of questions, with their number of 500.
var classes = []struct {
	name     string
	of500    int
	relation accounting.Neighboring
	draw     func(d drawer) accounting.Event
}{
	{"DP-SGD", 100, accounting.AddOrRemoveOne, drawer.sgd},
	{"DP-SGD, replace-special", 20, accounting.ReplaceSpecial, drawer.sgd},
	{"DP-SGD, replace-one", 34, accounting.ReplaceOne, func(d drawer) accounting.Event {
		return accounting.SelfComposed{Count: d.count(1, 5000), Event: accounting.PoissonSampled{SamplingRate: d.rate(), Event: accounting.ClippedSum{NoiseMultiplier: d.log(0.6, 8)}}}
	}},
	{"DP-SGD and a release", 51, accounting.AddOrRemoveOne, func(d drawer) accounting.Event {
		return accounting.Composed{Events: []accounting.Event{d.sgd(), d.other()}}
	}},
	{"pure and others", 30, accounting.AddOrRemoveOne, drawer.others},
	{"batches", 40, accounting.AddOrRemoveOne, drawer.batches},
	{"batches, replace-special", 17, accounting.ReplaceSpecial, drawer.batches},
	{"batches, replace-one", 17, accounting.ReplaceOne, drawer.batches},
	{"best of K", 114, accounting.AddOrRemoveOne, func(d drawer) accounting.Event { return selection.BestOf{Law: d.law(), Base: d.run()} }},
	{"first above", 12, accounting.AddOrRemoveOne, func(d drawer) accounting.Event { return firstabove.Event{Law: d.law(), Base: d.run()} }},
	{"threshold search", 10, accounting.AddOrRemoveOne, func(d drawer) accounting.Event { return d.search() }},
	{"threshold search and training", 5, accounting.AddOrRemoveOne, func(d drawer) accounting.Event {
		return accounting.Composed{Events: []accounting.Event{d.search(), d.sgd()}}
	}},
	{"tune then train", 20, accounting.AddOrRemoveOne, drawer.tuneThenTrain},
	{"selection and training", 16, accounting.AddOrRemoveOne, func(d drawer) accounting.Event {
		run := d.run()
		return accounting.Composed{Events: []accounting.Event{selection.BestOf{Law: d.law(), Base: run}, run}}
	}},
	{"choice first", 8, accounting.AddOrRemoveOne, func(d drawer) accounting.Event {
		return accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: d.log(0.05, 2)}, d.sgd()}}
	}},
	{"several records", 6, accounting.AddOrRemoveOne, drawer.person},
}

// TestNothingIsUnchecked: each finite upper end of ε has a certificate, on 500 drawn questions. Of
// wild ones at least 99 % have one. Each proof is verified, and 85 of 100 have one.
func TestNothingIsUnchecked(t *testing.T) {
	share, most, wild := 1.0, math.MaxInt32, *wildQuestions > 0
	switch {
	case wild:
		share = float64(*wildQuestions) / 500
	case testing.Short():
		share, most = 0.08, 4
	case !*allQuestions:
		share = 0.3
	}
	asked, unchecked, proved := 0, 0, 0
	for i, class := range classes {
		t.Run(class.name, func(t *testing.T) {
			d := drawer{rand.New(rand.NewPCG(*questionsSeed, uint64(i))), wild}
			a, err := auto.NewAccountantFor(class.relation)
			if err != nil {
				t.Fatal(err)
			}
			for range max(1, min(most, int(share*float64(class.of500)))) {
				event, delta := class.draw(d), d.log(1e-10, 1e-4)
				p, err := a.PriceAt(event, delta)
				if err != nil && (wild || errors.Is(err, accounting.ErrUnsupportedEvent)) || math.IsInf(p.Guarantee.Epsilon.Upper, 1) {
					continue
				}
				if err != nil {
					t.Errorf("%v at δ %g: %v", event, delta, err)
					continue
				}
				asked++
				g := p.Guarantee
				if c := g.Certificate; c != nil && c.Epsilon == g.Epsilon.Upper && c.DeltaUpper <= delta {
					if c.Proof != nil {
						proved++
						verified(t, g)
					} else {
						t.Logf("%v at δ %g: without a proof, by %q: %v", event, delta, p.Least().Name, c)
					}
					continue
				}
				unchecked++
				t.Logf("%v at δ %g: not checked, by %q: %v, certificate %v, warnings %v", event, delta, p.Least().Name, g, g.Certificate, g.Warnings)
			}
		})
	}
	limit := 0
	if wild {
		limit = asked / 100
	}
	if proved < asked*17/20 {
		t.Errorf("%d of %d upper ends have a proof, want 85 of 100", proved, asked)
	}
	if t.Logf("%d of %d upper ends are not checked, %d have a proof", unchecked, asked, proved); unchecked > limit {
		t.Errorf("%d of %d upper ends are not checked, want at most %d", unchecked, asked, limit)
	}
}

// Questions whose check failed: tilts and ε that overflow, checks that need a little more ε, and an
// end without a check that is no lower than one that has it.
func TestFarQuestionsAreChecked(t *testing.T) {
	on := func(times int, rate float64, e accounting.Event) accounting.Event {
		return accounting.SelfComposed{Count: times, Event: accounting.PoissonSampled{SamplingRate: rate, Event: e}}
	}
	gaussian := func(sigma float64) accounting.Event { return accounting.Gaussian{NoiseMultiplier: sigma} }
	drawn := accounting.SampledWithReplacement{SampleSize: 2, PopulationSize: 1269, Event: accounting.ClippedSum{NoiseMultiplier: 0.213}}
	few := on(1, 1.1e-4, gaussian(8.81))
	for i, c := range []struct {
		event  accounting.Event
		delta  float64
		proved bool
	}{
		{on(161, 0.000451, gaussian(1.4263)), 6.75e-12, true},
		{accounting.Composed{Events: []accounting.Event{on(52654, 1, gaussian(4.042)), accounting.RandomizedResponse{Truth: 0.5286}}}, 5.6e-06, true},
		{accounting.SelfComposed{Count: 424, Event: drawn}, 4.26e-08, true},
		{selection.BestOf{Law: law.TwoPoint{Runs: 32, Single: 0.359}, Base: on(23101, 0.4823, gaussian(0.967))}, 2.22e-09, false},
		{selection.BestOf{Law: law.Poisson{MeanRepeats: 44.6}, Base: on(261067, 1, gaussian(0.871))}, 1.09e-05, true},
		{selection.BestOf{Law: law.TNB{Eta: 1, Gamma: 0.9}, Base: on(16512, 1, gaussian(0.46))}, 1.9e-4, true},
		{selection.BestOf{Law: law.Poisson{MeanRepeats: 194.065}, Base: on(51030, 1, gaussian(9.829))}, 3.47e-05, true},
		{selection.BestOf{Law: law.PMF{Weights: []float64{0.1, 0.2, 0, 0.4, 0.3}}, Base: on(325071, 1.0383e-05, gaussian(0.1777))}, 2.53e-06, false},
		{accounting.Composed{Events: []accounting.Event{selection.BestOf{Law: law.TwoPoint{Runs: 13, Single: 0.363}, Base: few}, few}}, 0.0273, true},
		{selection.BestOf{Law: law.TNB{Eta: 1, Gamma: 0.168}, Base: accounting.PureDP{Epsilon: 0.0202}}, 1e-5, true}, // a closed form, and the largest loss
		{selection.BestOf{Law: law.TNB{Eta: 0, Gamma: 0.136}, Base: accounting.PureDP{Epsilon: 0.0567}}, 1e-5, true},
		{accounting.Composed{Events: []accounting.Event{accounting.ExponentialMechanism{Epsilon: 7.19}, on(356, 1, gaussian(0.177))}}, 0.0136, true},
	} {
		g, err := auto.NewAccountant().EpsilonAt(c.event, c.delta)
		if err != nil || g.Certificate == nil || (g.Certificate.Proof != nil) != c.proved {
			t.Errorf("%d: %v: %v, %v, warnings %v, %v", i, c.event, g, g.Certificate, g.Warnings, err)
		} else if c.proved {
			verified(t, g)
		}
	}
}

// verified checks the proof of a guarantee.
func verified(t *testing.T, g accounting.Guarantee) {
	answer, err := verify.Of(g)
	if err == nil {
		_, err = answer.Verify()
	}
	if err != nil {
		t.Errorf("%v: %v", g, err)
	}
}

// The packages of selections print the same proofs as this one: they know the event that is asked.
func TestProofsOfSelectionsHaveTheirEvent(t *testing.T) {
	run := sgd(0.01, 2, 500)
	best := selection.BestOf{Law: law.Poisson{MeanRepeats: 10}, Base: run}
	search := threshold.Event{Sensitivity: 1, ThresholdNoise: 20, ScoreNoise: 40, MaxTests: 8, MaxPositives: 4, Refresh: threshold.EachPositive}
	a := auto.NewAccountant()
	for name, price := range map[string]func() (accounting.Price, error){
		"best of K": func() (accounting.Price, error) { return selection.EventAt(best, 1e-5, a) },
		"first above": func() (accounting.Price, error) {
			return firstabove.PriceAt(firstabove.Event{Law: best.Law, Base: run}, 1e-5, a)
		},
		"a search":       func() (accounting.Price, error) { return threshold.PriceAt(search, nil, 1e-5) },
		"and a training": func() (accounting.Price, error) { return threshold.PriceAt(search, run, 1e-5, a) },
		"tune then train": func() (accounting.Price, error) {
			return subsample.PriceAt(subsample.Event{TuningRate: 0.1, Tuning: best, Training: run, Variant: subsample.AllData}, 1e-5, a)
		},
	} {
		p, err := price()
		if err != nil || p.Guarantee.Certificate == nil || p.Guarantee.Certificate.Proof == nil {
			t.Errorf("%s: %v, %v (%v)", name, p.Guarantee, p.Guarantee.Certificate, err)
			continue
		}
		verified(t, p.Guarantee)
	}
}
