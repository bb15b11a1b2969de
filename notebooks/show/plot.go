package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	plotted "gonum.org/v1/plot"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/render"
	"github.com/dplab/dplab/notebooks/figures"
)

// Plot shows the figures of results, in order.
func Plot(results ...figures.WithFigure) {
	for _, r := range results {
		Check(plot(r.Figure(), answersOf(r)))
	}
}

// Picture returns a plot of gonum/plot as a figure, for Plot and Save. It is for what a chart
// lacks, such as a contour or a field of arrows. The picture has the size and the letters of other
// figures, and is saved next to them as NAME.png, .svg and .pdf. It has no numbers for a CSV.
//
//	p := plot.New()
//	p.Add(plotter.NewContour(grid, levels, palette))
//	show.Plot(show.Picture("loss-surface", "Loss around the minimum", p))
func Picture(name, title string, p *plotted.Plot) render.Picture {
	return render.Picture{Name: name, Title: title, Plot: p}
}

// PlotAs shows the figure of a result under another name and title. Use it in a cell that shows a
// figure a second time, with its own settings.
func PlotAs(name, title string, result figures.WithFigure) {
	Check(plot(renamed(result.Figure(), name, title), answersOf(result)))
}

func renamed(f chart.Figure, name, title string) chart.Figure {
	switch f := f.(type) {
	case chart.Chart:
		f.Name, f.Title = name, title
		return f
	case chart.Panels:
		f.Name, f.Title = name, title
		return f
	case render.Picture:
		f.Name, f.Title = name, title
		return f
	}
	return f
}

func plot(f chart.Figure, answers []byte) error {
	if err := saveFigure(f, answers); err != nil {
		return err
	}
	return draw(f, "")
}

// draw shows the figure in a cell, in place of the output with an id, if id is not empty.
func draw(f chart.Figure, id string) error {
	if !gonbui.IsNotebook {
		return nil
	}
	svg, err := render.SVG(f)
	if err != nil {
		return err
	}
	name, title := f.Head()
	shown := map[protocol.MIMEType]any{
		protocol.MIMEImageSVG:  string(svg),
		protocol.MIMETextPlain: fmt.Sprintf("[figure %s: %s]", name, title),
	}
	if _, picture := f.(render.Picture); !picture {
		data, err := json.Marshal(roundedFigure(f))
		if err != nil {
			return fmt.Errorf("show: figure %s: %w", name, err)
		}
		shown[figures.ChartMIME] = string(data)
	}
	send(&protocol.DisplayData{Data: shown, DisplayID: id})
	return nil
}

func roundedFigure(f chart.Figure) any {
	switch f := f.(type) {
	case chart.Chart:
		return f.Rounded(Digits)
	case chart.Panels:
		return f.Rounded(Digits)
	}
	return f
}

// saveFigure saves the figure in all formats, and its answers if there are any, if saving is asked
// for.
func saveFigure(f chart.Figure, answers []byte) error {
	if folder() == "" {
		return nil
	}
	files := map[string][]byte{}
	name, err := figureFiles(f, files)
	if err != nil {
		return err
	}
	_, title := f.Head()
	files[name+answersSuffix] = answers
	return save(figures.Artifact{Name: name, Kind: figures.KindChart, Title: title}, files, withAnswers(suffixesOf(f), answers)...)
}

// pointFiles adds the CSV and JSON of v to the files.
func pointFiles(name string, v any, files map[string][]byte) error {
	var table bytes.Buffer
	if err := v.(interface{ WriteCSV(io.Writer) error }).WriteCSV(&table); err != nil {
		return fmt.Errorf("show: %s: %w", name, err)
	}
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("show: %s: %w", name, err)
	}
	files[name+".csv"], files[name+".json"] = table.Bytes(), append(text, '\n')
	return nil
}
