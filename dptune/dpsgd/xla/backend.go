//go:build cgo && linux

package xla

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"

	"github.com/dplab/dplab/dptune/dpsgd"
)

func init() {
	probeIfAsked() // does not return in a child that was started to probe
	goxla.EnableAutoInstall(false)
	for _, p := range platforms {
		if err := errors.Join(dpsgd.RegisterBackend(p.name, p.open), dpsgd.AfterCompiling(p.name, trim)); err != nil {
			panic(err) // two packages of one name: the program is broken
		}
	}
}

// open returns the backend after all checks.
func (p platform) open() (compute.Backend, error) {
	path, err := p.locate()
	if err != nil {
		return nil, err
	}
	config, err := p.config(path)
	if err != nil {
		return nil, err
	}
	if err := inspect(path, os.Getenv(p.variable+"_SHA256")); err != nil {
		return nil, err
	}
	if err := p.prepare(path); err != nil {
		return nil, err
	}
	if err := probe(path, config); err != nil {
		return nil, err
	}
	return load(config)
}

func load(config string) (compute.Backend, error) {
	backend, err := goxla.New(config)
	if err != nil { // the interface may not be nil then
		return nil, fmt.Errorf("xla: %w", err)
	}
	return backend, nil
}

// prepare looks for a device, and tells XLA where CUDA is.
func (p platform) prepare(path string) error {
	if p.word != "CUDA" {
		return nil
	}
	if !hasDevice() {
		return errors.New("xla: no NVIDIA device on this machine (/dev/nvidia* and /dev/dxg are missing)")
	}
	flags, data := os.Getenv("XLA_FLAGS"), dataFolder(path)
	if data == "" || strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return nil
	}
	return os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+data))
}

func hasDevice() bool {
	for _, pattern := range []string{"/dev/nvidia*", "/dev/dxg"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return true
		}
	}
	return false
}
