// Package show shows figures, tables and progress. In a GoNB cell it shows them in the notebook.
// Elsewhere it writes files and prints text.
//
//	%%
//	res := show.Must(author2022.Figure4(author2022.Defaults()))
//	show.Plot(res)            // res has a method Figure() chart.Figure
//	show.Table(res.Compare()) // a table, a comparison, or what has a method Table() figures.Table
//
// For your own numbers, chart.New makes a chart of curves or points, chart.Histogram and chart.Box
// make one of samples, and chart.Heat one of a matrix:
//
//	show.Plot(show.Must(chart.New("Loss", "epoch", "loss", chart.Curve{X: epochs, Y: loss})))
//
// Live draws a figure that changes, such as a learning curve while a model trains. Data shows the
// first examples of a data set.
//
// In a cell a figure is an SVG document and a table is HTML. Their numbers come with them, rounded
// to Digits significant digits, as JSON text under figures.ChartMIME and figures.TableMIME. So two
// runs of a notebook can be compared as numbers. Every function here returns only when the kernel
// has what it was sent, because a cell may end right after.
//
// If the environment variable DPLAB_ARTIFACTS names a folder, everything shown is also saved there.
// Figures are NAME.png, .svg, .pdf, .csv and .json, tables are .csv and .json, and manifest.json
// lists them in order. A statement has its answer with the proof in NAME.json, and a result with
// Answers has those of its points in NAME.answers.jsonl: dpcost verify reads both. Two things of
// one name in one folder are an error. Outside of a cell, without that variable, figures and tables
// go to the folder dplab-figures. A second run replaces them there.
//
// Save writes figures and tables into a folder of your choice, for a paper. Memo keeps slow results
// from one run of a cell to the next.
//
// A wrong argument, a figure that cannot be drawn and a file that cannot be written end the program
// with the error and exit code 1. A cell has no caller to return the error to.
//
// It promises nothing to other modules.
package show

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/notebooks/figures"
)

// Must returns v, or ends the program with the error's text and exit code 1.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the program with the error's text and exit code 1, unless err is nil. In a cell it
// also prints the line.
func Check(err error) {
	if err == nil {
		return
	}
	gonbui.Sync()
	fmt.Fprintf(os.Stderr, "error: %v\n", err)
	if gonbui.IsNotebook {
		fmt.Fprint(os.Stderr, places())
	}
	os.Exit(1)
}

// places returns a line for each place of the program itself, in the form of a stack. GoNB puts the
// cell's line before it.
func places() string {
	var text strings.Builder
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "main.") {
			fmt.Fprintf(&text, "\t%s:%d\n", frame.File, frame.Line)
		}
		if !more {
			return text.String()
		}
	}
}

// Text shows a formatted text unchanged, with its line breaks.
func Text(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	show(figures.KindText, text, protocol.MIMETextPlain)
}

// Markdown shows Markdown.
func Markdown(text string) {
	show(figures.KindMarkdown, text, protocol.MIMETextMarkdown)
}

// Statement shows the sentences of a price for a paper. With DPLAB_ARTIFACTS the answer and its
// proof are saved as JSON, for dpcost verify.
func Statement(s accounting.Statement) {
	answer := Must(json.MarshalIndent(s, "", "  "))
	show(figures.KindMarkdown, s.Markdown(), protocol.MIMETextMarkdown, append(answer, '\n')...)
}

// show shows a text. answer is saved next to it, if there is one.
func show(kind, text string, mime protocol.MIMEType, answer ...byte) {
	if dir := os.Getenv(ArtifactsEnv); dir != "" {
		a := figures.Artifact{Kind: kind, Text: text}
		if len(answer) > 0 {
			a.Files = []string{".json"}
		}
		Check(figures.AddArtifact(dir, a, map[string][]byte{".json": answer}))
	}
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{mime: text}})
}

// ArtifactsEnv is the environment variable that names the folder for copies of what is shown.
const ArtifactsEnv = "DPLAB_ARTIFACTS"

// Digits is the number of significant digits of the numbers under figures.ChartMIME and
// figures.TableMIME.
const Digits = 9

const defaultFolder = "dplab-figures"
