package hidden

import (
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/gdp"
	"github.com/dplab/dplab/notebooks/figures"
)

func validFigure1c(t *testing.T, a Audits) Figure1cResult {
	t.Helper()
	r := drawnFigure1c(t, a)
	table, err := r.Table()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	return r
}

// drawnFigure1c leaves out the table, whose bounds that assume nothing take most of the time.
func drawnFigure1c(t *testing.T, a Audits) Figure1cResult {
	t.Helper()
	r, err := Figure1c(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []interface{ Validate() error }{r.Figure(), r.Compare()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
	return r
}

// ofSize is validFigure1c, or drawnFigure1c with -short.
func ofSize(t *testing.T, a Audits) Figure1cResult {
	t.Helper()
	if testing.Short() {
		return drawnFigure1c(t, a)
	}
	return validFigure1c(t, a)
}

// fcnnGames has two repetitions of the panel's adversaries at both learning rates, and a third at
// the first.
func fcnnGames(share func(Setting, string) float64) Audits {
	c := short(FCNN)
	c.Repetitions = 3
	a := drawn(c, "full", share)
	kept := a.Audits[:0]
	for _, one := range a.Audits {
		if one.Setting == 0 || one.Repetition < 2 {
			kept = append(kept, one)
		}
	}
	a.Audits = kept
	return a
}

// The accountant is that of as many Gaussians, and all curves have as many audits. What the text
// says holds on scores that follow it, and does not if A_GC-R and A_L see as much as A_GC-S.
func TestFigure1c(t *testing.T) {
	apartShares := func(_ Setting, adversary string) float64 {
		return map[string]float64{random: 0.7, simulated: 0.97, loss: 0.2}[adversary]
	}
	good := validFigure1c(t, fcnnGames(apartShares))
	if len(good.Parts) != 2 || len(good.Parts[0].Curves) != 3 || good.Repetitions != 2 {
		t.Fatalf("%d panels, %d repetitions: want 2 of 2", len(good.Parts), good.Repetitions)
	}
	for i, steps := range []float64{1, 250} {
		want, err := gdp.EpsilonAt(math.Sqrt(steps)/good.Config.NoiseMultiplier, good.Config.Delta)
		if got := good.Parts[0].Curves[0].Accountant[i]; err != nil || got != want.Upper {
			t.Errorf("accountant after %g steps: %g, want %v (%v)", steps, got, want, err)
		}
	}
	for _, l := range good.Parts[0].Curves {
		if len(l.Bounds) != 2 || len(l.Last()) != 2 {
			t.Errorf("%s: %d audits, want 2", l.Label, len(l.Bounds))
		}
	}
	for _, row := range good.Compare().Rows {
		if row.Verdict() == figures.Differs || row.Verdict() == figures.NoReference {
			t.Errorf("%s: %g ± %g, %s: must not differ", row.Quantity, row.Ours, row.OursErr, row.Verdict())
		}
	}
	same := ofSize(t, fcnnGames(func(Setting, string) float64 { return 0.97 }))
	if rows := same.Compare().Rows; rows[1].Verdict() != figures.Differs || rows[0].Holds() {
		t.Errorf("A_GC-R and A_GC-S overlap: %s; A_GC-R is not above A_L: %s", rows[1].Verdict(), rows[0].Verdict())
	}
	// The bounds of the first step count too.
	counted := aboveAccountant(same.Parts, paperBounds)
	want := fmt.Sprintf("%d of 24 audits (%.2g %%) are above the accountant; at 95 %% confidence 5 %% may be, on average: audits along one run share its games.", counted.Hold, 100*float64(counted.Hold)/24)
	if got := same.aboveNote(); counted.Hold == 0 || got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// With one audit no error is known; with another setting the paper says nothing.
func TestFigure1cWithoutReference(t *testing.T) {
	one := short(FCNN)
	one.Repetitions = 1
	digits := FCNN.Profiles["quick"]
	digits.Repetitions = 2 // only their size is not the paper's
	for name, a := range map[string]Audits{"one repetition": drawn(one, "full", shares(false)), "digits": drawn(digits, "quick", shares(false))} {
		for _, row := range ofSize(t, a).Compare().Rows {
			if row.Verdict() != figures.NoReference {
				t.Errorf("%s: %s, %s: want no reference", name, row.Quantity, row.Verdict())
			}
		}
	}
}

// What is stored proves no more than the accountant allows, up to false alarms: each bound that
// assumes nothing is above the truth with chance 5 % at most. So of the five audits of an
// adversary, which are independent, three or more are above it with chance 1.2e-3 at most.
func TestStoredFigure1c(t *testing.T) {
	stored, err := FCNN.Load("full")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		stored.Result.Config.Settings = stored.Result.Config.Settings[:1]
	}
	r := ofSize(t, Audits{Result: stored.Result, Profile: "full", Account: stored.Account.String()})
	for _, part := range r.Parts {
		for _, l := range part.Curves {
			if testing.Short() && l.Label != simulated { // the adversary with the largest bounds
				continue
			}
			bounds, err := l.NoAssumption()
			if err != nil {
				t.Fatal(err)
			}
			var above figures.Cases
			for _, b := range bounds {
				above.AddIf(b > l.Accountant[len(l.Accountant)-1])
			}
			if above.Hold > 2 {
				t.Errorf("%s, %s: %d of %d bounds exceed the accountant", part.Title, l.Label, above.Hold, above.Of())
			}
		}
	}
}
