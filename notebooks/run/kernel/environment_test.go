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
	"sync/atomic"
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
	own := []string{`GOFLAGS='-ldflags=-s -X main.a=b'`, "GOPROXY=corp.example", "PATH=" + plain}
	if got := Environ(own, ""); !slices.Equal(got, own) {
		t.Errorf("environment %q, want %q as it was", got, own)
	}
}

// With Offline the go command, as GoNB calls it, asks neither a proxy nor the host of a module,
// whatever is imported and whatever the user has set.
func TestOffline(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command in PATH")
	}
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r)
	}))
	defer proxy.Close()
	host := strings.TrimPrefix(proxy.URL, "http://")
	host = "localhost" + host[strings.LastIndexByte(host, ':'):]
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module cell\n\ngo 1.26\n", "main.go": "package main\n\nimport _ \"example.com/strange/show\"\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, own := range [][]string{nil, {"GONOPROXY=*", "GOPRIVATE=*", "GOVCS=*:all", "GOINSECURE=*"}} {
		for _, args := range [][]string{{"get"}, {"build"}, {"get", "example.com/strange/show@latest"}, {"get", host + "/show@latest"}, {"install", host + "/show@latest"}} {
			settings := append(append([]string{"GOMODCACHE=" + filepath.Join(dir, "modules"), "HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL}, own...), Offline...)
			cmd := exec.Command("go", args...)
			cmd.Dir, cmd.Env = dir, Environ(append(os.Environ(), "GOPROXY="+proxy.URL), "", settings...)
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Errorf("go %q with %q went well: %s", args, own, out)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the network was asked %d times", n)
	}
	cmd := exec.Command("go", "get", "example.com/strange/show@latest") // the test's own check: without Offline it is asked
	cmd.Dir, cmd.Env = dir, Environ(append(os.Environ(), "GOFLAGS=-mod=mod"), "", "GOPROXY="+proxy.URL, "GONOPROXY=none", "GOMODCACHE="+filepath.Join(dir, "modules"))
	if out, _ := cmd.CombinedOutput(); asked.Load() == 0 {
		t.Errorf("the test's proxy hears nothing: %s", out)
	}
}
