package canvas

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// PDF draws on a PDF page. gonum/plot's vgpdf is not used, for two reasons. It embeds fonts
// in the Windows code page 1252, whose only Greek letter is µ, and it multiplies a color by its
// opacity twice.
//
// fpdf turns every coordinate (x, y) into the page's (x, h-y), so PDF passes h-y. Then the
// numbers in the file are those of the vg package, also under a rotation, which applies to the
// numbers in the file.
type PDF struct {
	doc    *fpdf.Fpdf
	h      float64
	width  vg.Length
	images int
}

// NewPDF returns a document of one page of width w and height h.
func NewPDF(w, h vg.Length) *PDF {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: float64(w), Ht: float64(h)}})
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // equal charts give equal bytes
	doc.SetCreationDate(epoch)
	doc.SetModificationDate(epoch)
	doc.SetCatalogSort(true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	doc.TransformBegin()
	c := &PDF{doc: doc, h: float64(h)}
	vg.Initialize(c)
	return c
}

// Describe sets the properties of the document.
func (c *PDF) Describe(title, subject string) {
	c.doc.SetTitle(title, true)
	c.doc.SetSubject(subject, true)
}

// Bytes returns the document.
func (c *PDF) Bytes() ([]byte, error) {
	c.doc.TransformEnd()
	var out bytes.Buffer
	if err := c.doc.Output(&out); err != nil {
		return nil, fmt.Errorf("render: pdf: %w", err)
	}
	return out.Bytes(), nil
}

func (c *PDF) xy(p vg.Point) (x, y float64) { return float64(p.X), c.h - float64(p.Y) }

// SetLineWidth implements vg.Canvas.
func (c *PDF) SetLineWidth(w vg.Length) {
	c.width = w
	c.doc.SetLineWidth(float64(w))
}

// SetLineDash implements vg.Canvas.
func (c *PDF) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, l := range pattern {
		lengths[i] = float64(l)
	}
	c.doc.SetDashPattern(lengths, float64(offset))
}

// SetColor implements vg.Canvas.
func (c *PDF) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

// Rotate implements vg.Canvas.
func (c *PDF) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements vg.Canvas.
func (c *PDF) Translate(p vg.Point) {
	c.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: float64(p.X), F: float64(p.Y)})
}

// Scale implements vg.Canvas.
func (c *PDF) Scale(x, y float64) { c.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

// Push implements vg.Canvas.
func (c *PDF) Push() { c.doc.TransformBegin() }

// Pop implements vg.Canvas.
func (c *PDF) Pop() { c.doc.TransformEnd() }

// Stroke implements vg.Canvas.
func (c *PDF) Stroke(p vg.Path) {
	if c.width > 0 {
		c.path(p)
		c.doc.DrawPath("D")
	}
}

// Fill implements vg.Canvas.
func (c *PDF) Fill(p vg.Path) {
	c.path(p)
	c.doc.DrawPath("F")
}

// FillString implements vg.Canvas.
func (c *PDF) FillString(f font.Face, pt vg.Point, text string) {
	if f.Font.Size == 0 {
		return
	}
	family, style := "sans", ""
	if f.Font.Weight >= xfont.WeightSemiBold {
		style = "B"
	}
	var ttf bytes.Buffer
	if _, err := f.Face.WriteSourceTo(nil, &ttf); err != nil {
		c.doc.SetError(fmt.Errorf("font %s: %w", f.Name(), err))
		return
	}
	c.doc.AddUTF8FontFromBytes(family, style, ttf.Bytes()) // does nothing the second time
	c.doc.SetFont(family, style, float64(f.Font.Size))
	x, y := c.xy(pt)
	c.doc.Text(x, y, text)
}

// DrawImage implements vg.Canvas.
func (c *PDF) DrawImage(rect vg.Rectangle, img image.Image) {
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		c.doc.SetError(err)
		return
	}
	c.images++
	name, options := fmt.Sprintf("image%d", c.images), fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, options, &data)
	x, y := c.xy(vg.Point{X: rect.Min.X, Y: rect.Max.Y})
	c.doc.ImageOptions(name, x, y, float64(rect.Size().X), float64(rect.Size().Y), false, options, 0, "")
}
