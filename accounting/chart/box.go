package chart

import "slices"

// Box returns a box plot: a box for each sample, at the places 1, 2, and so on of the x axis, where
// the samples' labels are written.
//
//	c, err := chart.Box("Accuracy of 25 seeds", "clip norm", "test accuracy, %",
//		chart.Sample{Label: "0.3", Values: low},
//		chart.Sample{Label: "1", Values: middle})
//
// A box is from the first to the third quartile, with a line at the median. Quartiles interpolate
// as numpy's and R's do by default. Whiskers end at the furthest values within 1.5 heights of the
// box. Values beyond are points (Tukey, 1977). The curve without a label has the whiskers.
//
// A NaN, an infinity and an empty sample are errors.
func Box(title, xLabel, yLabel string, samples ...Sample) (Chart, error) {
	if err := checkSamples(samples); err != nil {
		return Chart{}, err
	}
	whiskers := Curve{Kind: Points, Color: 1, Small: true}
	boxes := Curve{Label: "quartiles, median; whiskers within 1.5 boxes", Kind: Boxes, Color: 1}
	beyond := Curve{Label: "values beyond", Kind: Points, Color: 3, Small: true}
	var names []string
	for i, s := range samples {
		place, b := float64(i+1), boxOf(s.Values)
		whiskers.X, whiskers.Y = append(whiskers.X, place), append(whiskers.Y, b.median)
		whiskers.Low, whiskers.High = append(whiskers.Low, b.from), append(whiskers.High, b.to)
		boxes.X, boxes.Y = append(boxes.X, place), append(boxes.Y, b.median)
		boxes.Low, boxes.High = append(boxes.Low, b.low), append(boxes.High, b.high)
		for _, v := range b.beyond {
			beyond.X, beyond.Y = append(beyond.X, place), append(beyond.Y, v)
		}
		names = append(names, s.Label)
	}
	curves := []Curve{whiskers, boxes}
	if len(beyond.X) > 0 {
		curves = append(curves, beyond)
	}
	c, err := New(title, xLabel, yLabel, curves...)
	if err != nil {
		return Chart{}, err
	}
	c.XNames = names
	if err := c.Validate(); err != nil {
		return Chart{}, err
	}
	return c, nil
}

// box is what a box plot shows of one sample.
type box struct {
	low, median, high float64   // the quartiles
	from, to          float64   // the ends of the whiskers
	beyond            []float64 // the values outside of these
}

func boxOf(values []float64) box {
	sorted := slices.Sorted(slices.Values(values))
	b := box{low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75)}
	reach := 1.5 * (b.high - b.low)
	for _, v := range sorted {
		if v < b.low-reach || v > b.high+reach {
			b.beyond = append(b.beyond, v)
		}
	}
	// A value is at or next to each quartile, so both searches find one.
	first := slices.IndexFunc(sorted, func(v float64) bool { return v >= b.low-reach })
	slices.Reverse(sorted)
	last := slices.IndexFunc(sorted, func(v float64) bool { return v <= b.high+reach })
	b.from, b.to = sorted[len(sorted)-1-first], sorted[last]
	return b
}
