package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/sets"
)

var content = []byte(strings.Repeat("twelve bytes", 1000))

func sumOf(b []byte) rawfile.Checksum {
	sum := md5.Sum(b)
	return rawfile.MD5(hex.EncodeToString(sum[:]))
}

// server answers each path by one of the behaviors below and keeps what it was asked.
type server struct {
	*httptest.Server
	asked []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	breaks := 0
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.Path+" "+r.Header.Get("Range"))
		switch r.URL.Path {
		case "/good", "/breaks":
			if r.URL.Path == "/breaks" && breaks == 0 {
				breaks++
				w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				_, _ = w.Write(content[:5000])
				return // the connection is closed early
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		case "/always-breaks":
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:10])
		case "/other":
			_, _ = w.Write([]byte("another file"))
		case "/archive.tar.gz":
			_, _ = w.Write(archive())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// archive holds in/x.bin, the content, and in/y.bin, "y".
func archive() []byte {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for _, m := range []struct {
		name string
		body []byte
	}{{"in/x.bin", content}, {"in/unasked", []byte("no")}, {"in/y.bin", []byte("y")}} {
		_ = w.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.body))})
		_, _ = w.Write(m.body)
	}
	_ = w.Close()
	_ = zipped.Close()
	return b.Bytes()
}

// fetch runs the command for one set of one file from the given paths of the server.
func fetch(t *testing.T, s *server, dir string, files ...rawfile.File) (code int, log string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), s.Client(), []sets.Set{{Name: "toy", Files: files}}, []string{"-dir", dir, "toy"}, &stdout, &stderr)
	if (code == 0) != strings.Contains(stdout.String(), "DPLAB_DATA="+dir) {
		t.Errorf("exit code %d, output %q", code, &stdout)
	}
	return code, stderr.String()
}

func from(s *server, paths ...string) rawfile.File {
	f := rawfile.File{Name: "file.bin", Sum: sumOf(content)}
	for _, p := range paths {
		f.URLs = append(f.URLs, s.URL+p)
	}
	return f
}

// The first place that gives the right bytes is taken; what fails is tried next, in order.
func TestMirrors(t *testing.T) {
	for _, c := range []struct {
		paths, asked []string
	}{
		{[]string{"/good", "/other"}, []string{"/good "}},
		{[]string{"/none", "/good"}, []string{"/none ", "/good "}},                                                                                    // 404
		{[]string{"/other", "/good"}, []string{"/other ", "/good "}},                                                                                  // wrong checksum
		{[]string{"/breaks"}, []string{"/breaks ", "/breaks bytes=5000-"}},                                                                            // resumed
		{[]string{"/always-breaks", "/good"}, []string{"/always-breaks ", "/always-breaks bytes=10-", "/always-breaks bytes=10-", "/good bytes=10-"}}, // continued elsewhere
	} {
		s, dir := serve(t), t.TempDir()
		code, log := fetch(t, s, dir, from(s, c.paths...))
		got, err := os.ReadFile(filepath.Join(dir, "toy", "file.bin"))
		if code != 0 || err != nil || !bytes.Equal(got, content) {
			t.Errorf("%v: exit code %d, %v, %s", c.paths, code, err, log)
		}
		if !slices.Equal(s.asked, c.asked) {
			t.Errorf("%v: asked %q, want %q", c.paths, s.asked, c.asked)
		}
		entries, _ := os.ReadDir(filepath.Join(dir, "toy"))
		if len(entries) != 1 {
			t.Errorf("%v: %v is left in the folder, want one file", c.paths, entries)
		}
		asked := len(s.asked)
		if code, _ := fetch(t, s, dir, from(s, c.paths...)); code != 0 || len(s.asked) != asked {
			t.Errorf("%v: a second run asked again", c.paths)
		}
	}
}

// Where no place gives the file, none is left, and the error names every place and why.
func TestNoPlaceGivesTheFile(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	code, log := fetch(t, s, dir, from(s, "/none", "/other"))
	if _, err := os.Stat(filepath.Join(dir, "toy", "file.bin")); code != 1 || err == nil {
		t.Errorf("exit code %d, file %v: want 1 and none", code, err)
	}
	for _, want := range []string{"/none: the server answers 404", "/other", "expected " + sumOf(content).String(), "no URL has"} {
		if !strings.Contains(log, want) {
			t.Errorf("log %q does not say %q", log, want)
		}
	}
}

// A part that belongs to another file does not spoil the download for good.
func TestWrongPartIsDropped(t *testing.T) {
	for _, part := range [][]byte{[]byte("something else"), bytes.Repeat([]byte("x"), 2*len(content))} {
		s, dir := serve(t), t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "toy"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "toy", "file.bin.part"), part, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, log := fetch(t, s, dir, from(s, "/good")); code != 0 {
			t.Errorf("exit code %d: %s", code, log)
		}
	}
}

func TestArchive(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	inside := func(name, member string, sum rawfile.Checksum) rawfile.File {
		return rawfile.File{Name: name, Sum: sum, URLs: []string{s.URL + "/archive.tar.gz"}, Archive: &rawfile.Archive{Sum: sumOf(archive()), Member: member}}
	}
	x, y := inside("x.bin", "in/x.bin", sumOf(content)), inside("y.bin", "in/y.bin", sumOf([]byte("y")))
	if code, log := fetch(t, s, dir, x, y); code != 0 || len(s.asked) != 1 {
		t.Errorf("exit code %d, asked %v: want one download: %s", code, s.asked, log)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "toy", "x.bin"))
	if entries, _ := os.ReadDir(filepath.Join(dir, "toy")); !bytes.Equal(got, content) || len(entries) != 2 {
		t.Errorf("%d bytes, files %v: want two files", len(got), entries)
	}
	for want, f := range map[string]rawfile.File{
		"has no member in/z.bin": inside("z.bin", "in/z.bin", sumOf(content)),
		"in/y.bin (1 bytes)":     inside("z.bin", "in/y.bin", sumOf(content)),
	} {
		if code, log := fetch(t, s, dir, f); code != 1 || !strings.Contains(log, want) {
			t.Errorf("exit code %d, log %q: want 1 and %q", code, log, want)
		}
	}
}

// A wrong command line is told by field, value and rule, and nothing is asked for or written.
func TestCommandLine(t *testing.T) {
	t.Setenv(data.DirVariable, "")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		args string
		code int
		says []string
	}{
		{"", 2, []string{"no data set named", "must be"}},
		{"mnist", 2, []string{"-dir is missing", "must be"}},
		{"-dir= mnist", 2, []string{"-dir is missing", "must be"}},
		{"-dir", 2, []string{"needs an argument: -dir"}},
		{"-dir x", 2, []string{"no data set named", "must be"}},
		{"-dir x nothing", 2, []string{`data set "nothing": must be one of mnist, fashion-mnist`}},
		{"nothing -dir x", 2, []string{`data set "nothing": must be one of mnist, fashion-mnist`}}, // flags may come after names
		{"-dir x MNIST", 2, []string{`data set "MNIST": must be one of`}},
		{"-dir x mnist no other", 2, []string{`data set "no": must be`, `data set "other": must be`}},
		{"-speed 3 -dir x ", 2, []string{"not defined: -speed"}},
		{"-list nothing", 2, []string{`argument "nothing": must not be given with -list`}},
		{"-list mnist", 2, []string{`argument "mnist": must not be given with -list`}},
		{"-list=", 2, []string{`"" for -list`, "must be true or false"}},
		{"-list=maybe", 2, []string{`"maybe" for -list`, "must be true or false"}},
		{"-dir file mnist", 1, []string{"mnist", "-dir", "file", "must be a folder"}},
		{"-dir file/x mnist", 1, []string{"mnist", "-dir", "file/x", "must be a folder"}},
	}
	for _, c := range cases {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), http.DefaultClient, downloads(), strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || stdout.Len() > 0 || strings.Contains(stderr.String(), "parse error") {
			t.Errorf("%q: exit code %d, %q, %q: want %d, a rule, and nothing on standard output", c.args, code, &stdout, &stderr, c.code)
		}
		for _, want := range append(c.says, "fetch: ") {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%q: %q does not say %q", c.args, &stderr, want)
			}
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("refused command lines wrote: %v, %v", entries, err)
	}
	var stdout bytes.Buffer
	if code := run(context.Background(), http.DefaultClient, downloads(), []string{"-list"}, &stdout, &stdout); code != 0 || strings.Count(stdout.String(), "\n") != len(downloads()) {
		t.Errorf("list: exit code %d, %q", code, &stdout)
	}
}
