package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Row is one line of a score file.
type Row struct {
	Score  float64
	Member bool
}

// ReadRows reads a CSV with the header score,member and member values 0 or 1, in the order
// of the file. An error names the line (the header is line 1), the value and the rule.
// A byte order mark, CRLF line ends, spaces around fields, fields in double quotes and
// empty lines at the end are accepted.
func ReadRows(r io.Reader) ([]Row, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), 1<<20)
	if !in.Scan() {
		if err := in.Err(); err != nil {
			return nil, fmt.Errorf("audit: line 1: %w", err)
		}
		return nil, errors.New("audit: the score file is empty: must start with the header score,member")
	}
	header := bytes.TrimPrefix(in.Bytes(), []byte("\xef\xbb\xbf"))
	if a, b, ok := twoFields(header); !ok || string(a) != "score" || string(b) != "member" {
		return nil, fmt.Errorf("audit: line 1 is %q: must be the header score,member", clip(header))
	}
	var rows []Row
	blank := 0 // the first empty line, or 0
	for line := 2; in.Scan(); line++ {
		text := in.Bytes()
		if len(bytes.TrimSpace(text)) == 0 {
			if blank == 0 {
				blank = line
			}
			continue
		}
		if blank > 0 {
			return nil, fmt.Errorf("audit: line %d is empty: must hold score,member", blank)
		}
		row, err := parseRow(text)
		if err != nil {
			return nil, fmt.Errorf("audit: line %d: %w", line, err)
		}
		rows = append(rows, row)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("audit: line %d: %w", len(rows)+2, err)
	}
	if len(rows) == 0 {
		return nil, errors.New("audit: the score file has a header but no scores")
	}
	return rows, nil
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

func parseRow(text []byte) (Row, error) {
	a, b, ok := twoFields(text)
	if !ok {
		return Row{}, fmt.Errorf("%q: must have two fields, score,member", clip(text))
	}
	score, err := strconv.ParseFloat(string(a), 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		return Row{}, fmt.Errorf("score %q: must be a finite number", clip(a))
	}
	if len(b) != 1 || b[0] != '0' && b[0] != '1' {
		return Row{}, fmt.Errorf("member %q: must be 0 or 1", clip(b))
	}
	return Row{score, b[0] == '1'}, nil
}

// twoFields splits a line at its only comma.
func twoFields(line []byte) (a, b []byte, ok bool) {
	a, b, ok = bytes.Cut(line, []byte(","))
	return unquote(a), unquote(b), ok && bytes.IndexByte(b, ',') < 0
}

func unquote(field []byte) []byte {
	field = bytes.TrimSpace(field)
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return field[1 : n-1]
	}
	return field
}

func clip(text []byte) string {
	if len(text) > 60 {
		return string(text[:60]) + "..."
	}
	return string(text)
}
