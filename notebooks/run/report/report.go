package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path/filepath"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"css":  func() template.CSS { return template.CSS(pageCSS) },
	"took": took,
}).Parse(pageHTML))

// Write writes the report on the runs to path, whole or not at all. What cannot be read of a notebook's
// artifacts is said in its place in the report; only a report that cannot be written is an error.
func Write(path string, runs []Run) error {
	html, err := render(filepath.Dir(path), runs, time.Now())
	if err != nil {
		return err
	}
	if err := figures.WriteFile(path, html); err != nil {
		return fmt.Errorf("report: %s: %w", filepath.Base(path), err)
	}
	return nil
}

func render(from string, runs []Run, now time.Time) ([]byte, error) {
	p := newPage(from, runs, now)
	p.Written = now.UTC().Format("2 January 2006, 15:04 UTC")
	var out bytes.Buffer
	if err := page.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return out.Bytes(), nil
}
