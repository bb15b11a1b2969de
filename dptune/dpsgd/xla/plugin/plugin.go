// Package plugin finds the shared libraries that package xla loads, and inspects them. It needs no
// cgo and loads nothing, so a program can use it before it builds anything with cgo.
//
// It promises nothing to other modules.
package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// platform is one backend and the possible places of its plugin.
type platform struct {
	name     string   // of the backend
	variable string   // environment variable of an absolute path; with _SHA256, of a checksum
	patterns []string // in a folder of go-xla's installer, best first
	options  string   // of go-xla
	word     string   // go-xla distinguishes plugins by words in their paths
}

// The names of the backends.
const (
	CPU  = "xla:cpu"
	CUDA = "xla:cuda"
)

var platforms = []platform{
	{
		name: CPU, variable: "DPLAB_PJRT", word: "CPU",
		// The version that go-xla v0.4.3 was tested with, then any.
		patterns: []string{"pjrt_c_api_cpu_v0.114.0_plugin.so", "pjrt_c_api_cpu_v*_plugin.so", "pjrt_c_api_cpu_plugin.so"},
		options:  ",shared_buffers=true",
	},
	{
		name: CUDA, variable: "DPLAB_PJRT_CUDA", word: "CUDA",
		patterns: []string{"nvidia/pjrt_c_api_cuda_plugin.so"},
		// Buffers are never shared. go-xla would share them if the path holds "cpu".
		options: ",tf32=false,preallocate=false,shared_buffers=false",
	},
}

// Find returns the path of a backend's plugin, and go-xla's name for it with options. It returns an
// error if there is none, if it is not a complete shared library for this machine, or if its
// SHA-256 is not the one in the environment.
func Find(backend string) (path, config string, err error) {
	i := slices.IndexFunc(platforms, func(p platform) bool { return p.name == backend })
	if i < 0 {
		return "", "", fmt.Errorf("xla: backend %q: must be %s or %s", backend, CPU, CUDA)
	}
	p := platforms[i]
	if path, err = p.locate(); err != nil {
		return "", "", err
	}
	if config, err = p.config(path); err != nil {
		return "", "", err
	}
	return path, config, inspect(path, os.Getenv(p.variable+"_SHA256"))
}

// locate returns the path of the platform's plugin.
func (p platform) locate() (string, error) {
	if path, set := os.LookupEnv(p.variable); set {
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("xla: %s=%q: must be an absolute path", p.variable, path)
		}
		return path, nil
	}
	folders := installFolders()
	for _, folder := range folders {
		for _, pattern := range p.patterns {
			if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) > 0 {
				return slices.Max(found), nil
			}
		}
	}
	return "", fmt.Errorf("xla: no plugin for %s: set %s to its absolute path, or install one with go-xla's installer into %s",
		p.name, p.variable, strings.Join(folders, " or "))
}

// installFolders returns the folders of go-xla's installer.
func installFolders() []string {
	folders := []string{"/usr/local/lib/go-xla"}
	if home, err := os.UserHomeDir(); err == nil {
		folders = slices.Insert(folders, 0, filepath.Join(home, ".local", "lib", "go-xla"))
	}
	return folders
}

// OfCUDA reports whether go-xla treats the plugin at path as one for CUDA.
func OfCUDA(path string) bool {
	upper := strings.ToUpper(path)
	return strings.Contains(upper, "CUDA") || strings.Contains(upper, "NVIDIA")
}

// config returns go-xla's name of the plugin at path, with options.
func (p platform) config(path string) (string, error) {
	cuda := OfCUDA(path)
	switch {
	case strings.Contains(path, ","):
		return "", fmt.Errorf("xla: plugin %q: its path must not hold a comma", path)
	case p.word == "CPU" && cuda:
		return "", fmt.Errorf("xla: plugin %q: its path must not contain cuda or nvidia, which mark GPU plugins for go-xla", path)
	case p.word == "CUDA" && !cuda:
		return "", fmt.Errorf("xla: plugin %q: its path must contain cuda or nvidia, which mark GPU plugins for go-xla", path)
	}
	return path + p.options, nil
}
