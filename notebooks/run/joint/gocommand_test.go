//go:build unix

package joint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bench is a folder of GoNB's with a main.go, and a go command that only prints its arguments.
type bench struct {
	t           *testing.T
	dir, goTool string
}

func newBench(t *testing.T) bench {
	b := bench{t, t.TempDir(), filepath.Join(t.TempDir(), "it's go")}
	b.write(b.goTool, "#!/bin/sh\necho real \"$@\"\n")
	b.write(b.program(), "an earlier program")
	return b
}

func (b bench) program() string { return filepath.Join(b.dir, "gonb_1") }

func (b bench) write(path, text string) {
	b.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// call calls the go that is first in PATH.
func (b bench) call(g GoCommand, args ...string) string {
	b.t.Helper()
	env := g.InPath([]string{"PATH=" + os.Getenv("PATH")})
	cmd := exec.Command(filepath.Join(strings.Split(strings.TrimPrefix(env[0], "PATH="), ":")[0], "go"), args...)
	cmd.Dir, cmd.Env = b.dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestGoCommand(t *testing.T) {
	b := newBench(t)
	g, err := NewGoCommand(filepath.Join(t.TempDir(), "it's joint"), b.goTool)
	if err != nil {
		t.Fatal(err)
	}
	cells := filepath.Join(t.TempDir(), "cells")
	b.write(cells, "#!/bin/sh\necho cell $"+CellVariable+" \"$@\"\n")
	b.write(filepath.Join(b.dir, "main.go"), "package main // 1")
	want := "real build -o " + b.program()
	if got := b.call(g, "build", "-o", b.program()); got != want {
		t.Errorf("nothing is expected: %q, want %q", got, want)
	}
	if err := g.Expect("package main // 2", cells, 4); err != nil {
		t.Fatal(err)
	}
	if got := b.call(g, "build", "-o", b.program()); got != want || g.Took() {
		t.Errorf("another main.go: %q, want %q", got, want)
	}
	if err := g.Expect("package main // 1", cells, 4); err != nil {
		t.Fatal(err)
	}
	if got := b.call(g, "env", "GOROOT"); got != "real env GOROOT" {
		t.Errorf("go env: %q", got)
	}
	if got := b.call(g, "build", "-o", b.program()); got != "" {
		t.Errorf("go build printed %q", got)
	}
	if out, err := exec.Command(b.program(), "a b").CombinedOutput(); err != nil || string(out) != "cell 4 a b\n" {
		t.Errorf("the program printed %q (%v), want its cell", out, err)
	}
	if !g.Took() || g.Took() {
		t.Error("that the cell ran must be known, once")
	}
	if _, err := os.Stat(b.program()); err == nil {
		t.Error("the script is left, and go build writes over no file of others")
	}
	if got := b.call(g, "build", "-o", b.program()); got != want {
		t.Errorf("after the cell: %q, want %q", got, want)
	}
}

func TestComposer(t *testing.T) {
	b := newBench(t)
	g, err := NewComposer(t.TempDir(), b.goTool)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := b.call(g, "build", "-o", b.program()); got != "" {
			t.Errorf("go build printed %q", got)
		}
		if out, err := exec.Command(b.program()).CombinedOutput(); err != nil || len(out) != 0 {
			t.Errorf("the program printed %q (%v), want nothing", out, err)
		}
	}
	if got := b.call(g, "mod", "init"); got != "real mod init" {
		t.Errorf("go mod: %q", got)
	}
}
