//go:build unix

package kernel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that ends at once is tried again with new ports, and the error holds what it said.
func TestStartFails(t *testing.T) {
	temp := t.TempDir()
	config := Config{Command: []string{"/bin/sh", "-c", `echo "no such kernel: $0 exists: $(test -f "$0" && echo yes)" >&2; exit 3`}, Dir: temp, Env: os.Environ(), Temp: temp}
	_, err := Start(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "did not start") || !strings.Contains(err.Error(), "no such kernel") || !strings.Contains(err.Error(), "exists: yes") {
		t.Errorf("error %v, want the end of the program and what it printed", err)
	}
	if logs, _ := filepath.Glob(filepath.Join(temp, "kernel-*.log")); len(logs) != tries {
		t.Errorf("%d starts, want %d", len(logs), tries)
	}
	if files, _ := filepath.Glob(filepath.Join(temp, "kernel-*.json")); len(files) != 0 {
		t.Errorf("connection files %v are left", files)
	}
}

// A kernel that is killed says so, and not what it wrote before; one that ends says how, and what
// it wrote last.
func TestEndIsSaid(t *testing.T) {
	for script, want := range map[string]string{
		`echo working; kill -9 $$`: "the kernel was killed from outside",
		`echo oh no; exit 3`:       "the kernel ended by itself (exit status 3)\n  oh no",
	} {
		temp := t.TempDir()
		k := &Kernel{log: filepath.Join(temp, "log"), connect: filepath.Join(temp, "connection"), ended: make(chan struct{})}
		if err := k.spawn(Config{Command: []string{"/bin/sh", "-c", script}, Dir: temp, Env: os.Environ(), Temp: temp}); err != nil {
			t.Fatal(err)
		}
		ctx, end := k.endsContext(t.Context())
		<-ctx.Done()
		if said := context.Cause(ctx).Error(); !strings.HasPrefix(said, want) || strings.Contains(said, "working") {
			t.Errorf("%s: %q, want %q", script, said, want)
		}
		end()
	}
}

func TestStartNoProgram(t *testing.T) {
	temp := t.TempDir()
	_, err := Start(t.Context(), Config{Command: []string{filepath.Join(temp, "none")}, Dir: temp, Temp: temp})
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want os.ErrNotExist", err)
	}
}

// A canceled start, and Kill, end the program and what it started, also what ignores other signals.
func TestNothingIsLeft(t *testing.T) {
	temp := t.TempDir()
	pids := filepath.Join(temp, "pids")
	script := `trap '' INT TERM HUP; sleep 1000 & echo $! $$ > "` + pids + `.new"; mv "` + pids + `.new" "` + pids + `"; wait; sleep 1000`
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user pressed Ctrl-C")
	var started []int
	go func() {
		defer cancel(why)
		for range 6000 { // a minute: Start gives up then
			if data, err := os.ReadFile(pids); err == nil {
				for _, field := range strings.Fields(string(data)) {
					pid, _ := strconv.Atoi(field)
					started = append(started, pid)
				}
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, err := Start(ctx, Config{Command: []string{"/bin/sh", "-c", script}, Dir: temp, Env: os.Environ(), Temp: temp})
	if !errors.Is(err, why) {
		t.Errorf("error %v, want the cause of the cancel", err)
	}
	if len(started) != 2 {
		t.Fatalf("the program started %v, want two processes", started)
	}
	for _, pid := range started {
		for deadline := time.Now().Add(5 * time.Minute); alive(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
}

// alive reports whether the process runs. One that has ended but whose parent has not asked for it
// does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
