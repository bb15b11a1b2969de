package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/accounting/chart/internal/samples"
)

// Documents are well-formed, and their numbers are finite.
func TestSVGIsXML(t *testing.T) {
	for _, f := range []chart.Figure{samples.Curves(), samples.Mixed(), samples.Panels()} {
		doc, err := SVG(f)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := f.Head()
		for decoder := xml.NewDecoder(bytes.NewReader(doc)); ; {
			token, err := decoder.Token()
			if token == nil {
				if fmt.Sprint(err) != "EOF" {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if start, ok := token.(xml.StartElement); ok {
				for _, a := range start.Attr {
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
					}
				}
			}
		}
	}
}

// A label is one element, whose parts keep the space that they begin with. One that is long fills
// its length in any font.
func TestSVGLabels(t *testing.T) {
	doc, err := SVG(chart.Chart{Name: "a", Title: "ε_U (large numbers)", XLabel: "δ = 10⁻⁵", YLabel: "y", Curves: []chart.Curve{{Label: "l", X: chart.Series{0, 1}, Y: chart.Series{0, 1}}}})
	for _, want := range []string{`xml:space="preserve"`, `>ε<tspan dy="1.98" font-size="8.75">U</tspan><tspan dy="-1.98"> (large numbers)</tspan></text>`, `>δ = 10<tspan dy="-3.6" font-size="8.75">−5</tspan></text>`} {
		if err != nil || !strings.Contains(string(doc), want) {
			t.Errorf("%s (%v), want %s", doc, err, want)
		}
	}
	if n := strings.Count(string(doc), "textLength="); n != 1 {
		t.Errorf("%d labels have a length, want the title only", n)
	}
}
