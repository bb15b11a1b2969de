package figures_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

// By hand: 1, 2, 3 has the mean 2, the standard deviation 1, and a standard error of 1/√3.
func TestEstimate(t *testing.T) {
	e := figures.EstimateOf([]float64{1, 2, 3})
	if e.Mean != 2 || e.StdDev != 1 || math.Abs(e.StdErr()-1/math.Sqrt(3)) > 1e-15 {
		t.Errorf("%+v, standard error %g", e, e.StdErr())
	}
	// A table of Student's t has 4.302653 for ν = 2 and 2.262157 for ν = 9 at 97.5 %.
	if ten := (figures.Estimate{StdDev: 2, N: 10}).HalfWidth(); math.Abs(e.HalfWidth()-4.302653/math.Sqrt(3)) > 1e-6 || math.Abs(ten-2*2.262157/math.Sqrt(10)) > 1e-6 {
		t.Errorf("half-widths %g and %g", e.HalfWidth(), ten)
	}
	if far := figures.EstimateOf([]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}); far.StdDev != 1 {
		t.Errorf("far from 0: %+v", far)
	}
	d, err := e.Above(figures.Estimate{Mean: 0.5, StdDev: 2, N: 3})
	if d != 1.5 || math.Abs(err-2*math.Sqrt(5.0/3)) > 1e-15 {
		t.Errorf("difference %g ± %g", d, err)
	}
	c := figures.Means(chart.Curve{Label: "x"}, []figures.Estimate{e, e}, 2, figures.Estimate.Spread)
	if !slices.Equal(c.Y, chart.Series{2, 2}) || !slices.Equal(c.Low, chart.Series{0, 0}) || !slices.Equal(c.High, chart.Series{4, 4}) {
		t.Errorf("curve %+v", c)
	}
	if got := figures.PlusMinus(2, 1.151) + " " + figures.Percent(0.1234, 1); got != "2.00 ± 1.15 12.3 %" {
		t.Error(got)
	}
}

// One resolved case against a sentence makes its row differ, and open cases leave it inconclusive.
func TestCases(t *testing.T) {
	v := papers.Value{Quantity: "x", Number: 1, Source: papers.Source{Paper: "p", Where: "w", Read: papers.Stated}}
	never := v
	never.Number = 0
	for _, c := range []struct {
		cases  figures.Cases
		v      papers.Value
		want   string
		share  float64
		margin float64
	}{
		{figures.Cases{Hold: 3}, v, figures.AsTextSays, 1, 0},
		{figures.Cases{Hold: 2, Fail: 1}, v, figures.Differs, 2.0 / 3, 0},
		{figures.Cases{Hold: 2, Open: 2}, v, figures.Inconclusive, 0.75, 0.25},
		{figures.Cases{Hold: 3, Fail: 1, Open: 6}, v, figures.Differs, 0.6, 0.3},
		{figures.Cases{Fail: 2}, never, figures.AsTextSays, 0, 0},
		{figures.Cases{}, v, figures.NoOurs, math.NaN(), 0},
	} {
		row := c.cases.Against(c.v)
		if share, margin := c.cases.Share(); math.Abs(share-c.share) > 1e-15 || math.Abs(margin-c.margin) > 1e-15 || row.Verdict() != c.want {
			t.Errorf("%+v: share %g ± %g, %s: want %g ± %g, %s", c.cases, share, margin, row.Verdict(), c.share, c.margin, c.want)
		}
	}
	var c figures.Cases
	for _, x := range []float64{2, 0.5, -0.5, -2, math.NaN()} {
		c.Add(x, 1)
	}
	c.AddIf(true)
	c.AddIf(false)
	if want := (figures.Cases{Hold: 2, Fail: 2, Open: 3}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	c = figures.Cases{}
	c.Add(0, 0)
	if c.Fail != 1 {
		t.Errorf("a difference of 0 that is exact: %+v", c)
	}
}

// By hand: 1, 2, 3, 4, 5 have the mean 3 and the standard deviation √2.5; t_4 at 97.5 % is 2.776
// (table of Student's t).
func TestHalfWidth(t *testing.T) {
	if e := figures.EstimateOf([]float64{1, 2, 3, 4, 5}); e.Mean != 3 || math.Abs(e.HalfWidth()-2.776*math.Sqrt(2.5/5)) > 1e-3 {
		t.Errorf("%g ± %g: want 3 ± 1.963", e.Mean, e.HalfWidth())
	}
	if e := figures.EstimateOf([]float64{7}); e.Mean != 7 || !math.IsNaN(e.HalfWidth()) {
		t.Errorf("one value: %g ± %g: want 7 and no error known", e.Mean, e.HalfWidth())
	}
}

func TestSign(t *testing.T) {
	for _, c := range []struct{ change, err, sign, signErr float64 }{
		{0.5, 0.1, 1, 0}, {-0.5, 0.1, -1, 0}, {0.05, 0.1, 0, 1}, {-0.1, 0.1, 0, 1}, {0, 0, 0, 0}, {1e-9, 0, 1, 0}, {0.5, math.NaN(), 0, 1}, {math.NaN(), 0.1, 0, 1},
	} {
		if sign, signErr := figures.Sign(c.change, c.err); sign != c.sign || signErr != c.signErr {
			t.Errorf("change %g ± %g: sign %g ± %g: want %g ± %g", c.change, c.err, sign, signErr, c.sign, c.signErr)
		}
	}
}

// Bands go from the least to the largest number, and a single number has none.
func TestRangesAndLevel(t *testing.T) {
	c := figures.Ranges(chart.Curve{X: figures.UpTo(2)}, [][]float64{{1, 2, 3}, {4, 6, 8}})
	if !slices.Equal(c.X, chart.Series{1, 2}) || !slices.Equal(c.Y, chart.Series{2, 6}) || !slices.Equal(c.Low, chart.Series{1, 4}) || !slices.Equal(c.High, chart.Series{3, 8}) {
		t.Errorf("%+v", c)
	}
	for _, few := range [][][]float64{{{1}, {4}}, {{0, 2}, {3, 5}}, {{0, 1, 2}, {3, 5}}} {
		if c := figures.Ranges(chart.Curve{}, few); !slices.Equal(c.Y, chart.Series{1, 4}) || c.Low != nil || c.High != nil {
			t.Errorf("%v: %+v", few, c)
		}
	}
	if c := figures.Level("x", []float64{1, 5, 9}, 2); !c.Reference || !slices.Equal(c.X, chart.Series{1, 9}) || !slices.Equal(c.Y, chart.Series{2, 2}) {
		t.Errorf("%+v", c)
	}
}

// A row keeps what it was given, and cases without one add no row.
func TestRowsOfCases(t *testing.T) {
	v := papers.Value{Quantity: "x", Number: 1, Source: papers.Source{Paper: "p", Where: "w", Read: papers.Stated}}
	var c figures.Comparison
	figures.Cases{}.AddTo(&c, v, "")
	figures.Cases{Hold: 1, Open: 1}.AddTo(&c, v, "")
	figures.Cases{Fail: 1}.AddTo(&c, v, "another setup")
	if len(c.Rows) != 2 || c.Rows[0].Ours != 0.75 || c.Rows[1].Verdict() != figures.NoReference {
		t.Errorf("%+v", c.Rows)
	}
	if r := figures.Against(v, 2).Of(", y").WithErr(0.5).WithNote("%d", 3); r.Quantity != "x, y" || r.OursErr != 0.5 || r.Note != "3" || r.Verdict() != figures.Differs {
		t.Errorf("%+v", r)
	}
	if a, err := figures.ByProfile("p", "full", 1, 2); a != 2 || err != nil {
		t.Errorf("profile full: %d, %v", a, err)
	}
	if _, err := figures.ByProfile("p", "mid", 1, 2); err == nil {
		t.Error("profile mid is accepted")
	}
}

// The bars of several curves are at places of their own, five of each curve, on its means.
func TestMeansAndBars(t *testing.T) {
	const n = 5
	x, lists := figures.UpTo(25), make([][]float64, 25)
	for i := range lists {
		lists[i] = []float64{float64(i), float64(i + 1), float64(i + 2)}
	}
	seen := map[float64]bool{}
	for i := range n {
		curves := figures.MeansAndBars(chart.Curve{X: x, Color: i + 1}, lists, i, n)
		if len(curves) != 2 || len(curves[0].Low) != 0 || len(curves[1].X) != 5 || curves[1].Color != i+1 {
			t.Fatalf("curve %d: %+v", i, curves)
		}
		for k, at := range curves[1].X {
			if seen[at] {
				t.Errorf("two bars at %g", at)
			}
			seen[at] = true
			if y := curves[1].Y[k]; y != at || curves[1].Low[k] != at-1 || curves[1].High[k] != at+1 {
				t.Errorf("at %g: %g from %g to %g", at, y, curves[1].Low[k], curves[1].High[k])
			}
		}
	}
	if few := figures.MeansAndBars(chart.Curve{X: x[:2], Color: 1}, lists[:2], 0, 1); len(few[1].X) != 2 {
		t.Errorf("two places have %d bars", len(few[1].X))
	}
	if pair := figures.MeansAndBars(chart.Curve{X: x[:1], Color: 1}, [][]float64{{3, 4}}, 0, 1); len(pair) != 1 {
		t.Errorf("two numbers: %+v", pair)
	}
}
