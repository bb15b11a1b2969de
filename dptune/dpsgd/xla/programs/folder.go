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
	most int64 // bytes; if there are more, the oldest files are removed
}

const (
	suffix  = ".xla"
	largest = 1 << 30
)

// openFolder returns the folder named by the environment. It is nil for "off", or if XLA_FLAGS asks
// for dumps. It is also nil if the folder cannot be used. Then a line reports that, if the folder
// was named or if others may write to it. A name that cannot be a folder is an error.
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
		return fmt.Errorf("folder %s (mode %v): must be yours, and nobody else may write to it (chmod 700)",
			path, info.Mode().Perm())
	}
	return nil
}

// own reports whether a folder or a file is the user's, and nobody else may write to it.
func own(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}

// key returns the file name for a hash of parts. Each part is hashed with its length.
func key(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d ", len(part))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil)) + suffix
}

// nameless returns a program's text without its name, because go-xla numbers programs in the order
// of use.
func nameless(program []byte) []byte {
	head := []byte("module @")
	if rest, ok := bytes.CutPrefix(program, head); ok {
		if end := bytes.IndexAny(rest, " {\n"); end >= 0 {
			return rest[end:]
		}
	}
	return program
}

// read returns the program in a file, or nil without a usable one. A damaged file is not used, nor
// one that someone else may have written.
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

// write keeps a program, and removes the oldest if there are too many. Errors are ignored: a
// program that is not kept is compiled again.
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

// shrink removes the oldest files until the rest is small enough.
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
