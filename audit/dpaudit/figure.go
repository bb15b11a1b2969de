package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/audit"
)

var (
	black   = color.Black
	gray    = color.Gray{Y: 150}
	blue    = color.NRGBA{R: 31, G: 90, B: 160, A: 255}
	shade   = color.NRGBA{R: 31, G: 90, B: 160, A: 45}
	palette = []color.Color{color.NRGBA{R: 200, G: 80, B: 0, A: 255}, color.NRGBA{R: 0, G: 130, B: 90, A: 255}, color.NRGBA{R: 150, G: 60, B: 140, A: 255}, color.NRGBA{R: 120, G: 90, B: 40, A: 255}, color.NRGBA{R: 200, G: 0, B: 60, A: 255}}
)

// claimDashes tell claims apart without their colors: long, dash and dot, short, dash and two dots, dots.
var claimDashes = [][]float64{{8, 3}, {6, 2, 1, 2}, {4, 2}, {8, 2, 1, 2, 1, 2}, {1, 1.5}}

// writeFigure draws the ROC on logarithmic axes with its convex hull, its confidence band,
// the ceilings of the claims and the line of guessing.
func writeFigure(path string, scores audit.Scores, r audit.Report, claims []audit.Curve) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "false positive rate", "true positive rate"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = decades{}, decades{}
	least := 0.5 / float64(len(scores.NonMember))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = least, 1, least, 1
	if !r.OneRun { // the band takes the games to be independent
		band, err := audit.NewBand(scores, audit.Config{Confidence: r.Confidence})
		if err != nil {
			return err
		}
		if err := addBand(p, band, least); err != nil {
			return err
		}
	}
	if err := command.AddLine(p, "guessing", curvePoints(audit.GDP{}, least), gray, 1, 1, 3); err != nil {
		return err
	}
	for i, claim := range claims {
		if err := command.AddLine(p, "claim: "+short(claim.String()), curvePoints(claim, least), palette[i%len(palette)], 1, claimDashes[i%len(claimDashes)]...); err != nil {
			return err
		}
	}
	if err := command.AddLine(p, "convex hull", clipped(r.ROC.Hull(), least), blue, 1, 2, 2); err != nil {
		return err
	}
	if err := command.AddLine(p, "ROC", clipped(stairs(r.ROC.Thin(4000)), least), black, 1); err != nil {
		return err
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = false, false, vg.Millimeter
	p.Legend.XOffs, p.Legend.YOffs = -vg.Millimeter*3, vg.Millimeter*3
	picture, err := command.Draw(p, 14*vg.Centimeter, 12*vg.Centimeter, path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, picture, 0o644)
}

func addBand(p *plot.Plot, band audit.Band, least float64) error {
	lower, upper := clipped(band.Lower, least), clipped(band.Upper, least)
	slices.Reverse(upper)
	ring := append(lower, upper...)
	polygon, err := plotter.NewPolygon(ring)
	if err != nil {
		return err
	}
	polygon.Color = shade
	polygon.LineStyle.Width = 0
	p.Add(polygon)
	p.Legend.Add(fmt.Sprintf("%g band", band.Confidence), polygon)
	return nil
}

// curvePoints samples a ceiling at 200 rates, evenly spaced on the logarithmic axis.
func curvePoints(c audit.Curve, least float64) plotter.XYs {
	var points plotter.XYs
	for i := range 201 {
		v := math.Pow(least, 1-float64(i)/200)
		t := c.TPR(v)
		if g, ok := c.(audit.GDP); ok && g.Mu == 0 {
			t = v
		}
		points = append(points, plotter.XY{X: v, Y: math.Max(t, least)})
	}
	return points
}

// clipped moves points off the logarithmic axes onto their lower ends.
func clipped(r audit.ROC, least float64) plotter.XYs {
	points := plotter.XYs{{X: least, Y: math.Max(r.At(least), least)}}
	for i := range r.FPR {
		if r.FPR[i] > least {
			points = append(points, plotter.XY{X: r.FPR[i], Y: math.Max(r.TPR[i], least)})
		}
	}
	return points
}

// stairs turns points into steps: up, then right.
func stairs(r audit.ROC) audit.ROC {
	var out audit.ROC
	for i := range r.FPR {
		if i > 0 {
			out.FPR, out.TPR = append(out.FPR, r.FPR[i]), append(out.TPR, r.TPR[i-1])
		}
		out.FPR, out.TPR = append(out.FPR, r.FPR[i]), append(out.TPR, r.TPR[i])
	}
	return out
}

// short keeps a claim's name up to its parenthesis, for the legend.
func short(name string) string {
	if at := strings.Index(name, " (ε <="); at > 0 {
		return name[:at]
	}
	return name
}

// decades puts a labelled tick at each power of ten.
type decades struct{}

func (decades) Ticks(min, max float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(min)); e <= 0; e++ {
		for m := 1.0; m < 10; m++ {
			x := m * math.Pow(10, e)
			if x < min*(1-1e-9) || x > max*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: x}
			if m == 1 {
				tick.Label = fmt.Sprintf("%g", math.Pow(10, e))
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
