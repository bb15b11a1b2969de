package sixth

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
)

// The quick profile trains, and its result can be shown. Repeats differ.
func TestQuick(t *testing.T) {
	stored, err := CIFAR.Compute(t.Context(), "quick", experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	r := named(stored)
	for i, one := range r.Trainings {
		if one.Views != 1+i%2 || one.Repeat != i/2 || one.NoiseMultiplier <= 0 || one.Last <= 0 || one.Averaged <= 0 {
			t.Errorf("training %d: %+v", i, one)
		}
	}
	if len(r.Trainings) != 4 || r.Trainings[0].Last == r.Trainings[2].Last && r.Trainings[0].Averaged == r.Trainings[2].Averaged {
		t.Errorf("%+v", r.Trainings)
	}
	if err := r.Figure().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Table().Validate(); err != nil {
		t.Error(err)
	}
	if err := r.Compare().Validate(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(r.Table().Notes[0], "Profile quick, not the paper's size: embedded digits") {
		t.Error(r.Table().Notes)
	}
	for _, row := range r.Compare().Rows {
		if row.Verdict() != figures.NoReference {
			t.Errorf("%s: %s: the digits are not the paper's data", row.Quantity, row.Verdict())
		}
	}
}

// A training follows from its repeat and its number of views, not from the place of K in the list.
func TestTrainingsFollowFromRepeatAndViews(t *testing.T) {
	c := CIFAR.Profiles["quick"]
	c.Views, c.Repeats, c.Steps = []int{1, 1}, 1, 3
	first, err := train(t.Context(), c, 0, experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := train(t.Context(), c, 1, experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if first != second {
		t.Errorf("%+v, and at another place of the list %+v", first, second)
	}
}

func TestBadConfigs(t *testing.T) {
	good := CIFAR.Profiles["quick"]
	for name, spoil := range map[string]func(*Config){
		"Config.Data":                     func(c *Config) { c.Data = "mnist" },
		"Config.Tested 0":                 func(c *Config) { c.Tested = 0 },
		"Config.Tested 361":               func(c *Config) { c.Tested = 361 },
		"divides":                         func(c *Config) { c.Network.Groups = 3 },
		"noise multiplier without budget": func(c *Config) { c.Epsilon = -1 },
	} {
		c := good
		spoil(&c)
		if _, err := train(t.Context(), c, 0, experiments.Env{}); err == nil || strings.HasPrefix(name, "Config") && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The network of the full profile is WRN-16-4. A convolution has no bias, so its number of weights
// is that of Zagoruyko and Komodakis: 2,748,890 with two for each normalized channel.
func TestWRN16x4(t *testing.T) {
	model, err := CIFAR.Profiles["full"].Network.model([]int{32, 32, 3}, digits.Classes, 16)
	if err != nil {
		t.Fatal(err)
	}
	if model.Size() != 2748890+biases(16, 64, 128, 256) || model.Views != 16 {
		t.Errorf("%d weights, %d views", model.Size(), model.Views)
	}
}

// biases counts the biases of standardized convolutions: of the first one, and of two blocks with
// two convolutions and one projection in each stage.
func biases(first int, stages ...int) int {
	sum := first
	for _, width := range stages {
		sum += 5 * width
	}
	return sum
}

// The estimates by hand: two repeats, of which one lacks the larger K.
func TestEstimates(t *testing.T) {
	c := CIFAR.Profiles["mid"]
	c.Views = []int{1, 4, 8}
	r := Result{Config: c, Profile: "mid", Trainings: []Training{
		{1, 0, 0.5, 0.20, 0.30}, {4, 0, 0.5, 0.30, 0.36}, {8, 0, 0.5, 0.31, 0.39},
		{1, 1, 0.5, 0.22, 0.32}, {4, 1, 0.5, 0.32, 0.40},
		{1, 2, 0.5, 0.24, 0.34},
	}}
	if got := r.drawn(); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("drawn %v: K = 8 has one training", got)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g: want %g", name, got, want)
		}
	}
	near("last, K = 1", r.mean(1, last).Mean, 22)
	near("average over last, K = 4", r.averageOverLast(4).Mean, 7)
	gain, ok := r.overOneView(4)
	if !ok || gain.N != 2 {
		t.Fatalf("%+v", gain)
	}
	near("K = 4 over 1: of the repeats 0 and 1 only", gain.Mean, 7)
	near("its deviation", gain.StdDev, math.Sqrt2)
	if _, ok := r.overOneView(8); ok {
		t.Error("one difference has no error")
	}
	rows := r.Compare().Rows
	near("ours", rows[0].Ours, 38)
	if rows[0].Verdict() != figures.Differs || rows[0].Refutes() || !strings.Contains(rows[0].Note, "1/1333 of the views that the profile full takes") {
		t.Errorf("%s: %s", rows[0].Verdict(), rows[0].Note)
	}
	if last := rows[len(rows)-1]; last.Quantity != "several views are more accurate than one (1: yes), 4 views" || last.Verdict() != figures.AsTextSays {
		t.Errorf("%+v: %s", last, last.Verdict())
	}
	if empty := (Result{Config: c}).Compare(); len(empty.Rows) != 0 {
		t.Errorf("rows of nothing: %+v", empty.Rows)
	}
}
