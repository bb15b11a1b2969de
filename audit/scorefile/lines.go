package scorefile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
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

// newLines reads a text whose first bytes are start.
func newLines(text io.Reader, start []byte) *lines {
	l := &lines{scanner: bufio.NewScanner(text), failed: notText(start)}
	l.scanner.Buffer(make([]byte, 64<<10), longestLine)
	return l
}

// notText returns an error that names the format of a file that is not a CSV in UTF-8, by its first
// bytes.
func notText(start []byte) error {
	for _, known := range []struct{ start, format string }{
		{"\x1f\x8b", "gzip"}, {"PAR1", "Parquet"}, {"\x89HDF", "HDF5 (as .h5 and .mat are)"}, {"\x80", "a pickle of Python"},
	} {
		if bytes.HasPrefix(start, []byte(known.start)) {
			return fmt.Errorf("scorefile: the file begins as %s does: must be a CSV, or an .npz or .npy file of NumPy", known.format)
		}
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return errors.New("scorefile: the file has a zero byte at its start, as binary files do, and UTF-16 without a byte order mark: must be a CSV in UTF-8")
	}
	return nil
}

// fromUTF16 returns a text with a byte order mark in UTF-8, without the mark. A half character is
// U+FFFD.
func fromUTF16(content []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if content[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, len(content)/2-1)
	for i := range units {
		units[i] = order.Uint16(content[2*i+2:])
	}
	return string(utf16.Decode(units))
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
