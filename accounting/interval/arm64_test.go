package interval

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The tests of this package also pass on arm64, whose Exp and whose fused products differ.
func TestArm64(t *testing.T) {
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
	binary := filepath.Join(t.TempDir(), "interval.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(qemu, binary, "-test.short", "-test.v").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
