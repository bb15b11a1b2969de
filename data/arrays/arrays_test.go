package arrays

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
)

// images is what testdata/make.py wrote, by the formula in the comment of Schema: 10 i/255.
func images(t *testing.T, d data.Dataset, shape ...int) {
	t.Helper()
	if len(d.Features) != 24 || !slices.Equal(d.Shape, shape) || !slices.Equal(d.Labels, []int32{2, 0, 1, 2}) || d.Classes != 3 {
		t.Fatalf("read %+v", d)
	}
	for i, x := range d.Features {
		if x != float32(10*i)/255 {
			t.Errorf("feature %d is %g, want %g", i, x, float32(10*i)/255)
		}
	}
}

// Pixels of uint8 need no bounds. The archive may be packed, and labels may be a column.
func TestLoad(t *testing.T) {
	d, err := Schema{Classes: 3}.Load("testdata/images.npz")
	if err != nil {
		t.Fatal(err)
	}
	images(t, d, 2, 3)
	if d, err = (Schema{Name: d.Name, Classes: 3}).Load("testdata/fortran.npz"); err != nil {
		t.Fatal(err)
	}
	images(t, d, 2, 3)
	if d.Name != "images.npz" {
		t.Errorf("name %q", d.Name)
	}
	d, err = Schema{Name: "train", Features: "train_images", Labels: "train_labels", Shape: []int{2, 3, 1}, Classes: 3}.Load("testdata/packed.npz")
	if err != nil {
		t.Fatal(err)
	}
	images(t, d, 2, 3, 1)
	if d.Name != "train" {
		t.Errorf("name %q", d.Name)
	}
}

// Numbers are moved to the bounds and scaled: by hand, from -1 and 3.
func TestLoadPair(t *testing.T) {
	want := []float32{-1, -0.25, 1, 1, 0, -1, -0.5, 0.5}
	s := Schema{Low: -1, High: 3, Classes: 3}
	for _, features := range []string{"x.npy", "x32.npy", "x_fortran.npy"} {
		for _, labels := range []string{"y.npy", "y_float.npy"} {
			d, err := s.LoadPair("testdata/"+features, "testdata/"+labels)
			if err != nil || !slices.Equal(d.Features, want) || !slices.Equal(d.Shape, []int{2}) || !slices.Equal(d.Labels, []int32{2, 0, 1, 2}) {
				t.Errorf("%s, %s: read %+v, error %v", features, labels, d, err)
			}
		}
	}
	if d, err := s.LoadPair("testdata/line.npy", "testdata/y.npy"); err != nil || !slices.Equal(d.Shape, []int{1}) || !slices.Equal(d.Features, []float32{-1, 1, 0, -0.5}) {
		t.Errorf("one number a record: read %+v, error %v", d, err)
	}
	if d, err := (Schema{Classes: 3}).LoadPair("testdata/mask.npy", "testdata/y.npy"); err != nil || !slices.Equal(d.Features, []float32{0, 1, 1, 1, 1, 0, 0, 1}) {
		t.Errorf("bool: read %+v, error %v", d, err)
	}
}

// Each error names file, array, index and rule, with the way out.
func TestLoadPairRefuses(t *testing.T) {
	s := Schema{Low: -1, High: 3, Classes: 3}
	for _, c := range []struct{ features, labels, want string }{
		{"bad_objects.npy", "y.npy", `arrays: bad_objects.npy: is of Python's objects: must be of numbers, for instance by array.astype("float32")`},
		{"bad_complex.npy", "y.npy", `bad_complex.npy: dtype <c16: must be float64`},
		{"bad_endian.npy", "y.npy", `bad_endian.npy: dtype >f4 is big-endian: must be little-endian, by array.astype("<f4")`},
		{"bad_nan.npy", "y.npy", `bad_nan.npy: bad_nan[1, 1] is NaN: must be finite`},
		{"bad_fortran.npy", "y.npy", `bad_fortran.npy: bad_fortran[1, 1] is NaN: must be finite`},
		{"bad_infinite.npy", "y.npy", `bad_infinite.npy: bad_infinite[2, 1] is -Inf: must be finite`},
		{"bad_number.npy", "y.npy", `bad_number.npy: shape []: must be [n, ...]`},
		{"bad_empty.npy", "y.npy", `bad_empty.npy: shape [0 2]: must be [n, ...], with at least one record`},
		{"bad_sides.npy", "y.npy", `bad_sides.npy: shape [4 0]: must be`},
		{"bad_cut.npy", "y.npy", `bad_cut.npy: 61 bytes of numbers: must be 64, of shape (4, 2) and type <f8`},
		{"x.npy", "bad_words.npy", `bad_words.npy: dtype <U1: must be`},
		{"x.npy", "bad_three.npy", `bad_three.npy: 3 labels: must be 4, one for each record of x.npy`},
		{"x.npy", "bad_square.npy", `bad_square.npy: shape [4 2]: must be [n] or [n, 1]`},
		{"x.npy", "bad_class.npy", `bad_class.npy: bad_class[2] is 3: must be a whole number in [0, 3), a class`},
		{"x.npy", "bad_negative.npy", `bad_negative[2] is -1: must be a whole number in [0, 3)`},
		{"x.npy", "bad_half.npy", `bad_half[2] is 0.5: must be a whole number`},
		{"x.npy", "make.py", `make.py: must begin with "\x93NUMPY"`},
		{"images.npz", "y.npy", `images.npz: must begin with "\x93NUMPY"`},
		{".", "y.npy", `must be a file`},
	} {
		d, err := s.LoadPair("testdata/"+c.features, "testdata/"+c.labels)
		if err == nil || !strings.Contains(err.Error(), c.want) || d.Len() > 0 {
			t.Errorf("%s, %s: %d records, error %v, want %s", c.features, c.labels, d.Len(), err, c.want)
		}
	}
	if _, err := s.LoadPair("testdata/none.npy", "testdata/y.npy"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	if _, err := (Schema{Classes: 3}).LoadPair("testdata/x.npy", "testdata/y.npy"); err == nil || !strings.Contains(err.Error(), "dtype <f8 without Schema.Low and High: bounds must be public") {
		t.Errorf("no bounds: error %v", err)
	}
	s.Shape = []int{3, 1}
	if _, err := s.LoadPair("testdata/x.npy", "testdata/y.npy"); err == nil || !strings.Contains(err.Error(), "x.npy: one record has shape [2]: must have the 3 numbers of Schema.Shape [3 1]") {
		t.Errorf("another shape: error %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for want, err := range map[string]error{
		`images.npz: has no array "z": must be one of ["x" "y" "names" "column"]`: load(Schema{Features: "z", Classes: 3}, "images.npz"),
		`images.npz: array "names": is of Python's objects`:                       load(Schema{Features: "names", Classes: 3}, "images.npz"),
		`images.npz: array "y": y[0] is 2: must be a whole number in [0, 2)`:      load(Schema{Classes: 2}, "images.npz"),
		"x.npy: is one array (.npy): must be an .npz file of numpy.savez":         load(Schema{Classes: 2}, "x.npy"),
		"make.py: must be an .npz file of numpy.savez: zip":                       load(Schema{Classes: 2}, "make.py"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func load(s Schema, name string) error {
	_, err := s.Load(filepath.Join("testdata", name))
	return err
}

func TestValidate(t *testing.T) {
	err := Schema{Low: 2, High: 1, Shape: []int{3, 0}, Features: "a", Labels: "a"}.Validate()
	for _, want := range []string{
		"arrays: Schema.Low 2, High 1: must be Low < High: the ends are exchanged", "Schema.Shape[1] 0: must be >= 1",
		"Schema.Classes 0: must be >= 2", `Schema.Features and Labels "a": must be two arrays`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, s := range []Schema{{Low: math.NaN(), High: 1, Classes: 2}, {Low: 0, High: math.Inf(1), Classes: 2}, {Low: 1, High: 1, Classes: 2}} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "must be Low < High, finite") {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

// A record's features do not depend on other records: they come from the schema only.
func TestScalesKnowNoData(t *testing.T) {
	s := Schema{Low: -1, High: 3, Classes: 3}
	all, err := s.LoadPair("testdata/x.npy", "testdata/y.npy")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x, y := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	writeArray(t, x, "<f8", "(1, 2)", []float64{0, 2})
	writeArray(t, y, "<i8", "(1,)", []int64{2})
	one, err := s.LoadPair(x, y)
	if err != nil || !slices.Equal(one.Row(0), all.Row(3)) {
		t.Errorf("the last record by itself is %v, and among others %v; error %v", one.Row(0), all.Row(3), err)
	}
}

func writeArray(t *testing.T, path, kind, shape string, numbers any) {
	t.Helper()
	if err := os.WriteFile(path, arrayOf(kind, shape, numbers), 0o600); err != nil {
		t.Fatal(err)
	}
}

func arrayOf(kind, shape string, numbers any) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", kind, shape)
	out := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(text)))...)
	out, _ = binary.Append(append(out, text...), binary.LittleEndian, numbers)
	return out
}

// A header of a few bytes may declare gigabytes. Memory follows what is there.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, raw := range map[string][]byte{"x.npy": arrayOf("|u1", "(1, 4294967295)", []byte{1}), "y.npy": arrayOf("|u1", "(1,)", []byte{1})} {
		member, err := archive.CreateRaw(&zip.FileHeader{Name: name, CompressedSize64: uint64(len(raw)), UncompressedSize64: uint64(len(raw)) + map[string]uint64{"x.npy": 1<<32 - 2}[name]})
		if err == nil {
			_, err = member.Write(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "large.npz")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Schema{Classes: 2}.Load(path)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), `large.npz: array "x": shape [1 4294967295]: must hold at most 2147483648 numbers`) {
		t.Errorf("error %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("took %d bytes for a file of %d", took, out.Len())
	}
}

// Whatever a file holds, there is an error or a data set that is valid.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"images.npz", "packed.npz"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	path := filepath.Join(f.TempDir(), "f.npz")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Schema{Classes: 3}.Load(path)
		if err == nil && (d.Validate() != nil || d.Len() == 0) {
			t.Errorf("%d records, error %v", d.Len(), d.Validate())
		}
	})
}
