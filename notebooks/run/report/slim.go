package report

import (
	"bytes"
	"regexp"
	"strconv"
)

var (
	paths    = regexp.MustCompile(` d="[^"]*"`)
	decimals = regexp.MustCompile(`\d+\.\d{2,}`)
	family   = regexp.MustCompile(`font-family:[^;"]*;`)
)

// slim makes an SVG of a figure smaller by a sixth or so: paths have one decimal, a tenth of a point, and the font that all its texts
// have is named once.
func slim(svg []byte) []byte {
	svg = paths.ReplaceAllFunc(svg, func(path []byte) []byte {
		return decimals.ReplaceAllFunc(path, func(number []byte) []byte {
			x, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				return number
			}
			return bytes.TrimSuffix(strconv.AppendFloat(nil, x, 'f', 1, 64), []byte(".0"))
		})
	})
	font := family.Find(svg)
	if font == nil || len(family.FindAll(svg, -1)) != bytes.Count(svg, font) {
		return svg
	}
	svg = bytes.ReplaceAll(svg, font, nil)
	return bytes.Replace(svg, []byte("<svg "), append(append([]byte(`<svg style="`), font...), `" `...), 1)
}
