package render

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
)

// The remark about arrows stands below the figures that have one, and only there.
func TestRemarkStandsWhereAnArrowIs(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x, y       float64
		xLog, yLog bool
		want       string
	}{
		{1.5, inf, false, false, "upper"}, {1.5, -inf, false, false, "lower"}, {1, inf, false, true, "upper"}, {2, 0, true, true, "lower"},
		{1.5, -3, false, true, "lower"}, {1.5, 1e-310, false, true, "lower"}, {1.5, 2e300, true, true, "upper"},
		{0, 0, true, true, ""}, // as a trade-off curve starts on two log axes: it has no place on the x axis
		{inf, inf, false, false, ""}, {0.5, inf, false, false, ""}, {2.5, 0, true, true, ""}, {nan, inf, false, false, ""}, {1.5, nan, false, true, ""},
		{1.5, 0, false, false, ""}, {1.5, 100, false, false, ""}, // beyond the axis, but it could be shown
	} {
		chart := chart.Chart{Name: "c", XLabel: "x", YLabel: "y", XLog: c.xLog, YLog: c.yLog, XMin: 1, XMax: 2, YMin: 1, YMax: 2,
			Curves: []chart.Curve{{Kind: chart.Points, X: chart.Series{c.x}, Y: chart.Series{c.y}}}}
		notes := strings.Join(newLayout(chart).notes, " ")
		if got := strings.Contains(notes, "An arrow at the "+c.want); got != (c.want != "") || strings.Count(notes, "arrow") > 1 {
			t.Errorf("(%g, %g), log %v, %v: notes %q, want %q", c.x, c.y, c.xLog, c.yLog, notes, c.want)
		}
		if drawn := len(strokes(chart)); (drawn == 2) != (c.want != "") || drawn != 0 && drawn != 2 {
			t.Errorf("(%g, %g), log %v, %v: %d paths are drawn, want 2 for an arrow %q", c.x, c.y, c.xLog, c.yLog, drawn, c.want)
		}
	}
}
