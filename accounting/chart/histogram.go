package chart

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// Bins is how a histogram divides its values. The zero value suits most data.
type Bins struct {
	// Count is the number of bins, at most 1,000. Zero picks it by the rule of Freedman and
	// Diaconis (1981), over all samples together, but at least 10 and at most 100. That rule makes
	// bins 2·IQR/n^(1/3) wide. IQR is the distance of the quartiles, n the number of values. Fewer
	// than 10 bins are drawn with gaps between them.
	Count int

	// Density draws the share of the sample in each bin, over the width of the bin. Use it to
	// compare samples of different sizes. Without it, a bar is a number of values.
	Density bool
}

const fewestBins, commonBins, mostBins = 10, 100, 1000

// Histogram returns a histogram of samples. All have the same bins, of equal width, from the least
// to the largest value. A value between two bins counts in the upper one. The label of the y axis
// reports the width of a bin, and whether a bar is a number of values or a density.
//
//	c, err := chart.Histogram("Scores of an attack", "score", chart.Bins{},
//		chart.Sample{Label: "members", Values: members},
//		chart.Sample{Label: "non-members", Values: others})
//
// If all values are equal, one bin has them. A NaN, an infinity and an empty sample are
// errors. For a logarithmic x axis, pass the logarithms of the values.
//
// Each X of the chart is the middle of a bin.
func Histogram(title, xLabel string, bins Bins, samples ...Sample) (Chart, error) {
	if bins.Count < 0 || bins.Count > mostBins {
		return Chart{}, fmt.Errorf("chart: bins: count %d: must be 0 to %d", bins.Count, mostBins)
	}
	if err := checkSamples(samples); err != nil {
		return Chart{}, err
	}
	edges := binEdges(samples, bins.Count)
	var curves []Curve
	for _, s := range samples {
		curves = append(curves, bars(s, edges, bins.Density))
	}
	what := "values per bin"
	if bins.Density {
		what = "density, bins"
	}
	width := Scientific(Round(edges[1]-edges[0], 2))
	return New(title, xLabel, what+" of width "+width, curves...)
}

// binEdges returns the ends of count bins, or of as many as the rule of Bins picks.
func binEdges(samples []Sample, count int) []float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, s.Values...)
	}
	slices.Sort(all)
	low, high := all[0], all[len(all)-1]
	if count == 0 {
		count = fewestBins
		if width := 2 * (quantile(all, 0.75) - quantile(all, 0.25)) / math.Cbrt(float64(len(all))); width > 0 {
			count = int(min(max(math.Ceil((high-low)/width), fewestBins), commonBins))
		}
	}
	if size := math.Max(math.Abs(low), math.Abs(high)); high-low <= 1e-12*size { // equal, up to rounding
		air := math.Max(0.5, 1e-9*size)
		low, high = low-air, high+air
	}
	return floats.Span(make([]float64, count+1), low, high)
}

// bars counts a sample.
func bars(s Sample, edges []float64, density bool) Curve {
	k := Curve{Label: s.Label, Kind: Bars, Y: make([]float64, len(edges)-1)}
	for _, v := range s.Values { // the last bin has its upper end too
		k.Y[max(sort.Search(len(k.Y), func(i int) bool { return edges[i] > v })-1, 0)]++
	}
	for i := range k.Y {
		k.X = append(k.X, edges[i]/2+edges[i+1]/2)
		if density {
			k.Y[i] /= float64(len(s.Values)) * (edges[i+1] - edges[i])
		}
	}
	return k
}

// quantile returns a quantile of sorted values. It interpolates between the order statistics as
// numpy and R do by default (type 7 of Hyndman and Fan, 1996). The result is between its two order
// statistics, despite rounding.
func quantile(sorted []float64, p float64) float64 {
	place := float64(len(sorted)-1) * p
	below, above := sorted[int(place)], sorted[int(math.Ceil(place))]
	share := place - math.Floor(place)
	return min(max((1-share)*below+share*above, below), above)
}
