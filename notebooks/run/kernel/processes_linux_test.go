package kernel

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A process is known by its temporary folder, whatever its session; one whose folder only begins
// alike is not touched.
func TestEndMarked(t *testing.T) {
	dir := t.TempDir()
	start := func(temp string) *exec.Cmd {
		cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP; sleep 1000; sleep 1000")
		cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + temp}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			KillGroup(cmd.Process.Pid)
			_ = cmd.Wait()
		})
		return cmd
	}
	own, below, other := start(dir), start(filepath.Join(dir, "kernel")), start(dir+"-other")
	EndMarked(dir)
	for _, cmd := range []*exec.Cmd{own, below} {
		if groupRuns(cmd.Process.Pid) {
			t.Errorf("%q is left", cmd.Env)
		}
	}
	if !groupRuns(other.Process.Pid) {
		t.Errorf("%q was ended", other.Env)
	}
}
