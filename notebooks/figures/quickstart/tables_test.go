package quickstart

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
)

// Student's 0.975 quantile with 4 degrees of freedom is 2.776 in every table; the differences 1, 2,
// 3, 4, 5 have mean 3 and standard error sqrt(2.5/5).
func TestPairedDifference(t *testing.T) {
	got := pairedDifference([]float64{11, 22, 33, 44, 55}, []float64{10, 20, 30, 40, 50})
	half := 2.776 * math.Sqrt(0.5)
	if got.Estimate != 3 || math.Abs(got.Low-(3-half)) > 1e-3 || math.Abs(got.High-(3+half)) > 1e-3 {
		t.Errorf("got %+v, want 3 ± %.4f", got, half)
	}
}

// A copy scaled by 2 has half the spread whatever is left out; of values without spread nothing is
// known.
func TestSpreadRatio(t *testing.T) {
	a, b := []float64{1, 4, 2, 8, 5, 7}, []float64{2, 8, 4, 16, 10, 14}
	if got := spreadRatio(a, b); math.Abs(got.Low-0.5) > 1e-12 || math.Abs(got.High-0.5) > 1e-12 {
		t.Errorf("got %+v, want 0.5", got)
	}
	for _, none := range [][]float64{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 2}} {
		if got := spreadRatio(a, none); got.Low != 0 || !math.IsInf(got.High, 1) {
			t.Errorf("against %v: got %+v, want 0 to +Inf", none, got)
		}
	}
	if got := spreadRatio(a[:2], b[:2]); got.Low != 0 || !math.IsInf(got.High, 1) {
		t.Errorf("two values: got %+v, want 0 to +Inf", got)
	}
}

// The columns of differences follow the numbers, and change their signs with the order of two arms.
func TestAccuraciesAreCompared(t *testing.T) {
	narrow := []float64{0.90, 0.91, 0.92, 0.91, 0.90, 0.92}
	wide := []float64{0.60, 0.85, 0.70, 0.88, 0.75, 0.80}
	r := Accuracies{Delta: 1e-5, Arms: []Arm{{tunedArm, 4, narrow}, {"a", 3, wide}, {"free", math.Inf(1), []float64{0.95, 0.96, 0.95, 0.96, 0.95, 0.96}}}}
	rows := r.Table().Rows
	if !strings.HasPrefix(rows[1][6], "+14.7 (") || !strings.HasPrefix(rows[2][6], "-4.5 (") || rows[0][6] != "" {
		t.Errorf("rows %q", rows)
	}
	if d := pairedDifference(narrow, wide); d.Low <= 0 {
		t.Errorf("difference %+v: want it resolved", d)
	}
	r.Arms[0].Accuracies, r.Arms[1].Accuracies = wide, narrow
	if rows := r.Table().Rows; !strings.HasPrefix(rows[1][6], "-14.7 (") {
		t.Errorf("rows %q", rows)
	}
}

func TestTuningTableFollowsThePrice(t *testing.T) {
	r := Tuning{
		Law: law.Poisson{MeanRepeats: 3.5}, WithoutScore: 4, Published: 7,
		Price: accounting.Price{OneRun: accounting.Guarantee{Epsilon: accounting.UpperBound(2)}, Bounds: []accounting.Bound{
			{Name: "ours", Epsilon: 4}, {Name: "Theorem 2", Epsilon: 5, Published: true}, {Name: "last", Epsilon: 6, Published: true}}},
	}
	if got := (Released{"x", 0.5, 100}).Table().Rows; got[0][1] != "x" || got[1][1] != "50.0 % ± 5.0 % (standard error of 100 test examples)" {
		t.Errorf("rows %q", got)
	}
	table := r.Table()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	if rows := table.Rows; rows[1][1] != "4.0000" || rows[4][1] != "4.0000" || rows[5][0] != "4 models, all published" || rows[5][1] != "7.0000" {
		t.Errorf("rows %q", rows)
	}
	if note := table.Notes[0]; !strings.Contains(note, "costs 2.00 times") || !strings.Contains(note, "“ours”, is ours; by published results only it costs ε <= 5.0000") {
		t.Errorf("note %q", note)
	}
	r.Price.Bounds = r.Price.Bounds[2:]
	if note := r.Table().Notes[0]; !strings.HasSuffix(note, "costs 3.00 times the ε of one run.") {
		t.Errorf("note %q of a bound that stands in a paper", note)
	}
}

// At µ 0.597139 and false positive rate 0.282 the region of ε = 1.0082 allows 0.738 and the exact
// curve 0.508 (computed with Python's statistics.NormalDist): the edge of a true bound's region may
// be above the exact curve.
func TestEdgeOfTheRegion(t *testing.T) {
	r := Audit{NoiseMultiplier: 1 / 0.597139}
	region := audit.EpsilonDelta{Epsilon: 1.0082, Delta: 1e-5}
	if edge, exact := region.TPR(0.282), r.curve().TPR(0.282); math.Abs(edge-0.738) > 5e-4 || math.Abs(exact-0.508) > 5e-4 {
		t.Errorf("the region allows %g, the exact curve %g", edge, exact)
	}
}

// The second is that of the same steps without sampling.
func TestOneRunHasBothPrices(t *testing.T) {
	r := OneRun{Guarantee: accounting.Guarantee{Epsilon: accounting.UpperBound(1)}, Unsampled: accounting.Guarantee{Epsilon: accounting.UpperBound(8)}}
	if got := r.Answers(); len(got) != 2 || got[0].Epsilon.Upper != 1 || got[1].Epsilon.Upper != 8 {
		t.Errorf("answers %v", got)
	}
}
