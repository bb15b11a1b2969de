package eventjson_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/pld"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/adaptive"
	"github.com/dplab/dplab/accounting/selection/firstabove"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
	"github.com/dplab/dplab/accounting/selection/threshold"
)

// The lines of testdata/events.jsonl were written by this version or an earlier one. Each is read
// as the event that stands here, whatever has changed since. A line is added for a new type, and
// never changed.
func TestStoredEventsAreRead(t *testing.T) {
	run, sum := gaussian(2), accounting.ClippedSum{NoiseMultiplier: 2}
	selected := func(k law.Law) accounting.Event { return selection.BestOf{Law: k, Base: run} }
	thenTrain := func(variant subsample.Variant) accounting.Event {
		return subsample.Event{TuningRate: 0.1, Tuning: selection.BestOf{Law: law.Poisson{MeanRepeats: 15}, Base: run}, Training: gaussian(3), Variant: variant}
	}
	tests := func(refresh threshold.Refresh) accounting.Event {
		return threshold.Event{Sensitivity: 0.01, ThresholdNoise: 0.25, ScoreNoise: 0.5, MaxTests: 13, MaxPositives: 3, Refresh: refresh}
	}
	wants := []accounting.Event{
		gaussian(2),
		accounting.Laplace{NoiseMultiplier: 3},
		accounting.RandomizedResponse{Truth: 0.75},
		accounting.PureDP{Epsilon: 0.5},
		accounting.ApproxDP{Epsilon: 0.5, Delta: 1e-6},
		accounting.ZCDP{Rho: 0.1},
		accounting.NonPrivate{},
		accounting.PoissonSampled{SamplingRate: 0.01, Event: run},
		accounting.SampledWithoutReplacement{SampleSize: 256, PopulationSize: 60000, Event: run},
		accounting.SelfComposed{Count: 5000, Event: run},
		accounting.Composed{Events: []accounting.Event{run, gaussian(3)}},
		accounting.Parallel{Events: []accounting.Event{run, gaussian(3)}},
		accounting.WorstCase{Events: []accounting.Event{run, gaussian(3)}},
		pld.DiscretePair{With: []float64{0.25, 0.75}, Without: []float64{0.5, 0.5}},
		selected(law.TNB{Eta: -0.5, Gamma: 0.125}),
		selected(law.Poisson{MeanRepeats: 15}),
		selected(law.Binomial{Trials: 20, P: 0.5}),
		selected(law.Fixed{Count: 4}),
		selected(law.TwoPoint{Runs: 100, Single: 0.25}),
		selected(law.Truncated{Law: law.Poisson{MeanRepeats: 15}, Max: 40}),
		selected(law.Capped{Law: law.Poisson{MeanRepeats: 15}, Max: 40}),
		selected(law.Withheld{Law: law.Poisson{MeanRepeats: 15}, Max: 40}),
		selected(law.PMF{Weights: []float64{0, 0.25, 0.75}}),
		thenTrain(subsample.RestOfData),
		thenTrain(subsample.AllData),
		tests(threshold.EachTest),
		tests(threshold.EachPositive),
		tests(threshold.Once),
		firstabove.Event{Law: law.TNB{Eta: 1, Gamma: 0.0625}, Base: run},
		adaptive.Event{Law: law.TNB{Eta: 1, Gamma: 0.0625}, Base: run, Least: 0.5, Most: 2},
		threshold.Event{Sensitivity: 0.01, ThresholdNoise: 0.25, ScoreNoise: 0.5, MaxTests: 13, MaxPositives: 3, Refresh: threshold.Once, Noise: threshold.Exponential},
		accounting.ExponentialMechanism{Epsilon: 0.5},
		accounting.PermuteAndFlip{Epsilon: 0.5},
		accounting.RandomizedResponse{Truth: 0.5}, // PureDP has come to refuse an ε of 0
		pld.DiscretePair{With: []float64{0.25, 0.75}, Without: []float64{0.5, 0.5}, Above: true},
		sum,
		accounting.RandomAllocation{Period: 100, Steps: 1000, Participations: 1, Event: sum},
		accounting.Shuffled{Batches: 100, Epochs: 10, Kept: true, Event: sum},
		accounting.TruncatedPoisson{SamplingRate: 0.01, Cap: 130, PopulationSize: 10000, Event: sum},
		accounting.SampledWithReplacement{SampleSize: 256, PopulationSize: 60000, Event: sum},
		accounting.MixtureOfGaussians{Chances: []float64{0.75, 0.25}, Distances: []float64{0, 1}, NoiseMultiplier: 2},
		accounting.ProfileBound{Name: "mine", Epsilons: []float64{0, 1}, Deltas: []float64{0.5, 0.125}},
		accounting.ProfileBound{Epsilons: []float64{1}, Deltas: []float64{1e-5}},
		accounting.RenyiBound{Name: "PATE", Orders: []float64{2, 8}, Divergences: []float64{0.25, 0.5}},
	}
	stored, err := os.ReadFile("testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(stored)), "\n")
	if len(lines) != len(wants) {
		t.Fatalf("%d lines, want %d", len(lines), len(wants))
	}
	for i, line := range lines {
		if event, err := eventjson.Unmarshal([]byte(line)); err != nil || !reflect.DeepEqual(event, wants[i]) {
			t.Errorf("line %d, %s: read as %v, %v, want %v", i+1, line, event, err, wants[i])
		}
	}
	missing := slices.DeleteFunc(eventjson.Types(), func(name string) bool {
		return name == "own_release" || // of ExampleRegister
			slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, `{"type":"`+name+`"`) })
	})
	if len(missing) > 0 {
		t.Errorf("no line is stored of the types %v", missing)
	}
}

// An ε or ρ of 0 was valid once. It is read as an event that reveals nothing, in any place.
func TestStoredZeros(t *testing.T) {
	nothing := accounting.RandomizedResponse{Truth: 0.5}
	for _, text := range []string{
		`{"type":"pure_dp","epsilon":0}`, `{"type":"approx_dp","epsilon":0,"delta":0}`, `{"type":"zcdp","rho":0}`,
		`{"type":"exponential_mechanism","epsilon":0}`, `{"type":"permute_and_flip","epsilon":0}`,
	} {
		if event, err := eventjson.Unmarshal([]byte(text)); err != nil || event != accounting.Event(nothing) {
			t.Errorf("%s: read as %v, %v, want %v", text, event, err, nothing)
		}
		whole, err := eventjson.Unmarshal([]byte(`{"type":"composed","events":[` + text + `,{"type":"gaussian","noise_multiplier":2}]}`))
		if want := (accounting.Composed{Events: []accounting.Event{nothing, gaussian(2)}}); err != nil || !reflect.DeepEqual(whole, want) {
			t.Errorf("%s in a composition: read as %v, %v, want %v", text, whole, err, want)
		}
	}
	if event, err := eventjson.Unmarshal([]byte(`{"type":"approx_dp","epsilon":0,"delta":1e-5}`)); err != nil || event != (accounting.ApproxDP{Delta: 1e-5}) {
		t.Errorf("approx_dp with ε 0: read as %v, %v", event, err)
	}
}
