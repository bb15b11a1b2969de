package kernel

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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
	want := []string{"GOEXPERIMENT=", "GOFLAGS=-buildvcs=false -trimpath -ldflags=-s", "GOPRIVATE=" + OwnModule, "GOVCS=" + OwnModule + ":off", "HOME=/other", list("/tools", withBoth, plain)}
	if !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	own := []string{`GOFLAGS='-ldflags=-s -X main.a=b'`, "GONOPROXY=" + OwnModule + ",none", "GOPRIVATE=" + OwnModule + ",corp.example/*", "GOVCS=" + OwnModule + ":off,*:all", "PATH=" + plain}
	if got := Environ(own, ""); !slices.Equal(got, own) {
		t.Errorf("environment %q, want %q as it was", got, own)
	}
}

// The user's own rules are kept, behind ours.
func TestEnvironJoins(t *testing.T) {
	got := Environ([]string{"GOPRIVATE=corp.example/*,other.example", "GONOPROXY=none", "GOVCS=*:all"}, "")
	for _, want := range []string{"GOPRIVATE=" + OwnModule + ",corp.example/*,other.example", "GONOPROXY=" + OwnModule + ",none", "GOVCS=" + OwnModule + ":off,*:all"} {
		if !slices.Contains(got, want) {
			t.Errorf("environment %q, want %q in it", got, want)
		}
	}
}

// In a folder without the setup cell's workspace the go command, as GoNB calls it, neither asks a proxy for this
// repository's module nor clones it.
func TestOwnModuleIsNotFetched(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command in PATH")
	}
	var mu sync.Mutex
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		http.NotFound(w, r)
	}))
	defer proxy.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module cell\n\ngo 1.26\n", "main.go": "package main\n\nimport _ \"" + OwnModule + "/notebooks/show\"\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args, env []string
		want      string
	}{
		{[]string{"get"}, nil, "cannot find module providing package " + OwnModule},
		{[]string{"get", OwnModule + "/notebooks/show@latest"}, nil, "GOVCS disallows using git for private " + OwnModule},
		{[]string{"get", OwnModule + "/notebooks/show@latest"}, []string{"GONOPROXY=none", "GOVCS=*:all"}, "GOVCS disallows using git for private " + OwnModule},
	} {
		cmd := exec.Command("go", test.args...)
		cmd.Dir, cmd.Env = dir, Environ(os.Environ(), "", append(test.env, "GOPROXY="+proxy.URL, "GOMODCACHE="+filepath.Join(dir, "modules"))...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), test.want) {
			t.Errorf("go %q %q: %v, %s, want %q", test.args, test.env, err, out, test.want)
		}
	}
	for _, path := range asked {
		if strings.HasPrefix(path, "/"+OwnModule) {
			t.Errorf("the proxy was asked for %s", path)
		}
	}
}
