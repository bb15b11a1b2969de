package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// playAsKernel is this program as JupyterLab starts it; the arguments stand in the environment.
func playAsKernel() int { return runKernel(strings.Split(os.Getenv(folderEnv), "\n")) }

// JupyterLab's kernel, started as its specification says: the first cell finds the repository. It
// ends with what it started, at its shutdown and when GoNB is killed, and then says so; what a
// kernel that was killed itself has left the next one clears.
func TestLabKernel(t *testing.T) {
	needKernel(t)
	goTool, err := toolchain.Locate(t.Context(), ".", kernel.Environ(os.Environ(), ""))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	tools, _, err := toolchain.Find(toolchain.Kernel, "../..", filepath.Join(cache, "dplab"), goTool)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	for _, ends := range []string{"killed", "GoNB killed", "shut down"} {
		conn, err := jupyter.NewConnection()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "kernel-0123abcd-4567.json")
		if err := conn.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		cmd := role("as kernel", folderEnv+"="+strings.Join([]string{root, tools.GoNB, file}, "\n"))
		env := append(append([]string{"CGO_ENABLED=0"}, kernel.Offline...), "TMPDIR="+temp)
		cmd.Env = append(kernel.Environ(cmd.Env, tools.Dir, env...), "TMPDIR="+temp)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // its code is looked at
			cancel(errors.New("the kernel has ended: " + said.String()))
			close(ended)
		}()
		client, err := jupyter.Dial(ctx, conn)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		var shown strings.Builder
		reply, err := client.Execute(t.Context(), "import \"github.com/dplab/dplab/accounting\"\n%%\nfmt.Println(accounting.Gaussian{NoiseMultiplier: 1}, os.Getenv(\"GONB_JUPYTER_KERNEL_ID\"))", true,
			func(m jupyter.Message) { shown.Write(m.Content) })
		if err != nil || reply.Status != "ok" || !strings.Contains(shown.String(), "Gaussian(σ=1) 0123abcd-4567") {
			t.Errorf("the first cell: %+v, %v, %s", reply, err, &shown)
		}
		if left, _ := filepath.Glob(filepath.Join(temp, "*", "gonb_*", "go.mod")); len(left) != 1 {
			t.Errorf("folders of cells %q: want this kernel's alone", left)
		}
		switch ends {
		case "killed":
			_ = cmd.Process.Kill()
		case "GoNB killed":
			killNamed(t, tools.GoNB, temp)
		case "shut down":
			if err := client.Shutdown(); err != nil {
				t.Error(err)
			}
		}
		<-ended
		client.Close()
		want := map[string]int{"killed": -1, "GoNB killed": exitFailed, "shut down": exitOK}[ends]
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%s: exit code %d, want %d; it said %s", ends, code, want, &said)
		}
		if told := strings.Contains(said.String(), "the kernel ended by itself"); told != (ends == "GoNB killed") {
			t.Errorf("%s: it said %s", ends, &said)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("temporary files %v are left (%v)", left, err)
	}
	if !until(func() bool { return len(processes(t, temp)) == 0 }) {
		t.Errorf("processes are left: %q", processes(t, temp))
	}
}

// killNamed kills the process of a program whose arguments name a folder.
func killNamed(t *testing.T, program, folder string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(data), program+"\x00") || !strings.Contains(string(data), folder) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // digits only
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}
