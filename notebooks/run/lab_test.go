package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// labSpec is what of a kernel's specification counts here.
type labSpec struct {
	Argv          []string
	Display       string `json:"display_name"`
	InterruptMode string `json:"interrupt_mode"`
	Env           map[string]string
}

// readSpec reads the specification that lies in a folder of JUPYTER_PATH.
func readSpec(dir string) (spec labSpec, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "kernels", "gonb", "kernel.json"))
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	return spec, err
}

// JupyterLab is given the notebook, a kernel that it finds without any installation, and the
// environment that cells are built in.
func TestLabCommand(t *testing.T) {
	t.Setenv("JUPYTER_PATH", "/elsewhere")
	t.Setenv("JUPYTER_CONFIG_PATH", "/settings")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	r := &runner{
		options: options{Lab: true, Names: []string{"one"}, LabArgs: []string{"--no-browser"}},
		dir:     "/repo/notebooks", temp: t.TempDir(), data: "/s$ets", root: "/repo",
		gopls: "/gopls", tools: toolchain.Tools{Dir: "/tools", GoNB: "/tools/gonb"}, build: toolchain.Build{Experiment: "simd", CGO: "0"},
	}
	args := r.labArgs("/repo/notebooks/lab", []*job{{Path: "/repo/notebooks/deep/one.ipynb"}})
	if want := []string{"--notebook-dir=/repo/notebooks/lab", "--no-browser", "/repo/notebooks/lab/deep/one.ipynb"}; !slices.Equal(args, want) {
		t.Errorf("arguments %q, want %q", args, want)
	}
	t.Setenv("GODEBUG", "gctrace=1")
	list := r.labEnv()
	env := map[string]string{}
	for _, entry := range list {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	if path := env["JUPYTER_PATH"]; path != r.labFolder()+string(os.PathListSeparator)+"/elsewhere" {
		t.Errorf("JUPYTER_PATH %s", path)
	}
	if !strings.HasPrefix(env["PATH"], "/tools"+string(os.PathListSeparator)) || env["GOEXPERIMENT"] != "simd" || env["CGO_ENABLED"] != "0" || env["DPLAB_DATA"] != "/s$ets" {
		t.Errorf("environment %v", env)
	}
	if !strings.HasSuffix(env["PATH"], string(os.PathListSeparator)+"/gopls") {
		t.Errorf("PATH %s, want the folder of gopls at its end", env["PATH"])
	}
	if env["GOPROXY"] == "off" {
		t.Errorf("GOPROXY=off in JupyterLab's own terminals")
	}
	if _, has := env["GOWORK"]; has || strings.Contains(env["GOFLAGS"], "-mod") {
		t.Errorf("GOWORK=%s GOFLAGS=%s would break the workspace of the cells", env["GOWORK"], env["GOFLAGS"])
	}
	if cells := r.kernelEnv(&job{}, r.temp); !slices.Contains(cells, "GODEBUG=gctrace=1,asyncpreemptoff=1") {
		t.Errorf("environment of a run's cells %q: must have asyncpreemptoff=1 next to the user's GODEBUG", cells)
	}
	if err := r.writeKernelSpec(list); err != nil {
		t.Fatal(err)
	}
	spec, err := readSpec(r.labFolder())
	if err != nil || len(spec.Argv) < 3 || !slices.Equal(spec.Argv[1:], []string{asKernel, "/repo", "/tools/gonb", "{connection_file}"}) || spec.Display != "Go (gonb)" || spec.InterruptMode != "message" {
		t.Errorf("kernel.json %+v, %v", spec, err)
	}
	if err := r.writeLabSettings(); err != nil {
		t.Fatal(err)
	}
	config, others, _ := strings.Cut(env["JUPYTER_CONFIG_PATH"], string(os.PathListSeparator))
	var defaults map[string]map[string]float64
	text, err := os.ReadFile(filepath.Join(config, "labconfig", "default_setting_overrides.json"))
	if err == nil {
		err = json.Unmarshal(text, &defaults)
	}
	if err != nil || others != "/settings" || !(defaults["@jupyterlab/completer-extension:manager"]["providerTimeout"] > 1000) {
		t.Errorf("JUPYTER_CONFIG_PATH %s, defaults %s, %v: JupyterLab drops what gopls says late", env["JUPYTER_CONFIG_PATH"], text, err)
	}
	for name, want := range map[string]string{"GOPROXY": "off", "GOVCS": "*:off", "GOEXPERIMENT": "simd", "GODEBUG": "gctrace=1,asyncpreemptoff=1", "DPLAB_DATA": "/s$$ets", "TMPDIR": r.temp} {
		if spec.Env[name] != want {
			t.Errorf("kernel.json: %s=%s, want %s", name, spec.Env[name], want)
		}
	}
}

// Without JupyterLab the error says so before anything is built.
func TestNoLab(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := findLab(); err == nil || !strings.Contains(err.Error(), "pip install jupyterlab") {
		t.Errorf("error %v", err)
	}
}

// A JupyterLab that is too old is refused, with its version and what to do. One whose version
// cannot be told is taken.
func TestOldLab(t *testing.T) {
	for version, want := range map[string]string{"3.6.8": "JupyterLab 3.6.8", "4.0.0": "", "10.1": "", "x": "", "": ""} {
		root := t.TempDir()
		for _, dir := range []string{"bin", "lib/python3.11/site-packages/jupyterlab_server-2.27.dist-info"} {
			if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "bin", "jupyter-lab"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if version != "" {
			if err := os.Mkdir(filepath.Join(root, "lib/python3.11/site-packages", "jupyterlab-"+version+".dist-info"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", filepath.Join(root, "bin"))
		program, err := findLab()
		switch {
		case want == "" && (err != nil || program != filepath.Join(root, "bin", "jupyter-lab")):
			t.Errorf("version %q: %s, %v", version, program, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pip install --upgrade jupyterlab")):
			t.Errorf("version %q: error %v", version, err)
		}
	}
}

// What is said about completion follows from what was asked for and what there is.
func TestAboutCompletion(t *testing.T) {
	for want, r := range map[string]*runner{
		"gopls could not be built":   {options: options{Completion: true}},
		"Tab completes names. gopls": {options: options{Completion: true}, gopls: "/gopls"},
		"-completion=false":          {},
	} {
		if got := r.completionNote(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}
