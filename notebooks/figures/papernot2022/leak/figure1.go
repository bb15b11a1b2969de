// Package leak reproduces Section 2 and Figure 1 of Papernot and Steinke (ICLR 2022): the best
// hinge weight of a support vector machine reveals outliers in its data. Figure1 trains it in two
// ways, by the exact minimum and by stochastic gradient descent (svm.go), and measures what the
// chosen weight gives away (leak.go).
//
// It promises nothing to other modules.
package leak

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/synth"
	"github.com/dplab/dplab/dptune/streams"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/figures/internal/parallel"
	"github.com/dplab/dplab/notebooks/papers"
)

// Figure1Config describes the experiment of Section 2: a support vector machine whose best hinge
// weight reveals outliers in its training data.
type Figure1Config struct {
	HingeWeights []float64 `rule:"> 0; increasing; at least 2"` // α
	Outliers     int       `rule:">= 1"`                        // added to the negative class
	Repeats      int       `rule:">= 2"`                        // data sets that are drawn
	SGD          SGD       // the second way of training, after the exact minimum
	Seed         string    // name of the root of all draws
}

// DefaultFigure1 takes the number of outliers from the paper. Weights from 1/2 to 64 in steps of
// √2: the text prints no range, and below 1/2 the descent has not yet found its offset. The text
// names stochastic gradient descent without its settings; the rate here lets it come to rest at
// small weights and not at large.
func DefaultFigure1(repeats int) Figure1Config {
	var weights []float64
	for i := -2; i <= 12; i++ {
		weights = append(weights, math.Pow(2, float64(i)/2))
	}
	return Figure1Config{
		HingeWeights: weights,
		Outliers:     papers.Papernot2022.Figure1.Outliers,
		Repeats:      repeats,
		SGD:          SGD{LearningRate: 0.001, Passes: 1000},
		Seed:         "papernot2022 figure 1",
	}
}

// Validate returns every fault, joined.
func (c Figure1Config) Validate() error { return figures.Faults(c).Err() }

// Figure1Result has the training accuracies of every run and what follows from them.
type Figure1Result struct {
	Config Figure1Config
	Exact  TuningLeak // training by the exact minimum
	SGD    TuningLeak // training by stochastic gradient descent
}

// Figure1 draws Repeats data sets, trains on each with and without the outliers at every
// hinge weight, and finds the weight of the best training accuracy. Cost: Repeats times the
// number of weights times 2 runs of each solver; the runs go over all cores.
func Figure1(cfg Figure1Config) (Figure1Result, error) {
	if err := cfg.Validate(); err != nil {
		return Figure1Result{}, err
	}
	root := streams.Fixed(cfg.Seed)
	rows, err := parallel.Map(cfg.Repeats, func(i int) (figure1Row, error) { return cfg.repeat(root.Child(fmt.Sprintf("repeat %d", i))) })
	if err != nil {
		return Figure1Result{}, err
	}
	leak := func(solver int) TuningLeak {
		of := func(outliers int) [][]float64 {
			return figures.Map(rows, func(r figure1Row) []float64 { return r[solver][outliers] })
		}
		return newTuningLeak(cfg.HingeWeights, of(0), of(1))
	}
	return Figure1Result{Config: cfg, Exact: leak(0), SGD: leak(1)}, nil
}

// figure1Row holds the accuracies of one repeat: [exact, SGD][without, with outliers][weight].
type figure1Row [2][2][]float64

func (c Figure1Config) repeat(root streams.Root) (row figure1Row, err error) {
	for outliers, count := range []int{0, c.Outliers} {
		d, err := drawSVMData(root, count)
		if err != nil {
			return row, err
		}
		for _, hinge := range c.HingeWeights {
			exact, err := trainSVM(d, hinge)
			if err != nil {
				return row, err
			}
			descent := c.SGD.train(d, hinge, root.Rand(fmt.Sprintf("order %d %g", count, hinge)))
			row[0][outliers] = append(row[0][outliers], exact.accuracy(d))
			row[1][outliers] = append(row[1][outliers], descent.accuracy(d))
		}
	}
	return row, nil
}

// drawSVMData draws the data of Section 2, half of the points in each class. The points
// are the same with and without outliers.
func drawSVMData(root streams.Root, outliers int) (data.Dataset, error) {
	setup := papers.Papernot2022.Figure1
	m := synth.Mixture{Name: "Section 2", Classes: 2, Components: []synth.Component{
		{Label: 0, Count: setup.Points / 2, Mean: setup.NegativeMean[:], StdDev: setup.StdDev},
		{Label: 1, Count: setup.Points / 2, Mean: setup.PositiveMean[:], StdDev: setup.StdDev},
	}}
	if outliers > 0 {
		m.Components = append(m.Components, synth.Component{Label: 0, Count: outliers, Mean: setup.Outlier[:]})
	}
	return m.Draw(root.Rand("points"))
}

// Figure draws accuracy and chosen weight, for both ways of training.
func (r Figure1Result) Figure() chart.Figure {
	sgd := fmt.Sprintf("SGD, rate %g, %d passes", r.Config.SGD.LearningRate, r.Config.SGD.Passes)
	return chart.Panels{
		Name:    "papernot2022-figure1",
		Title:   fmt.Sprintf("Figure 1: the best hinge weight reveals %d outliers in the data", r.Config.Outliers),
		Columns: 2,
		Charts: []chart.Chart{
			r.accuracyChart("papernot2022-figure1-accuracy-sgd", "Accuracy, "+sgd, r.SGD),
			r.accuracyChart("papernot2022-figure1-accuracy-exact", "Accuracy, exact minimum", r.Exact),
			r.chosenChart("papernot2022-figure1-chosen-sgd", "Chosen α, SGD", r.SGD),
			r.chosenChart("papernot2022-figure1-chosen-exact", "Chosen α, exact minimum", r.Exact),
		},
		Notes: []string{
			fmt.Sprintf("%d draws of the data; lines are means, bands the 10%% to 90%% quantiles of the draws.", r.Config.Repeats),
			"Chosen: the weight of the best training accuracy, the smallest in a tie. Settings ours: those of the descent, and the range of α.",
		},
	}
}

func (r Figure1Result) accuracyChart(name, title string, l TuningLeak) chart.Chart {
	return chart.Chart{
		Name: name, Title: title,
		XLabel: "hinge weight α", YLabel: "training accuracy", XLog: true, YMin: r.floor(), YMax: 1.02,
		Curves: r.curves(l, func(a AccuracyCurve) chart.Curve { return chart.Curve{Y: a.Mean, Low: a.Low, High: a.High} }),
	}
}

// curves returns the curves with and without outliers: the narrow band on top of the wide one.
func (r Figure1Result) curves(l TuningLeak, of func(AccuracyCurve) chart.Curve) []chart.Curve {
	with, without := of(l.With), of(l.Without)
	with.Label, with.X, with.Color = fmt.Sprintf("with %d outliers", r.Config.Outliers), l.Weights, 2
	without.Label, without.X, without.Color = "without outliers", l.Weights, 1
	return []chart.Curve{with, without}
}

// floor is the lower edge of both accuracy charts: a tenth with room below the bands.
func (r Figure1Result) floor() float64 {
	least := 1.0
	for _, l := range []TuningLeak{r.SGD, r.Exact} {
		least = math.Min(least, math.Min(slices.Min(l.Without.Low), slices.Min(l.With.Low)))
	}
	return math.Max(0, math.Floor(10*least-0.5)/10)
}

func (r Figure1Result) chosenChart(name, title string, l TuningLeak) chart.Chart {
	return chart.Chart{
		Name: name, Title: fmt.Sprintf("%s (advantage %.2f)", title, l.Advantage),
		XLabel: "hinge weight α", YLabel: "share of draws, chosen ≤ α", XLog: true, YMin: 0, YMax: 1.05,
		Curves: r.curves(l, func(a AccuracyCurve) chart.Curve { return chart.Curve{Y: cumulative(a.Chosen), Kind: chart.Step} }),
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

// ways are the two ways of training.
func (r Figure1Result) ways() []way {
	return []way{{"SGD", r.SGD}, {"exact minimum", r.Exact}}
}

type way struct {
	name string
	leak TuningLeak
}

// Compare sets the two claims of Section 2 next to both ways of training.
func (r Figure1Result) Compare() figures.Comparison {
	paper := papers.Papernot2022.Figure1
	c := figures.Comparison{Name: "papernot2022-figure1", Title: "Figure 1: claims of the text about the curves"}
	for _, w := range r.ways() {
		row := figures.Against(paper.BestHingeWeight, w.leak.With.Median).Of(", median of the draws, "+w.name).WithErr(w.leak.With.MedianErr).
			WithNote("the paper shows one draw; %.0f%% of ours choose a weight in %s", 100*w.inPaperRange(), paperRange()).ByOurChoice()
		if r.Config.Outliers != paper.Outliers {
			row = row.WithoutReference(fmt.Sprintf("the paper has %d outliers", paper.Outliers))
		}
		c.Rows = append(c.Rows, row)
	}
	for _, w := range r.ways() {
		a := w.leak.Without
		sign, err := figures.Sign(a.Change, 2*a.ChangeStdErr)
		if sign == 0 {
			err = 1 // equal draws resolve nothing
		}
		c.Rows = append(c.Rows, figures.Against(paper.FallsWithoutOutliers, sign).Of(", "+w.name).WithErr(err).
			WithNote("fitted change %s", chart.WithError(a.Change, a.ChangeStdErr)))
	}
	return c
}

// paperRange is what we take "around α = 8" for.
func paperRange() string {
	v := papers.Papernot2022.Figure1.BestHingeWeight
	return fmt.Sprintf("[%g, %g]", v.Number-v.Source.AbsErr, v.Number+v.Source.AbsErr)
}

// inPaperRange is the share of draws with outliers that choose a weight in it.
func (w way) inPaperRange() float64 {
	v := papers.Papernot2022.Figure1.BestHingeWeight
	return w.leak.chosenWithin(w.leak.With, v.Number-v.Source.AbsErr, v.Number+v.Source.AbsErr)
}

// Table lists, for each way of training, where the best weight lies and what it gives away.
func (r Figure1Result) Table() figures.Table {
	v, n := papers.Papernot2022.Figure1.BestHingeWeight, float64(r.Config.Repeats)
	t := figures.Table{Name: "papernot2022-figure1-chosen", Title: "The chosen α, with outliers, and what it gives away",
		Columns: []string{"training", "median", "80 % of the draws", "chance of one in " + paperRange(), "advantage of an observer who sees it", "mean accuracy is highest at", "not told apart from it"}}
	for _, w := range r.ways() {
		c, share := w.leak.With, w.inPaperRange()
		t.Rows = append(t.Rows, []string{w.name, chart.WithError(c.Median, c.MedianErr), fmt.Sprintf("%.3g to %.3g", c.Low10, c.High90),
			chart.WithError(share, math.Max(math.Sqrt(share*(1-share)/n), 1/n)), chart.WithError(w.leak.Advantage, w.leak.AdvantageStdErr),
			fmt.Sprintf("%.3g", c.Peak), fmt.Sprintf("%.3g to %.3g", c.PeakLow, c.PeakHigh)})
	}
	near := 0
	for _, weight := range r.Exact.Weights {
		if math.Abs(weight-v.Number) <= v.Source.AbsErr {
			near++
		}
	}
	t.Notes = []string{fmt.Sprintf("%d of %d weights are in %s, our range for “around α = 8”. ± one standard error; of a median, half of a 95 %% interval.", near, len(r.Exact.Weights), paperRange())}
	return t
}
