package papernot2022

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/data/papers"
	"github.com/dplab/dplab/notebooks/figures"
)

const (
	colorWithout = 1
	colorWith    = 2
)

// Panels draws accuracy and chosen weight, for both ways of training.
func (r Figure1Result) Panels() figures.Panels {
	sgd := fmt.Sprintf("SGD, rate %g, %d passes", r.Config.SGD.LearningRate, r.Config.SGD.Passes)
	return figures.Panels{
		Name:    "papernot2022-figure1",
		Title:   fmt.Sprintf("Figure 1: the best hinge weight tells whether %d outliers are in the data", r.Config.Outliers),
		Columns: 2,
		Charts: []figures.Chart{
			r.accuracyChart("papernot2022-figure1-accuracy-sgd", "Accuracy, "+sgd, r.SGD),
			r.accuracyChart("papernot2022-figure1-accuracy-exact", "Accuracy, exact minimum", r.Exact),
			r.chosenChart("papernot2022-figure1-chosen-sgd", "Chosen α, SGD", r.SGD),
			r.chosenChart("papernot2022-figure1-chosen-exact", "Chosen α, exact minimum", r.Exact),
		},
		Notes: []string{
			fmt.Sprintf("%d draws of the data; lines are means, bands the 10%% to 90%% quantiles of the draws.", r.Config.Repeats),
			"Chosen: the weight of the best training accuracy, the smallest in a tie.",
		},
	}
}

func (r Figure1Result) accuracyChart(name, title string, l TuningLeak) figures.Chart {
	curve := func(label string, color int, a AccuracyCurve) figures.Curve {
		return figures.Curve{Label: label, X: l.Weights, Y: a.Mean, Low: a.Low, High: a.High, Color: color}
	}
	return figures.Chart{
		Name: name, Title: title,
		XLabel: "hinge weight α", YLabel: "training accuracy", XLog: true, YMin: r.floor(), YMax: 1.02,
		Curves: []figures.Curve{
			curve("without outliers", colorWithout, l.Without),
			curve(fmt.Sprintf("with %d outliers", r.Config.Outliers), colorWith, l.With),
		},
	}
}

// floor is the lower edge of both accuracy charts: a tenth with room below the bands.
func (r Figure1Result) floor() float64 {
	least := 1.0
	for _, l := range []TuningLeak{r.SGD, r.Exact} {
		least = math.Min(least, math.Min(slices.Min(l.Without.Low), slices.Min(l.With.Low)))
	}
	return math.Max(0, math.Floor(10*least-0.5)/10)
}

func (r Figure1Result) chosenChart(name, title string, l TuningLeak) figures.Chart {
	curve := func(label string, color int, a AccuracyCurve) figures.Curve {
		return figures.Curve{Label: label, X: l.Weights, Y: cumulative(a.Chosen), Color: color, Kind: figures.Step}
	}
	return figures.Chart{
		Name: name, Title: fmt.Sprintf("%s (advantage %.2f)", title, l.Advantage),
		XLabel: "hinge weight α", YLabel: "share of draws, chosen <= α", XLog: true, YMin: 0, YMax: 1.05,
		Curves: []figures.Curve{
			curve("without outliers", colorWithout, l.Without),
			curve(fmt.Sprintf("with %d outliers", r.Config.Outliers), colorWith, l.With),
		},
	}
}

func cumulative(shares []float64) []float64 {
	out := make([]float64, len(shares))
	sum := 0.0
	for i, s := range shares {
		sum += s
		out[i] = math.Min(1, sum)
	}
	return out
}

// Compare sets the two sentences of Section 2 beside both ways of training.
func (r Figure1Result) Compare() figures.Comparison {
	paper := papers.Papernot2022.Figure1
	c := figures.Comparison{Name: "papernot2022-figure1", Title: "Figure 1: what the text says of the curves"}
	for _, way := range []struct {
		name string
		leak TuningLeak
	}{{"SGD", r.SGD}, {"exact minimum", r.Exact}} {
		with := way.leak.With
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity:  paper.BestHingeWeight.Quantity + ", median of the draws, " + way.name,
			Ours:      with.Median,
			OursErr:   math.Max(with.High90-with.Median, with.Median-with.Low10),
			Reference: paper.BestHingeWeight.Number,
			AbsErr:    paper.BestHingeWeight.Source.AbsErr, Read: paper.BestHingeWeight.Source.Read,
			Source: paper.BestHingeWeight.Source.String(),
			Note:   fmt.Sprintf("80%% of our draws choose a weight in [%.3g, %.3g]; the paper shows one draw", with.Low10, with.High90),
		})
	}
	for _, way := range []struct {
		name string
		leak TuningLeak
	}{{"SGD", r.SGD}, {"exact minimum", r.Exact}} {
		mean := way.leak.Without.Mean
		c.Rows = append(c.Rows, figures.ComparisonRow{
			Quantity:  paper.FallsWithoutOutliers.Quantity + ", " + way.name,
			Ours:      sign(mean[len(mean)-1] - mean[0]),
			Reference: paper.FallsWithoutOutliers.Number,
			AbsErr:    paper.FallsWithoutOutliers.Source.AbsErr, Read: paper.FallsWithoutOutliers.Source.Read,
			Source: paper.FallsWithoutOutliers.Source.String(),
			Note:   fmt.Sprintf("accuracy %.3f at the smallest weight, %.3f at the largest", mean[0], mean[len(mean)-1]),
		})
	}
	return c
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
