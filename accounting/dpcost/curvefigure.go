package main

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
)

// mostInFigure is how much of a long mechanism stands below a figure, in characters.
const mostInFigure = 400

// figure is the curve's upper end, with the lower end over it where there is one.
func (c curve) figure() chart.Chart {
	f := chart.Chart{Name: c.Kind, Title: "Privacy profile", XLabel: "ε (nats)", YLabel: "δ", YLog: true}
	if c.Kind == kindTradeOff {
		f = chart.Chart{
			Name: c.Kind, Title: "Trade-off function", XLabel: "type I error (false positive rate)", YLabel: "type II error (false negative rate)",
			XMax: 1, YMax: 1, Curves: []chart.Curve{{Label: "guessing", Reference: true, X: chart.Series{0, 1}, Y: chart.Series{1, 0}}},
		}
	}
	upper, lower := chart.Curve{Label: "upper end, " + c.Accountant, X: c.X}, chart.Curve{Label: "lower end", X: c.X, OnTop: true}
	for _, y := range c.Y {
		upper.Y, lower.Y = append(upper.Y, y.Upper), append(lower.Y, y.Lower)
	}
	if f.Curves = append(f.Curves, upper); c.Y[0].HasLower {
		f.Curves = append(f.Curves, lower)
	}
	f.Notes = []string{"Mechanism: " + cut(accounting.RoundParameters(c.Mechanism), mostInFigure), "Neighbors: " + c.Neighboring.String()}
	if c.Batches != nil {
		f.Notes = append(f.Notes, "Batches: "+c.Batches.Drawn)
	}
	return f
}

// cut returns the first characters of a long text.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s ... (%d characters in all)", string(runes[:most]), len(runes))
	}
	return text
}
