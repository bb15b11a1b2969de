package command

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

var figureFormats = []string{".pdf", ".svg", ".png"}

// CheckFigure returns an error unless the path of the flag -figure has an ending that can be drawn.
func CheckFigure(path string) error {
	if !slices.Contains(figureFormats, strings.ToLower(filepath.Ext(path))) {
		return fmt.Errorf("-figure %q: must end in .pdf, .svg or .png", path)
	}
	return nil
}

// Draw returns a figure in the format of a path. Equal figures give equal bytes, on any day.
func Draw(p *plot.Plot, width, height vg.Length, path string) ([]byte, error) {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	picture, err := p.WriterTo(width, height, strings.ToLower(filepath.Ext(path))[1:])
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = picture.WriteTo(&out)
	return out.Bytes(), err
}

// AddLine adds a line and its name; no points add nothing. Width and dashes are in points; no dashes are a solid line.
func AddLine(p *plot.Plot, name string, points plotter.XYs, c color.Color, width float64, dashes ...float64) error {
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(width)
	for _, d := range dashes {
		line.Dashes = append(line.Dashes, vg.Points(d))
	}
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}
