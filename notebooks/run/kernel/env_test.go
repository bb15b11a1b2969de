package kernel

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestEnviron(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are called .exe there")
	}
	withGopls, withBoth, plain := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(withGopls, "gopls"), filepath.Join(withBoth, "gopls"), filepath.Join(withBoth, "go")} {
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list := func(dirs ...string) string {
		return "PATH=" + filepath.Join(dirs[0]) + string(os.PathListSeparator) + dirs[1] + string(os.PathListSeparator) + dirs[2]
	}
	in := []string{"HOME=/h", "GOFLAGS=-mod=mod -buildvcs=false --modfile=x -trimpath", "GOWORK=off", "GOBIN=/b", "GOOS=plan9", "GONB_DIR=/old", list(withGopls, withBoth, plain)}
	got := Environ(in, "/tools", "GOEXPERIMENT=", "HOME=/other")
	want := []string{"GOEXPERIMENT=", "GOFLAGS=-buildvcs=false -trimpath -ldflags=-s", "HOME=/other", list("/tools", withBoth, plain)}
	if !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	own := []string{`GOFLAGS='-ldflags=-s -X main.a=b'`, "PATH=" + plain}
	if got := Environ(own, ""); !slices.Equal(got, own) {
		t.Errorf("environment %q, want %q as it was", got, own)
	}
}
