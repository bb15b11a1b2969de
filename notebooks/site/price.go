package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// priceURL is the page that runs dpcost.
const priceURL = "price.html"

// showPrice writes the page that runs dpcost, if the repository has it.
func (s *site) showPrice() error {
	const url, title = priceURL, "An ε in this browser"
	if s.shown["accounting/dpcost"] == "" {
		return nil
	}
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, "price", map[string]any{"Command": s.shown["accounting/dpcost"]}); err != nil {
		return err
	}
	s.entries = append(s.entries, entry{Title: title, Kind: "page", URL: url, Text: "dpcost: epsilon, price, cost, noise, tuning, verify"})
	return s.put(url, title, template.HTML(body.String()))
}

// addProgram adds dpcost for WebAssembly, compressed, and the script of the Go distribution that
// starts it. The two must be of one version of Go.
func addProgram(root string, files map[string][]byte) error {
	if files[priceURL] == nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	module := filepath.Join(dir, "dpcost.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", module, "./accounting/dpcost")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("dpcost for the browser: %w\n%s", err, out)
	}
	data, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	files["dpcost.wasm.gz"] = packed.Bytes()
	where := exec.Command("go", "env", "GOROOT")
	where.Dir = root
	goroot, err := where.Output()
	if err != nil {
		return err
	}
	files["wasm_exec.js"], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	return err
}
