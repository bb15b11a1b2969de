package show

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dplab/dplab/notebooks/figures"
)

// A number, with an error or without.
var number = regexp.MustCompile(`^[+−±-]? ?(\d[\d.,]*(e[+−-]?\d+)?|∞) ?%?( ± [\d.e+−-]+)?$`)

const (
	leftCell  = "text-align:left"
	rightCell = "text-align:right"
	noWrap    = ";white-space:nowrap"
	longHead  = 18 // characters; a longer head of a column of numbers may be broken, or the table leaves the page
)

var verdictColors = map[string]string{figures.Agrees: "#1b5e36", figures.AsTextSays: "#1b5e36", figures.Confirmed: "#1b5e36", figures.Differs: "#8f1d2c"}

// htmlTable writes the table as HTML with inline styles, because a notebook has no style sheet.
// Cells get as few styles as possible, because a notebook has thousands of cells.
func htmlTable(t figures.Table) string {
	var out strings.Builder
	out.WriteString(`<table style="border-collapse:collapse;margin:0">`)
	if t.Title != "" {
		out.WriteString(`<caption style="text-align:left;font-weight:bold;color:inherit;padding:4px 0">` + html.EscapeString(t.Title) + `</caption>`)
	}
	out.WriteString("<thead><tr>")
	styles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		styles[i] = leftCell
		if numeric(t, i) {
			styles[i] = rightCell
		}
		out.WriteString(`<th style="` + styles[i] + wrapping(styles[i], c, longHead) + `">` + html.EscapeString(c) + "</th>")
	}
	out.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		out.WriteString("<tr>")
		for i, cell := range row {
			style := styles[i] + wrapping(styles[i], cell, len(cell))
			if color := verdictColors[cell]; color != "" {
				style += ";font-weight:bold;color:" + color
			}
			out.WriteString(`<td style="` + style + `">` + html.EscapeString(cell) + "</td>")
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody></table>")
	for _, note := range t.Notes {
		out.WriteString(`<p style="font-size:90%;margin:4px 0">` + html.EscapeString(note) + "</p>")
	}
	return out.String()
}

// wrapping returns the style that keeps a text of at most longest characters on one line, in a
// column of numbers.
func wrapping(column, text string, longest int) string {
	if column == rightCell && utf8.RuneCountInString(text) <= longest && strings.ContainsAny(text, " -") {
		return noWrap
	}
	return ""
}

// numeric reports whether column i is a column of numbers, to be aligned at the right. It has a
// number, and its other entries are at most two words.
func numeric(t figures.Table, i int) bool {
	const word = 12 // characters
	found := false
	for _, row := range t.Rows {
		isNumber := number.MatchString(row[i])
		if !isNumber && utf8.RuneCountInString(row[i]) > word {
			return false
		}
		found = found || isNumber
	}
	return found
}
