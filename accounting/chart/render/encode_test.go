package render

import (
	"bytes"
	"compress/zlib"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

var formats = map[string]func(chart.Figure) ([]byte, error){"PNG": PNG, "SVG": SVG, "PDF": PDF}

func TestEqualFiguresGiveEqualBytes(t *testing.T) {
	times := 3
	if testing.Short() {
		times = 1
	}
	for i, f := range []chart.Figure{samples.Curves(), samples.Mixed(), samples.Panels(), samples.Heat()} {
		if testing.Short() && i != 1 {
			continue
		}
		name, _ := f.Head()
		for format, encode := range formats {
			first, err := encode(f)
			if err != nil {
				t.Fatalf("%s of %s: %v", format, name, err)
			}
			for range times {
				if again, err := encode(f); err != nil || !bytes.Equal(first, again) {
					t.Fatalf("%s of %s: two renderings differ (%v)", format, name, err)
				}
			}
		}
	}
}

func TestPNGHasTwoPixelsForEachCSSPixel(t *testing.T) {
	for _, f := range []chart.Figure{samples.Mixed(), samples.Panels()} {
		width, height, err := Size(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := PNG(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if abs(c.Width-2*width) > 1 || abs(c.Height-2*height) > 1 {
			t.Errorf("image of %d x %d pixels, size %d x %d CSS pixels", c.Width, c.Height, width, height)
		}
	}
}

func abs(i int) int { return max(i, -i) }

func TestSVGKeepsTheText(t *testing.T) {
	data, err := SVG(samples.Curves())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Rényi divergence, η = 0", "order α", "ε(α), nats", "E[K] = 1000, µ = 5", "'Liberation Sans',Arial"} {
		if !bytes.Contains(data, []byte(text)) {
			t.Errorf("the SVG has no %q", text)
		}
	}
}

var streams = regexp.MustCompile(`(?s)/FlateDecode.*?stream\n(.*?)\nendstream`)

// TestPDFHasGreekLetters looks for the UTF-16 text in the page's stream. gonum/plot's own PDF canvas would write
// Windows code page 1252, which has no ε.
func TestPDFHasGreekLetters(t *testing.T) {
	data, err := PDF(samples.Curves())
	if err != nil {
		t.Fatal(err)
	}
	var pages strings.Builder
	for _, m := range streams.FindAllSubmatch(data, -1) {
		if r, err := zlib.NewReader(bytes.NewReader(m[1])); err == nil {
			_, _ = io.Copy(&pages, r)
		}
	}
	for _, text := range []string{"order α", "ε(α), nats", "µ = 5"} {
		utf16 := ""
		for _, r := range text {
			utf16 += string([]byte{byte(r >> 8), byte(r)})
		}
		utf16 = strings.NewReplacer("(", `\(`, ")", `\)`).Replace(utf16)
		if !strings.Contains(pages.String(), utf16) {
			t.Errorf("the PDF has no %q", text)
		}
	}
	for _, want := range []string{"/Subtype /CIDFontType2", "/FontFile2", "/ToUnicode", "D:20000101"} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the PDF has no %s", want)
		}
	}
}

func TestInvalidFiguresAreNotDrawn(t *testing.T) {
	c := samples.Mixed()
	c.Curves[0].High = nil
	for format, encode := range formats {
		if _, err := encode(c); err == nil || !strings.Contains(err.Error(), "chart mixed") {
			t.Errorf("%s of a chart with half a band: error %v", format, err)
		}
	}
}

func TestFileTakesTheFormatOfItsPath(t *testing.T) {
	for path, magic := range map[string]string{"a.pdf": "%PDF", "a.SVG": "<?xml", "b/a.png": "\x89PNG", "a.jpg": "", "a": "", "": ""} {
		image, err := File(samples.Mixed(), path)
		if (err == nil) != (magic != "") || (CheckPath(path) == nil) != (magic != "") || !strings.HasPrefix(string(image), magic) {
			t.Errorf("%q: %.8q, error %v", path, image, err)
		}
	}
}
