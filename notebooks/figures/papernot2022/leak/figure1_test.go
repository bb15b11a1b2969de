package leak

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/papernot2022/internal/figuretest"
)

func smallFigure1() Figure1Config {
	cfg := DefaultFigure1(12)
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
	figuretest.Figure(t, first.Figure(), first.Compare())
}

// The sentences of Section 2, with half the draws of the quick profile. Accuracy without outliers
// falls under the descent; under the exact minimum 50 draws see no change.
func TestFigure1AgainstTheText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r, err := Figure1(DefaultFigure1(50))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{figures.Inconclusive, figures.Inconclusive, figures.AsTextSays, figures.Inconclusive}
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
	// Too few draws for an interval: it is all weights.
	if c.MedianErr != 3 {
		t.Errorf("error of the median %g: want 3, the distance to the largest weight", c.MedianErr)
	}
	if math.Abs(c.Mean[0]-0.725) > 1e-15 || c.Low[2] != 0.5 || c.High[2] != 1 {
		t.Errorf("mean %v, low %v, high %v", c.Mean, c.Low, c.High)
	}
}

// The median of 100 draws has rank 50, and its 95% interval the ranks 40 and 61 (binomial of 100
// and 1/2: 39 or fewer below have chance 0.018).
func TestMedianErrByHand(t *testing.T) {
	weights := []float64{1, 2, 3, 4, 5}
	draw := func(best int) []float64 {
		row := make([]float64, len(weights))
		row[best] = 1
		return row
	}
	draws := func(counts ...int) (out [][]float64) {
		for best, n := range counts {
			for range n {
				out = append(out, draw(best))
			}
		}
		return out
	}
	for _, c := range []struct {
		counts []int
		want   float64
	}{
		{[]int{0, 39, 22, 39, 0}, 0.5}, // ranks 40 to 61 are all weight 3
		{[]int{0, 41, 20, 39, 0}, 1},   // rank 40 is weight 2
		{[]int{0, 39, 21, 0, 40}, 2},   // rank 61 is weight 5
	} {
		if got := newAccuracyCurve(weights, draws(c.counts...)); got.Median != 3 || got.MedianErr != c.want {
			t.Errorf("%v: median %g ± %g: want 3 ± %g", c.counts, got.Median, got.MedianErr, c.want)
		}
	}
}

// Three draws on weights 1, 2, 4: lines over ln α through the ends, so that the rises are the
// differences of the ends.
func TestChangeAndPeakByHand(t *testing.T) {
	weights := []float64{1, 2, 4}
	c := newAccuracyCurve(weights, [][]float64{{0.5, 0.6, 0.7}, {0.5, 0.5, 0.5}, {0.4, 0.6, 0.8}})
	if math.Abs(c.Change-0.2) > 1e-12 || math.Abs(c.ChangeStdErr-0.2/math.Sqrt(3)) > 1e-12 {
		t.Errorf("change %g ± %g: want 0.2 ± 0.2/√3", c.Change, c.ChangeStdErr)
	}
	// The largest weight is 0.1 ± 0.058 above the middle one and 0.2 ± 0.115 above the first:
	// neither is told from it.
	if c.Peak != 4 || c.PeakLow != 1 || c.PeakHigh != 4 {
		t.Errorf("peak %g in [%g, %g]: want 4 in [1, 4]", c.Peak, c.PeakLow, c.PeakHigh)
	}
	c = newAccuracyCurve(weights, [][]float64{{0.5, 0.9, 0.7}, {0.5, 0.9, 0.6}, {0.6, 0.9, 0.7}})
	if c.Peak != 2 || c.PeakLow != 2 || c.PeakHigh != 2 {
		t.Errorf("peak %g in [%g, %g]: want 2 alone", c.Peak, c.PeakLow, c.PeakHigh)
	}
}

// The verdicts and the table follow the draws.
func TestFigure1FollowsTheDraws(t *testing.T) {
	weights := []float64{1, 8, 64}
	falls := [][]float64{{1, 0.9, 0.8}, {1, 0.9, 0.8}, {1, 0.8, 0.8}}
	grows := [][]float64{{0.8, 0.9, 1}, {0.8, 0.9, 1}, {0.8, 0.8, 1}}
	flat := [][]float64{{0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}}
	turns := [][]float64{{0.8, 1, 0.9}, {0.8, 1, 0.8}, {0.7, 1, 0.8}}
	result := func(without, with [][]float64) Figure1Result {
		cfg := DefaultFigure1(3)
		leak := newTuningLeak(weights, without, with)
		return Figure1Result{Config: cfg, Exact: leak, SGD: leak}
	}
	for _, c := range []struct {
		without, with [][]float64
		verdict       string
		chance, peak  string // of the table
	}{
		{falls, turns, figures.AsTextSays, "1.00 ± 0.33", "8"},
		{grows, grows, figures.Differs, "0 ± 0.33", "64"},
		{flat, falls, figures.Inconclusive, "0 ± 0.33", "1"},
	} {
		r := result(c.without, c.with)
		if row := r.Compare().Rows[2]; row.Verdict() != c.verdict {
			t.Errorf("%s: ours %g ± %g: %s, want %s", row.Quantity, row.Ours, row.OursErr, row.Verdict(), c.verdict)
		}
		table := r.Table()
		if row := table.Rows[0]; row[3] != c.chance || row[5] != c.peak || !strings.HasPrefix(table.Notes[0], "1 of 3 weights are in [6, 10]") {
			t.Errorf("row %q, note %q: want the chance %s and a peak at %s", row, table.Notes[0], c.chance, c.peak)
		}
	}
	r := result(falls, turns)
	r.Config.Outliers = 2
	if v := r.Compare().Rows[0].Verdict(); v != figures.NoReference {
		t.Errorf("another number of outliers than the paper's: %s", v)
	}
}

func TestFigure1Refuses(t *testing.T) {
	cases := []struct {
		spoil func(c *Figure1Config)
		want  string
	}{
		{func(c *Figure1Config) { c.HingeWeights = nil }, "HingeWeights is empty"},
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
