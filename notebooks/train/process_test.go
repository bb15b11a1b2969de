package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/experiments"
	"github.com/dplab/dplab/notebooks/figures/quickstart"
)

// asProgram makes the test's executable be the command, with the experiments of the tests.
const asProgram = "DPLAB_TEST_TRAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(start([]experiments.Any{slow(), quickstart.Seeds}))
	}
	os.Exit(m.Run())
}

// slow blocks in shard 2 while the file "block" is in the working directory, and leaves its process id in the
// file "blocked" then.
func slow() experiments.Any {
	return toy(func(ctx context.Context, shard int, env experiments.Env) error {
		for shard == 2 {
			if _, err := os.Stat("block"); err != nil {
				return nil
			}
			env.Report(1, 10, "blocked")
			if err := os.WriteFile("blocked", fmt.Append(nil, os.Getpid()), 0o600); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
		return nil
	})
}

// process is the command in a folder with nothing in it and an environment with nothing in it: no checkout, no Go.
func process(t *testing.T, dir, line string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), self, strings.Fields(line)...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, []string{asProgram + "=1"}, &out, &out
	return c, &out
}

// ends runs the command and checks its exit code.
func ends(t *testing.T, dir, line string, code int, says string) {
	t.Helper()
	c, out := process(t, dir, line)
	_ = c.Run() // its exit code is looked at
	if got := c.ProcessState.ExitCode(); got != code || !strings.Contains(out.String(), says) {
		t.Fatalf("train %s: exit code %d, want %d and %q:\n%s", line, got, code, says, out)
	}
}

// A worker that is killed or interrupted in its third shard loses that one; another goes on and leaves what one run does.
func TestKilledWorkers(t *testing.T) {
	const line = "toy2026/count -profile quick -shard 0-3/4 -out out"
	for name, signal := range map[string]os.Signal{"killed": os.Kill, "interrupted": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			block := filepath.Join(dir, "block")
			if err := os.WriteFile(block, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			c, out := process(t, dir, line)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { // it is in shard 2, and has written the two before
				_, err := os.Stat(filepath.Join(dir, "blocked"))
				done, _ := filepath.Glob(filepath.Join(dir, "out", "*.shard.json")) // the pattern is right
				return err == nil && len(done) == 2
			})
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // its exit code is looked at
			if code := c.ProcessState.ExitCode(); signal == os.Interrupt && (code != exitAgain || !strings.Contains(out.String(), "shard 2 is lost")) {
				t.Errorf("exit code %d, %s", code, out)
			}
			if err := os.Remove(block); err != nil {
				t.Fatal(err)
			}
			ends(t, dir, line, 0, "shards trained: 2, left: 0")
			ends(t, dir, "merge toy2026/count -profile quick -from out -results results", 0, "shards added: 4, there before: 0; it has 4 of 4")
			s, err := toy(nil).LoadFrom(os.DirFS(filepath.Join(dir, "results")), "quick")
			if err != nil || s.Result != 190 {
				t.Errorf("%g, %v, want 190", s.Result, err)
			}
		})
	}
}

// Two workers train on embedded data and leave, on one backend, what one run leaves.
func TestTrainingInTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	ends(t, dir, "quickstart/seeds -profile quick -shard 1/2 -out out", 0, "shards trained: 1")
	ends(t, dir, "quickstart/seeds -profile quick -budget 1h -chunk 3 -out out", 0, "shards trained: 1, left: 0")
	ends(t, dir, "merge quickstart/seeds -profile quick -from out -results results", 0, "it has 2 of 2")
	stored, err := quickstart.Seeds.LoadFrom(os.DirFS(filepath.Join(dir, "results")), "quick")
	if err != nil {
		t.Fatal(err)
	}
	computed, err := quickstart.Seeds.Compute(t.Context(), "quick", experiments.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := stored.Result.Accuracies, computed.Result.Accuracies; len(got) != 16 || !slices.Equal(got, want) {
		t.Errorf("by two processes %v, by one %v", got, want)
	}
}

// waitFor waits until something is so, minutes if it must be: a busy machine is no fault.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("still not so after five minutes")
		}
	}
}
