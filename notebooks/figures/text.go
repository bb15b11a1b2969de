package figures

import (
	"fmt"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// wrap breaks a text at spaces into lines at most width wide. A single longer word stays whole.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// checkText reports a character that the house font lacks: it would be drawn as an empty box.
func checkText(where, s string) error {
	face := font.DefaultCache.Lookup(sans(labelSize, false, ink).Font, labelSize)
	var buf sfnt.Buffer
	for _, r := range s {
		if _, raised := superscripts[r]; raised {
			continue
		}
		if index, err := face.Face.GlyphIndex(&buf, r); err != nil || index == 0 {
			return fmt.Errorf("%s %q: the font has no %q (%U)", where, s, r, r)
		}
	}
	return nil
}
