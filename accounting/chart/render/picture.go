package render

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/letters"
)

// Picture is a figure that gonum/plot draws, for what a Chart lacks. It has the size, the letters
// and the lines of the axes of other figures. Its plotters, ticks and ranges stay as they are. It
// has no numbers, so no CSV and no JSON.
type Picture struct {
	Name  string // file name without its extension, as of a Chart
	Title string // one line above the axes; empty is the plot's own
	Plot  *plot.Plot
}

var _ chart.Figure = Picture{}

// Validate returns an error unless the picture has a name and can be drawn.
func (p Picture) Validate() error {
	err := chart.CheckName("picture", p.Name)
	if p.Plot == nil {
		return errors.Join(err, fmt.Errorf("picture %s: plot is nil: must be one of gonum/plot", p.Name))
	}
	_, title := p.Head()
	for _, text := range []string{title, p.Plot.X.Label.Text, p.Plot.Y.Label.Text} {
		if fault := letters.Check("text", text); fault != nil {
			err = errors.Join(err, fmt.Errorf("picture %s: %w", p.Name, fault))
		}
	}
	return errors.Join(err, p.tried())
}

// tried draws the picture, and returns an error if gonum/plot panics: a log axis that reaches to 0.
func (p Picture) tried() (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("picture %s: gonum/plot: %v", p.Name, fault)
		}
	}()
	p.styled().Draw(draw.NewCanvas(new(recorder.Canvas), panelSize[1].X, panelSize[1].Y))
	return nil
}

// Head returns the name and the title.
func (p Picture) Head() (name, title string) {
	if p.Title == "" && p.Plot != nil {
		return p.Name, p.Plot.Title.Text
	}
	return p.Name, p.Title
}

// Parts returns no chart.
func (p Picture) Parts() ([]chart.Chart, int, []string) { return nil, 1, nil }

// Figure returns the picture.
func (p Picture) Figure() chart.Figure { return p }

// styled returns the plot without its title, with the letters and the axes of other figures.
func (p Picture) styled() *plot.Plot {
	styled := *p.Plot
	styled.Title.Text, styled.BackgroundColor = "", nil
	for _, axis := range []*plot.Axis{&styled.X, &styled.Y} {
		marker, scale := axis.Tick.Marker, axis.Scale
		label, tick := axis.Label.TextStyle, axis.Tick.Label
		styleAxis(axis, false)
		axis.Tick.Marker, axis.Scale = marker, scale
		axis.Label.TextStyle.Rotation = label.Rotation
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign, axis.Tick.Label.Rotation = tick.XAlign, tick.YAlign, tick.Rotation
	}
	legend := styled.Legend.TextStyle
	styled.Legend.TextStyle = sans(legendSize, false, ink)
	styled.Legend.TextStyle.XAlign, styled.Legend.TextStyle.YAlign = legend.XAlign, legend.YAlign
	return &styled
}

// pictureOf returns the picture that a figure is, or that it prints.
func pictureOf(f chart.Figure) (p Picture, ok bool) {
	if print, printed := f.(Print); printed {
		f = print.Figure
	}
	p, ok = f.(Picture)
	return p, ok
}

// drawPicture draws a picture on a page of the layout's size.
func (l layout) drawPicture(c draw.Canvas) {
	c.FillPolygon(color.White, corners(c.Rectangle))
	top := c.Max.Y - margin/2
	bottom := textLines(c, top, titleSize, true, ink, l.title)
	l.picture.styled().Draw(draw.Crop(c, margin, -margin, margin, bottom-c.Max.Y-margin/2))
}

// layoutOf measures a picture.
func layoutOf(p Picture, cell vg.Point, scale vg.Length, titled bool) layout {
	l := layout{picture: &p, size: cell, scale: scale}
	if _, title := p.Head(); titled && title != "" {
		l.title = wrap(sans(titleSize, true, ink), title, cell.X-2*margin)
	}
	return l
}
