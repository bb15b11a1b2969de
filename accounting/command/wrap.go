package command

import (
	"strings"
	"unicode/utf8"
)

// columns is the width of a plain terminal.
const columns = 80

// Wrap breaks lines that are wider than a terminal at spaces. It indents the rest under the line's
// last column, or by four if the line has no columns.
func Wrap(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrapLine(line)
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	width := lastColumn(line)
	indent := strings.Repeat(" ", width)
	if width == 0 {
		indent = "    "
	}
	var out strings.Builder
	out.WriteString(string([]rune(line)[:width]))
	for i, word := range strings.Fields(string([]rune(line)[width:])) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			width += n
		case width+1+n > columns:
			out.WriteString("\n" + indent)
			width = len(indent) + n
		default:
			out.WriteByte(' ')
			width += 1 + n
		}
		out.WriteString(word)
	}
	return out.String()
}

// lastColumn returns where the last column of a line starts: after its last gap of two or
// more spaces in the left part.
func lastColumn(line string) int {
	runes, start := []rune(line), 0
	for i := 2; i < len(runes) && i <= columns*5/8; i++ {
		if runes[i-1] == ' ' && runes[i-2] == ' ' && runes[i] != ' ' {
			start = i
		}
	}
	return start
}
