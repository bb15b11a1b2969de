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
		os.Exit(start([]experiments.Any{slow(), quickstart.Seeds, divided()}, []entry{{experiment: slow(), profile: "quick"}, {experiment: quickstart.Seeds, profile: "quick"}}))
	}
	os.Exit(m.Run())
}

// slow blocks in shard 2 while the file "block" is in the working directory, and leaves its process
// id in the file "blocked" then.
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

// process is the command in a folder with nothing in it and an environment with nothing in it: no
// checkout, no Go.
func process(t testing.TB, dir, line string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), self, strings.Fields(line)...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, []string{asProgram + "=1", "HOME=" + t.TempDir()}, &out, &out // without HOME, XLA says so
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

// A worker that is killed or interrupted in its third shard loses that one; another goes on and
// leaves what one run does.
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
			ends(t, dir, "merge toy2026/count -profile quick -from out -results results", 0, "shards added: 4, present before: 0; it has 4 of 4")
			s, err := toy(nil).LoadFrom(os.DirFS(filepath.Join(dir, "results")), "quick")
			if err != nil || s.Result != 190 {
				t.Errorf("%g, %v, want 190", s.Result, err)
			}
		})
	}
}

// Merges of several processes at once leave all that each had: one that finds another at work ends
// with 75, and is tried again.
func TestMergesAtOnce(t *testing.T) {
	dir := t.TempDir()
	const merges = 5
	codes := make(chan int, merges)
	for i := range merges {
		ends(t, dir, fmt.Sprintf("toy2026/count -profile mid -shard %d-%d/10 -out out%d", 2*i, 2*i+1, i), 0, "shards trained: 2")
	}
	for i := range merges {
		go func() {
			code := exitAgain
			for code == exitAgain {
				c, _ := process(t, dir, fmt.Sprintf("merge toy2026/count -profile mid -from out%d -results results", i))
				_ = c.Run() // its exit code is looked at
				code = c.ProcessState.ExitCode()
			}
			codes <- code
		}()
	}
	for range merges {
		if code := <-codes; code != 0 {
			t.Errorf("a merge ends with %d", code)
		}
	}
	s, err := toy(nil).LoadFrom(os.DirFS(filepath.Join(dir, "results")), "mid")
	if err != nil || s.Result != 4950 || s.Account.Done != 10 {
		t.Errorf("%g of %+v, %v, want 4950 of 10 shards", s.Result, s.Account, err)
	}
}

// A worker whose disk is full in the middle keeps the shards that are done, leaves nothing half
// written, and ends with 75; with room again it goes on. The disk is a file system in memory of
// three pages, which hold a shard each.
func TestFullDiskOfAWorker(t *testing.T) {
	needBashOnLinux(t)
	alone := []string{"-m"} // mounts that nobody else sees
	if os.Geteuid() != 0 {
		alone = append(alone, "-r")
	}
	if out, err := exec.Command("unshare", append(alone, "mount", "-t", "tmpfs", "tmpfs", t.TempDir())...).CombinedOutput(); err != nil {
		t.Skipf("needs unshare and the right to mount: %v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "unshare", append(alone, "bash", "-c", `
mkdir small
mount -t tmpfs -o size=$((3 * $(getconf PAGESIZE))) tmpfs small
for try in 1 2; do
	code=0
	"$0" toy2026/count -profile mid -shard 0-9/10 -out small || code=$?
	echo "try $try: code $code, files $(ls -A small | wc -l)"
	mount -o remount,size=1m small
done
"$0" merge toy2026/count -profile mid -from small -results results`, self)...)
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), asProgram+"=1")
	out, err := c.CombinedOutput()
	for _, want := range []string{"cannot be written", "no space left on device", "shards trained: 3, left: 7", "try 1: code 75, files 3",
		"shards trained: 7, left: 0", "try 2: code 0, files 10", "shards added: 10"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v: does not say %q:\n%s", err, want, out)
		}
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

// divided trains the same models as one shard or as four.
func divided() experiments.Any {
	e := quickstart.Seeds
	one := e.Profiles["quick"]
	four := one
	one.Shards, one.PerShard = 1, 4*four.PerShard
	four.Shards = 4
	e.Name, e.Profiles = "quickstart/divided", map[string]quickstart.SeedsConfig{"one": one, "four": four}
	return e
}

// BenchmarkSharding compares the processor's time of one process that trains 32 models at once with
// that of four workers that train eight each, and of the merge. It asks for whole processes, so
// that other work on the machine moves it little: take rounds, -benchtime 5x.
func BenchmarkSharding(b *testing.B) {
	used := func(dir string, lines ...string) (seconds float64) {
		for _, line := range lines {
			c, out := process(b, dir, line)
			if err := c.Run(); err != nil {
				b.Fatalf("train %s: %v: %s", line, err, out)
			}
			seconds += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		}
		return seconds
	}
	const one, four = "quickstart/divided -profile one -results results", "quickstart/divided -profile four -out out -shard "
	const merge = "merge quickstart/divided -profile four -from out -results results"
	var whole, shared float64
	for b.Loop() {
		dir := b.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
			b.Fatal(err)
		}
		whole += used(dir, one)
		shared += used(dir, four+"0/4", four+"1/4", four+"2/4", four+"3/4", merge)
	}
	b.ReportMetric(whole/float64(b.N), "cpu-s/one-process")
	b.ReportMetric(shared/float64(b.N), "cpu-s/four-workers")
	b.ReportMetric(100*(shared/whole-1), "%-more")
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
