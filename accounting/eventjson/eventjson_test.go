package eventjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
)

func gaussian(noiseMultiplier float64) accounting.Event {
	return accounting.Gaussian{NoiseMultiplier: noiseMultiplier}
}

func sgd(rate, noiseMultiplier float64, steps int) accounting.Event {
	return accounting.SelfComposed{
		Event: accounting.PoissonSampled{SamplingRate: rate, Event: gaussian(noiseMultiplier)},
		Count: steps,
	}
}

// Every event comes back equal, to the last bit.
func TestRoundTrip(t *testing.T) {
	third := 1. / 3
	for _, event := range []accounting.Event{
		gaussian(third), accounting.Laplace{NoiseMultiplier: 1e-300}, accounting.RandomizedResponse{Truth: 0.5 + third/2},
		accounting.PureDP{Epsilon: third}, accounting.ApproxDP{Epsilon: 0, Delta: 5e-324}, accounting.ZCDP{Rho: 1e300}, accounting.NonPrivate{},
		sgd(third, 1.1, 1<<52+1),
		accounting.SampledWithoutReplacement{SampleSize: 256, PopulationSize: 60000, Event: gaussian(2)},
		accounting.ProfileBound{Name: "a \"name\"", Epsilons: []float64{0, third}, Deltas: []float64{third, 5e-324}},
		accounting.RenyiBound{Orders: []float64{1 + third, 1e9}, Divergences: []float64{0, third}},
		accounting.Composed{Events: []accounting.Event{sgd(0.1, 1, 3), accounting.Parallel{Events: []accounting.Event{gaussian(1), accounting.WorstCase{Events: []accounting.Event{gaussian(2)}}}}}},
	} {
		text, err := eventjson.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) {
			t.Errorf("%v: not JSON: %s", event, text)
		}
		back, err := eventjson.Unmarshal(text)
		if err != nil || !reflect.DeepEqual(back, event) {
			t.Errorf("%s: read back as %v, %v, want %v", text, back, err, event)
		}
	}
}

func TestForm(t *testing.T) {
	text, err := eventjson.Marshal(sgd(0.01, 2, 5000))
	const want = `{"type":"self_composed","count":5000,"event":{"type":"poisson_sampled","sampling_rate":0.01,"event":{"type":"gaussian","noise_multiplier":2}}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	event, err := eventjson.Unmarshal([]byte(`{"count": 5e3, "type":"self_composed","event":{"type":"non_private"}}`))
	if err != nil || event != accounting.Event(accounting.SelfComposed{Count: 5000, Event: accounting.NonPrivate{}}) {
		t.Errorf("%v, %v: a count may be written 5e3", event, err)
	}
}

// nested is a Gaussian inside count objects.
func nested(count int) string {
	return strings.Repeat(`{"type":"self_composed","count":1,"event":`, count) +
		`{"type":"gaussian","noise_multiplier":1}` + strings.Repeat("}", count)
}

// Every level reads its text again: thousands of levels would take minutes.
func TestDepth(t *testing.T) {
	if event, err := eventjson.Unmarshal([]byte(nested(64))); err != nil || event == nil {
		t.Errorf("64 deep: %v, %v, want an event", event, err)
	}
	if event, err := eventjson.Unmarshal([]byte(nested(3000))); err == nil {
		t.Errorf("3000 deep: %v, want an error", event)
	}
}

// What can be written can be read.
func TestMarshalDepth(t *testing.T) {
	var event accounting.Event = gaussian(1)
	for range 64 {
		event = accounting.SelfComposed{Event: event, Count: 1}
	}
	text, err := eventjson.Marshal(event)
	if err != nil || string(text) != nested(64) {
		t.Errorf("64 deep: %s, %v, want %s", text, err, nested(64))
	}
	const want = "more than 64 objects inside each other"
	if text, err := eventjson.Marshal(accounting.SelfComposed{Event: event, Count: 1}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("65 deep: %s, error %v, want %q", text, err, want)
	}
}

type unknownEvent struct{ accounting.NonPrivate }

func TestFaults(t *testing.T) {
	for text, wants := range map[string][]string{
		``:                    {"event: must be a JSON object"},
		`null`:                {"event: must be a JSON object (it is null)"},
		`[]`:                  {"event: must be a JSON object (it is [])"},
		`{}`:                  {"type: is missing"},
		`{"type":7}`:          {"type: 7: must be a string"},
		`{"type":"shuffle"}`:  {`type: "shuffle": must be one of`, "approx_dp, clipped_sum, composed"},
		`{"type":"gaussian"}`: {"noise_multiplier: is missing: must be a number"},
		`{"type":"gaussian","noise_multiplier":"2"}`:                                             {`noise_multiplier: "2": must be a number`},
		`{"type":"gaussian","noise_multiplier":null}`:                                            {`noise_multiplier: null: must be a number`},
		`{"type":"gaussian","noise_multiplier":1e999}`:                                           {`noise_multiplier: 1e999: must be a number`},
		`{"type":"gaussian","noise_multiplier":0}`:                                               {"noise_multiplier: 0: must be > 0 and finite (for no noise use non_private)"},
		`{"type":"gaussian","noise_multiplier":1,"sigma":2}`:                                     {"sigma: is not a field of this object"},
		`{"type":"self_composed","count":1.5,"event":{"type":"gaussian","noise_multiplier":-1}}`: {"count: 1.5: must be a whole number", "event.noise_multiplier: -1"},
		`{"type":"profile_bound","name":1,"epsilons":[0,null],"deltas":[0.5]}`:                   {"name: 1: must be a string", "epsilons: [0,null]: must be a list of numbers"},
		`{"type":"profile_bound","epsilons":[0,1],"deltas":[0.5,0.75]}`:                          {"deltas[1] 0.75 at ε 1: must be at most 0.5"},
		`{"type":"renyi_bound","orders":[1],"divergences":[0.5]}`:                                {"orders[0] 1: must be > 1"},
		`{"type":"shuffled","kept":1}`:                                                           {"kept: 1: must be true or false", "batches: is missing"},
		`{"type":"composed","events":[]}`:                                                        {"events: is empty"},
		`{"type":"composed","events":[{"type":"zcdp","rho":1},{"type":"poisson_sampled","sampling_rate":2,"event":{"type":"zcdp","rho":1}},null]}`: {"events[1].sampling_rate: 2", "events[2]: must be a JSON object"},
		`{"type":"composed","events":{}}`:                                 {"events: {}: must be a list"},
		`{"type":"gaussian","noise_multiplier":1,"noise_multiplier":100}`: {"noise_multiplier: is given more than once"},
		`{"type":"gaussian","type":"laplace","noise_multiplier":1}`:       {"type: is given more than once"},
		nested(65): {"is inside more than 64 objects"},
		`{"type":"sampled_without_replacement","sample_size":5,"population_size":4,"event":{"type":"zcdp","rho":1}}`: {"sample_size: 5, population_size 4: must be 1 <= sample_size <= population_size"},
	} {
		event, err := eventjson.Unmarshal([]byte(text))
		if err == nil || event != nil {
			t.Errorf("%s: %v, want an error", text, event)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", text, err, want)
			}
		}
	}
	if _, err := eventjson.Marshal(unknownEvent{}); !errors.Is(err, accounting.ErrUnsupportedEvent) || !strings.Contains(err.Error(), "eventjson.Register") {
		t.Errorf("an event without a format: %v, want ErrUnsupportedEvent and what would do", err)
	}
	for _, event := range []accounting.Event{nil, gaussian(0)} {
		if text, err := eventjson.Marshal(event); err == nil {
			t.Errorf("%v: %s, want an error", event, text)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"type":"self_composed","count":5000,"event":{"type":"gaussian","noise_multiplier":2}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		event, err := eventjson.Unmarshal(text)
		if err != nil {
			return
		}
		again, err := eventjson.Marshal(event)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", text, err)
		}
		if back, err := eventjson.Unmarshal(again); err != nil || !reflect.DeepEqual(back, event) {
			t.Errorf("%s: %v, %v", again, back, err)
		}
	})
}

// A name has one format, which is written or only read.
func TestRegisterTwice(t *testing.T) {
	decode := func(*eventjson.Object) accounting.Event { return accounting.NonPrivate{} }
	for name, register := range map[string]func(){
		"Register": func() {
			eventjson.Register("gaussian", func(accounting.Gaussian) []eventjson.Field { return nil }, func(*eventjson.Object) accounting.Gaussian { return accounting.Gaussian{} })
		},
		"RegisterAlias": func() { eventjson.RegisterAlias("gaussian", decode) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a name that is taken: no panic", name)
				}
			}()
			register()
		}()
	}
}
