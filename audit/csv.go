package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Row is one line of a score file.
type Row struct {
	Score  float64
	Member bool
}

// Columns names the two columns of a score file; the letters' case does not matter. An empty
// name means score or member.
type Columns struct{ Score, Member string }

// ReadRows reads a CSV in the order of the file. Its first line names the columns, one of them
// score and one member; others, such as the index that pandas writes, are ignored. Fields are
// divided by commas, semicolons or tabs, whichever divides the first line into both names.
//
// A score is a finite decimal number with a point. A member is 0 or 1, false or true in any case,
// or a number equal to 0 or 1, such as 1.0. A byte order mark, CRLF line ends, spaces around
// fields, fields in double quotes, lines that start with # and empty lines at the end are
// accepted. An error names the line (the file's first is line 1), the value and the rule.
func ReadRows(r io.Reader) ([]Row, error) { return Columns{}.ReadRows(r) }

// ReadRows is the function of that name for columns that are called otherwise.
func (c Columns) ReadRows(r io.Reader) ([]Row, error) {
	in := newLines(r)
	if !in.next() {
		return nil, in.fault(errors.New("audit: the score file is empty: must start with a header that names the columns score and member"))
	}
	where, err := c.find(in.text)
	if err != nil {
		return nil, fmt.Errorf("audit: line %d is %q: %w", in.line, clip(in.text), err)
	}
	var rows []Row
	for in.next() {
		row, err := where.parse(in.text)
		if err != nil {
			return nil, fmt.Errorf("audit: line %d: %w", in.line, err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, in.fault(errors.New("audit: the score file has a header but no scores"))
	}
	return rows, in.fault(nil)
}

// ReadCSV reads scores as [ReadRows] does and divides them by class.
func ReadCSV(r io.Reader) (Scores, error) {
	rows, err := ReadRows(r)
	if err != nil {
		return Scores{}, err
	}
	return Group(rows), nil
}

// Group divides rows by class, each in the order of the rows.
func Group(rows []Row) Scores {
	var s Scores
	for _, row := range rows {
		if row.Member {
			s.Member = append(s.Member, row.Score)
		} else {
			s.NonMember = append(s.NonMember, row.Score)
		}
	}
	return s
}

// lines reads a file line by line, without comments and the empty lines at its end.
type lines struct {
	scanner *bufio.Scanner
	text    []byte
	line    int // of text
	blank   int // the first empty line since the last that was not, or 0
	failed  error
}

// longestLine is the most bytes of a line.
const longestLine = 1 << 20

func newLines(r io.Reader) *lines {
	l := &lines{scanner: bufio.NewScanner(r)}
	l.scanner.Buffer(make([]byte, 64<<10), longestLine)
	return l
}

// next moves to the next line with data. It returns false at the end and where there is a fault.
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
			l.failed = fmt.Errorf("audit: line %d is empty, and others follow: must not be", l.blank)
			return false
		default:
			return true
		}
	}
	if err := l.scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.failed = fmt.Errorf("audit: line %d is longer than %d bytes: must hold one score, is this a CSV?", l.line+1, longestLine)
	} else if err != nil {
		l.failed = fmt.Errorf("audit: line %d: %w", l.line+1, err)
	}
	return false
}

// fault returns what went wrong in reading, else the error given.
func (l *lines) fault(otherwise error) error {
	if l.failed != nil {
		return l.failed
	}
	return otherwise
}

// found is where the two columns stand.
type found struct {
	separator            byte
	score, member, count int
	fields               [][]byte // of the last line, to be used again
}

// find looks for both names in the header.
func (c Columns) find(header []byte) (found, error) {
	if c.Score == "" {
		c.Score = "score"
	}
	if c.Member == "" {
		c.Member = "member"
	}
	if strings.EqualFold(c.Score, c.Member) {
		return found{}, fmt.Errorf("both columns are to be %s: must be two", c.Score)
	}
	for _, separator := range []byte{',', ';', '\t'} {
		f := found{separator: separator, score: -1, member: -1}
		fields, err := split(nil, header, separator)
		if err != nil {
			return f, err
		}
		f.count = len(fields)
		for i, field := range fields {
			for name, at := range map[string]*int{c.Score: &f.score, c.Member: &f.member} {
				if !strings.EqualFold(string(field), name) {
					continue
				}
				if *at >= 0 {
					return f, fmt.Errorf("column %s stands there twice", name)
				}
				*at = i
			}
		}
		if f.score >= 0 && f.member >= 0 {
			return f, nil
		}
	}
	return found{}, fmt.Errorf("must be a header that names the columns %s and %s, divided by commas, semicolons or tabs", c.Score, c.Member)
}

// parse reads one line under the header.
func (f *found) parse(text []byte) (Row, error) {
	fields, err := split(f.fields[:0], text, f.separator)
	f.fields = fields
	if err != nil {
		return Row{}, fmt.Errorf("%q: %w", clip(text), err)
	}
	if len(fields) != f.count {
		return Row{}, fmt.Errorf("%q: has %d fields: must have %d, as the header has", clip(text), len(fields), f.count)
	}
	score, ok := decimal(fields[f.score])
	if !ok {
		return Row{}, fmt.Errorf("score %q: must be a finite decimal number, such as -1.5 or 2e-3", clip(fields[f.score]))
	}
	member, ok := truth(fields[f.member])
	if !ok {
		return Row{}, fmt.Errorf("member %q: must be 0 or 1, or false or true", clip(fields[f.member]))
	}
	return Row{score, member}, nil
}

// decimal parses a finite number in digits, with point and exponent, and nothing else that Go
// takes for a number: no 1_000, 0x1p3, inf.
func decimal(field []byte) (float64, bool) {
	for _, c := range field {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(field), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

func truth(field []byte) (member, ok bool) {
	switch {
	case len(field) == 1 && (field[0] == '0' || field[0] == '1'):
		return field[0] == '1', true
	case bytes.EqualFold(field, []byte("true")):
		return true, true
	case bytes.EqualFold(field, []byte("false")):
		return false, true
	}
	x, ok := decimal(field)
	return x == 1, ok && (x == 0 || x == 1)
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
