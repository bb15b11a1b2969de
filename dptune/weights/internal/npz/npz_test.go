package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// eighths are the numbers of testdata/make.py: 0, 1/8, 2/8 and so on.
func eighths() (list []float64) {
	for i := range 24 {
		list = append(list, float64(i)/8)
	}
	return list
}

func read(raw []byte) (safetensors.File, error) {
	return Read(bytes.NewReader(raw), int64(len(raw)), nil)
}

// What NumPy wrote, plain and packed, in both orders, is what was put in.
func TestNumPy(t *testing.T) {
	want := []safetensors.Tensor{
		{Name: "single", Type: "F32", Shape: []int{2, 3, 4}, Values: eighths()},
		{Name: "double", Type: "F64", Shape: []int{3}, Values: []float64{1. / 3, math.Copysign(0, -1), 1e300}},
		{Name: "fortran", Type: "F32", Shape: []int{2, 3, 4}, Values: eighths()},
		{Name: "number", Type: "F64", Values: []float64{2.5}},
		{Name: "empty", Type: "F32", Shape: []int{0, 3}, Values: []float64{}},
		{Name: "integers", Type: "<i8", Shape: []int{3}},
		// 1/3 in ten bits after the first, 0x3555; the largest, the least, the least normal, and
		// one below it
		{Name: "half", Type: "F16", Shape: []int{8}, Values: []float64{0x555p-12, math.Copysign(0, -1), 65504, 0x1p-24, -0x1p-14, 0x3p-20, math.Inf(1), math.Inf(-1)}},
		{Name: "big", Type: ">f4", Shape: []int{3}},
	}
	for _, name := range []string{"arrays.npz", "packed.npz"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		file, err := read(raw)
		if err != nil || !reflect.DeepEqual(file.Tensors, want) {
			t.Errorf("%s: %+v, error %v", name, file.Tensors, err)
		}
	}
}

// What is written is read again, with its text, and equal files have equal bytes.
func TestWritten(t *testing.T) {
	file := safetensors.File{
		Tensors:  []safetensors.Tensor{{Name: "0.weight", Type: "F32", Shape: []int{2, 3, 4}, Values: eighths()}, {Name: "0.bias", Type: "F64", Shape: []int{1}, Values: []float64{1. / 3}}},
		Metadata: map[string]string{"guarantee": "ε ≤ 1", "format": "pt"},
	}
	var one, two bytes.Buffer
	if err := Write(&one, file); err != nil {
		t.Fatal(err)
	}
	if err := Write(&two, file); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("written twice: %d and %d bytes, error %v", one.Len(), two.Len(), err)
	}
	if got, err := read(one.Bytes()); err != nil || !reflect.DeepEqual(got, file) {
		t.Errorf("read %+v, error %v", got, err)
	}
	file.Metadata["long"] = strings.Repeat("x", 1<<16)
	if err := Write(&two, file); err == nil || !strings.Contains(err.Error(), "npz: metadata of") {
		t.Errorf("text longer than a comment may be: error %v", err)
	}
}

// NumPy takes what is written here.
func TestPythonReadsIt(t *testing.T) {
	python := os.Getenv("DPLAB_PYTHON")
	if python == "" {
		t.Skip("DPLAB_PYTHON is not set: must be a Python that has numpy (2.4.6 was tried)")
	}
	path := filepath.Join(t.TempDir(), "ours.npz")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := Write(out, safetensors.File{Tensors: []safetensors.Tensor{{Name: "w", Shape: []int{2, 3, 4}, Values: eighths()}, {Name: "b", Shape: []int{1}, Values: []float64{1. / 3}}, {Name: "n", Values: []float64{7}}}}); err != nil {
		t.Fatal(err)
	}
	script := `
import sys, numpy
f = numpy.load(sys.argv[1], allow_pickle=False)
assert f["w"].dtype == "<f4" and numpy.array_equal(f["w"], numpy.arange(24).reshape(2, 3, 4) / 8), f["w"]
assert f["b"].dtype == "<f8" and f["b"].shape == (1,) and f["b"][0] == 1 / 3, f["b"]
assert f["n"].shape == () and f["n"] == 7, f["n"]
print("read", len(f.files))`
	if said, err := exec.CommandContext(t.Context(), python, "-c", script, path).CombinedOutput(); err != nil || string(said) != "read 3\n" {
		t.Errorf("Python says %q, error %v", said, err)
	}
}

// archiveOf returns an archive with one member.
func archiveOf(t *testing.T, names []string, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range names {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadRefuses(t *testing.T) {
	good := string(encoded(safetensors.Tensor{Shape: []int{3}, Values: []float64{1, 2, 3}}))
	of := func(old, new string) []byte {
		return archiveOf(t, []string{"a.npy"}, strings.Replace(good, old, new, 1))
	}
	sides := func(tuple string) []byte {
		return of("'shape': (3,), }                      ", fmt.Sprintf("%-38s", "'shape': "+tuple+", }"))
	}
	// NumPy 2.4.6 refuses the versions, the shapes, more than 64 sides and a header of 65,535 bytes
	// too.
	for want, raw := range map[string][]byte{
		"npz: zip: not a valid zip file":                              []byte("no archive"),
		"npz: a.txt: must be an array":                                archiveOf(t, []string{"a.txt"}, good),
		"npz: a.npy: must occur once":                                 archiveOf(t, []string{"a.npy", "a.npy"}, good),
		`npz: a.npy: must begin with "\x93NUMPY"`:                     archiveOf(t, []string{"a.npy"}, "PK"),
		"a header of 65535 bytes: must be at most 10000":              of("\x01\x00\x76\x00", "\x01\x00\xff\xff"),
		"a header of 9999 bytes: must be within the file":             of("\x01\x00\x76\x00", "\x01\x00\x0f\x27"),
		"version 0.0 of the format: must be 1.0, 2.0 or 3.0":          of("\x01\x00\x76\x00", "\x00\x00\x76\x00"),
		"version 1.7 of the format":                                   of("\x01\x00\x76\x00", "\x01\x07\x76\x00"),
		"shape (3): must be a tuple, such as (3,)":                    sides("(3)"),
		`shape (1 3): must be a tuple`:                                sides("(1 3)"),
		`shape (1 3,): "1 3" must be a whole number`:                  sides("(1 3,)"),
		`shape (3,,): "" must be a whole number`:                      sides("(3,,)"),
		`shape (03,): "03" must be a whole number`:                    sides("(03,)"),
		"must be of one array of numbers":                             of("'<f4'", "[('x')]"),
		"12 bytes of numbers: must be 16, of shape (4,)":              of("(3,)", "(4,)"),
		"12 bytes of numbers: must be 24, of shape (3,) and type <f8": of("<f4", "<f8"),
		"must hold at most":                                           of("'shape': (3,), }                      ", "'shape': (99999999999999999999,), }    "),
		"must hold at most 4294967296 numbers":                        of("'shape': (3,), }                      ", "'shape': (65536,65537), }             "),
	} {
		if _, err := read(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	for cut := range len(good) {
		if _, err := read(archiveOf(t, []string{"a.npy"}, good[:cut])); err == nil {
			t.Errorf("cut after %d bytes: no error", cut)
		}
	}
}

// A packed header of ones takes no room in the file: 300,000 sides of an array took 15 MB, of 1 kB.
func TestSidesAreLimited(t *testing.T) {
	header := func(sides, spaces int) string {
		text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': True, 'shape': (%s), }%s\n", strings.Repeat("1, ", sides), strings.Repeat(" ", spaces))
		return "\x93NUMPY" + "\x02\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text + "\x00\x00\x80\x3f"
	}
	for want, raw := range map[string]string{
		"shape of 65 sides: must have at most 64":         header(65, 0),
		"a header of 900055 bytes: must be at most 10000": header(300_000, 0),
		"a header of 10056 bytes: must be at most 10000":  header(1, 9998),
	} {
		if _, err := read(archiveOf(t, []string{"a.npy"}, raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if file, err := read(archiveOf(t, []string{"a.npy"}, header(64, 0))); err != nil || len(file.Tensors[0].Shape) != 64 || file.Tensors[0].Values[0] != 1 {
		t.Errorf("64 sides: %+v, error %v", file, err)
	}
}

// A packed file of a few kilobytes may hold gigabytes. Arrays that are not wanted are not unpacked,
// nor is anything beyond the declared shape.
func TestPackedZerosAreNotUnpacked(t *testing.T) {
	const numbers = 1 << 24 // 64 MB
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range []string{"asked.npy", "other.npy"} {
		member, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		shape := map[string]string{"asked.npy": "(3,)", "other.npy": fmt.Sprintf("(%d,)", numbers)}[name]
		text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shape)
		fmt.Fprintf(member, "\x93NUMPY\x01\x00%s%s", binary.LittleEndian.AppendUint16(nil, uint16(len(text))), text)
		size := 12
		if name == "other.npy" {
			size = 4 * numbers
		}
		if _, err := member.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	raw := out.Bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := Read(bytes.NewReader(raw), int64(len(raw)), func(name string, shape []int) bool { return name == "asked" && slices.Equal(shape, []int{3}) })
	runtime.ReadMemStats(&after)
	if err != nil || len(file.Tensors) != 2 || len(file.Tensors[0].Values) != 3 || file.Tensors[1].Values != nil || file.Tensors[1].Shape[0] != numbers {
		t.Errorf("%+v, error %v", file, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("took %d bytes for a file of %d", took, len(raw))
	}
	if _, err := read(archiveOf(t, []string{"a.npy"}, string(encoded(safetensors.Tensor{Shape: []int{1}, Values: []float64{1}}))+strings.Repeat("\x00", 1<<20))); err == nil ||
		!strings.Contains(err.Error(), "1048580 bytes of numbers: must be 4") {
		t.Errorf("longer than its shape: error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"arrays.npz", "packed.npz"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(_ *testing.T, raw []byte) {
		_, _ = read(raw) // must not panic
	})
}
