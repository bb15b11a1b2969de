// Package letters has the font of all figures, and checks that it has the characters of a text.
package letters

import (
	"fmt"
	"sync"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// Superscripts are drawn as these characters, small and raised, because the font lacks some of
// them.
var Superscripts = map[rune]rune{
	'⁻': '−', '⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9'}

// Font returns the font at a size. It is embedded in gonum/plot, so a figure needs no installed
// font.
func Font(size font.Length, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// fonts are the fonts of gonum/plot.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// Check returns an error for a character that the font lacks. It would be drawn as an empty box.
func Check(where, s string) error {
	face := fonts().Lookup(Font(10, false), 10)
	var buf sfnt.Buffer
	for _, r := range s {
		if _, raised := Superscripts[r]; raised {
			continue
		}
		if index, err := face.Face.GlyphIndex(&buf, r); err != nil || index == 0 {
			return fmt.Errorf("%s %q: the font has no %q (%U)", where, s, r, r)
		}
	}
	return nil
}
