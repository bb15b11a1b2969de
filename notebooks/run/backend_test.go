package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/kernel"
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

// A backend that cannot be had is an error before anything is compiled; auto is then go, and says why.
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
