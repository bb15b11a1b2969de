// Package scorefile reads the scores of an audit from a CSV, as pandas, R, numpy or a spreadsheet
// write it, or from arrays of NumPy.
//
//	scores, err := scorefile.Load("scores.csv") // columns score and member
//	report, err := audit.Bounds(scores, audit.Config{Delta: 1e-5})
//
// It promises nothing to other modules.
package scorefile

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/audit"
)

// Columns names the two columns of a score file, or its two arrays. The case of letters does not
// matter. An empty name means score or member.
type Columns struct{ Score, Member string }

// Load reads the file of a path, as [Read] does.
func Load(path string) (audit.Scores, error) { return Columns{}.Load(path) }

// Load is the function [Load] for columns with other names.
func (c Columns) Load(path string) (audit.Scores, error) {
	file, err := os.Open(path)
	if err != nil {
		return audit.Scores{}, fmt.Errorf("scorefile: %w", err)
	}
	defer file.Close()
	return c.Read(file)
}

// Read reads a CSV, in UTF-8 or UTF-16, or what numpy.savez or numpy.save wrote: an .npz file has
// the arrays score and member, an .npy file one array with a row of both for each game. The first
// bytes show which it is. Of a CSV, the first line names the columns, one of them score and one
// member. Others, such as the index that pandas writes, are ignored. Fields are divided by commas,
// semicolons or tabs, whichever divides the first line into both names. The scores of each class
// are in the order of the file.
//
// A score is a finite number in decimal digits with a point. A member is 0 or 1, false or true in
// any case, or a number equal to 0 or 1, such as 1.0. A byte order mark, CRLF line ends, spaces
// around fields, fields in double quotes, lines that start with # and empty lines at the end are
// accepted. An error names the line (the file's first is line 1), the value and the rule. With an
// error it returns none.
func Read(r io.Reader) (audit.Scores, error) { return Columns{}.Read(r) }

// Read is the function [Read] for columns with other names.
func (c Columns) Read(r io.Reader) (audit.Scores, error) {
	rows, err := c.rows(r)
	if err != nil {
		return audit.Scores{}, err
	}
	var s audit.Scores
	for _, row := range rows {
		if row.member {
			s.Member = append(s.Member, row.score)
		} else {
			s.NonMember = append(s.NonMember, row.score)
		}
	}
	return s, nil
}

// row is one line of a score file.
type row struct {
	score  float64
	member bool
}

func (c Columns) rows(r io.Reader) ([]row, error) {
	c.Score, c.Member = cmp.Or(c.Score, "score"), cmp.Or(c.Member, "member")
	if strings.EqualFold(c.Score, c.Member) {
		return nil, fmt.Errorf("scorefile: both columns are named %s: must differ", c.Score)
	}
	text := bufio.NewReader(r)
	start, _ := text.Peek(8) // reading meets the fault again
	begins := func(with string) bool { return bytes.HasPrefix(start, []byte(with)) }
	if archive, array, wide := begins("PK\x03\x04"), begins("\x93NUMPY"), begins("\xff\xfe") || begins("\xfe\xff"); archive || array || wide {
		content, err := io.ReadAll(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("scorefile: %w", err)
		case archive:
			return c.archive(content)
		case array:
			return single(content)
		}
		if len(content)%2 != 0 {
			return nil, errors.New("scorefile: the file is UTF-16 and ends in half a character: must be whole")
		}
		text, start = bufio.NewReader(strings.NewReader(fromUTF16(content))), nil
	}
	in := newLines(text, start)
	if !in.next() {
		return nil, in.fault(errors.New("scorefile: the file is empty: must start with a header that names the columns score and member"))
	}
	where, err := c.find(in.text)
	if err != nil {
		return nil, fmt.Errorf("scorefile: line %d is %q: %w", in.line, clip(in.text), err)
	}
	var rows []row
	for in.next() {
		next, err := where.parse(in.text)
		if err != nil {
			return nil, fmt.Errorf("scorefile: line %d: %w", in.line, err)
		}
		rows = append(rows, next)
	}
	if err := in.fault(nil); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("scorefile: the file has a header but no scores: must have some below it")
	}
	return rows, nil
}

// found holds the positions of the two columns.
type found struct {
	separator            byte
	score, member, count int
	fields               [][]byte // of the last line, to be used again
}

// find looks for both names in the header.
func (c Columns) find(header []byte) (found, error) {
	for _, separator := range []byte{',', ';', '\t'} {
		f := found{separator: separator, score: -1, member: -1}
		fields, err := split(nil, header, separator)
		if err != nil {
			return found{}, err
		}
		f.count = len(fields)
		for i, field := range fields {
			for name, at := range map[string]*int{c.Score: &f.score, c.Member: &f.member} {
				if !strings.EqualFold(string(field), name) {
					continue
				}
				if *at >= 0 {
					return found{}, fmt.Errorf("column %s appears twice: must appear once", name)
				}
				*at = i
			}
		}
		if f.score >= 0 && f.member >= 0 {
			return f, nil
		}
	}
	return found{}, fmt.Errorf("must be a header that names the columns %s and %s, divided by commas, semicolons or tabs (Columns names others)", c.Score, c.Member)
}

// parse reads one line under the header.
func (f *found) parse(text []byte) (row, error) {
	fields, err := split(f.fields[:0], text, f.separator)
	f.fields = fields
	if err != nil {
		return row{}, fmt.Errorf("%q: %w", clip(text), err)
	}
	if len(fields) != f.count {
		return row{}, fmt.Errorf("%q: has %d fields: must have %d, like the header", clip(text), len(fields), f.count)
	}
	score, err := check.Decimal(string(fields[f.score]))
	if err != nil {
		return row{}, fmt.Errorf("score %q: %w", clip(fields[f.score]), err)
	}
	member, ok := truth(fields[f.member])
	if !ok {
		return row{}, fmt.Errorf("member %q: must be 0 or 1, or false or true", clip(fields[f.member]))
	}
	return row{score, member}, nil
}
