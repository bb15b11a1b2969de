//go:build cgo && linux

package xla

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
	"github.com/dplab/dplab/dptune/dpsgd/xla/programs"
)

func init() {
	probeIfAsked() // does not return in a child that was started for a probe
	goxla.EnableAutoInstall(false)
	for _, name := range []string{plugin.CPU, plugin.CUDA} {
		kernels := "" // set when it is opened: XLA reads its flags once
		openIt := func() (opened compute.Backend, err error) {
			opened, kernels, err = open(name)
			return opened, err
		}
		if err := errors.Join(backend.Register(name, openIt), backend.AfterCompiling(name, trim), backend.SetKernels(name, func() string { return kernels })); err != nil {
			panic(err) // two packages register one name: the program is broken
		}
	}
	if err := backend.SetDeviceMemory(plugin.CUDA, cudaMemory); err != nil {
		panic(err) // it was registered above
	}
}

// open returns the backend after all checks, and what its rounding depends on.
func open(name string) (opened compute.Backend, kernels string, err error) {
	path, config, err := plugin.Find(name)
	if err != nil {
		return nil, "", err
	}
	if err := prepare(name, path); err != nil {
		return nil, "", err
	}
	if err := probeKeeping(path, config); err != nil {
		return nil, "", explained(name, err)
	}
	kernels = programs.Machine(path, driverOf(path))
	if name == plugin.CUDA {
		kernels += ", device " + deviceName(cudaLibrary)
	}
	opened, err = loadKeeping(path, config)
	return opened, kernels, err
}

// loadKeeping loads a plugin that keeps compiled programs in files.
func loadKeeping(path, config string) (compute.Backend, error) {
	if err := programs.Keep(path, driverOf(path)); err != nil {
		return nil, err
	}
	return load(config)
}

// driverOf identifies the driver below a plugin, "" for none.
func driverOf(path string) string {
	if plugin.OfCUDA(path) {
		return driverVersion(cudaLibrary, "/proc/driver/nvidia/version")
	}
	return ""
}

// explained adds the likely cause to the error of a probe.
func explained(name string, err error) error {
	if name == plugin.CUDA && !hasDevice() {
		return fmt.Errorf("%w (no NVIDIA device on this machine: /dev/nvidia* and /dev/dxg are missing)", err)
	}
	return err
}

func load(config string) (compute.Backend, error) {
	backend, err := goxla.New(config)
	if err != nil { // the interface may then not be nil
		return nil, fmt.Errorf("xla: %w", err)
	}
	return backend, nil
}

// prepare sets XLA's path of CUDA, and turns off one of its compilers of products. A plugin finds
// its libraries in neighboring folders, as pip installs them, otherwise on the system's paths.
//
// Products use cuBLAS. XLA's other compiler of products, Triton, ends the process with a failed
// check (triton_tiling_propagation.cc, "subdim_size_accumulator == dim_size") on a program in the
// tests. Choosing among its tiles also takes most of the compile time: on an H100 with plugin
// 0.11.2 an MLP compiled in 25.3 s with it and in 2.54 s without.
func prepare(name, path string) error {
	if name != plugin.CUDA {
		return nil
	}
	if err := os.Setenv("GOPJRT_CUDA_CHECKS", "no"); err != nil { // go-xla would look in another place, and warn
		return err
	}
	return os.Setenv("XLA_FLAGS", withFlags(os.Getenv("XLA_FLAGS"), map[string]string{
		"xla_gpu_enable_triton_gemm": "false", "xla_gpu_cuda_data_dir": dataFolder(path),
	}))
}

// withFlags adds each flag that is not set yet, if its value is not empty.
func withFlags(flags string, values map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] != "" && !strings.Contains(flags, name) {
			flags += " --" + name + "=" + values[name]
		}
	}
	return strings.TrimSpace(flags)
}

func hasDevice() bool {
	for _, pattern := range []string{"/dev/nvidia*", "/dev/dxg"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return true
		}
	}
	return false
}

// dataFolder returns the folder of the CUDA libraries of a plugin that pip installed, as
// .../site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so, or "".
func dataFolder(path string) string {
	folder := filepath.Dir(path)
	version, ok := strings.CutPrefix(filepath.Base(folder), "xla_cuda")
	if !ok {
		return ""
	}
	data := filepath.Join(folder, "..", "..", "nvidia", "cu"+version)
	if info, err := os.Stat(data); err != nil || !info.IsDir() {
		return ""
	}
	return data
}
