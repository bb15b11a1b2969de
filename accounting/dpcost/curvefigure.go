package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/command"
)

// Lines of the figure. Where both ends are one line on paper, the lower one shows through the dashes.
var (
	blue   = color.NRGBA{R: 31, G: 90, B: 160, A: 255}
	orange = color.NRGBA{R: 200, G: 80, B: 0, A: 255}
	gray   = color.Gray{Y: 150}
)

// lineWidth is in points.
const lineWidth = 1.2

// leastDrawn is the least δ on the logarithmic axis.
const leastDrawn = 1e-300

// draw returns the figure in the format of a path: both ends of the interval, the private one solid.
func (c curve) draw(path string) ([]byte, error) {
	p := plot.New()
	titles := lines(accounting.RoundParameters(c.Mechanism), 80)
	if c.Batches != nil {
		titles = append(titles, lines("Batches: "+c.Batches.Drawn, 80)...)
	}
	p.Title.Text = strings.Join(titles, "\n")
	p.Title.TextStyle.Font.Size, p.Title.Padding = vg.Points(9), vg.Millimeter
	upper, lower := "upper end, "+c.Accountant+", "+c.Neighboring.String(), "lower end"
	if c.Kind == kindTradeOff {
		p.X.Label.Text, p.Y.Label.Text = "type I error (false positive rate)", "type II error (false negative rate)"
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		if err := command.AddLine(p, "guessing", plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 0}}, gray, lineWidth, 2, 2); err != nil {
			return nil, err
		}
	} else {
		p.X.Label.Text, p.Y.Label.Text = "ε (nats)", "δ"
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	}
	ends := []struct {
		name string
		of   func(accounting.Interval) float64
		has  bool
	}{
		{upper, func(i accounting.Interval) float64 { return i.Upper }, true},
		{lower, func(i accounting.Interval) float64 { return i.Lower }, c.Y[0].HasLower},
	}
	for i, e := range ends {
		if !e.has {
			continue
		}
		if err := command.AddLine(p, e.name, c.points(e.of), []color.Color{blue, orange}[i], lineWidth, [][]float64{nil, {4, 2}}[i]...); err != nil {
			return nil, err
		}
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Millimeter
	return command.Draw(p, 14*vg.Centimeter, 11*vg.Centimeter, path)
}

// points of one end; on the logarithmic axis those that are 0 are left out.
func (c curve) points(of func(accounting.Interval) float64) plotter.XYs {
	var out plotter.XYs
	for i, x := range c.X {
		y := of(c.Y[i])
		if c.Kind == kindProfile && !(y >= leastDrawn) {
			continue
		}
		out = append(out, plotter.XY{X: x, Y: y})
	}
	return out
}

// lines breaks text at spaces into at most four lines of about the given width.
func lines(text string, width int) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		if n := len(out); n > 0 && len([]rune(out[n-1]))+1+len([]rune(word)) <= width {
			out[n-1] += " " + word
		} else {
			out = append(out, word)
		}
	}
	if len(out) > 4 {
		out = append(out[:3], "...")
	}
	return out
}

// decades puts a tick at each power of ten, with some dozen labels at most.
type decades struct{}

func (decades) Ticks(min, max float64) []plot.Tick {
	lo, hi := math.Floor(math.Log10(min)), math.Ceil(math.Log10(max))
	every := math.Ceil((hi - lo) / 10)
	var ticks []plot.Tick
	for e := lo; e <= hi; e++ {
		tick := plot.Tick{Value: math.Pow(10, e)}
		if math.Mod(hi-e, every) == 0 {
			tick.Label = fmt.Sprintf("%g", tick.Value)
		}
		if tick.Value >= min*(1-1e-9) && tick.Value <= max*(1+1e-9) {
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
