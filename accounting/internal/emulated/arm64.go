// Package emulated runs the tests of a package on another processor. It is for tests.
package emulated

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Arm64 builds the test binary of the package in the current folder for arm64, runs it under qemu
// with flags, and returns what it printed. It skips the test, visibly, with -short, on arm64 itself
// and without qemu, and fails it if the binary fails.
func Arm64(t *testing.T, flags ...string) []byte {
	t.Helper()
	if runtime.GOARCH == "arm64" {
		t.Skip("this is arm64")
	}
	if testing.Short() {
		t.Skip("emulation takes a minute: without -short")
	}
	var qemu string
	for _, name := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
		if path, err := exec.LookPath(name); err == nil {
			qemu = path
		}
	}
	if qemu == "" {
		t.Skip("NOT RUN: no qemu-aarch64 (Debian: apt-get install qemu-user-static)")
	}
	binary := filepath.Join(t.TempDir(), "arm64.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(qemu, append([]string{binary}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
