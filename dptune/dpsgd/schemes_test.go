package dpsgd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// schemeValues are valid values of every scheme.
var schemeValues = []Sampling{Poisson{Rate: 0.3}, Poisson{Rate: 1}, RandomAllocation{Period: 3}, RandomAllocation{Period: 50},
	TruncatedPoisson{Rate: 0.3, Cap: 95, Examples: 300}, TruncatedPoisson{Rate: 0.3, Cap: 140, Examples: 300}, FullBatch{}, FixedBatches{Period: 3}, FixedBatches{Period: 50},
	CyclicPoisson{Period: 4, Rate: 0.3}, CyclicPoisson{Period: 2, Rate: 1}, CyclicAllocation{Period: 4, Turns: 3}, CyclicAllocation{Period: 2, Turns: 15}}

func TestEverySchemeIsTested(t *testing.T) {
	for _, s := range schemes {
		if !slices.ContainsFunc(schemeValues, func(v Sampling) bool { return reflect.TypeOf(v) == reflect.TypeOf(s) }) {
			t.Errorf("%T: no value of it in schemeValues, on which all schemes are tested", s)
		}
	}
}

// A scheme draws what it states: ascending examples, each at the mean share, also as canaries;
// batches of the likely size; and the same batch again. For n = 300 examples in 600 steps the
// number that took part is within 5.33 standard deviations of independent coins (chance 1e-7).
// Without coins it is all or none.
func TestSchemesDrawWhatTheyState(t *testing.T) {
	const n, m, steps = 300, 60, 600
	coins := streams.Fixed("schemes")
	for _, s := range schemeValues {
		drawn, canaries, above := 0.0, 0.0, 0
		for step := range steps {
			batch, err := s.Batch(coins.Child("batches"), step, n)
			again, againErr := s.Batch(coins.Child("batches"), step, n)
			joined, joinedErr := s.Canaries(coins.Child("canary"), step, n, m)
			_, cut := s.(TruncatedPoisson) // which takes none
			if cut != (joinedErr != nil) {
				t.Errorf("%v: canaries %v, error %v", s, joined, joinedErr)
			}
			if cut {
				joinedErr = nil
			}
			if err := errors.Join(err, againErr, joinedErr); err != nil {
				t.Fatal(s, err)
			}
			if !slices.Equal(batch, again) {
				t.Errorf("%v: step %d was drawn twice, %v and %v", s, step, batch, again)
			}
			mustAscend(t, s, batch, n)
			mustAscend(t, s, joined, m)
			drawn, canaries = drawn+float64(len(batch)), canaries+float64(len(joined))
			if float64(len(batch)) > s.LikelyBatch(n) {
				above++
			}
			if !s.Secret() {
				all, err := s.Batch(coins, step, n+m)
				if err != nil || len(all) != len(batch)+len(joined) {
					t.Errorf("%v: step %d: %d examples and %d canaries, %d together, %v", s, step, len(batch), len(joined), len(all), err)
				}
			}
		}
		for what, count := range map[string][2]float64{"examples": {drawn, n * steps}, "canaries": {canaries, m * steps}} {
			q := s.Share()
			if _, cut := s.(TruncatedPoisson); cut && what == "canaries" {
				continue
			}
			if off := math.Abs(count[0] - q*count[1]); off > 5.33*math.Sqrt(count[1]*q*(1-q)) {
				t.Errorf("%v: %g of %g %s joined, want the share %g", s, count[0], count[1], what, q)
			}
		}
		if above > steps/10 { // 2.3 % of batches are above two standard deviations
			t.Errorf("%v: %d of %d batches are above the likely size %g", s, above, steps, s.LikelyBatch(n))
		}
		if _, err := s.Batch(coins, 0, -1); err == nil {
			t.Errorf("%v: no error for -1 examples", s)
		}
	}
}

func mustAscend(t *testing.T, s Sampling, batch []int32, n int) {
	t.Helper()
	for i, example := range batch {
		if int(example) >= n || i > 0 && batch[i-1] >= example || example < 0 {
			t.Fatalf("%v: batch %v of %d is not ascending", s, batch, n)
		}
	}
}

// A scheme states valid events and a clause for statements. Its name has every parameter.
func TestSchemesStateTheirEvents(t *testing.T) {
	names := map[string]bool{}
	for _, s := range schemeValues {
		release := accounting.Gaussian{NoiseMultiplier: 2}
		for _, event := range []accounting.Event{s.Event(release, 1), s.Event(release, 7), s.Chosen(release, 7)} {
			if err := event.Validate(); err != nil {
				t.Errorf("%v: %v", s, err)
			}
		}
		if s.Event(release, 0).Validate() == nil || s.Chosen(release, 0).Validate() == nil {
			t.Errorf("%v: the event of no steps is valid", s)
		}
		if err := errors.Join(s.Validate(-1), s.Validate(300)); err != nil || len(s.Assumptions()) == 0 || !(s.Share() > 0 && s.Share() <= 1) {
			t.Errorf("%v: %v, assumptions %q, share %g", s, err, s.Assumptions(), s.Share())
		}
		if names[s.String()] {
			t.Errorf("%v: two values of this name", s)
		}
		names[s.String()] = true
	}
}

// Configs of older code are read as the schemes that they were. What is written is read as it was.
func TestSamplingAsJSON(t *testing.T) {
	stored := map[string]Sampling{ // as written by the code in which schemes were numbers
		`{"ClipNorm":1,"NoiseMultiplier":1.5,"SamplingRate":0.1,"Steps":300,"ExpectedBatchSize":144,"LearningRate":0.5,"WeightDecay":0,"NonPrivate":false,"Sampling":{"Scheme":0,"Period":0},"Clipping":null,"Optimizer":null}`: Poisson{Rate: 0.1},
		`{"ClipNorm":1,"NoiseMultiplier":1.5,"SamplingRate":0,"Steps":300,"ExpectedBatchSize":144,"LearningRate":0.5,"WeightDecay":0,"NonPrivate":false,"Sampling":{"Scheme":1,"Period":0},"Clipping":null,"Optimizer":null}`:   FullBatch{},
		`{"ClipNorm":1,"NoiseMultiplier":1.5,"SamplingRate":0,"Steps":300,"ExpectedBatchSize":144,"LearningRate":0.5,"WeightDecay":0,"NonPrivate":false,"Sampling":{"Scheme":2,"Period":14},"Clipping":null,"Optimizer":null}`:  FixedBatches{Period: 14},
		`{"ClipNorm":1,"NoiseMultiplier":1.5,"SamplingRate":0.1,"Steps":300,"ExpectedBatchSize":144,"LearningRate":0.5}`:                                                                                                        Poisson{Rate: 0.1},
		`{"ClipNorm":1,"NoiseMultiplier":1.5,"Steps":300,"ExpectedBatchSize":144,"LearningRate":0.5}`:                                                                                                                           nil,
	}
	for text, want := range stored {
		var got Config
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Sampling != want || got.Steps != 300 || got.NoiseMultiplier != 1.5 {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
	for _, s := range schemeValues {
		config := Config{ClipNorm: 1, NoiseMultiplier: 1.5, Steps: 300, Sampling: s, ExpectedBatchSize: 144, LearningRate: 0.5}
		text, err := json.Marshal(config)
		var got Config
		if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil || !reflect.DeepEqual(got, config) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
	text, err := json.Marshal(Config{Sampling: FixedBatches{Period: 14}})
	want := `{"ClipNorm":0,"NoiseMultiplier":0,"Steps":0,"ExpectedBatchSize":0,"LearningRate":0,"WeightDecay":0,"NonPrivate":false,"Clipping":null,"Optimizer":null,"Sampling":{"Scheme":"FixedBatches","Period":14}}`
	if err != nil || string(text) != want {
		t.Errorf("written as %s, %v, want %s", text, err, want)
	}
	partly := Config{Steps: 300, Sampling: FixedBatches{Period: 14}}
	if err := json.Unmarshal([]byte(`{"Steps":10}`), &partly); err != nil || partly.Steps != 10 || partly.Sampling != (FixedBatches{Period: 14}) {
		t.Errorf("10 steps are read into a config as %+v, %v", partly, err)
	}
	for _, s := range []Sampling{(*Poisson)(nil), &Poisson{Rate: 0.5}, struct{ Poisson }{}} {
		if text, err := json.Marshal(Config{Sampling: s}); err == nil || !strings.Contains(err.Error(), "must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation") {
			t.Errorf("Sampling %T: written as %s, error %v", s, text, err)
		}
	}
	for text, want := range map[string]string{
		`{"Sampling":{"Scheme":"Shuffled"}}`:                         `Scheme "Shuffled": must be Poisson, RandomAllocation, TruncatedPoisson, FullBatch, FixedBatches, CyclicPoisson or CyclicAllocation`,
		`{"Sampling":{"Scheme":7}}`:                                  "must be 0 with a rate",
		`{"Sampling":{"Scheme":1},"SamplingRate":0.5}`:               "must be 0 with a rate",
		`{"Sampling":{"Scheme":"FullBatch"},"SamplingRate":0.5}`:     "Config.SamplingRate: must be absent",
		`{"Sampling":[]}`:                                            "must be an object with a Scheme",
		`{"Sampling":{"Scheme":"Poisson","Rate":"often"}}`:           "Config.Sampling: ",
		`{"Sampling":{"Scheme":"Poisson","Rate":0.1},"Steps":"ten"}`: "Steps",
	} {
		if err := json.Unmarshal([]byte(text), new(Config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that names %q", text, err, want)
		}
	}
}

// TestScheme is a scheme as the page for new ones describes it: samples of a fixed size, whose
// event needs the number of examples.
type TestScheme struct {
	Size     int // m, examples of every batch
	Examples int // n, the public number of examples
	FailsAt  int // step at which nothing can be drawn, unless 0
}

func (s TestScheme) String() string { return fmt.Sprintf("TestScheme(%d of %d)", s.Size, s.Examples) }

func (s TestScheme) Validate(examples int) error {
	f := check.In("TestScheme.")
	f.That(1 <= s.Size && s.Size <= s.Examples, "Size", s.Size, "must be from 1 to Examples")
	f.That(examples == -1 || examples == s.Examples, "Examples", s.Examples, fmt.Sprintf("must be %d, the number of examples", examples))
	return f.Err()
}

func (s TestScheme) Event(release accounting.Event, steps int) accounting.Event {
	one := accounting.SampledWithoutReplacement{SampleSize: s.Size, PopulationSize: s.Examples, Event: release}
	return accounting.SelfComposed{Event: one, Count: steps}
}

func (s TestScheme) Chosen(release accounting.Event, count int) accounting.Event {
	return s.Event(release, count)
}
func (TestScheme) Secret() bool              { return true }
func (TestScheme) Assumptions() []string     { return []string{"who is in a sample stays secret"} }
func (s TestScheme) Share() float64          { return float64(s.Size) / float64(s.Examples) }
func (s TestScheme) LikelyBatch(int) float64 { return float64(s.Size) }

func (s TestScheme) Batch(coins streams.Root, step, n int) ([]int32, error) {
	if s.FailsAt > 0 && step == s.FailsAt {
		return nil, errors.New("no batch")
	}
	var batch []int32
	for _, i := range coins.Rand(fmt.Sprint(step)).Perm(n)[:s.Size] {
		batch = append(batch, int32(i))
	}
	slices.Sort(batch)
	return batch, nil
}

func (s TestScheme) Canaries(coins streams.Root, step, _, m int) (joined []int32, err error) {
	if s.FailsAt > 0 && step == s.FailsAt {
		return nil, errors.New("no canary")
	}
	rng := rand.New(rand.NewPCG(uint64(step), coins.Rand("canaries").Uint64()))
	for i := range m {
		if rng.Float64() < s.Share() {
			joined = append(joined, int32(i))
		}
	}
	return joined, nil
}

func (TestScheme) sealed() {}

// AddTestScheme makes TestScheme one of this package's schemes until remove is called.
func AddTestScheme() (remove func()) {
	before := schemes
	schemes = append(slices.Clone(schemes), TestScheme{})
	return func() { schemes = before }
}

// Where a product of a rate and a number of examples is whole, rounding does not move it: by
// integers, for rates of two digits and periods up to 99.
func TestWholeProductsStayWhole(t *testing.T) {
	for c := 1; c < 100; c++ {
		for n := 1; n <= 2000; n++ {
			if got, want := (FixedBatches{Period: c}).LikelyBatch(n), float64((n+c-1)/c); got != want {
				t.Fatalf("every %d-th of %d examples: the first batch has %g, want %g", c, n, got, want)
			}
			if c*n%100 == 0 {
				s := TruncatedPoisson{Rate: float64(c) / 100, Cap: c * n / 100, Examples: n}
				if err := s.Validate(n); err != nil {
					t.Fatalf("%v, whose cap is the mean batch: %v", s, err)
				}
			}
		}
	}
}
