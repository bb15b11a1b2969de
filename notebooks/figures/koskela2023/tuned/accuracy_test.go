package tuned

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
	"github.com/dplab/dplab/notebooks/figures"
)

func TestAddAgreed(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		want        figures.Cases
	}{
		{[]float64{0.1, 0.2}, figures.Cases{Hold: 1}},
		{[]float64{-0.1, -0.2}, figures.Cases{Fail: 1}},
		{[]float64{-0.1, 0.2}, figures.Cases{Open: 1}},
		{[]float64{0, 0.2}, figures.Cases{Open: 1}},
		{[]float64{0.2}, figures.Cases{Open: 1}},
		{[]float64{0.1, 0.2, -0.1}, figures.Cases{Open: 1}},
		{[]float64{math.NaN(), math.NaN()}, figures.Cases{}},
	} {
		var got figures.Cases
		if addAgreed(&got, len(c.differences), c.differences); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.differences, got, c.want)
		}
	}
}

// The counts are those of the differences in the figures' tables, and each claim is the paper's.
func TestAccuracy(t *testing.T) {
	if testing.Short() { // one data set of each figure
		all := compared
		compared = [][]Trained{all[0][:1], all[1][:1], all[2][:1], all[3][:1]}
		defer func() { compared = all }()
	}
	r, err := Accuracy()
	if err != nil {
		t.Fatal(err)
	}
	var want figures.Cases
	for _, e := range compared[2] {
		stored, err := bank.Largest(e.Experiment)
		if err != nil {
			t.Fatal(err)
		}
		b := stored.Result
		bias := baselineBias(b.OnTestData(), law.Poisson{MeanRepeats: e.MeanRepeats}, b.Config.Runs)
		differences := make([][]float64, len(e.config(stored.Profile, "").Epsilons)) // of each repeat
		for s := range b.Repeats {
			one, err := tuning(b.Repeat(s), "one repeat", e.config(stored.Profile, "one repeat"), TuningResult{})
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range one.Paper {
				lead := d.OverBaseline2.Value
				differences[i] = append(differences[i], lead, lead+at(one.Methods[baseline].Paper, bias, d.Epsilon))
			}
		}
		for _, list := range differences {
			addAgreed(&want, b.Repeats, list)
		}
	}
	joint := r.Claims[2]
	if joint.Figures != "Figures 4 and 7" || !joint.Joint || joint.Variant2 != want {
		t.Errorf("%+v, want variant 2 at %+v", joint, want)
	}
	rows := r.Table().Rows
	if len(rows) != 12 || rows[2][1] != "variant 1" || rows[8][1] != "variant 2" || rows[8][2] != "variant 1" {
		t.Errorf("rows %v", rows)
	}
}

// An axis of learning rates is at least a factor of 10 long, and fits longer curves.
func TestDecade(t *testing.T) {
	r, err := FashionAdam.Digits()
	if err != nil {
		t.Fatal(err)
	}
	rate := r.settingChart("rate", "η", "η", func(s Setting) float64 { return s.LearningRate })
	if got := rate.YMax / rate.YMin; math.Abs(got-10) > 1e-9 {
		t.Errorf("the axis spans a factor of %g, want 10: the rates hardly differ", got)
	}
	long := r.settingChart("rate", "η", "η", func(s Setting) float64 { return math.Pow(s.LearningRate, 40) })
	for _, k := range long.Curves {
		for _, y := range k.Y {
			if y <= long.YMin || y >= long.YMax {
				t.Errorf("%g is not within %g and %g", y, long.YMin, long.YMax)
			}
		}
	}
}

// Failed last trainings are reported at the level with the most of them, with the factor of DP-SGD.
func TestFailures(t *testing.T) {
	r, err := FashionSGD.Digits()
	if err != nil {
		t.Fatal(err)
	}
	r.Bank.LearningRates = []float64{0.01, 0.1, 1}
	r.Choices = []Choice{
		{Chances: []float64{0.1, 0.8, 0.1}, Last: []float64{0.2, 0.9, 0.1}},
		{Chances: []float64{0.3, 0.2, 0.5}, Last: []float64{0.2, 0.9, 0.1}},
	}
	const want = "the last training of variant 2 fails in 80 % of the draws, with η too small in 30 %, too large in 50 %. Its η is 10 times that of the tuning."
	if got := r.failures(); len(got) != 1 || !strings.Contains(got[0], want) || !strings.Contains(got[0], "At ε = "+figures.Short(r.Methods[variant2].Paper[1])) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Choices = r.Choices[:1]
	if got := r.failures(); got != nil {
		t.Errorf("few failures are reported: %q", got)
	}
	if title := r.title(); title != "Like Figures 2 and 5: Embedded digits, 64-32-10, DP-SGD: tuning η" {
		t.Errorf("title %q", title)
	}
}
