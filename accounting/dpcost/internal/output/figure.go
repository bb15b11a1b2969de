//go:build !js

package output

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
)

// CheckPicture returns an error for a path whose ending names no format of a figure.
func CheckPicture(path string) error { return render.CheckPath(path) }

// drawn returns the figure of a curve in the format of the path's ending.
func drawn(c answer.Curve, path string) ([]byte, error) { return render.File(figure(c), path) }

// mostInFigure is the number of characters of a long mechanism below a figure.
const mostInFigure = 400

// figure draws the curve's upper end, and the lower end over it if there is one.
func figure(c answer.Curve) chart.Chart {
	f := chart.Chart{Name: c.Kind, Title: "Privacy profile", XLabel: "ε (nats)", YLabel: "δ", YLog: true}
	switch c.Kind {
	case answer.OverSteps, answer.OverEpochs:
		f = chart.Chart{Name: c.Kind, Title: "ε along a run", XLabel: c.Kind, YLabel: fmt.Sprintf("ε at δ = %g", c.Delta)}
	case answer.TradeOff:
		f = chart.Chart{
			Name: c.Kind, Title: "Trade-off function", XLabel: "type I error (false positive rate)", YLabel: "type II error (false negative rate)",
			XMax: 1, YMax: 1, Curves: []chart.Curve{{Label: "guessing", Reference: true, X: chart.Series{0, 1}, Y: chart.Series{1, 0}}},
		}
	}
	upper, lower := chart.Curve{Label: "upper end, " + c.Accountant}, chart.Curve{Label: "lower end", OnTop: true}
	if slices.ContainsFunc(c.Points, func(p answer.CurvePoint) bool { return !p.UpperChecked }) {
		upper.Label += ", partly " + unchecked
	}
	if slices.ContainsFunc(c.Points, func(p answer.CurvePoint) bool { return !below(p.Y) }) {
		lower.Label += ", partly " + unchecked
	}
	for _, p := range c.Points {
		upper.X, upper.Y, lower.Y = append(upper.X, p.X), append(upper.Y, p.Y.Upper), append(lower.Y, p.Y.Lower)
	}
	lower.X = upper.X
	if f.Curves = append(f.Curves, upper); c.Points[0].Y.HasLower {
		f.Curves = append(f.Curves, lower)
	}
	f.Notes = []string{"Mechanism: " + cut(accounting.RoundParameters(c.Mechanism), mostInFigure), "Neighbors: " + c.Neighboring.String()}
	if c.Batches != nil {
		f.Notes = append(f.Notes, "Batches: "+c.Batches.Drawn)
	}
	for _, warning := range c.Warnings {
		f.Notes = append(f.Notes, "Warning: "+warning)
	}
	return f
}

// cut returns the first characters of a long text.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s ... (cut; %d characters in all)", string(runes[:most]), len(runes))
	}
	return text
}
