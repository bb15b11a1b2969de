package chart

import (
	"errors"
	"fmt"
	"slices"
)

// Heat returns a heat map: a matrix of cells whose colors show values, with a color bar. Row i of z
// is at y[i], and column j at x[j].
//
//	c, err := chart.Heat("Accuracy at ε = 3", "learning rate", "clip norm", "test accuracy, %",
//		[]float64{0.1, 1, 10}, []float64{0.3, 1},
//		[][]float64{{28, 82, 93}, {62, 92, 82}})
//	c.XLog, c.YLog = true, true
//
// A cell ends halfway to its neighbors. On an axis with at most 12 different places each has its
// own tick. If there is room, the cells have their values in print. A NaN is crossed out. The
// colors grow lighter with the value, also in a grey-scale print. ZMin and ZMax end the color bar:
// use them to compare panels. Values beyond these ends have the color of the end. Curves that are
// appended to the chart are drawn over the cells.
//
// The CSV of the chart has one line for each cell.
func Heat(title, xLabel, yLabel, zLabel string, x, y []float64, z [][]float64) (Chart, error) {
	if len(z) != len(y) {
		return Chart{}, fmt.Errorf("chart: heat map has %d y and %d rows of z: must be equal", len(y), len(z))
	}
	cells := Curve{Kind: Cells}
	for i, row := range z {
		if len(row) != len(x) {
			return Chart{}, fmt.Errorf("chart: row %d of z has %d values for %d x: must be equal", i+1, len(row), len(x))
		}
		for j, v := range row {
			cells.X, cells.Y, cells.Z = append(cells.X, x[j]), append(cells.Y, y[i]), append(cells.Z, v)
		}
	}
	return named(Chart{Title: title, XLabel: xLabel, YLabel: yLabel, ZLabel: zLabel, Curves: []Curve{cells}})
}

// hasCells reports whether the chart has cells, and so a color bar.
func (c Chart) hasCells() bool {
	return slices.ContainsFunc(c.Curves, func(k Curve) bool { return k.Kind == Cells })
}

// mostCells is the largest number of places of a heat map.
const mostCells = 10_000

// validateCells returns an error unless the cells of the chart are one grid with a color bar.
func (c Chart) validateCells() error {
	count := 0
	for _, k := range c.Curves {
		if k.Kind == Cells {
			count++
		}
	}
	switch {
	case count > 1:
		return fmt.Errorf("%d curves of cells: must be at most one", count)
	case count == 1 && c.ZLabel == "":
		return errors.New("color bar must have a label (ZLabel)")
	case count == 0 && (c.ZLabel != "" || c.ZMin != 0 || c.ZMax != 0):
		return errors.New("color bar: must be without label and ends, as there are no cells")
	}
	return nil
}

// validateCells returns an error unless each place has at most one cell, and each cell a value.
func (k Curve) validateCells() error {
	switch {
	case len(k.Z) != len(k.X):
		return fmt.Errorf("has %d x and %d z: must be equal", len(k.X), len(k.Z))
	case k.Label != "" || len(k.Low) > 0 || k.Reference || k.OnTop || k.Small || k.Right || k.Dodge != 0 || k.Color != 0:
		return errors.New("cells: must not have a label, a band or a style")
	}
	columns, rows, places := map[float64]bool{}, map[float64]bool{}, map[[2]float64]int{}
	for i, x := range k.X {
		if !(x >= -largest && x <= largest && k.Y[i] >= -largest && k.Y[i] <= largest) {
			return fmt.Errorf("cell %d is at x %g, y %g: must be numbers within ±%g", i+1, x, k.Y[i], largest)
		}
		place := [2]float64{x, k.Y[i]}
		if j, ok := places[place]; ok {
			return fmt.Errorf("cells %d and %d are both at x %g, y %g: must be at different places", j, i+1, x, k.Y[i])
		}
		places[place], columns[x], rows[k.Y[i]] = i+1, true, true
	}
	if n := len(columns) * len(rows); n > mostCells {
		return fmt.Errorf("%d x %d places for cells: must be at most %d", len(columns), len(rows), mostCells)
	}
	return nil
}
