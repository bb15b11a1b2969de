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

// Texts keep the space that they begin with, as after a subscript.
func TestSVGKeepsSpaces(t *testing.T) {
	doc, err := SVG(chart.Chart{Name: "a", Title: "ε_U (large numbers)", XLabel: "x", YLabel: "y", Curves: []chart.Curve{{Label: "l", X: chart.Series{0, 1}, Y: chart.Series{0, 1}}}})
	if err != nil || !strings.Contains(string(doc), `xml:space="preserve"`) || !strings.Contains(string(doc), "> (large numbers)</text>") {
		t.Errorf("%s (%v)", doc, err)
	}
}
