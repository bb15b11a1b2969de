package subsample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dplab/dplab/accounting/internal/enumerate"
	"github.com/dplab/dplab/accounting/numeric"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

// tiny is a tune-then-train mechanism on the subsets of a few records, small enough to
// write down: tables of the tuning's outputs, and of the training's given its result.
type tiny struct {
	records int
	rate    float64
	tune    [][]float64   // [subset][output]
	train   [][][]float64 // [subset][tuning output][output]
}

// newTiny draws the mechanism. The tuning is the best of K runs of a random table.
func newTiny(rng *rand.Rand, k law.Law) tiny {
	m := tiny{records: 3, rate: 1 / (1 + math.Exp(1.5*rng.NormFloat64()))}
	tuneSpread, trainSpread := math.Exp(rng.NormFloat64()-1), math.Exp(rng.NormFloat64()-1)
	run, last := enumerate.DrawnPair(rng, 3, 1).P, make([][]float64, 4)
	for t := range last {
		last[t] = enumerate.DrawnPair(rng, 2, 1).P
	}
	for range 1 << m.records {
		m.tune = append(m.tune, enumerate.BestOf(k, shaken(rng, run, tuneSpread)))
		var kernel [][]float64
		for t := range last {
			kernel = append(kernel, shaken(rng, last[t], trainSpread))
		}
		m.train = append(m.train, kernel)
	}
	return m
}

func shaken(rng *rand.Rand, p []float64, spread float64) []float64 {
	out := make([]float64, len(p))
	for i := range p {
		out[i] = p[i] * math.Exp(spread*rng.NormFloat64())
	}
	return enumerate.Normalized(out)
}

// outputs returns the exact law of (tuning, training) on the data set, a subset of records,
// by enumerating every sample.
func (m tiny) outputs(data int, variant subsample.Variant) []float64 {
	out := make([]float64, len(m.tune[0])*len(m.train[0][0]))
	for sample := range 1 << m.records {
		if sample&^data != 0 {
			continue
		}
		chance := 1.0
		for i := range m.records {
			switch {
			case sample>>i&1 == 1:
				chance *= m.rate
			case data>>i&1 == 1:
				chance *= 1 - m.rate
			}
		}
		rest := data
		if variant == subsample.RestOfData {
			rest = data &^ sample
		}
		for t, p := range m.tune[sample] {
			for s, w := range m.train[rest][t] {
				out[t*len(m.train[0][0])+s] += chance * p * w
			}
		}
	}
	return out
}

// pairs returns the neighbors of tuning and of training that the last record makes.
func (m tiny) pairs() (tuning, training []enumerate.Pair) {
	last := 1 << (m.records - 1)
	for subset := range last {
		tuning = append(tuning, enumerate.Of(m.tune[subset], m.tune[subset|last]))
		for t := range m.train[subset] {
			training = append(training, enumerate.Of(m.train[subset][t], m.train[subset|last][t]))
		}
	}
	return tuning, training
}

func worstDivergence(pairs []enumerate.Pair) rdp.Curve {
	return func(order float64) float64 {
		worst := 0.0
		for _, d := range pairs {
			worst = math.Max(worst, d.Divergence(order))
		}
		return worst
	}
}

// worstEpsilon solves the worst δ of pairs for ε.
func worstEpsilon(pairs []enumerate.Pair) func(delta float64) float64 {
	return func(delta float64) float64 {
		lo, hi := 0.0, 60.0
		for range 36 {
			mid := (lo + hi) / 2
			worst := 0.0
			for _, d := range pairs {
				worst = math.Max(worst, d.Delta(mid))
			}
			if worst <= delta {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	}
}

// No bound may fall below the divergence of the whole mechanism, which is enumerated.
func TestTuneThenTrainAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2023, 6))
	laws := []law.Law{law.Poisson{MeanRepeats: 4}, law.TNB{Eta: 0, Gamma: 0.1}, law.Fixed{Count: 2}}
	nearest := 0.0
	cases := 36
	if testing.Short() {
		cases = 12
	}
	for i := range cases {
		m := newTiny(rng, laws[i%len(laws)])
		with, without := 1<<m.records-1, 1<<(m.records-1)-1
		tuning, training := m.pairs()
		tuneCurve, trainCurve := worstDivergence(tuning), worstDivergence(training)
		for _, variant := range []subsample.Variant{subsample.RestOfData, subsample.AllData} {
			truth := enumerate.Of(m.outputs(with, variant), m.outputs(without, variant))
			for name, curve := range curvesOf(t, variant, tuneCurve, trainCurve, m.rate) {
				for _, order := range []float64{1.2, 2, 2.7, 3, 5, 9, 21, 700} {
					if bound, exact := curve(order), truth.Divergence(order); bound < exact*(1-1e-9)-1e-15 {
						t.Errorf("mechanism %d, %v, %s, order %g: bound %.12g below the exact divergence %.12g", i, variant, name, order, bound, exact)
					}
				}
			}
			checkMixture(t, i, variant, m, truth)
			nearest = math.Max(nearest, checkLikelihood(t, i, variant, m, truth))
		}
	}
	if nearest < 0.5 {
		t.Errorf("the nearest exact δ is %.3g of that by likelihood ratios: the cases do not try it", nearest)
	}
}

// checkLikelihood compares the bound by likelihood ratios with the exact δ, in both directions, at some ε.
func checkLikelihood(t *testing.T, i int, variant subsample.Variant, m tiny, truth enumerate.Pair) (nearest float64) {
	t.Helper()
	tuning, training := m.pairs()
	worst := func(pairs []enumerate.Pair) func(epsilon float64) float64 {
		return func(epsilon float64) (delta float64) {
			for _, d := range pairs {
				delta = math.Max(delta, d.Delta(epsilon))
			}
			return delta
		}
	}
	pair, err := selection.PairOf(1e-3, worst(tuning))
	if err != nil {
		t.Fatal(err)
	}
	hockey := func(x float64) float64 {
		if x >= 1 {
			return worst(training)(numeric.Log(x))
		}
		return 1 - x + x*worst(training)(-numeric.Log(x))
	}
	for _, epsilon := range []float64{0, 0.1, 0.5, 1, 2} {
		got, exact := subsample.MixtureDelta(pair, hockey, m.rate, epsilon, variant), truth.Delta(epsilon)
		if exact > got*(1+1e-9)+1e-15 {
			t.Errorf("mechanism %d, %v, ε = %g: δ %.12g by likelihood ratios, below the exact %.12g", i, variant, epsilon, got, exact)
		}
		if got > 1e-9 {
			nearest = math.Max(nearest, exact/got)
		}
	}
	return nearest
}

func curvesOf(t *testing.T, variant subsample.Variant, tuning, training rdp.Curve, rate float64) map[string]rdp.Curve {
	t.Helper()
	curves := map[string]rdp.Curve{}
	add := func(name string, curve rdp.Curve, err error) {
		if err != nil {
			t.Fatal(err)
		}
		curves[name] = curve
	}
	if variant == subsample.RestOfData {
		curve, err := subsample.KoskelaTheorem6(tuning, training, rate)
		add("Theorem 6", curve, err)
		curve, err = subsample.TrainOnRest(tuning, training, rate)
		add("TrainOnRest", curve, err)
		return curves
	}
	curve, err := rdp.ZhuWang(tuning, rate)
	add("Theorem 4", rdp.Sum(curve, training), err)
	curve, err = rdp.PoissonAmplified(tuning, rate)
	add("PoissonAmplified", rdp.Sum(curve, training), err)
	return curves
}

// checkMixture compares the mixture bound at some δ with the exact δ at that ε.
func checkMixture(t *testing.T, i int, variant subsample.Variant, m tiny, truth enumerate.Pair) {
	t.Helper()
	tuning, training := m.pairs()
	inside := worstEpsilon(tuning)
	if variant == subsample.AllData {
		inside = worstEpsilon(m.jointPairs())
	}
	for _, delta := range []float64{0.003} {
		epsilon := subsample.MixtureEpsilon(m.rate, delta, inside, worstEpsilon(training))
		if exact := truth.Delta(epsilon); exact > delta*(1+1e-9) {
			t.Errorf("mechanism %d, %v: mixture ε %g at δ %g: the exact δ there is %.12g", i, variant, epsilon, delta, exact)
		}
	}
}

// jointPairs returns the neighbors of tuning on a sample and training on all.
func (m tiny) jointPairs() (pairs []enumerate.Pair) {
	last := 1 << (m.records - 1)
	joint := func(sample, data int) (out []float64) {
		for t, p := range m.tune[sample] {
			for _, w := range m.train[data][t] {
				out = append(out, p*w)
			}
		}
		return out
	}
	for sample := range last {
		pairs = append(pairs, enumerate.Of(joint(sample, last-1), joint(sample|last, 2*last-1)))
	}
	return pairs
}
