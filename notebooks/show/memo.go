package show

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/dplab/dplab/notebooks/figures"
)

// MemoEnv is the environment variable that names the folder of Memo's files. With "off", Memo
// computes each time, as the runner of the notebooks does. Without the variable, the files are in
// dplab/memo in the user's cache, where you may delete them.
const MemoEnv = "DPLAB_MEMO"

// Memo returns what compute returns, and keeps it. When the cell runs again, the same call reads
// the kept value back. So you can change a label of a figure without training again. Memo prints a
// line when it reads a value back.
//
//	res := show.Memo(cfg, func() (Result, error) { return paper.Figure2(cfg) })
//
// A kept value is used for the same config, type of result, backend and build. The build is the
// sources of this repository, its dependencies, the version of Go and the build flags. Memo cannot
// see the code of the cell. What compute does there must also be in config, at least as a name.
// Config and T must survive JSON: unexported fields are lost, and infinities need chart.Number. A
// file that cannot be read as a T is replaced. An error is not kept: it ends the program, as in
// Must, before compute runs if the folder cannot be written to.
func Memo[T any](config any, compute func() (T, error)) T {
	dir := os.Getenv(MemoEnv)
	if dir == "off" {
		return Must(compute())
	}
	build, err := buildKey()
	Check(err)
	if dir == "" {
		cache, err := os.UserCacheDir()
		Check(err)
		dir = filepath.Join(cache, "dplab", "memo")
	}
	key := struct {
		Type, Build, Backend string
		Config               any
	}{reflect.TypeFor[T]().String(), build, cmp.Or(os.Getenv("DPLAB_BACKEND"), "go"), config}
	text, err := json.Marshal(key)
	if err != nil {
		Check(fmt.Errorf("show: memo: config of type %T: %w", config, err))
	}
	sum := sha256.Sum256(text)
	path := filepath.Join(dir, hex.EncodeToString(sum[:12])+".json")
	v, read, err := kept(path, compute)
	Check(err)
	if read {
		fmt.Printf("computed before: %s\n", path)
	}
	return v
}

// kept returns the value in the file at path and true. If the file has none, it keeps there what
// compute returns. In both cases the value was read back from JSON, so a first and a second run
// agree.
func kept[T any](path string, compute func() (T, error)) (v T, read bool, err error) {
	type file struct {
		Value T
		Whole bool // false in a file that Memo has not written
	}
	var stored file
	text, err := os.ReadFile(path)
	if err == nil {
		if err := json.Unmarshal(text, &stored); err == nil && stored.Whole {
			return stored.Value, true, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return v, false, fmt.Errorf("show: memo: %w", err)
	}
	var computed T
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), figures.WriteFile(path, nil)); err != nil {
		return computed, false, fmt.Errorf("show: memo: %w", err)
	}
	if computed, err = compute(); err == nil {
		text, err = json.Marshal(file{computed, true})
	}
	var back file
	if err == nil {
		err = errors.Join(figures.WriteFile(path, text), json.Unmarshal(text, &back))
	}
	if err != nil {
		return v, false, errors.Join(err, os.Remove(path))
	}
	return back.Value, false, nil
}

// buildKey names the sources and the build of the program.
var buildKey = sync.OnceValues(func() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if !ok || !filepath.IsAbs(file) {
		return "", fmt.Errorf("show: memo: the program was built without the paths of its sources (-trimpath), so changes cannot be detected: set %s=off", MemoEnv)
	}
	sources, err := hashSources(root)
	if err != nil {
		return "", fmt.Errorf("show: memo: the sources that the program was built from: %w; set %s=off if they are gone", err, MemoEnv)
	}
	return sources + " " + buildFlags(), nil
})

// hashSources hashes the Go files below a folder, except tests, and the files that pin their
// dependencies.
func hashSources(root string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		name := ""
		if err == nil {
			name = entry.Name()
		}
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "out" || name == "lab" || name == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || name != "go.mod" && name != "go.sum" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")):
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n", strings.TrimPrefix(path, root), len(data))
		sum.Write(data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// buildFlags returns the version of Go and the flags that change the last digits of results,
// without the places of files.
func buildFlags() string {
	flags := []string{runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-tags", "CGO_ENABLED", "GOEXPERIMENT", "GOAMD64", "GOARM64":
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
	}
	return strings.Join(flags, " ")
}
