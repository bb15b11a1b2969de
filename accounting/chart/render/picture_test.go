package render

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/dplab/dplab/accounting/chart"
)

// foreign is a plot with axis labels and a legend.
func foreign(t *testing.T) *plot.Plot {
	t.Helper()
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "Own title", "weight 1", "weight 2"
	line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 1}, {X: 10, Y: 2}, {X: 100, Y: 4}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(line)
	p.Legend.Add("path", line)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	return p
}

// A picture has the size, title and formats of a figure, and the plot of the caller is left as it
// is.
func TestPicture(t *testing.T) {
	p := foreign(t)
	one := chart.Chart{Name: "c", Title: "t", XLabel: "x", YLabel: "y", Curves: []chart.Curve{{X: chart.Series{1}, Y: chart.Series{1}}}}
	for name, f := range map[string]chart.Figure{
		"screen": Picture{Name: "p", Title: "A surface", Plot: p}, "own title": Picture{Name: "p", Plot: p},
		"column": Print{Figure: Picture{Name: "p", Title: "A surface", Plot: p}, Paper: Column, Made: "Made by dplab"},
	} {
		svg, err := SVG(f)
		if err != nil {
			t.Fatal(err)
		}
		title := map[string]string{"screen": "A surface", "own title": "Own title", "column": "<title>A surface</title>"}[name]
		for _, text := range []string{title, "weight 1", "weight 2", "path", "Liberation Sans"} {
			if !strings.Contains(string(svg), text) {
				t.Errorf("%s: the SVG has no %q", name, text)
			}
		}
		image, err := PNG(f)
		if err != nil {
			t.Fatal(err)
		}
		pixels, err := png.DecodeConfig(bytes.NewReader(image))
		want := pixels
		if other, err := PNG(one); err == nil && name != "column" {
			want, _ = png.DecodeConfig(bytes.NewReader(other))
		}
		if err != nil || pixels.Width != want.Width || pixels.Height != want.Height {
			t.Errorf("%s: %d x %d pixels (%v), want %d x %d", name, pixels.Width, pixels.Height, err, want.Width, want.Height)
		}
		if pdf, err := PDF(f); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
			t.Errorf("%s: PDF %.8q, %v", name, pdf, err)
		}
	}
	if p.Title.Text != "Own title" || p.BackgroundColor == nil {
		t.Error("the caller's plot has changed")
	}
	if caption := (Print{Figure: Picture{Name: "p", Title: "A surface", Plot: p}, Paper: Page, Made: "Made by dplab"}).Caption(); caption != "A surface.\nMade by dplab.\n" {
		t.Errorf("caption %q", caption)
	}
}

func TestPictureRefuses(t *testing.T) {
	zero := foreign(t)
	zero.X.Min = 0 // on a log axis
	for want, p := range map[string]Picture{
		`picture name "A"`:             {Name: "A", Plot: foreign(t)},
		"plot is nil":                  {Name: "p"},
		"picture p: gonum/plot: ":      {Name: "p", Plot: zero},
		"the font has no '∈' (U+2208)": {Name: "p", Title: "x ∈ A", Plot: foreign(t)},
	} {
		if _, err := SVG(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
