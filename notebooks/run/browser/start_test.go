package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lab is a running -lab.
type lab struct {
	root, out string // the repository; the folder of -out
	runner    string // its program, which is that of its kernels too
	url       string // less the path of a notebook
	slow      string // where a file "slow" lies in this folder a cell is not compiled on, once "compiling" lies there
}

// slowGo is a go command that can be held up.
const slowGo = `#!/bin/sh
if [ "$1" = build ] && [ -e "$SLOW/slow" ]; then
	: > "$SLOW/compiling"
	sleep 3600
fi
exec "$REAL_GO" "$@"
`

// startLab starts -lab on copies of notebooks, and returns when it answers.
func startLab(t *testing.T, ctx context.Context, notebooks ...string) lab {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	l := lab{root: root, out: filepath.Join(root, "notebooks", "out", "browser"), runner: filepath.Join(t.TempDir(), "run"), slow: t.TempDir()}
	if err := os.RemoveAll(l.out); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.runner, "./notebooks/run")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.slow, "go"), []byte(slowGo), 0o755); err != nil {
		t.Fatal(err)
	}
	at := freePort(t)
	args := append([]string{"-lab", "-out", l.out}, notebooks...)
	args = append(args, "--", "--no-browser", "--allow-root", "--expose-app-in-browser", "--port="+at, "--port-retries=0", "--IdentityProvider.token=browser")
	cmd := exec.Command(l.runner, args...)
	cmd.Env = append(os.Environ(), "PATH="+l.slow+string(os.PathListSeparator)+os.Getenv("PATH"), "SLOW="+l.slow, "REAL_GO="+goTool)
	l.run(t, cmd)
	l.url = "http://127.0.0.1:" + at + "/lab/tree/%s?token=browser&reset"
	for ctx.Err() == nil {
		if answer, err := http.Get("http://127.0.0.1:" + at + "/api?token=browser"); err == nil {
			answer.Body.Close()
			return l
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("JupyterLab does not answer")
	return l
}

// run starts -lab until the test ends, logs what it says, and makes sure that nothing of it is
// left.
func (l lab) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "lab.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = l.root, log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil {
			t.Logf("-lab said:\n%s", text)
		}
		log.Close()
		for pid, command := range l.kernels("") {
			t.Errorf("a kernel is left after the end of -lab: %d %s", pid, command)
		}
	})
}

// freePort returns a port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// kernels are the processes of the runner's program, by their numbers, whose command line names
// something.
func (l lab) kernels(what string) map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is right; without /proc there is nothing to see
	for _, file := range files {
		data, err := os.ReadFile(file)
		command := strings.ReplaceAll(string(data), "\x00", " ")
		if err != nil || !strings.HasPrefix(command, l.runner+" ") || !strings.Contains(command, what) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(file, "/proc/%d/cmdline", &pid); err == nil {
			found[pid] = command
		}
	}
	return found
}
