//go:build linux

package programs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// folder holds compiled programs. Several processes may use it at the same time.
type folder struct {
	path string
	most int64 // bytes; the oldest files go when there are more
}

const (
	suffix  = ".xla"
	largest = 1 << 30
)

// openFolder returns the folder that the environment names, or nil for none: if it says "off", or if XLA is asked to dump what it
// compiles. Nothing depends on what is kept: where the folder cannot be used there is none, which is said if one was named or if it is not the
// user's alone. A name that means no folder anywhere is an error.
func openFolder(say io.Writer) (*folder, error) {
	named := os.Getenv(Variable)
	if named == "off" || strings.Contains(os.Getenv("XLA_FLAGS"), "xla_dump") {
		return nil, nil
	}
	path := named
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, nil
		}
		path = filepath.Join(cache, "dplab", "xla")
	}
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("xla: %s=%q: must be an absolute path, or off", Variable, path)
	}
	err := os.MkdirAll(path, 0o700)
	if err != nil && named == "" {
		return nil, nil
	}
	if err = cmp.Or(err, private(path)); err != nil {
		fmt.Fprintf(say, "xla: compiled programs are not kept (%s names another folder, or off): %v\n", Variable, err)
		return nil, nil
	}
	return &folder{path, largest}, nil
}

// private returns an error if others may write into a folder.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !own(info) {
		return fmt.Errorf("folder %s, whose programs would run inside this process (mode %v): must be yours, and nobody else may write to it, as after chmod 700",
			path, info.Mode().Perm())
	}
	return nil
}

// own reports whether a folder or a file is the user's, and nobody else may write to it.
func own(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}

// key returns the name of the file for a hash of parts, which are told apart.
func key(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d ", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil)) + suffix
}

// nameless returns a program's text without its name, which go-xla numbers as programs are asked for.
func nameless(program []byte) []byte {
	head := []byte("module @")
	if rest, ok := bytes.CutPrefix(program, head); ok {
		if end := bytes.IndexAny(rest, " {\n"); end >= 0 {
			return rest[end:]
		}
	}
	return program
}

// read returns what is kept by a name, or nil: a file that is damaged is as good as none, and so is one that someone else may have written,
// before the folder was the user's alone.
func (f *folder) read(name string) []byte {
	file, err := os.Open(filepath.Join(f.path, name))
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !own(info) {
		return nil
	}
	content, err := io.ReadAll(file)
	if err != nil || len(content) <= sha256.Size {
		return nil
	}
	sum := sha256.Sum256(content[sha256.Size:])
	if !bytes.Equal(sum[:], content[:sha256.Size]) {
		return nil
	}
	return content[sha256.Size:]
}

// write keeps a program, and drops the oldest if there are too many. Nothing depends on it: what cannot be kept is compiled again.
func (f *folder) write(name string, program []byte) {
	file, err := os.CreateTemp(f.path, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(program)
	_, err = file.Write(append(sum[:], program...))
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(f.path, name))
	}
	if err != nil {
		os.Remove(file.Name())
		return
	}
	f.shrink()
}

// shrink removes the files that were written first, until the rest is small enough.
func (f *folder) shrink() {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var bytes int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files, bytes = append(files, info), bytes+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if bytes <= f.most {
			return
		}
		if os.Remove(filepath.Join(f.path, file.Name())) == nil {
			bytes -= file.Size()
		}
	}
}
