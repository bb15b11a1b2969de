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
	text := bufio.NewReader(r)
	start, _ := text.Peek(8) // the scanner meets the fault again
	l := &lines{scanner: bufio.NewScanner(text), failed: notText(start)}
	l.scanner.Buffer(make([]byte, 64<<10), longestLine)
	return l
}

// notText returns an error that names the format of a file that is not a CSV in UTF-8, by its first
// bytes.
func notText(start []byte) error {
	for _, known := range []struct{ start, format string }{
		{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
		{"\x93NUMPY", "an array of NumPy (.npy)"}, {"PK\x03\x04", "a zip archive (as .npz and .xlsx are)"},
		{"\x1f\x8b", "gzip"}, {"PAR1", "Parquet"}, {"\x89HDF", "HDF5 (as .h5 and .mat are)"}, {"\x80", "a pickle of Python"},
	} {
		if bytes.HasPrefix(start, []byte(known.start)) {
			return fmt.Errorf("scorefile: the file begins as %s does: must be a CSV, as text in UTF-8", known.format)
		}
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return errors.New("scorefile: the file has a zero byte at its start, as UTF-16 and binary files do: must be a CSV, as text in UTF-8")
	}
	return nil
}

// next moves to the next line with data. It returns false at the end and at a fault.
func (l *lines) next() bool {
	for l.failed == nil && l.scanner.Scan() {
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
	if l.failed != nil {
		return false
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
