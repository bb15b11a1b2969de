package quickstart

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/contour"
)

// The guarantee must be computed from what runs: σ is checked by an accountant that is given
// the numbers of the config by hand, and σ a little smaller must miss the target.
func TestCalibrateMeetsTheTargetFromBelow(t *testing.T) {
	c := Defaults("quick")
	r, err := Calibrate(c)
	if err != nil {
		t.Fatal(err)
	}
	at := func(sigma float64) float64 {
		g, err := contour.NewAccountant().EpsilonAt(accounting.SelfComposed{Count: 100, Event: accounting.PoissonSampled{
			SamplingRate: 0.1, Event: accounting.Gaussian{NoiseMultiplier: sigma}}}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon.Upper
	}
	if got := at(r.NoiseMultiplier); got > 3 || got < 3-1e-5 {
		t.Errorf("σ %g gives ε %g, want at most 3 and close to it", r.NoiseMultiplier, got)
	}
	if got := at(r.NoiseMultiplier * 0.999); got <= 3 {
		t.Errorf("σ 0.1 %% smaller gives ε %g, want above 3: σ is not the least", got)
	}
}

// What the search releases must be better than guessing among 10 classes, and cost more than
// one run and less than publishing ten.
func TestTuneReleasesAGoodModelAtAStatedPrice(t *testing.T) {
	c := Defaults("quick")
	r, err := Tune(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.TestAccuracy < 0.6 {
		t.Errorf("test accuracy of the tuned model is %g, want at least 0.6", r.TestAccuracy)
	}
	epsilon := r.Statement.Guarantee.Epsilon.Upper
	ten, err := contour.NewAccountant().EpsilonAt(accounting.SelfComposed{Count: 10, Event: c.run(r.NoiseMultiplier, Hyperparameters{}).Event()}, c.Delta)
	if err != nil {
		t.Fatal(err)
	}
	if !(epsilon > c.Epsilon && epsilon < ten.Epsilon.Upper) {
		t.Errorf("the search costs ε %g: must lie between one run's %g and ten published runs' %g", epsilon, c.Epsilon, ten.Epsilon.Upper)
	}
	if !(r.Published > epsilon && r.Published <= ten.Epsilon.Upper) || r.WithoutScore > epsilon {
		t.Errorf("ten published runs cost ε %g and the search without scores %g, want %g and at most %g", r.Published, r.WithoutScore, ten.Epsilon.Upper, epsilon)
	}
	for _, part := range []string{"one labelled image", "δ = 1e-05", "q=0.1", "100 x"} {
		if !strings.Contains(r.Statement.String(), part) {
			t.Errorf("statement lacks %q:\n%s", part, r.Statement)
		}
	}
}

func TestAccuraciesOfTwoSeeds(t *testing.T) {
	c := Defaults("quick")
	c.Seeds, c.Steps = 2, 40
	var last, of int
	r, err := CompareAccuracies(t.Context(), c, func(done, all int) {
		if done < last {
			t.Errorf("progress falls from %d to %d", last, done)
		}
		last, of = done, all
	})
	if err != nil {
		t.Fatal(err)
	}
	// A search counts as one run, whatever number of runs was drawn.
	if want := 2 * 3 * 40; last != want || of != want {
		t.Errorf("progress ends with %d of %d, want %d steps", last, of, want)
	}
	means := map[string]float64{}
	for _, arm := range r.Arms {
		if len(arm.Accuracies) != 2 {
			t.Errorf("%s: %d accuracies, want 2", arm.Name, len(arm.Accuracies))
		}
		means[arm.Name] = stat.Mean(arm.Accuracies, nil)
	}
	// 40 steps of full-precision training on an easy data set; a broken arm is near 0.1.
	if means["not private"] < 0.8 || means["tuned privately"] < 0.5 {
		t.Errorf("mean accuracies %v: not private must reach 0.8, tuned 0.5", means)
	}
	if err := r.Chart().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	testExportedEpsilons(t, c, r)
}

// What a reader takes from the figure's file must be the ε that the statement of the search has, and that of one run.
func testExportedEpsilons(t *testing.T, c Config, r Accuracies) {
	tuned, err := Tune(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"tuned privately": tuned.Statement.Guarantee.Epsilon.Upper, "drawn from the grid, the search's ε": tuned.Statement.Guarantee.Epsilon.Upper,
		"middle of the grid": c.Epsilon, "drawn from the grid": c.Epsilon,
	}
	var text strings.Builder
	if err := r.Chart().WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range rows {
		if epsilon, ok := want[row[1]]; ok {
			found++
			if row[2] != strconv.FormatFloat(epsilon, 'g', -1, 64) {
				t.Errorf("%s: exported ε %s, want %v", row[1], row[2], epsilon)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d private arms in the file, want %d:\n%s", found, len(want), text.String())
	}
}

func TestConfigFaultsAreNamed(t *testing.T) {
	for field, spoil := range map[string]func(*Config){
		"Epsilon":    func(c *Config) { c.Epsilon = math.NaN() },
		"delta":      func(c *Config) { c.Delta = 0 },
		"Seeds":      func(c *Config) { c.Seeds = 1 },
		"ClipNorms":  func(c *Config) { c.ClipNorms = nil },
		"PublicSize": func(c *Config) { c.PublicSize = 0 },
		"Hidden":     func(c *Config) { c.Hidden = 0 },
	} {
		c := Defaults("quick")
		spoil(&c)
		if _, err := CompareAccuracies(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("fault in %s: error %v must name it", field, err)
		}
	}
}
