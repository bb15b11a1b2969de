package curves

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/dptune/dpsgd"
)

var nan = math.NaN()

// equal compares numbers, NaN with NaN.
func equal(a, b chart.Series) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// Means and ranges by hand, with a replica that has not reached the last point, and one that has
// diverged.
func TestChart(t *testing.T) {
	panels, err := Chart("σ = 1", Run{Label: "three", Curve: dpsgd.LearningCurve{
		Steps:    []int{10, 20, 30},
		Accuracy: [][]float64{{0.25, 0.5, 0.75}, {0.5, 0.75, nan}, {0.75, 1, 0.25}},
		Loss:     [][]float64{{1, 2, 3}, {2, 4, nan}, {6, math.Inf(1), 5}},
	}}, Run{Label: "one", Curve: dpsgd.LearningCurve{Steps: []int{30}, Accuracy: [][]float64{{1}}, Loss: [][]float64{{0}}}})
	if err != nil {
		t.Fatal(err)
	}
	accuracy, loss := panels.Charts[0].Curves, panels.Charts[1].Curves
	if k := accuracy[0]; !equal(k.X, chart.Series{10, 20, 30}) || !equal(k.Y, chart.Series{50, 75, 50}) || !equal(k.Low, chart.Series{25, 50, 25}) || !equal(k.High, chart.Series{75, 100, 75}) {
		t.Errorf("accuracy %+v", k)
	}
	if k := loss[0]; !equal(k.Y, chart.Series{3, nan, 4}) || !equal(k.Low, chart.Series{1, nan, 3}) || !equal(k.High, chart.Series{6, nan, 5}) {
		t.Errorf("loss %+v", k)
	}
	if k := accuracy[1]; k.Label != "one" || k.Kind != chart.Points || k.Low != nil || !equal(k.Y, chart.Series{100}) || k.Color == accuracy[0].Color || loss[1].Color != k.Color {
		t.Errorf("a run of one point is %+v", k)
	}
	if panels.Name != "sigma-1" || len(panels.Notes) != 1 || !strings.Contains(panels.Notes[0], "of up to 3 models") {
		t.Errorf("name %q, notes %q", panels.Name, panels.Notes)
	}
	if _, err := render.SVG(panels); err != nil {
		t.Error(err)
	}
	single, err := Chart("One", Run{Curve: dpsgd.LearningCurve{Steps: []int{1, 2}, Accuracy: [][]float64{{0, 1}}, Loss: [][]float64{{2, 1}}}})
	if err != nil || single.Notes != nil || !reflect.DeepEqual(single.Charts[0].Curves[0].Low, chart.Series(nil)) {
		t.Errorf("one model: %+v, %v", single, err)
	}
}

func TestChartRefuses(t *testing.T) {
	good := dpsgd.LearningCurve{Steps: []int{1}, Accuracy: [][]float64{{0}}, Loss: [][]float64{{1}}}
	short, models := good, good
	short.Steps = []int{1, 2}
	models.Loss = nil
	for want, c := range map[string]struct {
		title string
		runs  []Run
	}{
		"curves: runs: must be at least one":                                                {"a", nil},
		`curves: run 1 (""): must have a label, as there are 2 runs`:                        {"a", []Run{{"", good}, {"b", good}}},
		`curves: run 2 ("b"): Curve has no points: must be of a run with Plan.Evaluate`:     {"a", []Run{{"a", good}, {"b", dpsgd.LearningCurve{}}}},
		`curves: run 1 (""): Curve of model 0 has 1 accuracies and 1 losses: must have 2`:   {"a", []Run{{"", short}}},
		`curves: run 1 (""): Curve.Loss is of 0 models: must be of 1, as Curve.Accuracy is`: {"a", []Run{{"", models}}},
		`curves: chart: title "": must have a Latin or Greek letter, or a digit`:            {"", []Run{{"", good}}},
	} {
		if _, err := Chart(c.title, c.runs...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
