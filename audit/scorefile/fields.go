package scorefile

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dplab/dplab/accounting/check"
)

func truth(field []byte) (member, ok bool) {
	switch {
	case len(field) == 1 && (field[0] == '0' || field[0] == '1'):
		return field[0] == '1', true
	case bytes.EqualFold(field, []byte("true")):
		return true, true
	case bytes.EqualFold(field, []byte("false")):
		return false, true
	}
	x, err := check.Decimal(string(field))
	return x == 1, err == nil && (x == 0 || x == 1)
}

// split appends the fields of a line, without the spaces and quotes around them.
func split(fields [][]byte, line []byte, separator byte) ([][]byte, error) {
	for {
		field, rest, more := cut(line, separator)
		if quoted := bytes.TrimLeft(line, " "); len(quoted) > 0 && quoted[0] == '"' {
			end := closing(quoted[1:])
			if end < 0 {
				return nil, errors.New("a quote is not closed on this line")
			}
			var after []byte
			if after, rest, more = cut(quoted[end+2:], separator); len(bytes.TrimSpace(after)) > 0 {
				return nil, fmt.Errorf("%q follows a closing quote: must be the end of the field", clip(after))
			}
			field = quoted[1 : end+1]
		}
		fields = append(fields, bytes.TrimSpace(field))
		if !more {
			return fields, nil
		}
		line = rest
	}
}

func cut(line []byte, separator byte) (field, rest []byte, more bool) {
	if i := bytes.IndexByte(line, separator); i >= 0 {
		return line[:i], line[i+1:], true
	}
	return line, nil, false
}

// closing returns where the quote closes, or -1; a doubled quote is a quote in the text.
func closing(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '"':
		case i+1 < len(text) && text[i+1] == '"':
			i++
		default:
			return i
		}
	}
	return -1
}

func clip(text []byte) string {
	if len(text) > 60 {
		return string(text[:60]) + "..."
	}
	return string(text)
}
