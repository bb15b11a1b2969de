package selection_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
	"github.com/dplab/dplab/accounting/selection"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/accounting/selection/subsample"
)

func TestEventJSON(t *testing.T) {
	run := sgd(0.01, 2, 1000)
	for _, law := range []law.Law{
		law.TNB{Eta: 1. / 3, Gamma: 0.1}, law.Poisson{MeanRepeats: 10}, law.Binomial{Trials: 20, P: 0.5},
		law.Fixed{Count: 4}, law.TwoPoint{Runs: 100, Single: 0.01},
		law.Truncated{Law: law.Poisson{MeanRepeats: 3}, Max: 10}, law.Capped{Law: law.Fixed{Count: 3}, Max: 2}, law.Withheld{Law: law.Poisson{MeanRepeats: 3}, Max: 10},
		law.PMF{Weights: []float64{0, 0.25, 0.75}},
	} {
		for _, event := range []accounting.Event{
			selection.BestOf{Law: law, Base: run},
			accounting.Composed{Events: []accounting.Event{run, subsample.Event{TuningRate: 0.1, Tuning: selection.BestOf{Law: law, Base: run}, Training: run, Variant: subsample.AllData}}},
		} {
			text, err := eventjson.Marshal(event)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := eventjson.Unmarshal(text); err != nil || !reflect.DeepEqual(back, event) {
				t.Errorf("%s: %v, %v, want %v", text, back, err, event)
			}
		}
	}
	const byMean = `{"type":"selection","law":{"type":"tnb","eta":0,"mean":10},"base":{"type":"zcdp","rho":1}}`
	event, err := eventjson.Unmarshal([]byte(byMean))
	if e, ok := event.(selection.BestOf); err != nil || !ok || !near(e.Law.Distribution().Mean(), 10, 1e-9) {
		t.Errorf("%s: %v, %v, want mean 10", byMean, event, err)
	}
}

func TestEventJSONFaults(t *testing.T) {
	const base = `,"base":{"type":"zcdp","rho":1}}`
	for text, want := range map[string]string{
		`{"type":"selection"` + base:                                                                                                            "law: is missing: must be an object",
		`{"type":"selection","law":{"type":"zipf"}` + base:                                                                                      `law.type: "zipf": must be one of binomial, capped`,
		`{"type":"selection","law":{"type":"poisson","mean":3,"gamma":1}` + base:                                                                "law.gamma: is not a field",
		`{"type":"selection","law":{"type":"pmf","weights":[null,1]}` + base:                                                                    "law.weights: [null,1]: must be a list of numbers",
		`{"type":"selection","law":{"type":"tnb","eta":0,"mean":0.5}` + base:                                                                    "law.mean",
		`{"type":"selection","law":{"type":"tnb","eta":-2,"gamma":0.5}` + base:                                                                  "eta -2: must be",
		`{"type":"selection","law":{"type":"poisson","mean":-1}` + base:                                                                         "mean -1: must be",
		`{"type":"tune_then_train","tuning_rate":0.1,"variant":"all data","training":{"type":"zcdp","rho":1},"tuning":{"type":"zcdp","rho":1}}`: "tuning: ZCDP(ρ=1): must be a selection",
		`{"type":"tune_then_train","tuning_rate":0.1,"variant":"both"}`:                                                                         `variant: "both": must be one of ["rest of the data" "all data"]`,
		`{"type":"tune_then_train","tuning_rate":0.1,"tuning":{"type":"zcdp","rho":1}}`:                                                         "variant: is missing",
	} {
		if event, err := eventjson.Unmarshal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, event, err, want)
		}
	}
}
