package quickstart

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
)

// Table lists each arm with the mean, standard deviation and range over the seeds.
func (r Accuracies) Table() figures.Table {
	t := figures.Table{
		Name:  "quickstart-accuracies",
		Title: fmt.Sprintf("Test accuracy over %d seeds, δ = %s", r.seeds(), chart.Scientific(r.Delta)),
		Columns: []string{"hyper-parameters", "ε", "mean", "standard deviation", "lowest", "highest",
			"tuned privately less this, points (95 %)", "ratio of standard deviations (95 %)"},
		Notes: []string{"Intervals are over seeds, which the arms share, each by itself. They count what another seed would change, not what other images would."},
	}
	for i, arm := range r.Arms {
		mean, deviation := stat.MeanStdDev(arm.Accuracies, nil)
		low, high := bounds(arm.Accuracies)
		t.Rows = append(t.Rows, []string{arm.Name, epsilonText(arm.Epsilon),
			figures.Percent(mean, 1), figures.Percent(deviation, 1), figures.Percent(low, 1), figures.Percent(high, 1), "", ""})
		if i > 0 {
			d, ratio := pairedDifference(r.Arms[0].Accuracies, arm.Accuracies), spreadRatio(r.Arms[0].Accuracies, arm.Accuracies)
			t.Rows[i][6] = fmt.Sprintf("%+.1f (%+.1f to %+.1f)", 100*d.Estimate, 100*d.Low, 100*d.High)
			t.Rows[i][7] = fmt.Sprintf("%.2f", ratio.Estimate)
			if !math.IsInf(ratio.High, 1) {
				t.Rows[i][7] += fmt.Sprintf(" (%.2f to %.2f)", ratio.Low, ratio.High)
			}
		}
	}
	return t
}

// Figure draws each private arm's mean and range against its ε.
func (r Accuracies) Figure() chart.Figure {
	c := chart.Chart{
		Name: "quickstart-accuracies-figure", Title: "Tuning privately, and not tuning",
		XLabel: fmt.Sprintf("ε at δ = %s", chart.Scientific(r.Delta)), YLabel: "test accuracy",
		Notes: []string{fmt.Sprintf("Mean and range of %d seeds. Points of equal ε are drawn side by side, a little beside it.", r.seeds())},
	}
	widest := 0.0
	for _, arm := range r.Arms {
		if !math.IsInf(arm.Epsilon, 1) {
			widest = max(widest, arm.Epsilon)
		}
	}
	seen := map[float64]int{}
	for _, arm := range r.Arms {
		mean := stat.Mean(arm.Accuracies, nil)
		low, high := bounds(arm.Accuracies)
		if math.IsInf(arm.Epsilon, 1) {
			c.Curves = append(c.Curves, chart.Curve{Label: arm.Name, Reference: true,
				X: []float64{0, widest * 1.1}, Y: []float64{mean, mean}})
			continue
		}
		c.Curves = append(c.Curves, chart.Curve{Label: arm.Name, Kind: chart.Points, Dodge: 2*seen[arm.Epsilon] - 1,
			X: []float64{arm.Epsilon}, Y: []float64{mean}, Low: []float64{low}, High: []float64{high}})
		seen[arm.Epsilon]++
	}
	return c
}

// seeds is how often each arm was tried.
func (r Accuracies) seeds() int { return len(r.Arms[0].Accuracies) }

func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func epsilonText(epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return "not private"
	}
	return fmt.Sprintf("%.3f", epsilon)
}

// interval is an estimate with its two-sided 95 % interval, by Student's law.
type interval struct{ Estimate, Low, High float64 }

func newInterval(estimate, stdErr float64, freedom int) interval {
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975) * stdErr
	return interval{estimate, estimate - half, estimate + half}
}

// pairedDifference is the mean of a less that of b, whose values of one index share a seed.
func pairedDifference(a, b []float64) interval {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	return newInterval(mean, deviation/math.Sqrt(float64(len(d))), len(d)-1)
}

// spreadRatio is the standard deviation of a over that of b, of values paired as in
// pairedDifference. Its interval is the jackknife's for the logarithm of the ratio, since accuracies are
// far from normal. Where a standard deviation is 0 the interval is from 0 to +Inf.
func spreadRatio(a, b []float64) interval {
	n := len(a)
	if n < 3 { // leaving one out leaves no spread
		return interval{stat.StdDev(a, nil) / stat.StdDev(b, nil), 0, math.Inf(1)}
	}
	logRatio := func(a, b []float64) float64 { return math.Log(stat.StdDev(a, nil) / stat.StdDev(b, nil)) }
	all, pseudo := logRatio(a, b), make([]float64, n)
	for i := range n {
		pseudo[i] = float64(n)*all - float64(n-1)*logRatio(without(a, i), without(b, i))
	}
	mean, deviation := stat.MeanStdDev(pseudo, nil)
	if math.IsNaN(deviation) || math.IsInf(mean, 0) {
		return interval{math.Exp(all), 0, math.Inf(1)}
	}
	log := newInterval(mean, deviation/math.Sqrt(float64(n)), n-1)
	return interval{math.Exp(all), math.Exp(log.Low), math.Exp(log.High)}
}

func without(x []float64, i int) []float64 {
	return append(append([]float64{}, x[:i]...), x[i+1:]...)
}
