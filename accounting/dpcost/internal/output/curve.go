package output

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
)

// Curve prints a curve as CSV or JSON. It draws the picture if one is named. CSV goes into the file
// out instead, if that is named. The lines for people are a note if standard output has the CSV.
// JSON is always printed as one object, with the names of the files. Files are written only after
// all of them are made.
func Curve(c answer.Curve, out, picture string, asJSON bool, note answer.ReportFunc) ([]byte, error) {
	var files []File
	var lines []byte
	if c.Batches != nil {
		lines = []byte(command.Wrap("batches  "+c.Batches.Drawn) + "\n")
	}
	for _, warning := range c.Warnings {
		lines = append(lines, command.Wrap("warning  "+warning)+"\n"...)
	}
	if picture != "" {
		drawn, err := drawn(c, picture)
		if err != nil {
			return nil, fmt.Errorf("-figure %s: %w", picture, err)
		}
		files = append(files, File{"figure", picture, drawn})
		lines = fmt.Appendf(lines, "figure %s\n", picture)
	}
	if out != "" {
		text, err := points(c, out, asJSON)
		if err != nil {
			return nil, err
		}
		files = append(files, File{"out", out, text})
		lines = fmt.Appendf(lines, "%d points %s\n", len(c.Points), out)
	}
	switch {
	case asJSON:
		text, err := curveJSON(struct {
			answer.Curve
			Figure string `json:"figure,omitempty"`
			Out    string `json:"out,omitempty"`
		}{c, picture, out})
		if err != nil {
			return nil, err
		}
		return text, writeAll(files)
	case out != "":
		return lines, writeAll(files)
	}
	text, err := curveCSV(c)
	if err == nil {
		err = writeAll(files)
	}
	if err == nil && len(lines) > 0 { // CSV must have no other lines
		note("%s", lines)
	}
	return text, err
}

// points returns the text of the file out. Its ending gives the format, or else -json does.
func points(c answer.Curve, out string, asJSON bool) ([]byte, error) {
	switch ending := strings.ToLower(filepath.Ext(out)); {
	case ending == ".json", asJSON && ending != ".csv":
		return curveJSON(c)
	}
	return curveCSV(c)
}

func curveJSON(c any) ([]byte, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	return append(text, '\n'), err
}

// curveCSV returns the curve as CSV. An unknown lower end is empty. The last columns are true for
// ends that were checked.
func curveCSV(c answer.Curve) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"epsilon", "delta_lower", "delta_upper"}
	switch c.Kind {
	case answer.TradeOff:
		header = []string{"type_1_error", "type_2_error_lower", "type_2_error_upper"}
	case answer.OverSteps, answer.OverEpochs:
		header = []string{c.Kind, "epsilon_lower", "epsilon_upper"}
	}
	rows := [][]string{append(header, "lower_checked", "upper_checked")}
	for _, p := range c.Points {
		lower := ""
		if p.Y.HasLower {
			lower = exactly(p.Y.Lower)
		}
		rows = append(rows, []string{exactly(p.X), lower, exactly(p.Y.Upper), strconv.FormatBool(p.Y.HasLower && below(p.Y)), strconv.FormatBool(p.UpperChecked)})
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

// exactly writes x with the fewest digits that read back as x.
func exactly(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
