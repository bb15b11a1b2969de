package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// The test below starts this test's program again, in the roles of the runner, of JupyterLab, of a
// kernel, and of a cell that the kernel runs. Each writes its pid into the folder.
const (
	roleEnv   = "DPLAB_TEST_ROLE"
	folderEnv = "DPLAB_TEST_FOLDER"
	mannerEnv = "DPLAB_TEST_MANNER" // of JupyterLab, below
)

// How JupyterLab ends.
const (
	asksBack  = "asks back at SIGINT, ends at SIGTERM without its kernel"
	deaf      = "ends at no signal"
	endsAlone = "ends by itself without its kernel"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	play := map[string]func() int{"runner": playRunner, "lab": playLab, "kernel": playKernel, "cell": playCell, "as kernel": playAsKernel}[role]
	if play == nil {
		os.Exit(m.Run())
	}
	time.AfterFunc(10*time.Minute, func() { os.Exit(3) }) // whatever the test finds
	os.Exit(play())
}

// here writes the pid of this role.
func here() {
	path := filepath.Join(os.Getenv(folderEnv), os.Getenv(roleEnv))
	if os.WriteFile(path+".new", []byte(strconv.Itoa(os.Getpid())), 0o644) != nil || os.Rename(path+".new", path+".pid") != nil {
		os.Exit(4)
	}
}

// note leaves a file of that name in the folder.
func note(name string) {
	if os.WriteFile(filepath.Join(os.Getenv(folderEnv), name), nil, 0o644) != nil {
		os.Exit(4)
	}
}

// role is the program in another role, in a session of its own.
func role(name string, env ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), env...), roleEnv+"="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func playRunner() int {
	ctx, stop := untilSignal()
	defer stop()
	labPatience = time.Minute
	if os.Getenv(mannerEnv) == deaf {
		labPatience = 300 * time.Millisecond
	}
	temp, end, err := newTemp()
	if err != nil {
		return exitFailed
	}
	defer end()
	r := &runner{temp: temp, tools: toolchain.Tools{GoNB: "/none/gonb"}}
	here()
	if os.Setenv(roleEnv, "lab") != nil {
		return exitFailed
	}
	return r.serve(ctx, "/proc/self/exe", nil, temp, os.Stdout, os.Stderr)
}

func playLab() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	spec, err := readSpec(os.Getenv("JUPYTER_PATH"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	var env []string
	for name, value := range spec.Env {
		env = append(env, name+"="+value)
	}
	if err := role("kernel", env...).Start(); err != nil {
		return exitFailed
	}
	here()
	manner := os.Getenv(mannerEnv)
	if manner == endsAlone {
		waitFor(filepath.Join(os.Getenv(folderEnv), "cell.pid"))
		return exitOK
	}
	for s := range signals {
		if manner == asksBack && s == syscall.SIGINT {
			note("asked back")
		} else if manner == asksBack {
			note("ended")
			return exitOK
		}
	}
	return exitFailed
}

func playKernel() int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := role("cell").Start(); err != nil {
		return exitFailed
	}
	here()
	select {}
}

func playCell() int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	here()
	for { // trains
		runtime.Gosched()
	}
}

// waitFor waits for a file, minutes if it must be: a busy machine is no fault.
func waitFor(path string) bool {
	return until(func() bool { _, err := os.Stat(path); return err == nil })
}

func until(is func() bool) bool {
	for range 30000 {
		if is() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// Whatever ends -lab, and however JupyterLab takes it, its kernels and what these started end too.
func TestLabEndsAll(t *testing.T) {
	tests := []struct {
		manner string
		signal syscall.Signal // to the runner's process group, as a terminal sends it; 0: none
		code   int
	}{
		{asksBack, syscall.SIGINT, exitInterrupted},
		{asksBack, syscall.SIGTERM, exitInterrupted},
		{asksBack, syscall.SIGHUP, exitInterrupted},
		{deaf, syscall.SIGINT, exitInterrupted},
		{endsAlone, 0, exitOK},
		{asksBack, syscall.SIGKILL, -1}, // the next run ends the kernel
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%v, JupyterLab %s", test.signal, test.manner), func(t *testing.T) {
			folder, temp := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temp)
			cmd := role("runner", folderEnv+"="+folder, mannerEnv+"="+test.manner, "JUPYTER_PATH=", "DPLAB_DATA=")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pids := map[string]int{}
			for _, name := range []string{"runner", "lab", "kernel", "cell"} {
				path := filepath.Join(folder, name+".pid")
				if !waitFor(path) {
					t.Fatalf("no %s started", name)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				pids[name], _ = strconv.Atoi(string(text))
			}
			if test.signal != 0 {
				if err := syscall.Kill(-cmd.Process.Pid, test.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the exit code is looked at
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if test.signal == syscall.SIGKILL {
				removeOrphans()
				until(func() bool { return !lives(pids["lab"]) }) // it is told to end when the runner does
			}
			for name, pid := range pids {
				if !until(func() bool { return !lives(pid) }) { // killed is not gone yet
					t.Errorf("the %s, process %d, is left", name, pid)
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			for name, want := range map[string]bool{"asked back": false, "ended": test.manner == asksBack} {
				if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != want {
					t.Errorf("JupyterLab %s: %v, want %v", name, err == nil, want)
				}
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
				t.Errorf("temporary files %v are left (%v)", left, err)
			}
		})
	}
}

// A JupyterLab that does not start, as with a port in use, has printed the reason; what to do comes
// after it.
func TestLabDoesNotStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "jupyter-lab")
	script := "#!/bin/sh\necho port 8888 is not available >&2\nexit 1\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &runner{temp: t.TempDir()}
	var stderr strings.Builder
	code := r.serve(t.Context(), program, nil, r.temp, io.Discard, &stderr)
	said, found := strings.CutPrefix(stderr.String(), "port 8888 is not available\n")
	if code != exitFailed || !found || !strings.Contains(said, program) || !strings.Contains(said, "see the reason above; if its port is in use, choose another with -- --port=NUMBER") {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// lives reports whether the process runs: one that has ended but whose parent has not asked for it
// does not.
func lives(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
