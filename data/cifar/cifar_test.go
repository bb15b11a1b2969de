package cifar

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

// images returns n records: image i has class i (after labels-1 bytes of 7), red 51, green 102,
// blue 255, and its first pixel's red is i.
func images(n, labels int) []byte {
	var raw []byte
	for i := range n {
		for range labels - 1 {
			raw = append(raw, 7)
		}
		raw = append(raw, byte(i))
		planes := make([]byte, colors*pixels)
		for p := range pixels {
			planes[p], planes[pixels+p], planes[2*pixels+p] = 51, 102, 255
		}
		planes[0] = byte(i)
		raw = append(raw, planes...)
	}
	return raw
}

// small writes two training files and a test file that load reads; spoil may change the bytes
// of a file before they are written. Checksums are of what was meant to be written.
func small(t *testing.T, labels int, spoil func(name string, raw []byte) []byte) (string, source) {
	t.Helper()
	t.Setenv(rawfile.CacheVariable, t.TempDir())
	s := source{name: "small", labels: labels, classes: 10, urls: []string{"https://example.org/small.tar.gz"}, folder: "small-bin"}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, s.name), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name string, count int) file {
		raw := images(count, labels)
		sum := md5.Sum(raw)
		if spoil != nil {
			raw = spoil(name, raw)
		}
		if raw != nil {
			if err := os.WriteFile(filepath.Join(dir, s.name, name), raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return file{name, rawfile.MD5(hex.EncodeToString(sum[:])), count}
	}
	s.train, s.test = []file{put("a.bin", 3), put("b.bin", 2)}, []file{put("t.bin", 1)}
	return dir, s
}

// Pixels come in the order row, column, color; files are joined; the last label counts.
func TestLoad(t *testing.T) {
	for _, labels := range []int{1, 2} {
		dir, s := small(t, labels, nil)
		train, test, err := s.load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if train.Len() != 5 || test.Len() != 1 || train.Width() != 3072 {
			t.Fatalf("%d labels: %d and %d images of %d values", labels, train.Len(), test.Len(), train.Width())
		}
		for i, class := range []int32{0, 1, 2, 0, 1} {
			row := train.Row(i)
			want := []float32{float32(class) / 255, 0.4, 1, 0.2, 0.4, 1}
			for j, x := range want {
				if row[j] != x {
					t.Errorf("image %d: values %v, want %v", i, row[:6], want)
				}
			}
			if train.Labels[i] != class {
				t.Errorf("image %d: label %d, want %d", i, train.Labels[i], class)
			}
		}
	}
}

// The first files are read without the others.
func TestFirstFiles(t *testing.T) {
	dir, s := small(t, 1, func(name string, raw []byte) []byte {
		if name != "a.bin" {
			return nil
		}
		return raw
	})
	part, err := s.first(1)
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := part.load(dir)
	if err != nil || train.Len() != 3 || test.Len() != 0 {
		t.Errorf("%d and %d images, error %v: want 3 and none", train.Len(), test.Len(), err)
	}
	for _, files := range []int{0, 6, -1} {
		if _, err := LoadTrain(dir, files); err == nil || !strings.Contains(err.Error(), "training files: must be in [1, 5]") {
			t.Errorf("%d files: error %v", files, err)
		}
	}
}

// A packed file is read, also where only the cache still has it.
func TestPacked(t *testing.T) {
	// bzip2 of images(1, 1): made by Python 3.11's bz2.compress.
	packed, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWRykgJUAAADJAMAACAABAAAIoAAwzQBUhpcdlKk6abpMMLIcXxdyRThQkBykgJU=")
	if err != nil {
		t.Fatal(err)
	}
	dir, s := small(t, 1, func(name string, raw []byte) []byte {
		if name == "t.bin" {
			return nil
		}
		return raw
	})
	path := filepath.Join(dir, s.name, "t.bin.bz2")
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // from the file, then from the cache
		_, test, err := s.load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if test.Len() != 1 || test.Row(0)[1] != 0.4 {
			t.Errorf("%d images, values %v", test.Len(), test.Row(0)[:3])
		}
	}
	t.Setenv(rawfile.CacheVariable, t.TempDir())
	for want, damage := range map[string][]byte{"truncated or corrupt": packed[:40], "not bzip2": []byte("nothing")} {
		if err := os.WriteFile(path, damage, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.load(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.bin.bz2") {
			t.Errorf("error %v, want one that names the file and %q", err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	dir, s := small(t, 1, func(_ string, raw []byte) []byte { return raw[:100] })
	var wrong *rawfile.ChecksumError
	if _, _, err := s.load(dir); !errors.As(err, &wrong) || wrong.Expected != s.train[0].sum || wrong.Bytes != 100 {
		t.Errorf("truncated: error %v, want a ChecksumError of 100 bytes", err)
	}
	dir, s = small(t, 1, nil)
	s.train[1].count = 3
	if _, _, err := s.load(dir); err == nil || !strings.Contains(err.Error(), "must be 9219 (3 images of 3073)") {
		t.Errorf("wrong count: error %v", err)
	}
	dir, s = small(t, 1, nil)
	s.classes = 2
	if _, _, err := s.load(dir); err == nil || !strings.Contains(err.Error(), "label 2 in row 2") {
		t.Errorf("label beyond the classes: error %v", err)
	}
	dir, s = small(t, 1, func(name string, raw []byte) []byte {
		if name == "b.bin" {
			return nil
		}
		return raw
	})
	if _, _, err := s.load(dir); !errors.Is(err, data.ErrNotFound) || !strings.Contains(err.Error(), "small-bin/b.bin in this archive") {
		t.Errorf("missing: error %v, want one that says what to download", err)
	}
}

// The published files: counts, and the means and standard deviations that the training
// recipes for CIFAR-10 and CIFAR-100 print for the training images (for CIFAR-10 the widely
// used 0.4914, 0.4822, 0.4465). The part of CIFAR-100 has its own means, near those of the whole.
func TestPublishedFiles(t *testing.T) {
	dir := os.Getenv(data.DirVariable)
	for _, c := range []struct {
		set         string
		load        func(string) (data.Dataset, data.Dataset, error)
		train, test int
		mean        [3]float64
		tolerance   float64
	}{
		{"cifar-10", Load, 50000, 10000, [3]float64{0.4914, 0.4822, 0.4465}, 1e-4},
		// 5,000 of 50,000 images: the standard error of a mean is at most 0.28/√5000 = 0.004.
		{"cifar-100-subset", LoadSubset100, 5000, 1000, [3]float64{0.5071, 0.4865, 0.4409}, 0.02},
	} {
		t.Run(c.set, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(dir, c.set)); dir == "" || err != nil {
				t.Skipf("no %s files: set %s to test with them", c.set, data.DirVariable)
			}
			if testing.Short() && c.train == 50000 {
				t.Skip("unpacking takes half a minute")
			}
			train, test, err := c.load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if train.Len() != c.train || test.Len() != c.test {
				t.Errorf("%d and %d images, want %d and %d", train.Len(), test.Len(), c.train, c.test)
			}
			var sum [3]float64
			for i, x := range train.Features {
				sum[i%colors] += float64(x)
			}
			perClass := make([]int, train.Classes)
			for _, label := range train.Labels {
				perClass[label]++
			}
			for color, want := range c.mean {
				if got := sum[color] / float64(len(train.Features)/colors); math.Abs(got-want) > c.tolerance {
					t.Errorf("mean of color %d is %.4f, want %.4f", color, got, want)
				}
			}
			for class, n := range perClass {
				if n != c.train/train.Classes {
					t.Errorf("class %d has %d images, want %d", class, n, c.train/train.Classes)
				}
			}
		})
	}
}
