package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
)

// panelSize is the size of one chart with 1, 2 or 3 in a row, without a legend below and notes.
var panelSize = [4]vg.Point{1: {X: 360, Y: 216}, 2: {X: 270, Y: 203}, 3: {X: 216, Y: 187}}

// layout has the parts of a figure and their places.
type layout struct {
	charts  []chart.Chart
	columns int
	title   []string    // above panels
	legend  legend      // below all charts; empty when each chart has its own
	notes   []string    // wrapped
	cell    vg.Point    // one chart with its own legend
	below   []legend    // each chart's legend below its axes; empty when inside
	rooms   []vg.Length // of each row: the height of its tallest legend below
	size    vg.Point
	scale   vg.Length // the figure on the page over its layout
	picture *Picture  // in place of charts
}

const margin = vg.Length(6)

// page returns the figure's size on the page.
func (l layout) page() vg.Point { return l.size.Scale(l.scale) }

// measured returns the layout of a figure, or an error if it cannot be drawn.
func measured(f chart.Figure) (layout, error) {
	if err := f.Validate(); err != nil {
		return layout{}, err
	}
	l := newLayout(f)
	return l, l.check()
}

// newLayout measures a valid figure.
func newLayout(f chart.Figure) layout {
	var l layout
	var notes []string
	l.charts, l.columns, notes = f.Parts()
	l.charts = slices.Clone(l.charts)
	for i, c := range l.charts {
		l.charts[i] = withoutRight(c)
	}
	l.cell, l.scale = panelSize[l.columns], 1
	print, printed := f.(Print)
	if printed {
		l.cell, l.scale = print.Paper.cell(l.columns), printScale
	}
	if p, ok := pictureOf(f); ok {
		return layoutOf(p, l.cell, l.scale, !printed)
	}
	width := l.cell.X * vg.Length(l.columns)
	if p, ok := f.(chart.Panels); ok && p.Title != "" {
		l.title = wrap(sans(titleSize+1, true, ink), p.Title, width-2*margin)
	}
	l.placeLegends(width)
	if !printed {
		notes = append(notes, l.remarks()...)
	}
	for _, note := range notes {
		l.notes = append(l.notes, wrap(sans(noteSize, false, paleInk), note, width-2*margin)...)
	}
	l.size = vg.Point{X: width, Y: l.titleHeight() + l.legend.size().Y + l.noteHeight()}
	for _, room := range l.rooms {
		l.size.Y += l.cell.Y + room
	}
	return l
}

// placeLegends puts each chart's legend inside its axes, if that hides nothing in any chart.
// Otherwise, or if all charts have the same legend, one legend of all curves goes below all charts.
// That needs equal looks for equal labels. Without these, a legend that does not fit goes below its
// own chart. Charts of one row stay level: each leaves the room that one of them needs.
func (l *layout) placeLegends(width vg.Length) {
	l.below = make([]legend, len(l.charts))
	l.rooms = make([]vg.Length, (len(l.charts)+l.columns-1)/l.columns)
	var crowded []int
	for i, c := range l.charts {
		p := axesOf(c, false, l.cell.X)
		area := l.axes(draw.NewCanvas(new(recorder.Canvas), l.cell.X, l.cell.Y), i, p)
		_, hidden := (legendPlotter{newLegend(c.Curves), plotters(c)}).place(p.DataCanvas(area), p)
		if _, full := cellsOf(c); full || hidden > 0 {
			crowded = append(crowded, i)
		}
	}
	common, same, consistent := commonLegend(l.charts)
	if consistent && len(l.charts) > 1 && (same || len(crowded) > 0) {
		l.legend = common.within(width - 2*margin)
		return
	}
	for _, i := range crowded {
		l.below[i] = newLegend(l.charts[i].Curves).within(l.cell.X - 2*margin)
		room := &l.rooms[i/l.columns]
		*room = max(*room, l.below[i].size().Y)
	}
}

// commonLegend returns the legend of all charts' curves. same reports whether each chart has all of
// it. consistent reports whether equal labels have equal looks, and different labels different
// ones. Points may have the label of a line that looks like them. The line is then the sample of
// both.
func commonLegend(charts []chart.Chart) (common legend, same, consistent bool) {
	common, same, consistent = newLegend(nil), true, true
	seen := map[string]int{} // the place of a label
	for i, c := range charts {
		own := newLegend(c.Curves)
		for j, label := range own.labels {
			look := own.looks[j]
			if at, known := seen[label]; known {
				consistent = consistent && common.looks[at].like(look)
				if common.looks[at].kind == chart.Points {
					common.looks[at] = look
				}
				continue
			}
			same = same && i == 0
			for _, other := range common.looks { // a reader would take two labels of one look for one curve
				consistent = consistent && !(other.kind == look.kind && other.like(look))
			}
			seen[label] = len(common.labels)
			common.labels, common.looks = append(common.labels, label), append(common.looks, look)
		}
	}
	for _, c := range charts {
		same = same && len(newLegend(c.Curves).labels) == len(common.labels)
	}
	return common, same, consistent
}

func (l *layout) titleHeight() vg.Length {
	if len(l.title) == 0 {
		return 0
	}
	return vg.Length(len(l.title))*(titleSize+1)*1.25 + margin
}

func (l *layout) noteHeight() vg.Length {
	if len(l.notes) == 0 {
		return 0
	}
	return vg.Length(len(l.notes))*noteSize*1.25 + margin
}

// wrap breaks a text at spaces into lines at most width wide, but not around an equals sign. It
// also breaks a word that is longer than a line.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(strings.ReplaceAll(s, " = ", "\x00=\x00")) {
		word = strings.ReplaceAll(word, "\x00", " ")
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		for style.Width(longer) > width {
			n := fitting(style, []rune(longer), width)
			lines, longer = append(lines, string([]rune(longer)[:n])), string([]rune(longer)[n:])
		}
		line = longer
	}
	return append(lines, line)
}

// fitting returns the largest number of letters, at least one, that are together at most width
// wide.
func fitting(style text.Style, letters []rune, width vg.Length) int {
	n := len(letters)
	for n > 1 && style.Width(string(letters[:n])) > width {
		n--
	}
	return n
}

// check returns an error if the edge of the figure would cut the label of an axis, or if the names
// on an axis would overlap. Both have one line.
func (l layout) check() error {
	var errs []error
	for _, c := range l.charts {
		if len(c.XNames) > 0 {
			name, room := longestName(c), nameRoom(c, l.cell.X)
			if style := namesStyle(c, l.cell.X); style.Width(name) > room*1.001 {
				errs = append(errs, fmt.Errorf("render: chart %s: name %q on the x axis: must be shorter: about %d letters fit",
					c.Name, name, fitting(style, []rune(name), room)))
			}
		}
		for _, axis := range []struct {
			name, label string
			room        vg.Length
		}{{"x", l.xLabel(c), l.cell.X}, {"y", yLabel(c), l.cell.Y}, {"right", rightLabel(c), l.cell.Y}, {"color", c.ZLabel, l.cell.Y}} {
			style := sans(labelSize, false, ink)
			room := axis.room - 2*margin
			if fitted(style, axis.label, room).Width(axis.label) > room*1.001 {
				errs = append(errs, fmt.Errorf("render: chart %s: %s label %q: must be shorter: about %d letters fit",
					c.Name, axis.name, axis.label, fitting(fitted(style, axis.label, room), []rune(axis.label), room)))
			}
		}
	}
	return errors.Join(errs...)
}
