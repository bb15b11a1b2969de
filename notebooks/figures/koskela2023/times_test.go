package koskela2023

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// proportional has steps of fixed + examples seconds, in units of one example.
func proportional(fixed float64) TimesResult {
	r := TimesResult{Config: papersTimes()}
	for _, s := range r.Config.Settings {
		batch := s.SamplingRate * float64(timed[s.Dataset].examples)
		r.Times = append(r.Times, StepTime{fixed + batch*0.1, fixed + batch*0.9, fixed + batch})
	}
	return r
}

// If a step costs what its examples do, the ratio of times is that of gradients (Section 3.4). A
// fixed cost makes it smaller. If nothing but the steps costs, all methods but the last training
// cost the same.
func TestRatioOfTimes(t *testing.T) {
	q := papers.Koskela2023.TuningRate
	list := proportional(0).work()
	if len(list) != 16 {
		t.Fatalf("%d settings: want 16", len(list))
	}
	for i, w := range list {
		if got, want := w.ratio(), w.counted(q); math.Abs(got-want) > 1e-9 {
			t.Errorf("%+v: ratio %g, gradients %g", w, got, want)
		}
		if some := proportional(10).work()[i]; !(some.ratio() < w.ratio()) {
			t.Errorf("%+v: ratio %g with a fixed cost, %g without", w, some.ratio(), w.ratio())
		}
		mean := w.MeanRepeats
		if got := proportional(1e9).work()[i].ratio(); math.Abs(got-mean/(mean+1)) > 1e-3 {
			t.Errorf("%+v: ratio %g of steps, want %g", w, got, mean/(mean+1))
		}
	}
	// By hand: 15/(15·0.1+0.9) and 45/(45·0.1+0.9).
	if got := list[0].counted(q); math.Abs(got-6.25) > 1e-12 || list[0].Joint {
		t.Errorf("µ = 15: %g", got)
	}
	if got := list[15].counted(q); math.Abs(got-45/5.4) > 1e-12 || !list[15].Joint {
		t.Errorf("µ = 45: %g", got)
	}
}

// The seconds of one training are those of E/γ steps, with the γ of Table 1: of CIFAR-10 that is of
// the larger batch. The joint grid averages over both γ and all epochs.
func TestSecondsOfATraining(t *testing.T) {
	r := proportional(0)
	for _, w := range r.work() {
		p := papers.Koskela2023
		i := slices.IndexFunc(p.Table2, func(g papers.Koskela2023Grid) bool { return g.Dataset == w.Dataset })
		epochs := float64(p.Table1[i].Epochs)
		if w.Joint {
			epochs = 0
			for _, e := range p.Table2[i].Epochs {
				epochs += float64(e) / float64(len(p.Table2[i].Epochs))
			}
		}
		if want := epochs * float64(p.Table2[i].Train); math.Abs(w.Candidate.All/want-1) > 1e-9 {
			t.Errorf("%s, joint %v: %g examples, want %g", w.Dataset, w.Joint, w.Candidate.All, want)
		}
	}
	// With a fixed cost only, the steps count: 40 epochs at 128/5,000.
	cifar := proportional(1e9).work()[2]
	if got, want := cifar.Candidate.Sample/1e9, 40*5000/128.; cifar.Dataset != "CIFAR-10" || math.Abs(got/want-1) > 1e-3 {
		t.Errorf("%s: %g steps, want %g", cifar.Dataset, got, want)
	}
}

func TestTimesAgainstThePaper(t *testing.T) {
	r := proportional(100)
	if err := errors.Join(r.Table().Validate(), r.Compare().Validate(), StepTimes.Validate()); err != nil {
		t.Error(err)
	}
	rows := r.Compare().Rows
	if len(rows) != 3 || !rows[2].Holds() || rows[2].Ours != 1 {
		t.Errorf("rows %+v", rows)
	}
	// A sample that takes less than its share of the time makes the ratio larger. Ratios that are
	// equal up to the error decide nothing.
	if row := proportional(-30).Compare().Rows[2]; row.Verdict() != figures.Differs {
		t.Errorf("%+v", row)
	}
	if row := proportional(1).Compare().Rows[2]; row.Holds() || row.Verdict() == figures.Differs {
		t.Errorf("%s: %+v", row.Verdict(), row)
	}
	for i, g := range papers.Koskela2023.Table2 {
		if n := timed[g.Dataset].examples; n != g.Train || fixed(g.Dataset) != papers.Koskela2023.Table1[i] {
			t.Errorf("%s: %d examples, want %d", g.Dataset, n, g.Train)
		}
	}
}

// The quick profile measures steps of the sample, the rest and all examples.
func TestStepsAreTimed(t *testing.T) {
	stored, err := StepTimes.Compute(t.Context(), "quick", experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if s := stored.Result.Times[0]; !(s.Sample > 0 && s.Rest > 0 && s.All > 0) {
		t.Errorf("times %+v: must be positive", s)
	}
	c := digitsTimes()
	c.Settings[0].Dataset = "letters"
	if _, err := StepTimes.Run(t.Context(), c, 0, experiments.Env{}); err == nil {
		t.Error("an unknown data set: no error")
	}
	if _, err := Times(); err != nil && !errors.Is(err, experiments.ErrNotStored) {
		t.Error(err)
	}
}
