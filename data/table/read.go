package table

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dplab/dplab/data"
)

// Load reads a file. Its first line names the columns, unless Names does.
func (s Schema) Load(path string) (data.Dataset, error) {
	if err := s.Validate(); err != nil {
		return data.Dataset{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("table: %w", err)
	}
	defer file.Close()
	return s.Read(filepath.Base(path), file)
}

// Read reads the content of a file. Errors call it name.
func (s Schema) Read(name string, file io.Reader) (data.Dataset, error) {
	if err := s.Validate(); err != nil {
		return data.Dataset{}, err
	}
	r := reader{schema: s, file: name}
	if err := r.open(file); err != nil {
		return data.Dataset{}, err
	}
	d := data.Dataset{Name: cmp.Or(s.Name, name), Shape: []int{len(s.FeatureNames())}, Classes: s.Target.classes()}
	if err := r.records(&d); err != nil {
		return data.Dataset{}, err
	}
	if d.Len() == 0 {
		return data.Dataset{}, fmt.Errorf("table: %s: holds no record: must have at least one line of them", name)
	}
	return d, d.Validate()
}

// reader reads one file.
type reader struct {
	schema  Schema
	file    string
	csv     *csv.Reader
	header  []string
	namedBy string // where the header is from, as errors call it
	adds    []appender
	at      []int // in a record, of each feature's field
	target  []int // of the target's
}

// open reads the first line.
func (r *reader) open(file io.Reader) error {
	text := bufio.NewReader(file)
	start, _ := text.Peek(3)
	switch {
	case bytes.Equal(start, []byte("\xEF\xBB\xBF")): // as spreadsheets write it
		_, _ = text.Discard(3)
	case bytes.HasPrefix(start, []byte("\xFF\xFE")), bytes.HasPrefix(start, []byte("\xFE\xFF")):
		return fmt.Errorf("table: %s: begins as UTF-16 does: must be UTF-8", r.file)
	}
	r.csv = csv.NewReader(text)
	r.csv.ReuseRecord = true
	if r.schema.Comma != 0 {
		r.csv.Comma = r.schema.Comma
	}
	if len(r.schema.Names) > 0 {
		r.header, r.csv.FieldsPerRecord, r.namedBy = r.schema.Names, len(r.schema.Names), "Schema.Names"
		return r.columns()
	}
	r.namedBy = "line 1"
	header, err := r.csv.Read()
	if err == io.EOF {
		return fmt.Errorf("table: %s: is empty: must begin with a line of column names", r.file)
	}
	if err != nil {
		return r.unreadable(header, err)
	}
	for _, name := range header {
		if name = trimmed(name); !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return fmt.Errorf("table: %s: line 1: %s: must be text in UTF-8 (is this a CSV file, and not packed?)", r.file, quoted(name))
		}
		r.header = append(r.header, name)
	}
	return r.columns()
}

// columns finds the schema's columns in the header.
func (r *reader) columns() error {
	var errs []error
	seen, named := map[string]bool{}, map[string]bool{}
	for _, name := range r.schema.columns() {
		named[name] = true
	}
	if len(r.header) == len(named) && !slices.ContainsFunc(r.header, func(name string) bool { return named[name] }) {
		return fmt.Errorf("table: %s: %s has none of the schema's columns %q: must name them (a file without such a line needs Schema.Names)", r.file, r.namedBy, r.schema.columns()[:min(maxFaults, len(named))])
	}
	for i, name := range r.header {
		switch {
		case name == "" && (named[name] || seen[name]): // any number of them is ignored, or reported once
		case name == "":
			errs = append(errs, fmt.Errorf(`table: %s: %s: column %d has no name: must be ignored, by "" in Schema.Ignore (an index that pandas wrote, or a comma at the end of each line)`, r.file, r.namedBy, i+1))
		case seen[name]:
			errs = append(errs, fmt.Errorf("table: %s: %s: column %s: must occur once", r.file, r.namedBy, quoted(name)))
		case !named[name]:
			errs = append(errs, fmt.Errorf("table: %s: %s: column %s: must be in the schema (as a feature, the target or in Ignore)%s", r.file, r.namedBy, quoted(name), r.otherComma(name)))
		}
		seen[name] = true
	}
	index := func(name string) int {
		at := slices.Index(r.header, name)
		if at < 0 {
			errs = append(errs, fmt.Errorf("table: %s: %s: has no column %q: must have all of the schema", r.file, r.namedBy, name))
		}
		return at
	}
	for _, feature := range r.schema.Features {
		r.at, r.adds = append(r.at, index(feature.column())), append(r.adds, feature.appender())
	}
	for _, name := range r.schema.Target.columns() {
		r.target = append(r.target, index(name))
	}
	for _, name := range r.schema.Ignore {
		index(name)
	}
	if n := len(errs); n > maxFaults {
		errs = append(errs[:maxFaults], fmt.Errorf("table: %s: %s: and %d faults more", r.file, r.namedBy, n-maxFaults))
	}
	return errors.Join(errs...)
}

// otherComma is a hint on the name of a file's only column.
func (r *reader) otherComma(name string) string {
	for _, comma := range ";\t|," {
		if len(r.header) == 1 && comma != r.csv.Comma && strings.ContainsRune(name, comma) {
			return fmt.Sprintf("; it holds %q: Schema.Comma may be wrong", comma)
		}
	}
	return ""
}

// maxFaults is the number of faults of a file after which reading ends.
const maxFaults = 10

// records reads all lines after the first.
func (r *reader) records(d *data.Dataset) error {
	var errs []error
	for {
		record, err := r.csv.Read()
		if err == io.EOF {
			return errors.Join(errs...)
		}
		switch {
		case err == nil:
			err = r.add(d, record)
		case errors.Is(err, csv.ErrFieldCount):
			err = r.unreadable(record, err)
		default: // later lines may be read wrongly
			return errors.Join(append(errs, r.unreadable(record, err))...)
		}
		if err != nil {
			errs = append(errs, err)
		}
		if len(errs) == maxFaults {
			return errors.Join(append(errs, fmt.Errorf("table: %s: reading ended after %d faults", r.file, maxFaults))...)
		}
	}
}

// add adds a record to the data set. Its error is the first fault of the line.
func (r *reader) add(d *data.Dataset, record []string) (err error) {
	for _, at := range slices.Concat(r.at, r.target) {
		if field := record[at]; !utf8.ValidString(field) {
			return r.fault(at, fmt.Errorf("%s: must be text in UTF-8 (Latin-1 and other encodings must be converted first)", quoted(field)))
		}
	}
	for i, add := range r.adds {
		_, isNumber := r.schema.Features[i].(Number)
		field, err := r.field(record[r.at[i]], isNumber)
		if err == nil {
			d.Features, err = add(d.Features, field)
		}
		if err != nil {
			return r.fault(r.at[i], err)
		}
	}
	fields := make([]string, len(r.target))
	_, isNumber := r.schema.Target.(Real)
	for k, at := range r.target {
		if fields[k], err = r.field(record[at], isNumber); err != nil {
			return r.fault(at, err)
		}
	}
	label, column, err := r.schema.Target.label(fields)
	if err != nil {
		return r.fault(r.target[column], err)
	}
	d.Labels = append(d.Labels, label)
	return nil
}

// field returns a field as features and targets read it: without spaces, empty if it is missing,
// and with a decimal point if it is a number.
func (r *reader) field(text string, isNumber bool) (string, error) {
	text = trimmed(text)
	if slices.Contains(r.schema.Missing, text) {
		return "", nil
	}
	if !isNumber || r.schema.Decimal != ',' {
		return text, nil
	}
	if strings.ContainsRune(text, '.') {
		return "", fmt.Errorf("%s: must have no point, since Schema.Decimal is ','", quoted(text))
	}
	return strings.Replace(text, ",", ".", 1), nil
}

// fault names file, line and column.
func (r *reader) fault(field int, err error) error {
	line, _ := r.csv.FieldPos(field)
	return fmt.Errorf("table: %s: line %d: column %q %w", r.file, line, r.header[field], err)
}

// unreadable returns what is wrong with a line that is not CSV, or has other fields than the first.
func (r *reader) unreadable(record []string, err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := r.csv.FieldPos(0)
		hint := ""
		if len(r.schema.Names) == 0 && len(record) == len(r.header)+1 && trimmed(record[len(record)-1]) == "" {
			hint = ` (where each line ends with a comma, so must the first; "" in Schema.Ignore ignores the column)`
		}
		return fmt.Errorf("table: %s: line %d has %d fields: must have %d, as %s%s", r.file, line, len(record), len(r.header), r.namedBy, hint)
	case errors.As(err, &parse):
		return fmt.Errorf("table: %s: line %d, character %d: %w (in the record from line %d; double a quote inside a field)", r.file, parse.Line, parse.Column, parse.Err, parse.StartLine)
	}
	return fmt.Errorf("table: %s: %w", r.file, err)
}

// quoted returns the start of a field as errors show it, whatever the field holds.
func quoted(field string) string {
	const most = 60
	short := []rune(field[:min(len(field), 4*most)])
	if len(short) <= most && len(field) <= 4*most {
		return strconv.Quote(field)
	}
	return fmt.Sprintf("%q... (%d bytes)", string(short[:min(len(short), most)]), len(field))
}

// trimmed returns a field without the spaces around it.
func trimmed(field string) string { return strings.TrimSpace(field) }
