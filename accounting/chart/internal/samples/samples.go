// Package samples has charts for the tests of drawing and saving.
package samples

import (
	"math"

	"github.com/dplab/dplab/accounting/chart"
)

// Curves is a chart of five curves with a gap (NaN) in the third and infinities in the last.
func Curves() chart.Chart {
	c := chart.Chart{Name: "curves", Title: "Rényi divergence, η = 0", XLabel: "order α", YLabel: "ε(α), nats", XLog: true, YLog: true}
	for j, label := range []string{"K = 1", "naive, K = 10", "E[K] = 10, γ = 0.03", "E[K] = 100", "E[K] = 1000, µ = 5"} {
		k := chart.Curve{Label: label}
		for i := range 61 {
			x := math.Pow(10, 3*float64(i)/60)
			y := 0.1*x + float64(j)*math.Log(10)/x
			if j == 2 && i > 30 && i < 36 {
				y = math.NaN()
			}
			if j == 4 && i > 56 {
				y = math.Inf(1)
			}
			k.X, k.Y = append(k.X, x), append(k.Y, y)
		}
		c.Curves = append(c.Curves, k)
	}
	return c
}

// Mixed is a chart with a band, error bars, bars, a step and a reference.
func Mixed() chart.Chart {
	x := chart.Series{0.5, 1, 2, 4}
	return chart.Chart{Name: "mixed", Title: "Accuracy", XLabel: "ε", YLabel: "accuracy, %", Notes: []string{"Ten seeds."}, Curves: []chart.Curve{
		{Label: "tuned", X: x, Y: chart.Series{80, 85, 90, 92}, Low: chart.Series{78, 84, 88, 91}, High: chart.Series{82, 87, 91, 93}},
		{Label: "untuned", Kind: chart.Points, X: x, Y: chart.Series{70, 75, 79, 80}, Low: chart.Series{68, 74, 78, 79}, High: chart.Series{72, 77, 80, 81}},
		{Label: "runs", Kind: chart.Bars, X: x, Y: chart.Series{60, 62, 64, 66}},
		{Label: "steps", Kind: chart.Step, X: x, Y: chart.Series{50, 52, 54, 56}},
		{Label: "paper", Reference: true, X: chart.Series{0.5, 4}, Y: chart.Series{79, 91}},
	}}
}

// Heat is a heat map on log axes, with a NaN, and a point on top.
func Heat() chart.Chart {
	return chart.Chart{Name: "heat", Title: "Accuracy", XLabel: "learning rate", YLabel: "clip norm", ZLabel: "accuracy, %", XLog: true, YLog: true, Curves: []chart.Curve{
		{Kind: chart.Cells, X: chart.Series{0.1, 1, 10, 0.1, 1, 10}, Y: chart.Series{1, 1, 1, 4, 4, 4}, Z: chart.Series{20, 60, 100, 40, math.NaN(), 80}},
		{Label: "default", Kind: chart.Points, OnTop: true, X: chart.Series{0.1}, Y: chart.Series{1}},
	}}
}

// Panels is Curves and Mixed in one image.
func Panels() chart.Panels {
	return chart.Panels{Name: "panels", Title: "Two of a kind, δ = 1e-6", Charts: []chart.Chart{Curves(), Mixed()}, Notes: []string{"One note."}}
}
