package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

var (
	paths    = regexp.MustCompile(` d="[^"]*"`)
	decimals = regexp.MustCompile(`\d+\.\d{2,}`)
	styles   = regexp.MustCompile(`\s+style="([^"&<]*)"`)
	opening  = regexp.MustCompile(`<svg [^>]*>`)
)

// slim makes an SVG of a figure smaller by a third or so: paths have one decimal, a tenth of a point, and each style, which many elements
// share, is written once. It is for figures that are images of their own: in a page the styles' names would meet those of others.
func slim(svg []byte) []byte {
	head := opening.FindIndex(svg)
	if head == nil || bytes.Contains(svg, []byte("<style")) || bytes.Contains(svg, []byte(` class="`)) {
		return svg
	}
	body := paths.ReplaceAllFunc(svg[head[1]:], func(path []byte) []byte {
		return decimals.ReplaceAllFunc(path, func(number []byte) []byte {
			x, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				return number
			}
			return bytes.TrimSuffix(strconv.AppendFloat(nil, x, 'f', 1, 64), []byte(".0"))
		})
	})
	var sheet bytes.Buffer
	names := map[string]string{}
	body = styles.ReplaceAllFunc(body, func(attribute []byte) []byte {
		style := string(styles.FindSubmatch(attribute)[1])
		name, ok := names[style]
		if !ok {
			name = fmt.Sprintf("s%d", len(names))
			names[style] = name
			fmt.Fprintf(&sheet, ".%s{%s}", name, style)
		}
		return []byte(` class="` + name + `"`)
	})
	if len(names) == 0 {
		return append(bytes.Clone(svg[:head[1]]), body...)
	}
	return bytes.Join([][]byte{svg[:head[1]], []byte("<style>"), sheet.Bytes(), []byte("</style>"), body}, nil)
}
