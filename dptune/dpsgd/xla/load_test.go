//go:build cgo && linux

package xla

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
	"github.com/dplab/dplab/dptune/dpsgd/xla/programs"
	"github.com/dplab/dplab/dptune/models"
)

// installed returns the path of the CPU plugin, or skips the test.
func installed(t *testing.T) string {
	t.Helper()
	path, _, err := plugin.Find(plugin.CPU)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// library compiles C to a shared library, or skips the test.
func library(t *testing.T, source string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	folder := t.TempDir()
	code, path := filepath.Join(folder, "cpu.c"), filepath.Join(folder, "cpu.so")
	if err := os.WriteFile(code, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", path, code).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// A library that is not a plugin, has another version or crashes is an error.
func TestLibrariesThatAreNoPlugin(t *testing.T) {
	const head = `#include <stddef.h>
struct { size_t size; void *ext; struct { size_t size; void *ext; int major, minor; } v; void *functions[200]; } api = `
	const get = `; void *GetPjrtApi(void) { return &api; }`
	for name, c := range map[string]struct{ source, want string }{
		"missing symbol": {`int f(void) { return 1; }`, "GetPjrtApi"},
		"nothing":        {`void *GetPjrtApi(void) { return 0; }`, "returns nothing"},
		"later version":  {head + `{1624, 0, {24, 0, 1, 3}}` + get, "version 1.3"},
		"old version":    {head + `{1624, 0, {24, 0, 0, 12}}` + get, "version 0.12"},
		"stub":           {head + `{1624, 0, {24, 0, 0, 104}}` + get, "kills a process"},
		"crash":          {`void *GetPjrtApi(void) { *(volatile int *)1 = 1; return 0; }`, "SIGSEGV"},
		"exits":          {`#include <stdlib.h>` + "\n" + `void *GetPjrtApi(void) { exit(0); }`, "did not answer"},
	} {
		path := library(t, c.source)
		t.Setenv("DPLAB_PJRT", path)
		t.Setenv("DPLAB_PJRT_SHA256", "")
		backend, _, err := open(plugin.CPU)
		if err == nil || backend != nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one that names the file and %q", name, err, c.want)
		}
	}
}

// A library whose code is cut off would kill the process with a bus error.
func TestTruncatedPlugin(t *testing.T) {
	path := installed(t)
	cut := filepath.Join(t.TempDir(), "cpu_plugin.so")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []int{100, 2} {
		if err := os.WriteFile(cut, content[:len(content)/share], 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("DPLAB_PJRT", cut)
		t.Setenv("DPLAB_PJRT_SHA256", "")
		if _, _, err := open(plugin.CPU); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("1/%d of a plugin: error %v", share, err)
		}
		if err := probe(cut, cut); err == nil { // if the headers had lied
			t.Errorf("1/%d of a plugin passes the probe", share)
		}
	}
}

// wrapped is C for a plugin that is another one, whose path comes first, but for one function of its table, by number and body.
const wrapped = `#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
static void *table[200];
static void *own(void *args);
void *GetPjrtApi(void) {
	size_t *whole = ((size_t *(*)(void))dlsym(dlopen(%q, RTLD_LAZY | RTLD_LOCAL), "GetPjrtApi"))();
	memcpy(table, whole, whole[0]);
	table[5 + %d] = own; // behind the head
	return table;
}
static void *own(void *args) { %s return NULL; }
`

// A plugin that dies when it shall write a program out is used without keeping any.
func TestPluginThatCannotKeep(t *testing.T) {
	const serialize = 49 // PJRT_Executable_Serialize
	path := library(t, fmt.Sprintf(wrapped, installed(t), serialize, "*(volatile int *)1 = 1;"))
	t.Setenv(programs.Variable, t.TempDir())
	if err := probe(path, path+",shared_buffers=true"); err == nil || !strings.Contains(err.Error(), "SIGSEGV") {
		t.Fatalf("it keeps: %v", err)
	}
	if err := probeKeeping(path, path+",shared_buffers=true"); err != nil || os.Getenv(programs.Variable) != "off" {
		t.Errorf("%v, %s=%s: want it to be used, with nothing kept", err, programs.Variable, os.Getenv(programs.Variable))
	}
}

func TestWrongChecksumIsNotLoaded(t *testing.T) {
	installed(t)
	t.Setenv("DPLAB_PJRT_SHA256", strings.Repeat("0", 64))
	if _, _, err := open(plugin.CPU); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("error %v, want one about the checksum", err)
	}
}

// What rounding depends on has the plugin, the driver and XLA's flags as they were at the start.
func TestKernelsOfXLA(t *testing.T) {
	path := installed(t)
	if _, err := backend.Open(plugin.CPU); err != nil {
		t.Fatal(err)
	}
	here := programs.Machine(path, "")
	seen := map[string]bool{here: true, programs.Machine(library(t, "int f;"), ""): true, programs.Machine(path, "CUDA 13000"): true}
	t.Setenv("XLA_FLAGS", "--one "+os.Getenv("XLA_FLAGS"))
	if seen[programs.Machine(path, "")] = true; len(seen) != 4 || strings.Contains(here, "\n") {
		t.Errorf("descriptions %v: want 4, each of one line", seen)
	}
	if got := backend.Kernels(plugin.CPU); got != here {
		t.Errorf("kernels %q, want %q", got, here)
	}
}

// A run on XLA is the run on go, up to rounding, from data to final weights.
func TestTrainingAgreesWithGo(t *testing.T) {
	installed(t)
	compareWithGo(t, "xla:cpu")
}

func TestTrainingOnCUDA(t *testing.T) {
	if _, _, err := plugin.Find(plugin.CUDA); err != nil {
		t.Skip(err)
	}
	if !hasDevice() {
		t.Skip("no NVIDIA device on this machine")
	}
	compareWithGo(t, plugin.CUDA)
	for _, images := range []func() ([]nn.Layer, dpsgd.Plan){pooledLayers, plainLayers} {
		layers, plan := images()
		compareImages(t, plugin.CUDA, plan, layers...)
	}
}

// pooledLayers are a pooled convolution whose windows miss the last pixels, with own batches.
func pooledLayers() ([]nn.Layer, dpsgd.Plan) {
	return []nn.Layer{nn.Conv2D(2, 3, nn.Square(2, 1, 0)), nn.MaxPool(nn.Square(2, 2, 0)), nn.ReLU(), nn.Flatten(), nn.Dense(12, 3)}, dpsgd.Plan{}
}

// plainLayers are two convolutions, so the second has a gradient at its inputs.
func plainLayers() ([]nn.Layer, dpsgd.Plan) {
	return []nn.Layer{nn.Conv2D(2, 3, nn.Square(3, 1, 1)), nn.Tanh(), nn.Conv2D(3, 2, nn.Square(2, 2, 0)), nn.Flatten(), nn.Dense(8, 3)},
		dpsgd.Plan{SharedBatches: true}
}

// compareImages trains layers on images with an odd side on a backend and on go.
func compareImages(t *testing.T, backend string, plan dpsgd.Plan, layers ...nn.Layer) {
	t.Helper()
	images := waves()
	images.Shape, images.Features = []int{5, 5, 2}, nil
	for i := range images.Len() * images.Width() {
		images.Features = append(images.Features, float32((i*i*7+i*3)%23)/11-1)
	}
	model, err := models.Sequential("images", images.Shape, layers...)
	if err != nil {
		t.Fatal(err)
	}
	compareSteps(t, backend, model, images, plan)
}

// compareSteps compares weights and products with a probe after four steps in one call.
func compareSteps(t *testing.T, backend string, model dpsgd.Model, train data.Dataset, plan dpsgd.Plan) {
	t.Helper()
	config := config
	config.Steps = 4
	plan.Replicas = []dpsgd.Config{config, config, config}
	plan.Probes = [][]float64{make([]float64, model.Size())}
	plan.Probes[0][model.Size()/2] = 1
	compareModel(t, model.Name, model, train, backend, plan, engine.Performance{ReplicasPerCall: 3, StepsPerCall: 4})
}

// pip installs CUDA's libraries next to the plugin's package.
func TestDataFolder(t *testing.T) {
	site := t.TempDir()
	data := filepath.Join(site, "nvidia", "cu13")
	path := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	if got := dataFolder(path); got != "" {
		t.Errorf("without the folder: %q", got)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := dataFolder(path); got != data {
		t.Errorf("dataFolder is %q, want %q", got, data)
	}
	if got := dataFolder("/lib/go-xla/nvidia/pjrt_c_api_cuda_plugin.so"); got != "" {
		t.Errorf("another layout: %q", got)
	}
}
