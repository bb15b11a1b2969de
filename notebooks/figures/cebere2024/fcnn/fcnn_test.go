package fcnn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/digits"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/results"
)

// small is 400 models of 20 steps at noise that leaves much to see.
func small() Config {
	c := Quick()
	c.BatchSize, c.Batches, c.Models, c.NoiseMultiplier, c.Observe, c.Repetitions = 10, 4, 400, 1, []int{1, 20}, 2
	return c
}

// The accountant is that of as many Gaussians, no bound without an assumption is above it,
// and adversaries learn more from more steps.
func TestFigure1(t *testing.T) {
	var done int
	r, err := Figure1(context.Background(), small(), Options{Progress: func(d, _ int, _ string) { done = d }})
	if err != nil {
		t.Fatal(err)
	}
	if done != 2400 || len(r.Rates) != 1 || len(r.Rates[0].Curves) != 3 || r.Backend != "go" {
		t.Fatalf("%d models done, result %+v: want 2400 of one panel", done, r)
	}
	for i, steps := range []float64{1, 20} {
		want, err := gdp.EpsilonAt(math.Sqrt(steps), 1e-5)
		if err != nil || r.Accountant[i] != want.Upper {
			t.Errorf("accountant after %g steps: %g, want %v (%v)", steps, r.Accountant[i], want, err)
		}
	}
	for _, c := range r.Rates[0].Curves {
		for _, a := range c.Audits {
			if len(a.Paper) != 2 || len(a.GDP) != 2 || len(a.NoAssumption) != 2 {
				t.Fatalf("%s: bounds %+v: want two of each", c.Adversary, a)
			}
			if a.NoAssumption[1] > r.Accountant[1] || a.NoAssumption[0] > r.Accountant[0] {
				t.Errorf("%s: bounds %v exceed the accountant's %v (fixed seed)", c.Adversary, a.NoAssumption, r.Accountant)
			}
			if !(a.GDP[1] > a.GDP[0]) {
				t.Errorf("%s: after 20 steps %g, after one %g: want more", c.Adversary, a.GDP[1], a.GDP[0])
			}
		}
	}
	for _, v := range []interface{ Validate() error }{r.Panels(), r.Table(), r.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// A stored audit is read, not trained again: one of the same part is found without data.
func TestPartsAreKept(t *testing.T) {
	c, o := small(), Options{Parts: t.TempDir()}
	c.Adversaries, c.Repetitions, c.Models = c.Adversaries[:1], 1, 20
	first, err := Figure1(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // training would fail
	second, err := Figure1(ctx, c, o)
	if err != nil || second.Rates[0].Curves[0].Audits[0].GDP[1] != first.Rates[0].Curves[0].Audits[0].GDP[1] {
		t.Errorf("second run: %v, want the first's result", err)
	}
	c.NoiseMultiplier = 2
	if _, err := Figure1(ctx, c, o); err == nil {
		t.Error("a stored audit of another config was taken")
	}
}

// The stand-in for housing: 8 means in [0, 1], their mean that of all pixels, half of the
// labels 1 (the digits 5 to 9 are 896 of 1,797: 182, 181, 179, 174 and 180, as UCI counts).
func TestDigitColumns(t *testing.T) {
	d, err := digitColumns()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil || d.Len() != 1797 || d.Width() != 8 {
		t.Fatalf("%d rows of %d, %v", d.Len(), d.Width(), err)
	}
	images, err := digits.All()
	if err != nil {
		t.Fatal(err)
	}
	ones := 0
	for i, label := range d.Labels {
		ones += int(label)
		if math.Abs(mean(d.Row(i))-mean(images.Row(i))) > 1e-6 {
			t.Fatalf("row %d: mean %g, of the pixels %g", i, mean(d.Row(i)), mean(images.Row(i)))
		}
	}
	if ones != 896 {
		t.Errorf("%d labels are 1, want 896", ones)
	}
}

func mean(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum / float64(len(x))
}

func TestValidate(t *testing.T) {
	for _, c := range []Config{Full(), Quick(), small()} {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
	for want, change := range map[string]func(*Config){
		`Data "moon"`:        func(c *Config) { c.Data = "moon" },
		"Batches 100 of 100": func(c *Config) { c.BatchSize, c.Batches = 100, 100 },
		"Models 201":         func(c *Config) { c.Models = 201 },
		"Repetitions 0":      func(c *Config) { c.Repetitions = 0 },
		"LearningRates []":   func(c *Config) { c.LearningRates = nil },
		"LearningRate 0":     func(c *Config) { c.LearningRates = []float64{0} },
		`Adversaries "A_X"`:  func(c *Config) { c.Adversaries = []string{"A_X"} },
		`Adversaries "A_L"`:  func(c *Config) { c.Adversaries = []string{"A_L", "A_L"} },
		"Observe [3]":        func(c *Config) { c.Observe = []int{3} },
		"Observe [3 3]":      func(c *Config) { c.Observe = []int{3, 3} },
		"NoiseMultiplier 0":  func(c *Config) { c.NoiseMultiplier = 0 },
	} {
		c := small()
		change(&c)
		if _, err := Figure1(context.Background(), c, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %q", err, want)
		}
	}
	t.Setenv(data.DirVariable, "")
	c := small()
	c.Data = "housing"
	if _, err := Figure1(context.Background(), c, Options{}); err == nil || !strings.Contains(err.Error(), "cal_housing.data") {
		t.Errorf("no data: error %v, want one that says what to download", err)
	}
}

// The sentences follow from the numbers: of a result made up so that each of them turns.
func TestFindings(t *testing.T) {
	c := Full()
	c.Repetitions, c.Observe = 2, []int{1, 250}
	made := func(random, simulated, loss float64) Result {
		r := Result{Config: c, Accountant: []float64{0.926, 24}}
		for _, rate := range c.LearningRates {
			curve := func(name string, last float64) Curve {
				k := Curve{Adversary: name}
				for i := range 2 {
					v := []float64{0.5, last + float64(i)/100}
					k.Audits = append(k.Audits, Audit{v, v, v})
				}
				return k
			}
			r.Rates = append(r.Rates, Rate{rate, []Curve{curve("A_GC-R", random), curve("A_GC-S", simulated), curve("A_L", loss)}})
		}
		return r
	}
	good, bad := made(19, 23, 9), made(23, 25, 23)
	bad.Rates[0].Curves[1].Audits[0].Paper = []float64{1.2, 22}
	for i := range bad.Rates { // the same games
		bad.Rates[i].Curves[0].Audits[1].NoAssumption = []float64{1.1, 2}
	}
	for _, c := range []struct {
		result Result
		want   []string
	}{
		{good, []string{"Every audit of A_GC-R is below", "0 of 24 audits as in the paper are above the accountant.", "0 of 24 are above the accountant.",
			"12 audits after step 1 are 6 draws", "All that the text says holds at every learning rate."}},
		{bad, []string{"overlap", "4 of 24 audits as in the paper (17 %) are above the accountant, so false: ", "Bounds at 95 % may be false in 5 %.", "A_GC-S says 1.20 where it has 0.93 (step 1)", "At none of the learning rates", "of 3 sentences hold ",
			"1.100 where it has 0.926 (A_GC-R, learning rate 0.1 and 0.01, audit 2, step 1)", "The largest differences there: A_GC-R 0.000, A_GC-S 0.700"}},
	} {
		all := strings.Join(c.result.Findings(), "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("no %q in\n%s", want, all)
			}
		}
	}
	// With one audit no error is known; with another setting the paper says nothing.
	one := good
	one.Config.Repetitions = 1
	for _, row := range one.Compare().Rows {
		if row.Verdict() != figures.NoReference {
			t.Errorf("%s: %s with one repetition: want no reference", row.Quantity, row.Verdict())
		}
	}
	if all := strings.Join(one.Findings(), "\n"); !strings.Contains(all, "error is not known") || strings.Contains(all, "the text says") {
		t.Errorf("one repetition:\n%s", all)
	}
}

// The stored result is of the full config, so that the notebook shows it and trains nothing.
// What it holds proves no more than the accountant allows, up to false alarms: each bound is
// above the truth with chance 5 % at most (and 1 % measured after one step, where the accountant is
// exact, on normals and on the engine). So of the five audits of an adversary, which are
// independent, three or more are above it with chance 1.2e-3 at most, and 1e-5 at 1 %.
func TestStoredResult(t *testing.T) {
	r, err := results.Load("../../../results/cebere2024-fcnn.json", Full(), func() (Result, error) {
		return Result{}, errors.New("not stored")
	})
	if err != nil {
		t.Fatalf("notebooks/results/cebere2024-fcnn.json is not of Full(): run the command in the folder train: %v", err)
	}
	if len(r.Rates) != 2 || len(r.Rates[0].Curves) != 3 || len(r.Rates[1].Curves[2].Audits) != 5 {
		t.Fatalf("stored result of %d learning rates: want 2, of 3 adversaries, of 5 audits", len(r.Rates))
	}
	for _, rate := range r.Rates {
		for _, c := range rate.Curves {
			for i, limit := range r.Accountant {
				var above []float64
				for _, a := range c.Audits {
					if a.NoAssumption[i] > limit {
						above = append(above, a.NoAssumption[i])
					}
				}
				if len(above) > 2 {
					t.Errorf("learning rate %g, %s: bounds %g after %d steps exceed the accountant's %g", rate.LearningRate, c.Adversary, above, r.Config.Observe[i], limit)
				}
			}
		}
	}
	for _, v := range []interface{ Validate() error }{r.Panels(), r.Table(), r.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}
