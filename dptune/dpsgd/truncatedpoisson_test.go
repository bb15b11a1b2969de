package dpsgd

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/contour"
	"github.com/dplab/dplab/dptune/streams"
)

// subsets returns the χ² of the batches of 4 examples at rate 1/2, cut to 2, against their law:
// every subset of at most 2 comes from itself, or from the larger ones that are cut to it. There are
// 11 of them, so 10 degrees of freedom.
func subsets(t *testing.T, draws int) (squares float64) {
	t.Helper()
	p, coins := TruncatedPoisson{Rate: 0.5, Cap: 2, Examples: 4}, streams.Fixed("subsets")
	counts := map[uint]float64{}
	for step := range draws {
		batch, err := p.Batch(coins, step, 4)
		if err != nil || len(batch) > 2 {
			t.Fatalf("batch %v, error %v: want at most 2 examples", batch, err)
		}
		set := uint(0)
		for _, i := range batch {
			set |= 1 << i
		}
		counts[set]++
	}
	for set := range uint(16) {
		var chance float64 // of 16 equally likely sets, and of a uniform cut
		switch bits.OnesCount(set) {
		case 0, 1:
			chance = 1. / 16
		case 2:
			chance = (1 + 2./3 + 1./6) / 16 // itself; 2 sets of 3, each cut to one of 3; that of 4, to one of 6
		default:
			continue
		}
		want := chance * float64(draws)
		squares += (counts[set] - want) * (counts[set] - want) / want
	}
	return squares
}

// χ² of 10 degrees is above 53 with chance 8e-8.
func TestTruncatedPoissonLaw(t *testing.T) {
	if squares := subsets(t, 40000); squares > 53 {
		t.Errorf("χ² of the subsets %.1f, want at most 53", squares)
	}
}

// Without a cut the batches are those of Poisson sampling. The share of a cut one is that of its
// sizes, enumerated.
func TestTruncatedPoissonAtItsEnds(t *testing.T) {
	coins := streams.Fixed("ends")
	for step := range 20 {
		cut, err := TruncatedPoisson{Rate: 0.3, Cap: 50, Examples: 50}.Batch(coins, step, 50)
		poisson, poissonErr := Poisson{Rate: 0.3}.Batch(coins, step, 50)
		if err != nil || poissonErr != nil || fmt.Sprint(cut) != fmt.Sprint(poisson) {
			t.Errorf("step %d: %v, %v, of Poisson %v, %v", step, cut, err, poisson, poissonErr)
		}
	}
	for p, want := range map[TruncatedPoisson]float64{
		{Rate: 0.5, Cap: 2, Examples: 4}: (4*1 + (6+4+1)*2) / 16. / 4,
		{Rate: 0.5, Cap: 4, Examples: 4}: 0.5,
		{Rate: 0.5, Cap: 9, Examples: 4}: 0.5,
		{Rate: 1, Cap: 7, Examples: 7}:   1,
	} {
		if got := p.Share(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: share %.15g, want %.15g", p, got, want)
		}
	}
}

func TestTruncatedPoissonIsValidated(t *testing.T) {
	good := TruncatedPoisson{Rate: 0.1, Cap: 20, Examples: 100}
	for want, c := range map[string]struct {
		p        TruncatedPoisson
		examples int
	}{
		"": {good, 100},
		"TruncatedPoisson.Examples 100: must be at least 101, the number of examples": {good, 101},
		"Examples 0: must be from 1 to 2^31-1":                                        {TruncatedPoisson{Rate: 0.1, Cap: 20}, -1},
		"Cap 9: must be at least 1 and Rate times Examples":                           {TruncatedPoisson{Rate: 0.1, Cap: 9, Examples: 100}, -1},
		"Cap 0: must be at least 1":                                                   {TruncatedPoisson{Rate: 0.1, Examples: 100}, -1},
		"Rate 0: must be in (0, 1]":                                                   {TruncatedPoisson{Cap: 20, Examples: 100}, -1},
	} {
		err := c.p.Validate(c.examples)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v of %d: error %v, want %q", c.p, c.examples, err, want)
		}
		if batch, err := c.p.Batch(streams.Fixed("bad"), 0, c.examples); want != "" && (err == nil || batch != nil) {
			t.Errorf("%v of %d: batch %v, error %v", c.p, c.examples, batch, err)
		}
	}
	config := Config{ClipNorm: 1, NoiseMultiplier: 2, Sampling: good, Steps: 7, ExpectedBatchSize: 10, LearningRate: 1}
	want := "7 x TruncatedPoisson(q=0.1, at most 20 of 100, ClippedSum(σ=2))"
	if got := config.Event(); got.String() != want || got.Validate() != nil {
		t.Errorf("event %v, want %s", got, want)
	}
	plan := config.Plan()
	plan.Canary = &Canary{Gradient: make([]float64, 3), In: []bool{true}}
	many := config.Plan()
	many.Canaries = &Canaries{Coordinates: []int{1}, In: [][]bool{{true}}}
	for _, p := range []Plan{plan, many} {
		if err := p.Validate(3); err == nil || !strings.Contains(err.Error(), "must be another scheme with canaries") {
			t.Errorf("canaries: error %v", err)
		}
	}
}

// An example may take the place of another, so it moves a sum by at most 2C: the truncation of the
// noise takes what it takes at half of the noise.
func TestTruncationDeltaOfACut(t *testing.T) {
	config := Config{ClipNorm: 1, NoiseMultiplier: 0.9, Steps: 7, ExpectedBatchSize: 10, LearningRate: 1}
	cut, half := config, config
	cut.Sampling = TruncatedPoisson{Rate: 0.1, Cap: 20, Examples: 100}
	half.Sampling, half.NoiseMultiplier = Poisson{Rate: 0.1}, 0.45
	if got, want := cut.TruncationDelta(ofSize(10), accounting.AddOrRemoveOne), half.TruncationDelta(ofSize(10), accounting.AddOrRemoveOne); got != want || got == 0 {
		t.Errorf("TruncationDelta %g, want %g", got, want)
	}
}

// Examples is a bound on the number of examples, which serves one relation. The only example takes
// part with chance 0.1, so δ(0) of one step with little noise is 0.1 if it is zeroed or replaced.
// For 10 examples and a cap of 1 it is E[min(M, 1)]/10 = (1 - 0.9^10)/10 = 0.0651.
func TestBoundOnExamplesServesOneRelation(t *testing.T) {
	config := Config{ClipNorm: 1, NoiseMultiplier: 0.5, Steps: 1, ExpectedBatchSize: 1, LearningRate: 1, Sampling: TruncatedPoisson{Rate: 0.1, Cap: 1, Examples: 10}}
	for relation, known := range map[accounting.Neighboring]bool{accounting.AddOrRemoveOne: true, accounting.ReplaceSpecial: false, accounting.ReplaceOne: false} {
		a, err := auto.NewAccountantFor(relation)
		if err != nil {
			t.Fatal(err)
		}
		_, err = config.Statement(ofSize(10), 1e-5, "one row", a)
		calibrated, err2 := config.Calibrate(ofSize(10), accounting.Target{Epsilon: 1, Delta: 1e-5}, a)
		upper := EpsilonUpperAt(1e-5, a)(config.Event())
		for what, err := range map[string]error{"Statement": err, "Calibrate": err2} {
			if known != (err == nil) || !known && (!errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "TruncatedPoisson.Examples is a bound")) {
				t.Errorf("%s under %v: error %v", what, relation, err)
			}
		}
		if math.IsInf(upper, 1) == known || math.IsInf(calibrated.NoiseMultiplier, 1) == known {
			t.Errorf("under %v: ε <= %g, calibrated noise multiplier %g", relation, upper, calibrated.NoiseMultiplier)
		}
	}
	after := Training{Config: config, Model: ofSize(10), Initial: &Provenance{Event: config.Event()}}
	after.Config.Sampling = FullBatch{}
	if s, err := after.Statement(1e-5, "one row", contour.Accountant{Relation: accounting.ReplaceOne}); err == nil {
		t.Errorf("weights from such a run: %v, want an error", s.Guarantee)
	}
}

// A cap raises ε, the more the lower it is. The rises are those of the comment of TruncatedPoisson.
func TestPriceOfACap(t *testing.T) {
	most := map[int]float64{3: 1.1, 4: 0.09, 5: 0.004}
	for _, c := range []struct {
		examples, steps int
		rate, sigma     float64
	}{{10000, 1000, 0.01, 1}, {60000, 2000, 256. / 60000, 1.1}, {1437, 100, 0.1, 2}} {
		mean := float64(c.examples) * c.rate
		price := func(s Sampling) float64 {
			config := Config{ClipNorm: 1, NoiseMultiplier: c.sigma, Sampling: s, Steps: c.steps, ExpectedBatchSize: mean, LearningRate: 1}
			statement, err := config.Statement(ofSize(10), 1e-5, "one row")
			if err != nil {
				t.Fatal(err)
			}
			if _, cut := s.(TruncatedPoisson); cut && !strings.Contains(statement.Full(), "a uniformly random subset of as many was kept") {
				t.Errorf("statement lacks how batches are cut: %s", statement.Full())
			}
			return statement.Guarantee.Epsilon.Upper
		}
		poisson, before := price(Poisson{Rate: c.rate}), math.Inf(1)
		for deviations := 3; deviations <= 5; deviations++ {
			largest := int(math.Ceil(mean + float64(deviations)*math.Sqrt(mean*(1-c.rate))))
			got := price(TruncatedPoisson{Rate: c.rate, Cap: largest, Examples: c.examples})
			if !(got > poisson && got < before && got < poisson*(1+most[deviations])) {
				t.Errorf("%d examples, cap %d: ε %g, of Poisson %g, of the lower cap %g", c.examples, largest, got, poisson, before)
			}
			before = got
		}
	}
}

// The accountant's event is the scheme's own: its fields are the numbers that are drawn with.
func TestEventOfTruncatedPoisson(t *testing.T) {
	release := accounting.ClippedSum{NoiseMultiplier: 2}
	got := TruncatedPoisson{Rate: 0.1, Cap: 20, Examples: 100}.Event(release, 3)
	want := accounting.SelfComposed{Event: accounting.TruncatedPoisson{SamplingRate: 0.1, Cap: 20, PopulationSize: 100, Event: release}, Count: 3}
	if got != accounting.Event(want) {
		t.Errorf("event %v, want %v", got, want)
	}
}
