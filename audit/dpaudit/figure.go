package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/audit"
)

// rocPoints returns the ROC as a CSV, a line for each threshold, with the ends of the band of all
// possible scores. They are empty for scores of one run.
func rocPoints(scores audit.Scores, r audit.Report) ([]byte, error) {
	band, err := audit.NewBand(scores, audit.Config{Confidence: r.Confidence})
	if err != nil {
		return nil, err
	}
	out := []byte("fpr,tpr,tpr_lower,tpr_upper\n")
	for i, v := range r.ROC.FPR {
		low, high := "", ""
		if !r.OneRun {
			low, high = chart.Exact(band.Lower.At(v)), chart.Exact(band.Upper.At(v))
		}
		out = fmt.Appendf(out, "%s,%s,%s,%s\n", chart.Exact(v), chart.Exact(r.ROC.TPR[i]), low, high)
	}
	return out, nil
}

// mostDrawn is how many points of a long ROC are drawn.
const mostDrawn = 4000

// isCSV reports whether a path is for the points of the ROC.
func isCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// writeFigure draws the figure into a file of the path's format, or writes the points.
func writeFigure(path string, scores audit.Scores, r audit.Report, claims []audit.Curve) error {
	if isCSV(path) {
		points, err := rocPoints(scores, r)
		if err != nil {
			return err
		}
		return os.WriteFile(path, points, 0o644)
	}
	f, err := figure(scores, r, claims)
	if err != nil {
		return err
	}
	picture, err := render.File(f, path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, picture, 0o644)
}

// figure is the ROC on logarithmic axes. It has the confidence band, the convex hull, the ceilings
// of the claims and the line of guessing. The axes begin at half of one non-member.
func figure(scores audit.Scores, r audit.Report, claims []audit.Curve) (chart.Chart, error) {
	least := 0.5 / float64(len(scores.NonMember))
	f := chart.Chart{
		Name: "roc", Title: fmt.Sprintf("ROC of the scores of %s members and %s non-members", chart.Grouped(float64(r.Members)), chart.Grouped(float64(r.NonMembers))),
		XLabel: "false positive rate", YLabel: "true positive rate",
		XLog: true, YLog: true, XMin: least, XMax: 1, YMin: least, YMax: 1,
		Curves: []chart.Curve{{Label: "guessing", Reference: true, X: chart.Series{least, 1}, Y: chart.Series{least, 1}}},
	}
	roc, err := rocCurve(scores, r, least)
	if err != nil {
		return chart.Chart{}, err
	}
	f.Curves = append(f.Curves, roc, hullCurve(r.ROC.Hull(), least))
	if roc.Low != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("The ROC of all possible scores is in the band, everywhere at once, with confidence %g.", r.Confidence))
	}
	for _, claim := range claims {
		f.Curves = append(f.Curves, claimCurve(claim, least))
	}
	return f, nil
}

// rocCurve is the staircase of the scores with its band. Scores of one run have no band: a band
// needs independent games.
func rocCurve(scores audit.Scores, r audit.Report, least float64) (chart.Curve, error) {
	roc := stairs(r.ROC.Thin(mostDrawn))
	if r.OneRun {
		at := rates(least, roc)
		return chart.Curve{Label: "ROC", Kind: chart.Step, X: at, Y: heights(roc, at, least)}, nil
	}
	band, err := audit.NewBand(scores, audit.Config{Confidence: r.Confidence})
	if err != nil {
		return chart.Curve{}, err
	}
	at := rates(least, roc, band.Lower, band.Upper)
	return chart.Curve{
		Label: fmt.Sprintf("ROC, %g band", band.Confidence), Kind: chart.Step, X: at, Y: heights(roc, at, least),
		Low: heights(band.Lower, at, least), High: heights(band.Upper, at, least),
	}, nil
}

// hullCurve is the curve that tests reach by tossing a coin between two thresholds.
func hullCurve(hull audit.ROC, least float64) chart.Curve {
	at := rates(least, hull, audit.ROC{FPR: grid(least)})
	return chart.Curve{Label: "convex hull", X: at, Y: heights(hull, at, least)}
}

// claimCurve is the ceiling of a claim.
func claimCurve(claim audit.Curve, least float64) chart.Curve {
	k := chart.Curve{Label: "claim: " + short(claim.String()), X: grid(least)}
	for _, v := range k.X {
		k.Y = append(k.Y, math.Max(claim.TPR(v), least))
	}
	return k
}

// grid is 201 rates, evenly spaced on the logarithmic axis.
func grid(least float64) (v chart.Series) {
	for i := range 201 {
		v = append(v, math.Pow(least, 1-float64(i)/200))
	}
	return v
}

// rates returns the false positive rates of the curves' points in order, each once, from the
// beginning of the axis.
func rates(least float64, curves ...audit.ROC) chart.Series {
	v := chart.Series{least}
	for _, r := range curves {
		v = append(v, r.FPR...)
	}
	v = slices.DeleteFunc(v, func(x float64) bool { return x < least })
	slices.Sort(v)
	return slices.Compact(v)
}

// heights returns the true positive rates of a curve, moved up onto the lower end of the axis.
func heights(r audit.ROC, at chart.Series, least float64) (v chart.Series) {
	for _, x := range at {
		v = append(v, math.Max(r.At(x), least))
	}
	return v
}

// stairs turns points into steps: right, then up.
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
