package chart

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Kind is how the points of a curve are drawn.
type Kind int

// The kinds of curves. The zero value is Line.
const (
	Line   Kind = iota // straight lines between neighboring points
	Step               // constant from one point to the next, for a distribution function or an ROC
	Points             // markers only; Low and High are error bars
	Bars               // a bar from zero (or the lower end of a log axis) to each point, for a histogram
	Boxes              // a box from Low to High of each point, with a line at Y
	Cells              // a rectangle at each point, in the color of its Z, for a heat map
)

// Curve is one line of a chart and its entry in the legend.
type Curve struct {
	Label string `json:"label"` // legend entry, with the parameters; empty means no legend entry

	X Series `json:"x"`
	Y Series `json:"y"` // as long as X; NaN leaves a gap, +Inf is marked at the upper edge

	// Low and High are an optional band around Y: both empty, or both as long as X. A NaN breaks
	// the band at its point.
	Low  Series `json:"low,omitempty"`
	High Series `json:"high,omitempty"`

	// Z is what the color of each of Cells shows. It is as long as X, and empty for other kinds. A
	// cell whose Z is NaN is crossed out, and so is a place of the grid that has no cell.
	Z Series `json:"z,omitempty"`

	Kind Kind `json:"kind"`

	// Reference draws the curve thin and grey, behind the others. It is for the paper's curve, or a
	// diagonal. A Step is solid, thinner and paler. A reference without a label looks like the one
	// before it, and belongs to its legend entry.
	Reference bool `json:"reference,omitempty"`

	// OnTop draws a line or Points over the others, thin, in white and black. It is for limits, and
	// for points that may coincide with others. A curve without a label looks like the one before
	// it, and belongs to its legend entry.
	OnTop bool `json:"onTop,omitempty"`

	// Color picks one of the palette's colors, counted from 1. With it a law keeps its color in all
	// panels. Zero is the next free color.
	Color int `json:"color,omitempty"`

	// Dodge moves the markers and error bars of Points sideways, by steps of 5 points (negative: to
	// the left). Points of equal X are then drawn next to each other. It is -6 to 6. Only the
	// picture moves: X keeps the true value. An axis that fits the data has room for the moved
	// markers.
	Dodge int `json:"dodge,omitempty"`

	// Right draws the curve against the right y axis, whose label is Chart.RightLabel. It is for a
	// Line, a Step or Points. The legend marks the curve by "(right axis)".
	Right bool `json:"right,omitempty"`

	// Small halves the markers of Points, for single runs next to the line of their mean.
	Small bool `json:"small,omitempty"`
}

// Chart is a figure: curves on a pair of axes. Zero ranges fit the data. The picture and the
// caption report the number of points that are not drawn. These are not numbers, or are outside of
// given ranges.
type Chart struct {
	Name  string `json:"name"`  // file name without its extension: lower-case letters, digits and hyphens
	Title string `json:"title"` // one line above the axes

	XLabel string `json:"xLabel"` // with the unit
	YLabel string `json:"yLabel"`
	XLog   bool   `json:"xLog,omitempty"`
	YLog   bool   `json:"yLog,omitempty"`

	// RightLabel is the label of the right y axis, with the unit. Curves that are Right need it. The
	// ends fit their data if both are zero.
	RightLabel string  `json:"rightLabel,omitempty"`
	RightLog   bool    `json:"rightLog,omitempty"`
	RightMin   float64 `json:"rightMin,omitempty"`
	RightMax   float64 `json:"rightMax,omitempty"`

	// XNames are written at the places 1, 2, and so on of the x axis, instead of its numbers. The
	// axis must be linear. If it fits the data, it has half a place at either end.
	XNames []string `json:"xNames,omitempty"`

	// The ends of the axes. An axis whose two ends are both zero fits the data.
	XMin float64 `json:"xMin,omitempty"`
	XMax float64 `json:"xMax,omitempty"`
	YMin float64 `json:"yMin,omitempty"`
	YMax float64 `json:"yMax,omitempty"`

	// ZLabel is the label of the color bar of Cells, with the unit. ZMin and ZMax are its ends. If
	// both are zero, it fits the data.
	ZLabel string  `json:"zLabel,omitempty"`
	ZMin   float64 `json:"zMin,omitempty"`
	ZMax   float64 `json:"zMax,omitempty"`

	Curves []Curve  `json:"curves"`
	Notes  []string `json:"notes,omitempty"` // in small letters below the axes

	Sources []string `json:"sources,omitempty"` // see [Sources]
}

// Panels is several charts in one image, filled row by row.
type Panels struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Columns int      `json:"columns"` // charts in a row, 1 to 3; 0 is two
	Charts  []Chart  `json:"charts"`
	Notes   []string `json:"notes,omitempty"`
	Sources []string `json:"sources,omitempty"` // see [Sources]
}

// Sources returns where the data of a figure are from, such as the machine, the commit and the day
// of a training. They are in its files and captions, not in the picture.
func Sources(f Figure) []string {
	switch f := f.(type) {
	case Chart:
		return f.Sources
	case Panels:
		return f.Sources
	}
	return nil
}

// Figure can be drawn and saved: a Chart or Panels.
type Figure interface {
	Validate() error
	Head() (name, title string)
	Parts() (charts []Chart, columns int, notes []string)
}

// Head returns the name and the title.
func (c Chart) Head() (name, title string) { return c.Name, c.Title }

// Head returns the name and the title.
func (p Panels) Head() (name, title string) { return p.Name, p.Title }

// Figure returns the chart. Results have a method of this name too.
func (c Chart) Figure() Figure { return c }

// Figure returns the panels.
func (p Panels) Figure() Figure { return p }

// Parts returns the chart as the only part.
func (c Chart) Parts() ([]Chart, int, []string) { return []Chart{c}, 1, c.Notes }

// Parts returns the charts, their number in a row, and the notes.
func (p Panels) Parts() ([]Chart, int, []string) {
	columns := p.Columns
	if columns == 0 {
		columns = 2
	}
	return p.Charts, min(columns, max(1, len(p.Charts))), p.Notes
}

var kindNames = []string{"line", "step", "points", "bars", "boxes", "cells"}

// String returns "line", "step", "points", "bars", "boxes" or "cells".
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// MarshalJSON writes the kind's name.
func (k Kind) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }

// UnmarshalJSON reads the kind's name.
func (k *Kind) UnmarshalJSON(data []byte) error {
	var name string
	if err := json.Unmarshal(data, &name); err != nil {
		return err
	}
	i := slices.Index(kindNames, name)
	if i < 0 {
		return fmt.Errorf("chart: kind %q: must be one of %q", name, kindNames)
	}
	*k = Kind(i)
	return nil
}
