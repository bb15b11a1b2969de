package check

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Tolerance is the relative difference that two numbers may have, unless a cell's tag sets another.
// It is far below the printed digits and far above the effect of the order of additions.
const Tolerance = 1e-6

// OtherBackend is the smallest tolerance if cells trained on another backend than the committed
// ones. Rounding grows from step to step, until single examples are classified differently.
const OtherBackend = 0.05

// difference is the first place where two outputs differ.
type difference struct{ where, expected, found string }

func (d *difference) at(where string) *difference {
	if d != nil {
		d.where = strings.TrimSpace(where + " " + d.where)
	}
	return d
}

// token finds a number, or a run of letters, or one other character.
var token = regexp.MustCompile(`[-+\x{2212}]?(?:Inf\b|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|[\pL\pM_]+|\S`)

// inlineImage is an image inside HTML or Markdown.
var inlineImage = regexp.MustCompile(`data:image/[a-z+]+;base64,[A-Za-z0-9+/=\s]+`)

// color is a terminal's color code.
var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

func tokens(text string) []string {
	text = inlineImage.ReplaceAllString(text, "data:image")
	return token.FindAllString(color.ReplaceAllString(text, ""), -1)
}

// compareText returns the first token in which the texts differ.
func compareText(expected, found string, tolerance float64) *difference {
	a, b := tokens(expected), tokens(found)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return &difference{place(i), "the end", b[i]}
		case i >= len(b):
			return &difference{place(i), a[i], "the end"}
		case !sameToken(a[i], b[i], tolerance):
			return &difference{place(i), a[i], b[i]}
		}
	}
	return nil
}

func place(i int) string { return fmt.Sprintf("word %d", i+1) }

func sameToken(a, b string, tolerance float64) bool {
	if a == b {
		return true
	}
	x, errX := number(a)
	y, errY := number(b)
	return errX == nil && errY == nil && sameNumber(x, y, tolerance)
}

func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(text, "\u2212", "-", 1), 64)
}

// tiny is the largest number that counts as zero next to zero. It is what remains of a difference
// that should vanish.
const tiny = 1e-12

// sameNumber reports whether two numbers differ by at most tolerance of the larger one.
func sameNumber(x, y, tolerance float64) bool {
	if x == y || math.IsNaN(x) && math.IsNaN(y) {
		return true
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return false
	}
	return math.Abs(x-y) <= max(tolerance*max(math.Abs(x), math.Abs(y)), tiny)
}
