package tuned

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// What is stored of each experiment loads, and has its figure, and says how much of it there is;
// what is not is an error that says how to train it.
func TestStoredFigures(t *testing.T) {
	for _, e := range All() {
		stored, err := bank.Largest(e.Experiment)
		if errors.Is(err, experiments.ErrNotStored) && strings.Contains(err.Error(), e.Name) {
			continue
		}
		if err != nil || stored.Account.Done == 0 {
			t.Errorf("%s: %v, error %v", e.Name, stored.Account, err)
			continue
		}
		if e.Name != CIFARSGD.Name { // the notebook draws all, and the protocols
			continue
		}
		r, err := e.Figure()
		if err != nil {
			t.Fatal(err)
		}
		p := r.Figure().(chart.Panels)
		if err := errors.Join(p.Validate(), r.Table().Validate()); err != nil {
			t.Error(err)
		}
		if r.Repeats < 1 || !strings.Contains(p.Sources[0], "shards") {
			t.Errorf("%s: %d repeats, %q", e.Name, r.Repeats, p.Sources)
		}
	}
	for _, e := range []Trained{FashionSGD, FashionAdam, FashionAllSGD, FashionAllAdam} {
		if stored, err := e.Load("quick"); err != nil || stored.Account.Done != stored.Account.Shards {
			t.Errorf("%s: profile quick: %v, error %v: must be stored whole", e.Name, stored.Account, err)
		}
	}
}

// What is stored comes out again. Another build rounds otherwise, and moves a score by an example
// here and there: half of 40 runs must be equal to the bit, where a run of another seed is for one
// in some fifty.
func TestTrainedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 40 models")
	}
	r, err := FashionSGD.Again(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs != 40 || r.Equal < 20 {
		t.Errorf("%d of %d runs came out as they are stored", r.Equal, r.Runs)
	}
}

// All experiments can be listed and run: names, profiles, shards.
func TestExperimentsAreValid(t *testing.T) {
	for _, e := range All() {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		for profile, c := range e.Profiles {
			if err := c.Validate(); err != nil {
				t.Errorf("%s, %s: %v", e.Name, profile, err)
			}
		}
	}
}

// A last layer on public features: the figure's text says so, and how good the public network is.
func TestQuickOnFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("trains some 50 last layers")
	}
	e := CIFARSGD
	small := e.Profiles["quick"]
	small.Repeats, small.LearningRates = 1, small.LearningRates[2:]
	small.Trainings = []bank.Training{{SamplingRate: 0.1, Steps: 100, NoiseMultipliers: []float64{0.936, 2.98}}}
	e.Profiles = map[string]bank.Config{"quick": small}
	stored, err := e.Compute(t.Context(), "quick", experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.figure(stored, e.onDigits(), TuningResult{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Embedded digits 0 to 4, a last layer on features of 5 to 9, DP-SGD: tuning η"; r.Config.Task != want {
		t.Errorf("task %q, want %q", r.Config.Task, want)
	}
	if text := strings.Join(r.Table().Notes, "\n"); r.Public < 0.9 || !strings.Contains(text, "classifies "+share(r.Public)+" of its own test images right") {
		t.Errorf("public network %g, notes:\n%s", r.Public, text)
	}
	r.MostPublic += 0.01
	if text := strings.Join(r.Table().Notes, "\n"); !strings.Contains(text, share(r.Public)+" to "+share(r.MostPublic)+" of their own test images right") {
		t.Errorf("two public networks, notes:\n%s", text)
	}
}

// A figure that takes the prices of another has those that it computes itself, and no accuracy of
// the other; where something else is priced it takes none.
func TestFigureAfter(t *testing.T) {
	first, cfg := figure1Tuning(t), figure1Trainings()
	cfg.Optimizer, cfg.LearningRates = "adam", []float64{0.01, 0.1, 1}
	adam := madeUp(t, cfg)
	for noise, taken := range map[float64]bool{cfg.Trainings[0].NoiseMultipliers[0]: true, 2.5: false} {
		other := first
		other.Bank.Trainings = []bank.Training{{SamplingRate: cfg.Trainings[0].SamplingRate, Steps: cfg.Trainings[0].Steps, NoiseMultipliers: []float64{noise, cfg.Trainings[0].NoiseMultipliers[1]}}}
		r := TuningResult{Config: tuningConfig(), Bank: adam.Config}
		if r.pricedAs(other) != taken {
			t.Errorf("σ = %g: prices taken over: %v", noise, !taken)
		}
	}
	after, err := tuning(adam, "made up", tuningConfig(), first)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Tuning(adam, "made up", tuningConfig())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(after.Methods, alone.Methods) { // with errors: three repeats
		t.Errorf("after another\n%+v\nalone\n%+v", after.Methods, alone.Methods)
	}
}

// The title of a last layer names the public network of that profile: only "full" has the paper's.
func TestTitleNamesPublicNetwork(t *testing.T) {
	for profile, network := range map[string]string{"mid": "ConvNet", "full": "ResNet20"} {
		if want, got := "CIFAR-10, a last layer on features of a public "+network+", DP-SGD", CIFARSGD.config(profile, CIFARSGD.Title).Task; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q…", profile, got, want)
		}
	}
	for _, e := range All() {
		for profile, c := range e.Profiles {
			if network := publicNetworks[c.Data]; strings.HasSuffix(c.Data, "features") && profile != "quick" && network == "" {
				t.Errorf("%s, %s: data %s has no name of its network", e.Name, profile, c.Data)
			}
		}
	}
}
