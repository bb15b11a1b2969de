package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// needKernel skips a test that runs a real kernel where none was built before: that takes a minute.
func needKernel(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a real kernel: not with -short")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache folder: ", err)
	}
	goTool, err := toolchain.Locate(t.Context(), ".", kernel.Environ(os.Environ(), ""))
	if err != nil {
		t.Fatal(err)
	}
	_, ok, err := toolchain.Find(toolchain.Kernel, "../..", filepath.Join(cache, "dplab"), goTool)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skip("the notebook kernel is not built yet: go run ./notebooks/run builds it")
	}
}

// runTestdata runs notebooks of testdata, and makes sure that no process and no temporary file is
// left.
func runTestdata(t *testing.T, ctx context.Context, args ...string) (code int, out, printed string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	out = t.TempDir()
	var stdout, stderr strings.Builder
	code = run(ctx, append([]string{"-notebooks", "testdata", "-out", out}, args...), &stdout, &stderr, false)
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("temporary files %v are left (%v)", left, err)
	}
	if left := processes(t, temp); len(left) != 0 {
		t.Errorf("processes are left: %q", left)
	}
	return code, out, stdout.String() + stderr.String()
}

// processes returns the command lines of the running processes that name the folder. Zombies have
// none.
func processes(t *testing.T, dir string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes in /proc (%v)", err)
	}
	var found []string
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), dir) {
			found = append(found, strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return found
}

func wantInside(t *testing.T, printed string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(printed, want) {
			t.Errorf("printed\n%s\nwant it to have %q", printed, want)
		}
	}
}

// testdata/smoke.ipynb is committed with the outputs that its cells are written to have.
func TestRealKernel(t *testing.T) {
	needKernel(t)
	code, out, printed := runTestdata(t, t.Context(), "-check", "smoke")
	if code != exitOK {
		t.Errorf("exit code %d, want 0; printed\n%s", code, printed)
	}
	wantInside(t, printed, "first figure after", "smoke.ipynb, cell [3]", "smoke.ipynb: ok, 4 cells", "report: ")
	if _, err := os.Stat(filepath.Join(out, "report.html")); err != nil {
		t.Error(err)
	}
	nb, err := nbformat.ReadFile(filepath.Join(out, "smoke.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	cell := nb.Code()[1]
	if want := "quick Gaussian(σ=1)\nquick Gaussian(σ=2)\nquick Gaussian(σ=3)\n"; cell.ExecutionCount != 2 || len(cell.Outputs) != 1 || cell.Outputs[0].Text != want {
		t.Errorf("cell [2] is %+v, want the output %q", cell, want)
	}
}

func TestRealKernelParameters(t *testing.T) {
	needKernel(t)
	code, out, printed := runTestdata(t, t.Context(), "-profile", "full", "-set", "count=1", "smoke")
	nb, err := nbformat.ReadFile(filepath.Join(out, "smoke.ipynb"))
	if err != nil {
		t.Fatal(err, printed)
	}
	if cell := nb.Code()[2]; code != exitOK || len(cell.Outputs) != 1 || cell.Outputs[0].Text != "full Gaussian(σ=1)\n" {
		t.Errorf("exit code %d, cell %+v, want one line of the full profile; printed\n%s", code, cell, printed)
	}
}

// A cell that fails ends its notebook; the other goes on, and what was done is kept.
func TestRealKernelFailure(t *testing.T) {
	needKernel(t)
	code, out, printed := runTestdata(t, t.Context(), "fail", "smoke")
	if code != exitFailed {
		t.Errorf("exit code %d, want 1", code)
	}
	wantInside(t, printed, "fail.ipynb, cell [2], line 3: panic: runtime error: index out of range", "> fmt.Println(at(3))", "smoke.ipynb: ok")
	nb, err := nbformat.ReadFile(filepath.Join(out, "fail.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	cells := nb.Code()
	// What the program prints and its panic come by two pipes: on a busy machine in either order.
	before := slices.ContainsFunc(cells[1].Outputs, func(o nbformat.Output) bool { return o.Text == "before\n" })
	if len(cells[1].Outputs) < 2 || !before || len(cells[2].Outputs) != 0 || cells[2].ExecutionCount != 0 {
		t.Errorf("outputs %+v and %+v, want the partial output of the second cell and nothing of the third", cells[1].Outputs, cells[2].Outputs)
	}
}

// What show.Must ends a cell with says at which line.
func TestRealKernelCheck(t *testing.T) {
	needKernel(t)
	code, _, printed := runTestdata(t, t.Context(), "check")
	if code != exitFailed {
		t.Errorf("exit code %d, want 1", code)
	}
	wantInside(t, printed, "check.ipynb, cell [2], line 3: 3: must be even", "> fmt.Println(show.Must(half(3)))")
}

// testdata/joint.ipynb prints which program runs a cell: "cells" is the joint one. Cell 4
// declares a function of cell 3 again, so cell 3 is not joined.
func TestRealKernelJoint(t *testing.T) {
	needKernel(t)
	if runtime.GOOS == "windows" {
		t.Skip("cells are not joined there")
	}
	if code, _, printed := runTestdata(t, t.Context(), "-check", "joint"); code != exitOK {
		t.Errorf("exit code %d, want 0; printed\n%s", code, printed)
	}
}

// A cell that takes too long is ended, whether it runs by then or, on a busy machine, still
// compiles.
func TestRealKernelTimeout(t *testing.T) {
	needKernel(t)
	code, _, printed := runTestdata(t, t.Context(), "-timeout", "4s", "forever")
	if code != exitFailed {
		t.Errorf("exit code %d, want 1", code)
	}
	wantInside(t, printed, "forever.ipynb: TIMEOUT", "forever.ipynb, cell [1]: took longer than -timeout 4s")
}

// Ctrl-C while a cell runs.
func TestRealKernelInterrupted(t *testing.T) {
	needKernel(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	temps := make(chan string, 1)
	go func() {
		temp := <-temps
		for ctx.Err() == nil {
			if found, _ := filepath.Glob(filepath.Join(temp, "*", "dplab-run-*", "hang", "gonb_*", "started")); len(found) > 0 {
				cancel(errors.New("interrupted"))
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	temps <- filepath.Dir(t.TempDir()) // its siblings are this test's other folders
	code, out, printed := runTestdata(t, ctx, "hang")
	if code != exitInterrupted {
		t.Errorf("exit code %d, want 130", code)
	}
	wantInside(t, printed, "hang.ipynb: INTERRUPTED", "hang.ipynb, cell [2]: interrupted", "finished work is in")
	if nb, err := nbformat.ReadFile(filepath.Join(out, "hang.ipynb")); err != nil || nb.Code()[0].ExecutionCount != 1 {
		t.Errorf("the partial notebook is %+v, %v, want the first cell done", nb, err)
	}
}
