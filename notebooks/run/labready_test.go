package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeLab writes a program that answers --show-config-json as JupyterLab 4 does, and fails at
// --port=abc.
func fakeLab(t *testing.T, answer string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	program := filepath.Join(t.TempDir(), "jupyter-lab")
	script := "#!/bin/sh\ncase \"$*\" in\n*--port=abc*) echo \"[C] Bad config: The 'port' trait expected an int\" >&2; exit 1;;\n*--show-config-json) cat <<'END'\n" + answer + "\nEND\nexit 0;;\nesac\nexit 3\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// What keeps JupyterLab from starting is found before anything is built. The message names the
// remedy.
func TestReadyLab(t *testing.T) {
	saved := isRoot
	defer func() { isRoot = saved }()
	for _, c := range []struct {
		name, config, args string
		root               bool
		want               string // in the error; none if it is empty
	}{
		{"root", `{"ServerApp": {"default_url": "/lab"}}`, "-lab quickstart", true, "go run ./notebooks/run -lab quickstart -- --allow-root"},
		{"root with arguments", `{}`, "-lab -- --no-browser --ServerApp.root_dir=/a:b", true, "go run ./notebooks/run -lab -- --no-browser --ServerApp.root_dir=/a:b --allow-root"},
		{"root with a glob", `{}`, "-lab pap*", true, "-lab 'pap*' -- --allow-root"},
		{"root, allowed", `{"ServerApp": {"allow_root": true}}`, "-lab -- --allow-root", true, ""},
		{"root, allowed by a file", `{"ServerApp": {"allow_root": true}}`, "-lab", true, ""},
		{"root that asks for the version", `no JSON`, "-lab -- --version", true, ""},
		{"a user", `{}`, "-lab", false, ""},
		{"a user with arguments", `{"ServerApp": {"port": 0}}`, "-lab -- --port=0", false, ""},
		{"another version", `{"ServerApp": []}`, "-lab -- --no-browser", false, ""},
		{"root, allowed in another spelling", `{"ServerApp": {"allow_root": "True"}}`, "-lab -- --ServerApp.allow_root=True", true, ""}, // as JupyterLab 4.6 prints it
		{"root, not allowed", `{"ServerApp": {"allow_root": "False", "port": "80"}}`, "-lab -- --ServerApp.allow_root=False", true, "--allow-root"},
		{"root, allowed, another version", `{"ServerApp": []}`, "-lab -- --allow-root", true, ""},
		{"bad port", `{}`, "-lab -- --port=abc", false, "expected an int"},
	} {
		t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(t.TempDir(), "runtime"))
		isRoot = func() bool { return c.root }
		o, _, err := parseOptions(strings.Fields(c.args), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = readyLab(context.Background(), fakeLab(t, c.config), o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// A script whose Python is gone, as where a virtual environment was moved, and a folder that cannot
// be written.
func TestBrokenLab(t *testing.T) {
	saved := isRoot
	isRoot = func() bool { return false }
	defer func() { isRoot = saved }()
	folder := t.TempDir()
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(folder, "runtime"))
	program := filepath.Join(folder, "jupyter-lab")
	if err := os.WriteFile(program, []byte("#!/none/bin/python3\nimport sys\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := readyLab(context.Background(), program, options{Lab: true}); err == nil || !strings.Contains(err.Error(), "/none/bin/python3, which does not exist") {
		t.Errorf("error %v", err)
	}
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(program, "runtime")) // below a file
	if err := readyLab(context.Background(), fakeLab(t, "{}"), options{Lab: true}); err == nil || !strings.Contains(err.Error(), "name another folder in JUPYTER_RUNTIME_DIR") {
		t.Errorf("error %v", err)
	}
}

// Nothing is built for a root that JupyterLab would refuse.
func TestRootIsRefusedAtOnce(t *testing.T) {
	saved := isRoot
	isRoot = func() bool { return true }
	defer func() { isRoot = saved }()
	program := fakeLab(t, "{}")
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	var stdout, stderr strings.Builder
	code := run(context.Background(), []string{"-lab", "quickstart"}, &stdout, &stderr, false)
	if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), "-lab quickstart -- --allow-root") {
		t.Errorf("code %d, %q, %q", code, &stdout, &stderr)
	}
}
