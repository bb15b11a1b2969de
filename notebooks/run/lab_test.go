package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// JupyterLab is given the notebook, a kernel that it finds without any installation, and the environment that
// cells are built in.
func TestLabCommand(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("JUPYTER_PATH", "/elsewhere")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	r := &runner{
		options: options{Lab: true, Names: []string{"one"}, LabArgs: []string{"--no-browser"}},
		dir:     "/repo/notebooks", cache: cache, data: "/sets",
		tools: toolchain.Tools{Dir: "/tools", GoNB: "/tools/gonb"}, build: toolchain.Build{Experiment: "simd", CGO: "0"},
	}
	if err := writeKernelSpec(r.labFolder(), r.tools); err != nil {
		t.Fatal(err)
	}
	cmd := r.labCommand(context.Background(), "/bin/jupyter-lab", []*job{{Path: "/repo/notebooks/one.ipynb"}})
	if want := []string{"/bin/jupyter-lab", "--notebook-dir=/repo/notebooks", "--no-browser", "/repo/notebooks/one.ipynb"}; !slices.Equal(cmd.Args, want) {
		t.Errorf("command %q, want %q", cmd.Args, want)
	}
	env := map[string]string{}
	for _, entry := range cmd.Env {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	if path := env["JUPYTER_PATH"]; path != r.labFolder()+string(os.PathListSeparator)+"/elsewhere" {
		t.Errorf("JUPYTER_PATH %s", path)
	}
	if !strings.HasPrefix(env["PATH"], "/tools"+string(os.PathListSeparator)) || env["GOEXPERIMENT"] != "simd" || env["CGO_ENABLED"] != "0" || env["DPLAB_DATA"] != "/sets" {
		t.Errorf("environment %v", env)
	}
	if _, has := env["GOWORK"]; has || strings.Contains(env["GOFLAGS"], "-mod") {
		t.Errorf("GOWORK=%s GOFLAGS=%s would break the setup cell", env["GOWORK"], env["GOFLAGS"])
	}
	text, err := os.ReadFile(filepath.Join(cache, "jupyter", "kernels", "gonb", "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Argv          []string
		Display       string `json:"display_name"`
		InterruptMode string `json:"interrupt_mode"`
	}
	if err := json.Unmarshal(text, &spec); err != nil || len(spec.Argv) < 3 || spec.Argv[0] != "/tools/gonb" || !slices.Equal(spec.Argv[len(spec.Argv)-2:], []string{"--kernel", "{connection_file}"}) || spec.Display != "Go (gonb)" || spec.InterruptMode != "message" {
		t.Errorf("kernel.json %s (%v)", text, err)
	}
}

// Without JupyterLab the error says so before anything is built.
func TestNoLab(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := findLab(); err == nil || !strings.Contains(err.Error(), "pip install jupyterlab") {
		t.Errorf("error %v", err)
	}
}
