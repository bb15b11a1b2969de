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
	"strings"
)

// Tools is a folder with the programs of a Set.
type Tools struct {
	Dir   string // for the PATH of a kernel
	GoNB  string // path of the kernel's program, in the tools of Kernel
	Built bool   // built by this call, not found in the cache
}

// Set is a set of programs that one module pins. They are built together.
type Set struct {
	Folder   string   // of the module, below the repository
	Programs []string // that it makes
	What     string   // for people
}

// Kernel has the programs of a kernel, Completion the one that completes names in it.
var (
	Kernel     = Set{"notebooks/tools", []string{"gonb", "goimports"}, "the notebook kernel (GoNB) and goimports"}
	Completion = Set{"notebooks/tools/gopls", []string{"gopls"}, "gopls, which completes names"}
)

// Find returns the tools that the repository pins, if they were built before with this Go. The
// second result reports whether they are complete.
func Find(set Set, root, cacheDir string, goTool Go) (Tools, bool, error) {
	moduleDir := filepath.Join(root, filepath.FromSlash(set.Folder))
	sum, err := fingerprint(moduleDir, goTool)
	if err != nil {
		return Tools{}, false, err
	}
	tools := toolsIn(filepath.Join(cacheDir, "tools", sum))
	return tools, set.complete(tools.Dir), nil
}

// Ensure returns the tools, and builds them if needed. It builds in a separate folder and renames
// that when it is complete. So an interrupted build leaves nothing that looks like tools. It calls
// say before a build.
//
// It compiles the packages as go run compiled this program: no -trimpath, and cgo as in the
// environment. So packages that both need are compiled once.
func Ensure(ctx context.Context, set Set, root, cacheDir string, goTool Go, say func(string)) (Tools, error) {
	tools, ok, err := Find(set, root, cacheDir, goTool)
	if err != nil || ok {
		return tools, err
	}
	say("building " + set.What + " into " + filepath.Dir(tools.Dir) + ", once")
	if err := os.MkdirAll(filepath.Dir(tools.Dir), 0o755); err != nil {
		return Tools{}, fmt.Errorf("toolchain: cache folder: %w", err)
	}
	building, err := os.MkdirTemp(filepath.Dir(tools.Dir), ".building-")
	if err != nil {
		return Tools{}, fmt.Errorf("toolchain: cache folder: %w", err)
	}
	defer os.RemoveAll(building) // fails if it already has its name
	if err := goTool.Run(ctx, filepath.Join(root, filepath.FromSlash(set.Folder)), []string{"GOBIN=" + building, "GOWORK=off"}, "install", "-ldflags=-s -w", "tool"); err != nil {
		return Tools{}, fmt.Errorf("toolchain: cannot build %s: %w", set.What, err)
	}
	if !set.complete(building) {
		return Tools{}, fmt.Errorf("toolchain: the build of %s did not make %s", set.Folder, strings.Join(set.Programs, " and "))
	}
	if err := os.Rename(building, tools.Dir); err != nil && !set.complete(tools.Dir) { // another run may have been faster
		_ = os.RemoveAll(tools.Dir) // incomplete: part of it was deleted
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

func (s Set) complete(dir string) bool {
	for _, name := range s.Programs {
		info, err := os.Stat(filepath.Join(dir, exe(name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return false
		}
	}
	return true
}

// fingerprint names everything that the tools depend on: their pinned versions, and the compiler.
func fingerprint(moduleDir string, goTool Go) (string, error) {
	var all bytes.Buffer
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(moduleDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("toolchain: %s is missing: it pins the programs that the notebooks need", filepath.Join(moduleDir, name))
		} else if err != nil {
			return "", fmt.Errorf("toolchain: %w", err)
		}
		all.Write(data)
	}
	fmt.Fprintln(&all, goTool.Version, runtime.GOOS, runtime.GOARCH)
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:8]), nil
}
