// Package curves draws learning curves: accuracy and mean loss over the steps, of one run or of
// several to compare.
//
//	plan.Evaluate = &dpsgd.Evaluation{Data: public, Every: 10}
//	...
//	c, err := curves.Chart("Two clip norms",
//		curves.Run{Label: "C = 0.3", Curve: low.Curve},
//		curves.Run{Label: "C = 1", Curve: high.Curve})
//
// In a notebook show.Plot shows the chart, and show.Live while the models train. Elsewhere
// render.PNG, SVG and PDF draw it.
//
// It promises nothing to other modules.
package curves

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/dptune/dpsgd"
)

// Run is the learning curve of one run, and its name in the legend. A single run needs no name.
type Run struct {
	Label string
	Curve dpsgd.LearningCurve
}

// Chart returns two charts, of the accuracy in percent and of the mean loss, over the steps. Each
// run is a line, the mean of its replicas. If it has several, a band goes from the least to the
// largest. Replicas that have not reached a point are left out there. A loss that is not finite
// leaves a gap.
func Chart(title string, runs ...Run) (chart.Panels, error) {
	if err := validate(runs); err != nil {
		return chart.Panels{}, err
	}
	var accuracy, loss []chart.Curve
	most := 0
	for i, run := range runs {
		most = max(most, len(run.Curve.Accuracy))
		accuracy = append(accuracy, curveOf(run, i, run.Curve.Accuracy, 100))
		loss = append(loss, curveOf(run, i, run.Curve.Loss, 1))
	}
	left, err := chart.New(title, "steps", "accuracy on public data, %", accuracy...)
	if err != nil {
		return chart.Panels{}, fmt.Errorf("curves: %w", err)
	}
	right, err := chart.New(title, "steps", "mean loss on public data", loss...)
	if err != nil {
		return chart.Panels{}, fmt.Errorf("curves: %w", err)
	}
	panels := chart.Panels{Name: left.Name, Title: title, Columns: 2}
	left.Name, left.Title = left.Name+"-accuracy", "Accuracy"
	right.Name, right.Title = right.Name+"-loss", "Mean loss"
	panels.Charts = []chart.Chart{left, right}
	if most > 1 {
		panels.Notes = []string{fmt.Sprintf("Lines are means. Bands go from the least to the largest of up to %d models.", most)}
	}
	return panels, panels.Validate()
}

// curveOf returns the line of run number i: values of each replica at each point, times scale.
func curveOf(run Run, i int, values [][]float64, scale float64) chart.Curve {
	c := chart.Curve{Label: run.Label, Color: 1 + i%chart.PaletteSize}
	for at, steps := range run.Curve.Steps {
		var there []float64 // an accuracy is a number as soon as the replica has reached the point
		for r, row := range values {
			if !math.IsNaN(run.Curve.Accuracy[r][at]) {
				there = append(there, scale*row[at])
			}
		}
		c.X = append(c.X, float64(steps))
		if len(there) == 0 || slices.ContainsFunc(there, notFinite) {
			there = []float64{math.NaN()}
		}
		c.Y = append(c.Y, floats.Sum(there)/float64(len(there)))
		if len(values) > 1 {
			c.Low, c.High = append(c.Low, slices.Min(there)), append(c.High, slices.Max(there))
		}
	}
	if len(c.X) == 1 {
		c.Kind = chart.Points // a line needs two
	}
	return c
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// validate returns every fault of the runs, joined.
func validate(runs []Run) error {
	if len(runs) == 0 {
		return errors.New("curves: runs: must be at least one")
	}
	var errs []error
	for i, run := range runs {
		what, c := fmt.Sprintf("curves: run %d (%q)", i+1, run.Label), run.Curve
		if run.Label == "" && len(runs) > 1 {
			errs = append(errs, fmt.Errorf("%s: must have a label, as there are %d runs", what, len(runs)))
		}
		if len(c.Steps) == 0 || len(c.Accuracy) == 0 {
			errs = append(errs, fmt.Errorf("%s: Curve has no points: must be of a run with Plan.Evaluate", what))
			continue
		}
		if len(c.Loss) != len(c.Accuracy) {
			errs = append(errs, fmt.Errorf("%s: Curve.Loss is of %d models: must be of %d, as Curve.Accuracy is", what, len(c.Loss), len(c.Accuracy)))
			continue
		}
		for r := range c.Accuracy {
			if a, l := len(c.Accuracy[r]), len(c.Loss[r]); a != len(c.Steps) || l != len(c.Steps) {
				errs = append(errs, fmt.Errorf("%s: Curve of model %d has %d accuracies and %d losses: must have %d of each, as it has steps", what, r, a, l, len(c.Steps)))
			}
		}
	}
	return errors.Join(errs...)
}
