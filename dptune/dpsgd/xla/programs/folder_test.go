//go:build linux

package programs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// opened returns a new folder that the environment names.
func opened(t *testing.T) *folder {
	t.Helper()
	t.Setenv(Variable, filepath.Join(t.TempDir(), "programs"))
	t.Setenv("XLA_FLAGS", "")
	var said strings.Builder
	f, err := openFolder(&said)
	if f == nil || err != nil || said.Len() > 0 {
		t.Fatalf("openFolder: %v, %v, said %q", f, err, &said)
	}
	return f
}

// What was written is read, unless it was damaged or cut short.
func TestFiles(t *testing.T) {
	f, program := opened(t), []byte("machine code")
	name := key([]byte("a program"))
	if got := f.read(name); got != nil {
		t.Errorf("an empty folder holds %q", got)
	}
	f.write(name, program)
	if got := f.read(name); !bytes.Equal(got, program) {
		t.Errorf("read %q, want %q", got, program)
	}
	path := filepath.Join(f.path, name)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, content[:32], content[:len(content)-1], append([]byte{content[0] ^ 1}, content[1:]...), append(bytes.Clone(content), 0)} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := f.read(name); got != nil {
			t.Errorf("%d of %d bytes, damaged: read %q", len(damaged), len(content), got)
		}
	}
}

// A file is code: one that others may write to, or have written, is not loaded, however whole it is.
func TestFilesOfOthers(t *testing.T) {
	f, program := opened(t), []byte("machine code")
	name := key([]byte("a program"))
	f.write(name, program)
	path := filepath.Join(f.path, name)
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o620: false, 0o602: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if got := f.read(name) != nil; got != want {
			t.Errorf("mode %v: read %v, want %v", mode, got, want)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to someone else")
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.Chown(path, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if f.read(name) != nil {
		t.Error("a file of someone else is read")
	}
}

// Parts are told apart wherever they are cut; a program's name is none of them.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for name, parts := range map[string][][]byte{
		"one": {[]byte("ab")}, "two": {[]byte("a"), []byte("b")}, "empty": {[]byte("ab"), nil}, "first empty": {nil, []byte("ab")},
	} {
		if other, twice := seen[key(parts...)]; twice {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[key(parts...)] = name
	}
	for text, want := range map[string]string{
		"module @a_1 {\n  func":                               " {\n  func",
		"module @b attributes {stablehlo.num_replicas = 1} {": " attributes {stablehlo.num_replicas = 1} {",
		"module @c":   "module @c",
		"ML\xefR\x01": "ML\xefR\x01",
	} {
		if got := string(nameless([]byte(text))); got != want {
			t.Errorf("nameless(%q) is %q, want %q", text, got, want)
		}
	}
}

// The programs that were written first go when there are too many bytes.
func TestOldestGo(t *testing.T) {
	f := opened(t)
	f.most = 3 * (1000 + 32)
	for i, name := range []string{"a", "b", "c"} {
		f.write(name, make([]byte, 1000))
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(f.path, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	f.write("d", make([]byte, 1001))
	for name, want := range map[string]bool{"a": false, "b": false, "c": true, "d": true} {
		if got := f.read(name) != nil; got != want {
			t.Errorf("%s is there: %v, want %v", name, got, want)
		}
	}
}

// Code is loaded only from a folder that nobody else can write to. Where it cannot be used nothing is kept, and it is said of one that
// was named or is another user's: what compiles goes on.
func TestFoldersThatAreNotUsed(t *testing.T) {
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(t.TempDir(), "cache")
	if err := os.MkdirAll(filepath.Join(theirs, "dplab", "xla"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(theirs, "dplab", "xla"), 0o777); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ named, flags, cache, want string }{
		"others may write":         {named: open, want: "nobody else may write"},
		"below a file":             {named: filepath.Join(file, "below"), want: "not a directory"},
		"off":                      {named: "off"},
		"dumps":                    {named: t.TempDir(), flags: "--xla_dump_to=/tmp/dump"},
		"cache that is not there":  {cache: file},
		"cache of other people":    {cache: theirs, want: "nobody else may write"},
		"folder of another user's": {named: theirFolder(t), want: "must be yours"},
	} {
		t.Run(what, func(t *testing.T) { // the environment is its own: it ends with the check
			t.Setenv(Variable, c.named)
			t.Setenv("XLA_FLAGS", c.flags)
			t.Setenv("XDG_CACHE_HOME", c.cache)
			var said strings.Builder
			f, err := openFolder(&said)
			if f != nil || err != nil {
				t.Errorf("%v, %v, want none and no error", f, err)
			}
			if text := said.String(); !strings.Contains(text, c.want) || strings.Contains(text, Variable) != (c.want != "") || strings.Count(text, "\n") > 1 {
				t.Errorf("said %q, want one line with %q and %s, or nothing", text, c.want, Variable)
			}
		})
	}
	t.Setenv("XLA_FLAGS", "") // with a dump asked for, no folder is looked at
	t.Setenv(Variable, "here")
	if _, err := openFolder(io.Discard); err == nil || !strings.Contains(err.Error(), Variable) || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("%s=here: error %v, want one that asks for an absolute path", Variable, err)
	}
}

// theirFolder returns a folder of another user's, or where only root can give one away, one that others may write to.
func theirFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	err := os.Chmod(folder, 0o770)
	if os.Geteuid() == 0 {
		err = errors.Join(os.Chmod(folder, 0o700), os.Chown(folder, 12345, 12345))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
