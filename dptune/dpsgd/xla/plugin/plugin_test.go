package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The error for a file that is not a plugin names the fault.
func TestFilesThatAreNoPlugin(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"missing":    {filepath.Join(folder, "none.so"), "no such file"},
		"folder":     {folder, "not a regular file"},
		"empty":      {write("empty.so", nil), "no ELF header"},
		"text":       {write("text.so", []byte(strings.Repeat("not found\n", 100))), "no ELF header"},
		"header":     {write("header.so", self[:64]), "truncated"},
		"half":       {write("half.so", self[:len(self)/2]), "truncated"},
		"no library": {write("data.so", append([]byte("\x7fELF"), bytes.Repeat([]byte{9}, 200)...)), "damaged"},
	} {
		err := inspect(c.path, "")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: error %v, want one that names the file and %q", name, err, c.want)
		}
	}
}

// A checksum that is set is compared.
func TestChecksum(t *testing.T) {
	content := []byte("a library")
	sum := sha256.Sum256(content)
	right := hex.EncodeToString(sum[:])
	for _, want := range []string{right, strings.ToUpper(right), " " + right + "\n"} {
		if err := checksum(bytes.NewReader(content), want); err != nil {
			t.Errorf("want %q: %v", want, err)
		}
	}
	wrong := strings.Repeat("0", 64)
	if err := checksum(bytes.NewReader(content), wrong); err == nil || !strings.Contains(err.Error(), right) {
		t.Errorf("a wrong checksum: error %v, want one with the right one", err)
	}
}

// The path comes from the environment, or from where go-xla's installer puts it: the
// version that go-xla was tested with before others.
func TestLocate(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	cpu := platforms[0]
	t.Setenv(cpu.variable, "")
	if _, err := cpu.locate(); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("an empty path: error %v", err)
	}
	t.Setenv(cpu.variable, "/somewhere/plugin.so")
	if got, err := cpu.locate(); err != nil || got != "/somewhere/plugin.so" {
		t.Errorf("locate() is %q, %v: want what %s says", got, err, cpu.variable)
	}
	os.Unsetenv(cpu.variable)
	folder := filepath.Join(home, ".local", "lib", "go-xla")
	for _, c := range []struct{ made, want string }{
		{"pjrt_c_api_cpu_plugin.so", "pjrt_c_api_cpu_plugin.so"},
		{"pjrt_c_api_cpu_v0.90.0_plugin.so", "pjrt_c_api_cpu_v0.90.0_plugin.so"},
		{"pjrt_c_api_cpu_v0.114.0_plugin.so", "pjrt_c_api_cpu_v0.114.0_plugin.so"},
		{"pjrt_c_api_cpu_v0.99.0_plugin.so", "pjrt_c_api_cpu_v0.114.0_plugin.so"},
	} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, c.made), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := cpu.locate(); err != nil || got != filepath.Join(folder, c.want) {
			t.Errorf("after %s: locate() is %q, %v, want %s", c.made, got, err, c.want)
		}
	}
}

// go-xla takes a plugin for one of a GPU by its path: a path that would mislead it is refused.
func TestConfig(t *testing.T) {
	cpu, cuda := platforms[0], platforms[1]
	for _, c := range []struct {
		p          platform
		path, want string // want is part of the name or of the error
		ok         bool
	}{
		{cpu, "/lib/plugin.so", "/lib/plugin.so,shared_buffers=true", true},
		{cpu, "/nvidia/pjrt_c_api_cpu_plugin.so", "must not contain cuda or nvidia", false},
		{cpu, "/a,b/plugin.so", "comma", false},
		{cuda, "/lib/xla_cuda_plugin.so", ",tf32=false", true},
		{cuda, "/opt/cpu-and-cuda/plugin.so", ",shared_buffers=false", true},
		{cuda, "/lib/plugin.so", "must contain cuda or nvidia", false},
	} {
		got, err := c.p.config(c.path)
		if text := got + fmt.Sprint(err); (err == nil) != c.ok || !strings.Contains(text, c.want) {
			t.Errorf("%s, %s: %q, %v: want %q", c.p.name, c.path, got, err, c.want)
		}
	}
}

// What Find returns is checked, and another name is an error.
func TestFind(t *testing.T) {
	t.Setenv("DPLAB_PJRT", filepath.Join(t.TempDir(), "none.so"))
	t.Setenv("DPLAB_PJRT_CUDA", "/lib/plugin.so")
	for backend, want := range map[string]string{CPU: "no such file", CUDA: "must contain cuda or nvidia", "xla:tpu": "must be xla:cpu or xla:cuda"} {
		if _, _, err := Find(backend); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", backend, err, want)
		}
	}
}
