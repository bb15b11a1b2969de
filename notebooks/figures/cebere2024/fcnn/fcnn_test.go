package fcnn

import (
	"context"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/cebere2024/hidden"
)

// small is 400 models of 20 steps at noise that leaves much to see, twice, at one of two learning rates a third time.
func small(t *testing.T) hidden.Audits {
	t.Helper()
	c := hidden.FCNN.Profiles["quick"]
	s := c.Settings[0]
	s.Adversaries, s.Observe = []string{"A_GC-R", "A_GC-S", "A_L"}, []int{1, 20}
	c.BatchSize, c.Batches, c.NoiseMultiplier, c.Repetitions, c.Settings = 10, 4, 1, 3, []hidden.Setting{s, s}
	c.Settings[1].LearningRate = 0.01
	var parts []experiments.Part[hidden.Shard]
	for shard := range 5 {
		result, err := hidden.Run(context.Background(), c, shard, experiments.Env{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, experiments.Part[hidden.Shard]{Index: shard, Result: result})
	}
	merged, err := hidden.Merge(c, parts)
	if err != nil {
		t.Fatal(err)
	}
	return hidden.Audits{Result: merged, Profile: "quick", Account: "trained for a test"}
}

// The accountant is that of as many Gaussians, no bound without an assumption is above it, adversaries learn more from more
// steps, and all curves have as many audits.
func TestFigure1(t *testing.T) {
	r, err := Figure1(small(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rates) != 2 || len(r.Rates[0].Curves) != 3 || r.Config.Repetitions != 2 {
		t.Fatalf("%d panels, %d repetitions: want 2 of 2", len(r.Rates), r.Config.Repetitions)
	}
	for i, steps := range []float64{1, 20} {
		want, err := gdp.EpsilonAt(math.Sqrt(steps), 1e-5)
		if err != nil || r.Accountant[i] != want.Upper {
			t.Errorf("accountant after %g steps: %g, want %v (%v)", steps, r.Accountant[i], want, err)
		}
	}
	for _, c := range r.Rates[0].Curves {
		if len(c.Audits) != 2 {
			t.Errorf("%s: %d audits, want 2", c.Adversary, len(c.Audits))
		}
		for _, a := range c.Audits {
			if len(a.Paper) != 2 || len(a.GDP) != 2 {
				t.Fatalf("%s: bounds %+v: want two of each", c.Adversary, a)
			}
			if a.NoAssumption > r.Accountant[1] {
				t.Errorf("%s: bound %g exceeds the accountant's %g (fixed seed)", c.Adversary, a.NoAssumption, r.Accountant[1])
			}
			if !(a.GDP[1] > a.GDP[0]) {
				t.Errorf("%s: after 20 steps %g, after one %g: want more", c.Adversary, a.GDP[1], a.GDP[0])
			}
		}
	}
	for _, v := range []interface{ Validate() error }{r.Figure(), r.Table(), r.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// Rows and notes follow from the numbers: of results made up so that each of them turns.
func TestClaims(t *testing.T) {
	c := Full()
	c.Repetitions, c.Observe = 2, []int{1, 250}
	made := func(random, simulated, loss float64) Result {
		r := Result{Config: c, Accountant: []float64{0.926, 24}}
		for _, rate := range c.LearningRates {
			curve := func(name string, last float64) Curve {
				k := Curve{Adversary: name}
				for i := range 2 {
					v := []float64{0.5, last + float64(i)/100}
					k.Audits = append(k.Audits, Audit{v, v, v[1] / 10})
				}
				return k
			}
			r.Rates = append(r.Rates, Rate{rate, []Curve{curve("A_GC-R", random), curve("A_GC-S", simulated), curve("A_L", loss)}})
		}
		return r
	}
	good, bad := made(19, 23, 9), made(23, 25, 23)
	bad.Rates[0].Curves[1].Audits[0].Paper = []float64{1.2, 22}
	bad.Rates[1].Curves[0].Audits[1].NoAssumption = 24.5
	for _, row := range good.Compare().Rows {
		if !row.Holds() {
			t.Errorf("%s: %g ± %g, %s: must hold", row.Quantity, row.Ours, row.OursErr, row.Verdict())
		}
	}
	if rows := bad.Compare().Rows; rows[1].Verdict() != figures.Differs || rows[0].Holds() {
		t.Errorf("A_GC-R and A_GC-S overlap: %s; A_GC-R is not above A_L: %s", rows[1].Verdict(), rows[0].Verdict())
	}
	for want, r := range map[string]Result{"0 of 24 audits are above the accountant; at 95 % confidence 5 % may be.": good, "4 of 24 audits (17 %) are above the accountant; at 95 % confidence 5 % may be.": bad} {
		if got := r.aboveNote(); got != want {
			t.Errorf("%q, want %q", got, want)
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
}

// What is stored proves no more than the accountant allows, up to false alarms: each bound that assumes nothing is above the
// truth with chance 5 % at most. So of the five audits of an adversary, which are independent, three or more are above it with
// chance 1.2e-3 at most.
func TestStoredResult(t *testing.T) {
	stored, err := hidden.FCNN.Load("full")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		stored.Result.Config.Settings = stored.Result.Config.Settings[:1]
	}
	r, err := Figure1(hidden.Audits{Result: stored.Result, Profile: "full", Account: stored.Account.String()})
	if err != nil {
		t.Fatal(err)
	}
	accountant := r.Accountant[len(r.Accountant)-1]
	for _, panel := range r.Rates {
		for _, c := range panel.Curves {
			above := 0
			for _, a := range c.Audits {
				if a.NoAssumption > accountant {
					above++
				}
			}
			if above > 2 {
				t.Errorf("learning rate %g, %s: %d of %d bounds exceed the accountant's %g", panel.LearningRate, c.Adversary, above, len(c.Audits), accountant)
			}
		}
	}
	for _, v := range []interface{ Validate() error }{r.Figure(), r.Table(), r.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}
