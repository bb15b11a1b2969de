package papernot2022

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
)

func smallFigure1() Figure1Config {
	cfg := defaultFigure1(12)
	cfg.HingeWeights = []float64{0.5, 8, 64}
	cfg.SGD.Passes = 200
	return cfg
}

func TestFigure1IsAFunctionOfItsConfig(t *testing.T) {
	first, err := Figure1(smallFigure1())
	if err != nil {
		t.Fatal(err)
	}
	second, err := Figure1(smallFigure1())
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("a second call gave another result (error %v)", err)
	}
	other := smallFigure1()
	other.Seed = "another"
	third, err := Figure1(other)
	if err != nil || reflect.DeepEqual(first.Exact, third.Exact) {
		t.Errorf("another seed gave the same result (error %v)", err)
	}
	checkFigure(t, first.Panels(), first.Compare())
}

// The sentences of Section 2, with half the draws of the quick profile. The exact minimum does not
// lose accuracy without outliers: that row differs, and must go on to.
func TestFigure1AgainstTheText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r, err := Figure1(defaultFigure1(50))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{figures.Inconclusive, figures.Inconclusive, figures.AsTextSays, figures.Differs}
	for i, row := range r.Compare().Rows {
		if row.Verdict() != want[i] {
			t.Errorf("%s: ours %g ± %g, paper %g: %s, want %s (%s)", row.Quantity, row.Ours, row.OursErr, row.Reference, row.Verdict(), want[i], row.Source)
		}
	}
	for name, l := range map[string]TuningLeak{"exact": r.Exact, "SGD": r.SGD} {
		if l.Advantage < 5*l.AdvantageStdErr { // an observer who learns nothing: chance 3e-7
			t.Errorf("%s: advantage %g ± %g: the paper's point is that it is not 0", name, l.Advantage, l.AdvantageStdErr)
		}
	}
}

func TestTuningLeakByHand(t *testing.T) {
	weights := []float64{1, 2, 4}
	low, high, tie := []float64{1, 0.5, 0.5}, []float64{0.5, 0.5, 1}, []float64{0.9, 0.9, 0.9}
	l := newTuningLeak(weights, [][]float64{low, low, low, low}, [][]float64{high, high, high, high})
	if l.Advantage != 1 || l.AdvantageStdErr != 0 {
		t.Errorf("weights that tell all: advantage %g ± %g: want 1 ± 0", l.Advantage, l.AdvantageStdErr)
	}
	l = newTuningLeak(weights, [][]float64{low, high, low, high}, [][]float64{low, high, low, high})
	if l.Advantage != 0 {
		t.Errorf("weights that tell nothing: advantage %g: want 0", l.Advantage)
	}
	c := newAccuracyCurve(weights, [][]float64{low, high, high, tie})
	if want := []float64{0.5, 0, 0.5}; !slices.Equal(c.Chosen, want) {
		t.Errorf("chosen %v: want %v (a tie goes to the smallest)", c.Chosen, want)
	}
	if c.Low10 != 1 || c.Median != 1 || c.High90 != 4 {
		t.Errorf("quantiles %g, %g, %g: want 1, 1, 4", c.Low10, c.Median, c.High90)
	}
	if math.Abs(c.Mean[0]-0.725) > 1e-15 || c.Low[2] != 0.5 || c.High[2] != 1 {
		t.Errorf("mean %v, low %v, high %v", c.Mean, c.Low, c.High)
	}
}

func TestFigure1Refuses(t *testing.T) {
	cases := []struct {
		spoil func(c *Figure1Config)
		want  string
	}{
		{func(c *Figure1Config) { c.HingeWeights = nil }, "HingeWeights has 0 values"},
		{func(c *Figure1Config) { c.HingeWeights[1] = math.NaN() }, "HingeWeights[1] NaN"},
		{func(c *Figure1Config) { c.HingeWeights[1] = 0.1 }, "HingeWeights[1] 0.1: must be above"},
		{func(c *Figure1Config) { c.HingeWeights[0] = 0 }, "HingeWeights[0] 0"},
		{func(c *Figure1Config) { c.Outliers = 0 }, "Outliers 0"},
		{func(c *Figure1Config) { c.Repeats = 1 }, "Repeats 1"},
		{func(c *Figure1Config) { c.SGD.LearningRate = -1 }, "LearningRate -1"},
		{func(c *Figure1Config) { c.SGD.Passes = 0 }, "Passes 0"},
	}
	for _, c := range cases {
		cfg := smallFigure1()
		c.spoil(&cfg)
		if _, err := Figure1(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one with %q", err, c.want)
		}
	}
}

func TestForEachReturnsTheFirstError(t *testing.T) {
	fault := errors.New("third")
	err := forEach(10, func(i int) error {
		if i >= 3 {
			return errors.Join(fault, errors.New("later"))
		}
		return nil
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v", err)
	}
	if err := forEach(0, nil); err != nil {
		t.Errorf("no work: %v", err)
	}
}

// checkFigure validates what a figure shows.
func checkFigure(t *testing.T, figure figures.Figure, comparison figures.Comparison) {
	t.Helper()
	if err := figure.Validate(); err != nil {
		t.Error(err)
	}
	if err := comparison.Validate(); err != nil {
		t.Error(err)
	}
	if len(comparison.Rows) == 0 {
		t.Error("the comparison is empty")
	}
}

// checkRows fails for every row that does not agree with the paper, and shows its source.
func checkRows(t *testing.T, comparison figures.Comparison, skip func(figures.ComparisonRow) bool) {
	t.Helper()
	for _, row := range comparison.Rows {
		if v := row.Verdict(); !row.Holds() && v != figures.NoReference && !skip(row) {
			t.Errorf("%s: ours %.12g, paper %.12g ± %g: %s (%s)", row.Quantity, row.Ours, row.Reference, row.AbsErr, v, row.Source)
		}
	}
}

func none(figures.ComparisonRow) bool { return false }
