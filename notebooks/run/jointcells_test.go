//go:build unix

package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/run/joint"
	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/nbformat"
	"github.com/dplab/dplab/notebooks/run/outputs"
	"github.com/dplab/dplab/notebooks/run/progress"
)

// fakeGoNB is a kernel that builds a cell, as GoNB does, and runs what it has built. A cell shows
// the number of its run, saves an artifact of that name, and fails if fails says so.
type fakeGoNB struct {
	t              *testing.T
	path, dir      string // of the kernel's go command, and of the built cell
	artifacts      string
	fails          func(joined bool) bool
	joined, counts []bool
}

func (f *fakeGoNB) Interrupt() {}
func (f *fakeGoNB) Kill()      {}

func (f *fakeGoNB) Run(ctx context.Context, code string, count bool, publish func(jupyter.Message)) (jupyter.Reply, error) {
	program := filepath.Join(f.dir, "gonb_1")
	if err := os.WriteFile(filepath.Join(f.dir, "main.go"), []byte("composed "+code), 0o600); err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, f.path, "build", "-o", program)
	cmd.Dir = f.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("%v: %s", err, out)
	}
	_, err := os.Stat(program)
	joined := err == nil // the real go command of the test builds nothing
	f.joined, f.counts = append(f.joined, joined), append(f.counts, count)
	name := map[bool]string{true: "joint", false: "own"}[joined]
	text, _ := json.Marshal(map[string]string{"name": "stdout", "text": name})
	publish(jupyter.Message{Header: jupyter.Header{Type: "stream"}, Content: text})
	if err := figures.AddArtifact(f.artifacts, figures.Artifact{Kind: "text", Name: strings.TrimSuffix(code, "()"), Files: []string{name + ".md"}}, map[string][]byte{name + ".md": nil}); err != nil {
		f.t.Error(err)
	}
	reply := jupyter.Reply{Status: "ok"}
	if f.fails(joined) {
		reply = jupyter.Reply{Status: "error", ErrorValue: name}
	}
	if count {
		reply.ExecutionCount = 7
	}
	return reply, nil
}

// If a cell fails in the joint program, the cell's program runs. Nothing of the first run is left,
// and the cell keeps its number.
func TestJointCellFails(t *testing.T) {
	always, never := func(bool) bool { return true }, func(bool) bool { return false }
	for _, test := range []struct {
		name   string
		source string // that is expected; empty for a cell that is not joined
		fails  func(joined bool) bool
		joined []bool
		status string
	}{
		{"it runs", "composed b()", never, []bool{true}, "ok"},
		{"it fails", "composed b()", always, []bool{true, false}, "error"},
		{"only the joint program fails", "composed b()", func(joined bool) bool { return joined }, []bool{true, false}, "ok"},
		{"GoNB composed something else", "composed c", always, []bool{false}, "error"},
		{"it is not joined", "", always, []bool{false}, "error"},
	} {
		temp := t.TempDir()
		command, err := joint.NewGoCommand(temp, "true")
		if err != nil {
			t.Fatal(err)
		}
		j := &job{Name: "a.ipynb", Artifacts: t.TempDir(), Steps: []step{{Number: 1}, {Number: 2, Cell: nbformat.NewCode("b", "b()")}}}
		if err := figures.AddArtifact(j.Artifacts, figures.Artifact{Kind: "text", Name: "a", Files: []string{"a.md"}}, map[string][]byte{"a.md": nil}); err != nil {
			t.Fatal(err)
		}
		r := &runner{options: options{Timeout: time.Minute}, durations: progress.LoadDurations(filepath.Join(temp, "durations.json"))}
		k := &fakeGoNB{t: t, path: filepath.Join(temp, "go"), dir: t.TempDir(), artifacts: j.Artifacts, fails: test.fails}
		collector := outputs.New()
		cells := jointCells{command: command, program: "/none", sources: map[int]string{2: test.source}}
		reply, err := r.runStep(t.Context(), k, j, 1, collector, cells)
		ranLast := map[bool]string{true: "joint", false: "own"}[test.joined[len(test.joined)-1]]
		if err != nil || reply.Status != test.status || reply.ExecutionCount != 7 || !slices.Equal(k.joined, test.joined) || !k.counts[0] || len(k.counts) > 1 && k.counts[1] {
			t.Errorf("%s: reply %+v (%v) of runs in the joint program %v, counted %v", test.name, reply, err, k.joined, k.counts)
		}
		if shown := collector.Outputs(1); len(shown) != 1 || shown[0].Text != ranLast {
			t.Errorf("%s: outputs %+v, want those of the last run", test.name, shown)
		}
		list, err := figures.ReadManifest(j.Artifacts)
		if err != nil || len(list) != 2 || list[0].Name != "a" || list[1].Files[0] != ranLast+".md" {
			t.Errorf("%s: manifest %v (%v), want that of the last run", test.name, list, err)
		}
		if files, _ := os.ReadDir(j.Artifacts); len(files) != 3 {
			t.Errorf("%s: files %v, want two and the manifest", test.name, files)
		}
	}
}
