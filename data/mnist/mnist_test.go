package mnist

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

// array builds the gzip IDX file of an array.
func array(t *testing.T, magic uint32, sizes []uint32, body []byte) []byte {
	t.Helper()
	raw := binary.BigEndian.AppendUint32(nil, magic)
	for _, size := range sizes {
		raw = binary.BigEndian.AppendUint32(raw, size)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(append(raw, body...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// small is a data set of 3 training images and 2 test images that load reads; spoil may
// change the bytes of a file before they are written. Checksums are of what was written.
func small(t *testing.T, spoil func(name string, file []byte) []byte) (dir string, s source) {
	t.Helper()
	s = source{name: "small", mirrors: []string{"https://example.org/"}}
	s.train, s.test = part{images: trainImages, labels: trainLabels, count: 3}, part{images: testImages, labels: testLabels, count: 2}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, s.name), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name string, file []byte) rawfile.Checksum {
		if spoil != nil {
			file = spoil(name, file)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name, name), file, 0o644); err != nil {
			t.Fatal(err)
		}
		sum := md5.Sum(file)
		return rawfile.MD5(hex.EncodeToString(sum[:]))
	}
	for _, p := range []*part{&s.train, &s.test} {
		pixels := bytes.Repeat([]byte{51}, p.count*side*side)
		pixels[1] = 255
		p.imagesSum = put(p.images, array(t, 0x0803, []uint32{uint32(p.count), side, side}, pixels))
		p.labelsSum = put(p.labels, array(t, 0x0801, []uint32{uint32(p.count)}, []byte{9, 0, 5}[:p.count]))
	}
	return dir, s
}

func TestLoadSmallFiles(t *testing.T) {
	dir, s := small(t, nil)
	train, test, err := s.load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 3 || test.Len() != 2 || train.Name != "small/train" || train.Width() != 784 {
		t.Errorf("train %s of %d x %d, test of %d", train.Name, train.Len(), train.Width(), test.Len())
	}
	if train.Row(0)[1] != 1 || train.Row(2)[0] != 0.2 || train.Labels[2] != 5 {
		t.Errorf("pixels 255 and 51 became %g and %g, label 5 became %d", train.Row(0)[1], train.Row(2)[0], train.Labels[2])
	}
}

func TestLoadRefusesWrongFiles(t *testing.T) {
	images := bytes.Repeat([]byte{0}, 3*side*side)
	cases := []struct {
		name, file string
		give       []byte
		want       string
	}{
		{"bad magic", trainImages, array(t, 0x0d03, []uint32{3, side, side}, images), "magic number 0x00000d03"},
		{"truncated body", trainImages, array(t, 0x0803, []uint32{3, side, side}, images[:100]), "100 bytes after the header"},
		{"one image too few", trainImages, array(t, 0x0803, []uint32{2, side, side}, images[:2*side*side]), "sizes [2 28 28]: must be [3 28 28]"},
		{"one image too many", testImages, array(t, 0x0803, []uint32{3, side, side}, images), "unpacks to more than"},
		{"another shape", trainImages, array(t, 0x0803, []uint32{3, side * side, 1}, images), "sizes [3 784 1]"},
		{"images in place of labels", trainLabels, array(t, 0x0803, []uint32{3, side, side}, images), "unpacks to more than"},
		{"one label too few", testLabels, array(t, 0x0801, []uint32{1}, []byte{1}), "sizes [1]: must be [2]"},
		{"label out of range", trainLabels, array(t, 0x0801, []uint32{3}, []byte{1, 10, 2}), "label 10 in row 1"},
		{"truncated gzip", trainImages, array(t, 0x0803, []uint32{3, side, side}, images)[:20], "truncated or corrupt"},
		{"not gzip", trainLabels, []byte("<html>"), "not a gzip file"},
	}
	for _, c := range cases {
		dir, s := small(t, func(name string, file []byte) []byte {
			if name == c.file {
				return c.give
			}
			return file
		})
		_, _, err := s.load(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: error %v: want one with %q and %q", c.name, err, c.want, c.file)
		}
	}
}

func TestLoadVerifiesChecksums(t *testing.T) {
	dir, s := small(t, nil)
	for _, p := range []part{s.train, s.test} {
		for _, name := range []string{p.images, p.labels} {
			path := filepath.Join(dir, s.name, name)
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, good[:len(good)-1], 0o644); err != nil {
				t.Fatal(err)
			}
			var mismatch *rawfile.ChecksumError
			if _, _, err := s.load(dir); !errors.As(err, &mismatch) || mismatch.File != path {
				t.Errorf("%s without its last byte: error %v: want a *rawfile.ChecksumError", name, err)
			}
			if err := os.WriteFile(path, good, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLoadSaysHowToGetTheData(t *testing.T) {
	t.Setenv(data.DirVariable, t.TempDir())
	for name, load := range map[string]func(string) (data.Dataset, data.Dataset, error){"mnist": Load, "fashion-mnist": LoadFashion} {
		_, _, err := load("")
		if !errors.Is(err, data.ErrNotFound) {
			t.Fatalf("%s: error %v: want data.ErrNotFound", name, err)
		}
		for _, want := range []string{name, "4 of 4 files", trainImages, "http"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("message %q lacks %q", err, want)
			}
		}
	}
}
