package chart_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestNumbersSurviveJSON(t *testing.T) {
	want := chart.Series{0, -0.1, 1.0 / 3, 1e300, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if text := `[0,-0.1,0.3333333333333333,1e+300,5e-324,1.7976931348623157e+308,"Infinity","-Infinity","NaN"]`; string(data) != text {
		t.Errorf("got %s, want %s", data, text)
	}
	var got chart.Series
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: read back %d numbers, want %d", data, len(got), len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Errorf("%s: number %d is %g, want %g", data, i, got[i], want[i])
		}
	}
}

func TestNumbersRefuseOtherText(t *testing.T) {
	for _, text := range []string{`["1"]`, `["+Inf"]`, `[true]`, `[{}]`, `{}`, `[1,`} {
		var n chart.Series
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s was read as %v, want an error", text, n)
		}
	}
}

// The wanted values are the decimal roundings.
func TestRound(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   float64
	}{{1.0 / 3, 3, 0.333}, {-123456, 2, -120000}, {0, 9, 0}, {9.9996, 4, 10}, {math.Inf(1), 3, math.Inf(1)}, {math.MaxFloat64, 2, math.MaxFloat64}} {
		if got := chart.Round(c.v, c.digits); got != c.want {
			t.Errorf("Round(%g, %d) = %g, want %g", c.v, c.digits, got, c.want)
		}
	}
	if got := chart.Round(math.NaN(), 3); !math.IsNaN(got) {
		t.Errorf("Round(NaN, 3) = %g", got)
	}
}

func TestChartSurvivesJSON(t *testing.T) {
	for _, want := range []chart.Chart{samples.Curves(), samples.Mixed()} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got chart.Chart
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(data) || got.Curves[1].Kind != want.Curves[1].Kind {
			t.Errorf("chart %s changed on the way through JSON:\n%s\n%s", want.Name, data, again)
		}
	}
	var k chart.Kind
	if err := json.Unmarshal([]byte(`"pie"`), &k); err == nil {
		t.Error(`kind "pie" was read`)
	}
}

func TestRoundedLeavesTheOriginal(t *testing.T) {
	c := chart.Chart{Curves: []chart.Curve{{X: chart.Series{1.0 / 3}, Y: chart.Series{2.0 / 3}, Low: chart.Series{0.123456}, High: chart.Series{math.Inf(1)}}}}
	r := chart.Panels{Charts: []chart.Chart{c}}.Rounded(2).Charts[0].Curves[0]
	if r.X[0] != 0.33 || r.Y[0] != 0.67 || r.Low[0] != 0.12 || !math.IsInf(r.High[0], 1) {
		t.Errorf("rounded to two digits: %v", r)
	}
	if c.Curves[0].X[0] != 1.0/3 {
		t.Errorf("rounding changed the original to %g", c.Curves[0].X[0])
	}
}
