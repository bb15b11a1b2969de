package show

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/figures"
)

const (
	shownExamples = 8
	shownFeatures = 8
	private       = "These are records as they are: no guarantee covers what is seen here. Clear this output before you share it, unless the data are public."
)

// Data shows the first examples of a data set: images of [rows, columns, 1 or 3] as pictures, and
// others as a table of their first features. names are those of features, as table's FeatureNames.
// It warns that it shows records, and saves nothing.
func Data(d data.Dataset, names ...string) {
	Check(d.Validate())
	if !gonbui.IsNotebook {
		fmt.Print(plainTable(dataTable(d, names)))
		return
	}
	text := htmlTable(dataTable(d, names))
	if isImage(d.Shape) {
		text = pictures(d)
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: text, protocol.MIMETextPlain: d.String()}})
}

// dataTable has a row for each of the first examples.
func dataTable(d data.Dataset, names []string) figures.Table {
	t := figures.Table{Title: d.String(), Columns: []string{"label"}, Notes: []string{private}}
	features := min(d.Width(), shownFeatures)
	for k := range features {
		name := fmt.Sprintf("feature %d", k)
		if k < len(names) {
			name = names[k]
		}
		t.Columns = append(t.Columns, name)
	}
	for i := range min(d.Len(), shownExamples) {
		row := []string{fmt.Sprint(d.Labels[i])}
		for _, x := range d.Row(i)[:features] {
			row = append(row, chart.Format(float64(x), 0))
		}
		t.Rows = append(t.Rows, row)
	}
	if more := d.Width() - features; more > 0 {
		t.Notes = append([]string{fmt.Sprintf("%d more features.", more)}, t.Notes...)
	}
	return t
}

func isImage(shape []int) bool {
	return len(shape) == 3 && min(shape[0], shape[1]) > 1 && (shape[2] == 1 || shape[2] == 3)
}

// pictures returns the first images as HTML, each above its label.
func pictures(d data.Dataset) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<b>%s</b><div>", html.EscapeString(d.String()))
	for i := range min(d.Len(), shownExamples) {
		var raw bytes.Buffer
		Check(png.Encode(&raw, picture(d.Shape, d.Row(i))))
		fmt.Fprintf(&out, `<figure style="display:inline-block;margin:4px"><img style="height:72px;image-rendering:pixelated" alt="example %d" src="data:image/png;base64,%s"><figcaption>%d</figcaption></figure>`,
			i, base64.StdEncoding.EncodeToString(raw.Bytes()), d.Labels[i])
	}
	fmt.Fprintf(&out, `</div><p style="font-size:90%%;margin:4px 0">%s</p>`, private)
	return out.String()
}

// picture returns an image of numbers in [0, 1], or in [-1, 1] if one is negative.
func picture(shape []int, numbers []float32) image.Image {
	low := float32(0)
	for _, x := range numbers {
		if x < 0 {
			low = -1
		}
	}
	level := func(x float32) uint8 { return uint8(255*min(1, max(0, (x-low)/(1-low))) + 0.5) }
	out, channels := image.NewNRGBA(image.Rect(0, 0, shape[1], shape[0])), shape[2]
	for i := range shape[0] * shape[1] {
		p := numbers[i*channels : (i+1)*channels]
		out.SetNRGBA(i%shape[1], i/shape[1], color.NRGBA{R: level(p[0]), G: level(p[channels/2]), B: level(p[channels-1]), A: 255})
	}
	return out
}
