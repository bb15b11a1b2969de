package bank

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/experiments"
)

// small is a bank on the digits that takes seconds to train.
func small() Config {
	return Config{
		Data: "digits", Model: "digits-mlp", ClipNorm: 1, Optimizer: "sgd", TuningRate: 0.25,
		Trainings:     []Training{{SamplingRate: 0.05, Steps: 4, NoiseMultipliers: []float64{0.5, 2}}, {SamplingRate: 0.1, Steps: 3, NoiseMultipliers: []float64{0.7, 3}}},
		LearningRates: []float64{0.25, 1, 4}, Repeats: 2, Runs: 2, Seed: "small",
	}
}

// drawnBank has accuracies from a generator, for tests of arithmetic.
func drawnBank(t *testing.T, c Config) Bank {
	t.Helper()
	b, err := New(c, drawnShards(c))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func drawnShards(c Config) []Shard {
	rng := streams.Fixed("a bank").Rand("accuracies")
	var shards []Shard
	for i := range c.Shards() {
		s := c.shard(i)
		for range c.Levels() * len(c.rates(s.Part)) * c.Runs {
			s.Scores = append(s.Scores, float32(rng.IntN(20))/20) // ties
			s.Accuracies = append(s.Accuracies, rng.Float32())
		}
		shards = append(shards, s)
	}
	return shards
}

// A shard of the bank is as in the bank; one run that is not is counted, and so is a repeat that is
// not there.
func TestCompare(t *testing.T) {
	c := small()
	shards := drawnShards(c)
	b, err := New(c, shards)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range shards {
		if runs, equal := b.Compare(s); runs != len(s.Scores) || equal != runs {
			t.Errorf("shard %d: %d of %d runs are equal", i, equal, runs)
		}
		s.Scores, s.Accuracies = slices.Clone(s.Scores), slices.Clone(s.Accuracies)
		s.Scores[0]++
		s.Accuracies[len(s.Accuracies)-1]++
		if runs, equal := b.Compare(s); equal != runs-2 {
			t.Errorf("shard %d with two other runs: %d of %d are equal", i, equal, runs)
		}
	}
	part, err := New(c, shards[:len(shards)-1]) // without the last repeat
	if err != nil {
		t.Fatal(err)
	}
	if _, equal := part.Compare(shards[len(shards)-1]); equal != 0 {
		t.Errorf("%d runs are equal to those of a repeat that is not there", equal)
	}
}

// The rates of the last training are there: 4 times those of the grid on all data, 3 times on the
// rest.
func TestRates(t *testing.T) {
	c := small()
	for part, want := range map[Part][]float64{Sample: {0.25, 1, 4}, Rest: {0.75, 3, 12}, All: {0.25, 1, 4, 16}} {
		if got := c.rates(part); !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: rates %v, want %v", part, got, want)
		}
	}
	c.Optimizer = "adam"
	if got := c.rates(All); !slices.Equal(got, c.LearningRates) {
		t.Errorf("Adam on all data: rates %v, want %v", got, c.LearningRates)
	}
}

// 200,000 searches, drawn from the bank one by one, agree with the exact expectations to 5.5
// standard errors.
func TestProtocolsAgainstSimulation(t *testing.T) {
	b := drawnBank(t, small())
	runs := law.TNB{Eta: 1, Gamma: 0.25}
	k := runs.Distribution()
	rng := streams.Fixed("protocols").Rand("simulation")
	const n, level = 200000, 1
	pick := func(runs []Run) Run { return runs[rng.IntN(len(runs))] }
	best := func(draw func(point int) Run) (winner int, run Run) {
		count, err := k.Rand(rng)
		if err != nil {
			t.Fatal(err)
		}
		run.Score = -1
		ties := 0
		for range count {
			point := rng.IntN(b.Config.Points())
			r := draw(point)
			if r.Score == run.Score {
				ties++
			}
			if r.Score > run.Score {
				ties = 1
			}
			if r.Score > run.Score || r.Score == run.Score && rng.IntN(ties) == 0 {
				winner, run = point, r
			}
		}
		return winner, run
	}
	for name, c := range map[string]struct {
		exact Outcome
		once  func() (int, float64)
	}{
		"all data": {b.BestOfK(runs, level), func() (int, float64) {
			w, run := best(func(i int) Run { return pick(b.At(All, i/3, level, b.Config.LearningRates[i%3])) })
			return w, run.Accuracy
		}},
		"sample, then rest": {b.TuneThenTrain(runs, level, Rest), func() (int, float64) {
			s := rng.IntN(b.Repeats)
			w, _ := best(func(i int) Run { return pick(b.cells[cell{Sample, i / 3, level, i % 3, s}]) })
			return w, pick(b.At(Rest, w/3, level, 3*b.Config.LearningRates[w%3])).Accuracy
		}},
	} {
		accuracies, wins := make([]float64, n), make([]float64, b.Config.Points())
		for i := range accuracies {
			w, accuracy := c.once()
			accuracies[i] = accuracy
			wins[w]++
		}
		mean, deviation := stat.MeanStdDev(accuracies, nil)
		if math.Abs(mean-c.exact.Accuracy) > 5.5*deviation/math.Sqrt(n) {
			t.Errorf("%s: accuracy %.5f ± %.5f of drawn searches, exact %.5f", name, mean, deviation/math.Sqrt(n), c.exact.Accuracy)
		}
		for i, want := range c.exact.Chances {
			if got := wins[i] / n; math.Abs(got-want) > 5.5*math.Sqrt(want*(1-want)/n) {
				t.Errorf("%s: point %d chosen by %.5f of the searches, exact %.5f", name, i, got, want)
			}
		}
	}
}

// One draw has the mean of all runs; ever more draws have the run of the largest score.
func TestBestOfKLimits(t *testing.T) {
	c := small()
	c.TuningRate, c.Trainings = 0, c.Trainings[:1]
	b := drawnBank(t, c)
	mean, best := 0.0, Run{Score: -1}
	for _, rate := range c.LearningRates {
		for _, r := range b.At(All, 0, 0, rate) {
			mean += r.Accuracy / 12
			if r.Score > best.Score {
				best = r
			}
		}
	}
	if got := b.BestOfK(law.Fixed{Count: 1}, 0).Accuracy; math.Abs(got-mean) > 1e-12 {
		t.Errorf("one draw: %g, the mean is %g", got, mean)
	}
	if got := b.BestOfK(law.Fixed{Count: 100000}, 0).Accuracy; math.Abs(got-best.Accuracy) > 1e-12 {
		t.Errorf("100,000 draws: %g, the best has %g", got, best.Accuracy)
	}
}

// The bootstrap's error of a mean of n runs is their standard deviation over √n. 4,000 resamples
// have a relative error of 0.011; 6 % is more than 5 of it.
func TestErrorsOfAMean(t *testing.T) {
	c := small()
	c.Repeats, c.Runs = 3, 4
	b := drawnBank(t, c)
	runs := b.At(All, 1, 0, 4)
	var accuracies []float64
	for _, r := range runs {
		accuracies = append(accuracies, r.Accuracy)
	}
	want := stat.StdDev(accuracies, nil) / math.Sqrt(float64(len(runs)))
	got := b.Errors(4000, streams.Fixed("errors").Rand("resamples"), func(b Bank) []float64 {
		return []float64{MeanAccuracy(b.At(All, 1, 0, 4))}
	})
	if math.Abs(got[0]/want-1) > 0.06 {
		t.Errorf("standard error %g of a mean of %d runs, want %g", got[0], len(runs), want)
	}
}

// Fewer than three independent units have no errors: repeats of a sample, or runs without one.
// Their values are given one by one.
func TestErrorsNeedThreeUnits(t *testing.T) {
	for _, x := range []struct {
		rate          float64
		repeats, runs int
		known         bool
		each          int // values that are given
	}{{0.25, 1, 1, false, 0}, {0.25, 1, 8, false, 0}, {0.25, 2, 8, false, 2}, {0.25, 3, 1, true, 0}, {0, 2, 1, false, 2}, {0, 1, 3, true, 0}, {0, 2, 2, true, 0}} {
		c := small()
		c.TuningRate, c.Repeats, c.Runs = x.rate, x.repeats, x.runs
		b := drawnBank(t, c)
		mean := func(b Bank) []float64 { return []float64{MeanAccuracy(b.At(All, 0, 0, 1))} }
		got := b.Errors(10, streams.Fixed("errors").Rand("x"), mean)
		if math.IsNaN(got[0]) == x.known {
			t.Errorf("%+v: error %g", x, got[0])
		}
		each := b.Each(mean)
		if len(each) != x.each {
			t.Errorf("%+v: %d values one by one", x, len(each))
		}
		if x.each == 2 && math.Abs((each[0][0]+each[1][0])/2-mean(b)[0]) > 1e-12 {
			t.Errorf("%+v: repeats have %g and %g, all have %g on average", x, each[0][0], each[1][0], mean(b)[0])
		}
	}
}

// A repeat counts once all its shards are there, in any order, given twice or once.
func TestNewTakesCompleteRepeats(t *testing.T) {
	c := small()
	var shards []Shard
	for i := range c.Shards() {
		s := c.shard(i)
		n := c.Levels() * len(c.rates(s.Part)) * c.Runs
		s.Scores, s.Accuracies = make([]float32, n), make([]float32, n)
		shards = append(shards, s)
	}
	slices.Reverse(shards)
	for _, x := range []struct{ given, want int }{{len(shards), 2}, {len(shards) - 1, 1}, {5, 0}, {0, 0}} {
		b, err := New(c, append(slices.Clone(shards[:x.given]), shards[:min(x.given, 2)]...))
		if err != nil || b.Repeats != x.want {
			t.Errorf("%d shards: %d repeats, error %v, want %d", x.given, b.Repeats, err, x.want)
		}
		if runs := b.At(All, 0, 0, 1); len(runs) != x.want*c.Runs {
			t.Errorf("%d shards: %d runs, want %d", x.given, len(runs), x.want*c.Runs)
		}
	}
	shards[0].Scores = shards[0].Scores[1:]
	if _, err := New(c, shards); err == nil || !strings.Contains(err.Error(), "must be 16") {
		t.Errorf("a shard that is cut short: error %v", err)
	}
}

func TestBadConfigs(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Data":              func(c *Config) { c.Data = "emnist" },
		"Model":             func(c *Config) { c.Model = "" },
		"Optimizer":         func(c *Config) { c.Optimizer = "SGD" },
		"TuningRate":        func(c *Config) { c.TuningRate = 1 },
		"LearningRates":     func(c *Config) { c.LearningRates = []float64{1, 0.1} },
		"Repeats":           func(c *Config) { c.Repeats = 0 },
		"NoiseMultipliers":  func(c *Config) { c.Trainings[1].NoiseMultipliers = []float64{1} },
		"NoiseMultiplier 0": func(c *Config) { c.Trainings[1].NoiseMultipliers[1] = 0 },
		"ClipNorm":          func(c *Config) { c.ClipNorm = -1 },
	} {
		c := small()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: error %v", field, err)
		}
	}
	c := small()
	c.Examples = 5000
	if _, err := Train(t.Context(), c, 0, experiments.Env{}); err == nil || !strings.Contains(err.Error(), "must be at most 1437") {
		t.Errorf("more examples than there are: error %v", err)
	}
	if _, err := Train(t.Context(), small(), 12, experiments.Env{}); err == nil || !strings.Contains(err.Error(), "[0, 12)") {
		t.Errorf("a shard too many: error %v", err)
	}
}

// Two repeats have no errors, and those of three are uncertain.
func TestDoubt(t *testing.T) {
	for repeats, want := range map[int]string{1: "", 2: "", 3: "some 50 %", 9: "some 25 %", 10: ""} {
		said := Doubt(repeats)
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%d repeats: %q, want %q", repeats, said, want)
		}
	}
}
