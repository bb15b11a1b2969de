package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// finding returns what findBackend makes of -backend.
func finding(t *testing.T, backend string) (*runner, error) {
	t.Helper()
	goTool, err := toolchain.Locate(t.Context(), ".", kernel.Environ(os.Environ(), ""))
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{options: options{Backend: backend}, root: filepath.Join("..", ".."), goTool: goTool, display: progress.NewDisplay(io.Discard, false)}
	t.Cleanup(r.display.Stop)
	return r, r.findBackend(t.Context())
}

// A backend that cannot be had is an error before anything is compiled; auto is then go, and says
// why.
func TestFindBackend(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("XLA runs on Linux only")
	}
	none := t.TempDir()
	text := filepath.Join(none, "cuda.so")
	if err := os.WriteFile(text, []byte("not found"), 0o600); err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(none, "compiler")
	if err := os.WriteFile(compiler, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ cc, cgo, cpu, cuda, backend, want string }{
		"no compiler":      {"/none/cc", "", text, text, "xla:cpu", "no C compiler (/none/cc)"},
		"cgo is off":       {compiler, "0", text, text, "xla:cuda", "CGO_ENABLED=0 is set"},
		"no plugin":        {compiler, "", filepath.Join(none, "none.so"), text, "xla:cpu", "none.so"},
		"no GPU's plugin":  {compiler, "", text, text, "xla:cuda", "no ELF header"},
		"auto, no plugins": {compiler, "", filepath.Join(none, "none.so"), text, "auto", "none.so"},
	} {
		t.Setenv("CC", c.cc)
		t.Setenv("CGO_ENABLED", c.cgo)
		t.Setenv("DPLAB_PJRT", c.cpu)
		t.Setenv("DPLAB_PJRT_CUDA", c.cuda)
		r, err := finding(t, c.backend)
		switch {
		case c.backend == autoBackend:
			if err != nil || r.backend != goBackend || !strings.Contains(r.why, c.want) {
				t.Errorf("%s: backend %q, %q, %v: want go, because of %q", name, r.backend, r.why, err, c.want)
			}
		case err == nil || !strings.Contains(err.Error(), "-backend "+c.backend) || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if r, err := finding(t, "go"); err != nil || r.backend != goBackend || r.why != "" {
		t.Errorf("go: %q, %q, %v", r.backend, r.why, err)
	}
}

// Against outputs of go, numbers of another backend may differ by a twentieth, words may not, and a
// cell's larger tolerance stays.
func TestCheckOnAnotherBackend(t *testing.T) {
	notebook := func(wide, narrow string) *nbformat.Notebook {
		saying := func(text string, tags ...string) *nbformat.Cell {
			cell := nbformat.NewCode("c", "%%\nTrain()", tags...)
			cell.Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: text}}
			return cell
		}
		return &nbformat.Notebook{Cells: []*nbformat.Cell{saying(wide, "tolerance:0.2"), saying(narrow)}}
	}
	committed := &job{Name: "a.ipynb", Committed: notebook("accuracy 80 %", "accuracy 80 %, ε <= 3.000")}
	for name, c := range map[string]struct {
		backend, wide, narrow, want string
	}{
		"go, the same":               {"go", "accuracy 80 %", "accuracy 80 %, ε <= 3.000", ""},
		"go, other digits":           {"go", "accuracy 80 %", "accuracy 80.1 %, ε <= 3.000", "cell [2]"},
		"go, a cell with a tag":      {"go", "accuracy 70 %", "accuracy 80 %, ε <= 3.000", ""},
		"XLA, other digits":          {"xla:cpu", "accuracy 80 %", "accuracy 77 %, ε <= 3.001", ""},
		"XLA, more than a twentieth": {"xla:cpu", "accuracy 80 %", "accuracy 75 %, ε <= 3.000", "cell [2]"},
		"XLA, another word":          {"xla:cpu", "accuracy 80 %", "loss 80 %, ε <= 3.000", "cell [2]"},
		"XLA, a cell with a tag":     {"xla:cpu", "accuracy 68 %", "accuracy 80 %, ε <= 3.000", ""},
		"XLA, beyond the tag":        {"xla:cpu", "accuracy 60 %", "accuracy 80 %, ε <= 3.000", "cell [1]"},
	} {
		r := &runner{build: toolchain.Build{Backend: c.backend}}
		mismatches, err := compareNotebooks(committed, notebook(c.wide, c.narrow), false, r.leastTolerance())
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(mismatches); (len(mismatches) == 0) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: mismatches %v, want %q", name, got, c.want)
		}
	}
}
