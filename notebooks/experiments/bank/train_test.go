package bank

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/candidate"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// trained returns the bank of all shards.
func trained(t *testing.T, c Config) Bank {
	t.Helper()
	var shards []Shard
	for i := range c.Shards() {
		s, err := Train(t.Context(), c, i, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	b, err := New(c, shards)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A run is what its name says: with fewer learning rates, levels and runs around it, it is the same
// to the bit.
func TestARunDependsOnItsNameAlone(t *testing.T) {
	c := small()
	whole := trained(t, c)
	c.LearningRates, c.Runs = c.LearningRates[1:2], 1
	for i := range c.Trainings {
		c.Trainings[i].NoiseMultipliers = c.Trainings[i].NoiseMultipliers[:1]
	}
	few := trained(t, c)
	for _, part := range []Part{Sample, Rest, All} {
		for training := range c.Trainings {
			rate := c.LearningRates[0]
			if part == Rest {
				rate = c.Scaled(rate, Rest)
			}
			all, one := whole.At(part, training, 0, rate), few.At(part, training, 0, rate)
			for s := range c.Repeats {
				if one[s] != all[2*s] {
					t.Errorf("%s, training %d, repeat %d: %v alone, %v among others", part, training, s, one[s], all[2*s])
				}
			}
			if slices.Equal(all[:2], all[2:]) {
				t.Errorf("%s, training %d: both repeats have the runs %v", part, training, all[:2])
			}
		}
	}
}

// A bank with a shard for each learning rate has the runs of one whose shards train all rates, to
// the bit. Without one of a repeat's shards, it leaves out the repeat.
func TestShardsOfOneRate(t *testing.T) {
	c := small()
	c.TuningRate = 0
	whole := trained(t, c)
	c.PerRate = true
	if got, want := c.Shards(), c.Repeats*len(c.Trainings)*len(c.LearningRates); got != want {
		t.Fatalf("%d shards, want %d", got, want)
	}
	var shards []Shard
	steps := 0
	for i := range c.Shards() {
		s, err := Train(t.Context(), c, i, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		shards, steps = append(shards, s), steps+c.steps(i)
	}
	apart, err := New(c, shards)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range shards {
		if runs, equal := apart.Compare(s); runs != equal {
			t.Errorf("shard %d: %d of %d runs are those of the bank", i, equal, runs)
		}
	}
	if !maps.EqualFunc(whole.cells, apart.cells, slices.Equal) || whole.Repeats != apart.Repeats {
		t.Error("the shards of single rates have other runs")
	}
	if few, err := New(c, shards[1:]); err != nil || few.Repeats != c.Repeats-1 {
		t.Errorf("without the first shard: %d repeats, error %v", few.Repeats, err)
	}
	c.PerRate = false
	for i := range c.Shards() {
		steps -= c.steps(i)
	}
	if steps != 0 {
		t.Errorf("%d steps more than in shards of all rates", steps)
	}
	shards[0].Rate = len(c.LearningRates)
	if _, err := New(c, shards[:1]); err == nil {
		t.Error("a shard of another learning rate: no error")
	}
	c.PerRate, c.TuningRate = true, 0.25
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "PerRate") {
		t.Errorf("one rate a shard with samples: error %v", err)
	}
}

// Samples have the sizes of coins, and are the same for all trainings of a repeat; 1437/4 is 359
// with deviation 16.
func TestSamples(t *testing.T) {
	c := small()
	sample, err := c.rows(t.Context(), experiments.Env{}, Sample, 0)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := c.rows(t.Context(), experiments.Env{}, Rest, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := sample.train.Len(); n+rest.train.Len() != 1437 || math.Abs(float64(n)-359.25) > 5.5*16.5 || sample.size != 0.25*1437 {
		t.Errorf("sample of %d, rest of %d, public size %g", n, rest.train.Len(), sample.size)
	}
	other, err := c.rows(t.Context(), experiments.Env{}, Sample, 1)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(other.train.Features, sample.train.Features) {
		t.Error("two repeats have the same sample")
	}
	if sample.validation.Len() != 180 || sample.test.Len() != 180 || !slices.Equal(other.test.Labels, sample.test.Labels) {
		t.Errorf("%d validation and %d test examples, want 180 of both, the same in all repeats", sample.validation.Len(), sample.test.Len())
	}
}

// A dptune.Search, end to end, and the bank agree: 90 searches against exact chances from a bank of
// 40 runs for each of 4 learning rates. The chi-square test of the chosen rates, with 3 degrees of
// freedom, and the Kolmogorov-Smirnov test of the winners' accuracies both have size 1e-6; what the
// bank's own runs are off by is within that. The same tests refute searches of one run.
func TestSearchesAgreeWithTheBank(t *testing.T) {
	if testing.Short() {
		t.Skip("trains some 400 models")
	}
	c := Config{
		Data: "digits", Model: "digits-mlp", ClipNorm: 1, Optimizer: "sgd",
		Trainings:     []Training{{SamplingRate: 0.1, Steps: 15, NoiseMultipliers: []float64{1}}},
		LearningRates: []float64{0.25, 1, 4, 16}, Repeats: 1, Runs: 40, Seed: "searches",
	}
	b := trained(t, c)
	geometric := law.TNB{Eta: 1, Gamma: 0.25} // geometric, mean 4
	const searches = 90
	chosen, accuracies := realSearches(t, c, geometric, searches)
	for _, x := range []struct {
		of   law.Law
		same bool
	}{{geometric, true}, {law.Fixed{Count: 1}, false}} {
		chi := chiSquare(chosen, b.BestOfK(x.of, 0).Chances)
		p := distuv.ChiSquared{K: 3}.Survival(chi)
		far := b.distance(accuracies, x.of)
		if limit := math.Sqrt(-math.Log(1e-6/2) / 2 / searches); x.same && (p < 1e-6 || far > limit) {
			t.Errorf("%v: chosen %v, bank %.3f: p = %.2g; distance of accuracies %.3f, must be at most %.3f", x.of, chosen, b.BestOfK(x.of, 0).Chances, p, far, limit)
		}
		if !x.same && p >= 1e-6 {
			t.Errorf("%v: not refuted, p = %.2g", x.of, p)
		}
		t.Logf("%v: chosen %v, bank %.3f, p = %.2g, distance %.3f", x.of, chosen, b.BestOfK(x.of, 0).Chances, p, far)
	}
}

// realSearches counts the chosen learning rates of searches, and the accuracies of what they
// release. Scores have noise of a tenth of an example.
func realSearches(t *testing.T, c Config, runs law.Law, n int) (chosen, accuracies []float64) {
	t.Helper()
	r, err := c.rows(t.Context(), experiments.Env{}, All, 0)
	if err != nil {
		t.Fatal(err)
	}
	model, err := networks[c.Model]()
	if err != nil {
		t.Fatal(err)
	}
	search := dptune.Search[int, dpsgd.Parameters]{
		Law: runs, Prior: dptune.Grid[int]{0, 1, 2, 3}, Delta: 1e-5, Unit: "one labelled image",
		Accountants: []accounting.Accountant{rdp.NewAccountant()},
		Candidate: quickToPrice{candidate.DPSGD[int]{
			Model: model, Train: r.train, Validation: r.validation, Score: dptune.PrivateAccuracy{NoiseMultiplier: 0.1},
			Configure: func(h int) dpsgd.Config { return c.run(c.Trainings[0], 0, c.LearningRates[h], r.size) },
		}},
	}
	chosen = make([]float64, len(c.LearningRates))
	for i := range n {
		release, err := search.Run(t.Context(), streams.Fixed(fmt.Sprintf("search %d", i)))
		if err != nil {
			t.Fatal(err)
		}
		accuracy, err := engine.Accuracy(t.Context(), model, release.Output, r.test)
		if err != nil {
			t.Fatal(err)
		}
		chosen[release.Hyperparameters]++
		accuracies = append(accuracies, accuracy[0])
	}
	return chosen, accuracies
}

// quickToPrice says that a run is one Gaussian: each search asks for its price, which is not what
// is compared.
type quickToPrice struct{ candidate.DPSGD[int] }

func (quickToPrice) Event(int) (accounting.Event, error) {
	return accounting.Gaussian{NoiseMultiplier: 1}, nil
}

func chiSquare(counts, chances []float64) (chi float64) {
	n := 0.0
	for _, count := range counts {
		n += count
	}
	for i, count := range counts {
		chi += (count - n*chances[i]) * (count - n*chances[i]) / (n * math.Max(chances[i], 1e-3))
	}
	return chi
}

// distance is the largest difference of the distribution functions of accuracies and of the bank's
// winners.
func (b Bank) distance(accuracies []float64, runs law.Law) (far float64) {
	var drawn pool
	for i, rate := range b.Config.LearningRates {
		drawn.add(i, b.At(All, 0, 0, rate))
	}
	chances := Winner(runs.Distribution(), drawn.scores, drawn.weights)
	for _, x := range accuracies {
		below := 0.0
		for _, a := range accuracies {
			if a <= x {
				below += 1 / float64(len(accuracies))
			}
		}
		for i, accuracy := range drawn.accuracies {
			if accuracy <= x+1e-6 { // they are float32
				below -= chances[i]
			}
		}
		far = math.Max(far, math.Abs(below))
	}
	return far
}

// The shards of a bank with fewer repeats are the first shards of the bank: the same runs from the
// same roots. A training may go on from them.
func TestSmallerBanksAreTheBeginning(t *testing.T) {
	perRate := small()
	perRate.TuningRate, perRate.PerRate = 0, true
	for name, c := range map[string]Config{"a tuning on a sample": small(), "one learning rate a shard": perRate} {
		c.Repeats = 3
		smaller := NewExperiment("bank/toy", name, map[string]Config{"quick": c}).Smaller(c)
		if len(smaller) != 2 || smaller[0].Repeats != 2 || smaller[1].Repeats != 1 {
			t.Fatalf("%s: smaller configs %+v, want of 2 repeats and of 1", name, smaller)
		}
		for _, fewer := range smaller {
			if want := c.Shards() / 3 * fewer.Repeats; fewer.Shards() != want {
				t.Errorf("%s: %d shards in %d repeats, want %d", name, fewer.Shards(), fewer.Repeats, want)
			}
			for i := range fewer.Shards() {
				plan, roots := fewer.plan(fewer.shard(i), 100)
				wantPlan, wantRoots := c.plan(c.shard(i), 100)
				if !reflect.DeepEqual(fewer.shard(i), c.shard(i)) || !reflect.DeepEqual(plan, wantPlan) || !reflect.DeepEqual(roots, wantRoots) {
					t.Errorf("%s: shard %d of %d repeats is not that of 3", name, i, fewer.Repeats)
				}
			}
		}
	}
}
