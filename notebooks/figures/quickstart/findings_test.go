package quickstart

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/audit"
)

func says(t *testing.T, findings []string, parts ...string) {
	t.Helper()
	text := strings.Join(findings, "\n")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("findings lack %q:\n%s", part, text)
		}
	}
}

// Student's 0.975 quantile with 4 degrees of freedom is 2.776 in every table; the differences 1, 2, 3, 4, 5 have
// mean 3 and standard error sqrt(2.5/5).
func TestPairedDifference(t *testing.T) {
	got := pairedDifference([]float64{11, 22, 33, 44, 55}, []float64{10, 20, 30, 40, 50})
	half := 2.776 * math.Sqrt(0.5)
	if got.Estimate != 3 || math.Abs(got.Low-(3-half)) > 1e-3 || math.Abs(got.High-(3+half)) > 1e-3 {
		t.Errorf("got %+v, want 3 ± %.4f", got, half)
	}
}

// A copy scaled by 2 has half the spread whatever is left out; of values without spread nothing is known.
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

// Each order of two arms, and none, is said as it is.
func TestFindingsOfAccuraciesFollowTheNumbers(t *testing.T) {
	narrow := []float64{0.90, 0.91, 0.92, 0.91, 0.90, 0.92}
	wide := []float64{0.60, 0.85, 0.70, 0.88, 0.75, 0.80}
	r := Accuracies{Delta: 1e-5, Arms: []Arm{
		{tunedArm, 4, narrow}, {"a", 3, wide}, {"b", 4, narrow[1:]}, {"free", math.Inf(1), []float64{0.95, 0.96, 0.95, 0.96, 0.95, 0.96}},
	}}
	r.Arms[2].Accuracies = []float64{0.92, 0.90, 0.91, 0.92, 0.91, 0.90}
	says(t, r.Findings(), "over 6 seeds", "Against “a” (ε 3.000): “tuned privately” is 14.7 points better", "The spread of “tuned privately” is smaller",
		"Against “b” (ε 4.000): which is better on average is not resolved by 6 seeds", "Which has the smaller spread is not resolved by 6 seeds",
		"“free” reaches 95.5 %: “free” is 4.5 points better")
	r.Arms[0].Accuracies, r.Arms[1].Accuracies = wide, narrow
	says(t, r.Findings(), "“tuned privately” is 14.7 points worse", "The spread of “tuned privately” is larger")
}

func TestFindingsOfTuningFollowThePrice(t *testing.T) {
	r := Tuning{
		Law: law.Poisson{MeanRepeats: 3.5}, WithoutScore: 4, Published: 7,
		Price: accounting.Price{OneRun: accounting.Guarantee{Epsilon: accounting.UpperBound(2)}, Bounds: []accounting.Bound{
			{Name: "ours", Epsilon: 4}, {Name: "Theorem 2", Epsilon: 5, Published: true}, {Name: "last", Epsilon: 6, Published: true}}},
	}
	says(t, Released{"x", 0.5, 100}.Findings(), "Released: x.", "50.0 % ± 5.0 % (standard error of 100 test examples)")
	says(t, r.Findings(), "ε <= 4.0000, 2.00 times", "“ours”, is ours; by published results alone it costs ε <= 5.0000",
		"ε <= 5.0000, number 2 of the 3 bounds", "scores cost nothing", "to publish 4 models, however well they do, costs ε <= 7.0000")
	r.Price.Bounds, r.WithoutScore, r.Published = r.Price.Bounds[2:], 5.5, 6
	says(t, r.Findings(), "“last”, stands in a paper", "are part of the price: were they for free, the search would cost ε <= 5.5000", "no more than the search")
	if text := strings.Join(r.Findings(), "\n"); strings.Contains(text, "Theorem 2") {
		t.Errorf("Theorem 2 is not among the bounds, and the findings have it:\n%s", text)
	}
}

// At µ 0.597139 and false positive rate 0.282 the region of ε = 1.0082 allows 0.738 and the exact curve 0.508; the edge is
// above at 22 of the 61 rates drawn, 0.071 to 0.79 (computed with Python's statistics.NormalDist).
func TestEdgeOfTheRegion(t *testing.T) {
	r := Audit{NoiseMultiplier: 1 / 0.597139, Exact: 2.4318}
	region := audit.EpsilonDelta{Epsilon: 1.0082, Delta: 1e-5}
	says(t, []string{r.edge(region)}, "from 0.071 to 0.79, by up to 0.23", "no contradiction")
	region.Epsilon = 0
	says(t, []string{r.edge(region)}, "nowhere above the exact curve")
	region.Epsilon = 3
	says(t, []string{r.edge(region)}, "That bound is false")
}

func TestFalseBoundsAreNamed(t *testing.T) {
	r := Audit{Exact: 1, Games: []Game{{Report: audit.Report{Confidence: 0.95, Bounds: []audit.Bound{
		{Name: "low", Epsilon: 0.5, Confidence: 0.95}, {Name: "high", Epsilon: 1.5, Confidence: 0.95}, {Name: "uncorrected", Epsilon: 2}}}}}}
	says(t, []string{r.holding()}, "some of 2 bounds are false, each of which may be with chance 0.05: high says ε >= 1.5000.")
	r.Exact = 1.6
	says(t, []string{r.holding()}, "All 2 bounds with a confidence are true")
}
