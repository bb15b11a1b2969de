package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Tools is a folder with the kernel and goimports.
type Tools struct {
	Dir   string // first in the PATH of a kernel
	GoNB  string // path of the kernel's program
	Built bool   // built by this call, not found in the cache
}

// programs are what a kernel needs.
var programs = []string{"gonb", "goimports"}

// Find returns the tools that are pinned in moduleDir and were built before with this Go, and whether they
// are complete.
func Find(moduleDir, cacheDir string, goTool Go) (Tools, bool, error) {
	sum, err := fingerprint(moduleDir, goTool)
	if err != nil {
		return Tools{}, false, err
	}
	tools := toolsIn(filepath.Join(cacheDir, "tools", sum))
	return tools, complete(tools.Dir), nil
}

// Ensure returns the tools, building them if need be. The build goes into a folder of its own, which is
// renamed when it is complete: an interrupted build leaves nothing that could be taken for tools. say is
// called before a build.
func Ensure(ctx context.Context, moduleDir, cacheDir string, goTool Go, say func(string)) (Tools, error) {
	tools, ok, err := Find(moduleDir, cacheDir, goTool)
	if err != nil || ok {
		return tools, err
	}
	say("building the notebook kernel (GoNB) and goimports into " + filepath.Dir(tools.Dir) + ", once")
	if err := os.MkdirAll(filepath.Dir(tools.Dir), 0o755); err != nil {
		return Tools{}, fmt.Errorf("toolchain: cache folder: %w", err)
	}
	building, err := os.MkdirTemp(filepath.Dir(tools.Dir), ".building-")
	if err != nil {
		return Tools{}, fmt.Errorf("toolchain: cache folder: %w", err)
	}
	defer os.RemoveAll(building) // fails once it has its name
	if err := goTool.Run(ctx, moduleDir, []string{"GOBIN=" + building, "GOWORK=off", "CGO_ENABLED=0"}, "install", "-trimpath", "-ldflags=-s -w", "tool"); err != nil {
		return Tools{}, fmt.Errorf("toolchain: cannot build the notebook kernel: %w", err)
	}
	if !complete(building) {
		return Tools{}, fmt.Errorf("toolchain: the build of %s did not make gonb and goimports", moduleDir)
	}
	if err := os.Rename(building, tools.Dir); err != nil && !complete(tools.Dir) { // another run may have been faster
		_ = os.RemoveAll(tools.Dir) // incomplete: something deleted a part of it
		if err := os.Rename(building, tools.Dir); err != nil {
			return Tools{}, fmt.Errorf("toolchain: cache folder: %w", err)
		}
	}
	tools.Built = true
	return tools, nil
}

func toolsIn(dir string) Tools {
	return Tools{Dir: dir, GoNB: filepath.Join(dir, exe("gonb"))}
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

func complete(dir string) bool {
	for _, name := range programs {
		info, err := os.Stat(filepath.Join(dir, exe(name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return false
		}
	}
	return true
}

// fingerprint names what the tools depend on: their pinned versions, and the compiler.
func fingerprint(moduleDir string, goTool Go) (string, error) {
	var all bytes.Buffer
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(moduleDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("toolchain: %s is missing: it pins the notebook kernel", filepath.Join(moduleDir, name))
		} else if err != nil {
			return "", fmt.Errorf("toolchain: %w", err)
		}
		all.Write(data)
	}
	fmt.Fprintln(&all, goTool.Version, runtime.GOOS, runtime.GOARCH)
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:8]), nil
}
