package scorefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lines reads a file line by line, without comments and the empty lines at its end.
type lines struct {
	scanner *bufio.Scanner
	text    []byte
	line    int // of text
	blank   int // the first empty line since the last line with text, or 0
	failed  error
}

// longestLine is the most bytes of a line.
const longestLine = 1 << 20

func newLines(r io.Reader) *lines {
	l := &lines{scanner: bufio.NewScanner(r)}
	l.scanner.Buffer(make([]byte, 64<<10), longestLine)
	return l
}

// next moves to the next line with data. It returns false at the end and at a fault.
func (l *lines) next() bool {
	for l.scanner.Scan() {
		l.line++
		if l.text = l.scanner.Bytes(); l.line == 1 {
			l.text = bytes.TrimPrefix(l.text, []byte("\xef\xbb\xbf")) // a byte order mark
		}
		switch trimmed := bytes.TrimSpace(l.text); {
		case len(trimmed) > 0 && trimmed[0] == '#':
		case len(trimmed) == 0:
			if l.blank == 0 {
				l.blank = l.line
			}
		case l.blank > 0:
			l.failed = fmt.Errorf("scorefile: line %d is empty, and others follow: must not be", l.blank)
			return false
		default:
			return true
		}
	}
	if err := l.scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.failed = fmt.Errorf("scorefile: line %d is longer than %d bytes: must hold one score, is this a CSV?", l.line+1, longestLine)
	} else if err != nil {
		l.failed = fmt.Errorf("scorefile: line %d: %w", l.line+1, err)
	}
	return false
}

// fault returns the error of reading, or otherwise the error given.
func (l *lines) fault(otherwise error) error {
	if l.failed != nil {
		return l.failed
	}
	return otherwise
}
