// Package npz reads and writes files of named arrays as numpy.savez does: a zip archive with a file NAME.npy for each array.
//
// An array is a line of text (its type, the order of its numbers, its shape) and the numbers. Arrays of numbers in float32 and float64,
// little-endian, are read, packed or not, in C's order or Fortran's. No code runs: arrays of Python's objects are an error.
//
// Reference: NumPy 2.4, numpy.lib.format, versions 1.0 to 3.0.
package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/dptune/weights/safetensors"
)

const (
	magic   = "\x93NUMPY"
	mostRaw = 1 << 32 // bytes of one array: a packed file may hold a thousand times what it is long
)

// Read reads a whole file of size bytes. Its metadata are those of the archive's comment, if they are there.
func Read(r io.ReaderAt, size int64) (safetensors.File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return safetensors.File{}, fmt.Errorf("npz: %w", err)
	}
	var file safetensors.File
	_ = json.Unmarshal([]byte(archive.Comment), &file.Metadata) // what others write there is not ours
	for _, member := range archive.File {
		t, err := array(member)
		if err != nil {
			return safetensors.File{}, fmt.Errorf("npz: %s: %w", member.Name, err)
		}
		if slices.ContainsFunc(file.Tensors, func(other safetensors.Tensor) bool { return other.Name == t.Name }) {
			return safetensors.File{}, fmt.Errorf("npz: %s: must be there once", member.Name)
		}
		file.Tensors = append(file.Tensors, t)
	}
	return file, nil
}

func array(member *zip.File) (t safetensors.Tensor, err error) {
	name, ok := strings.CutSuffix(member.Name, ".npy")
	if !ok {
		return t, fmt.Errorf("must be an array, with a name that ends in .npy")
	}
	if member.UncompressedSize64 > mostRaw {
		return t, fmt.Errorf("%d bytes: must be at most %d", member.UncompressedSize64, int64(mostRaw))
	}
	in, err := member.Open()
	if err != nil {
		return t, err
	}
	defer in.Close()
	raw, err := io.ReadAll(in) // of no more than the size that the archive says
	if err != nil {
		return t, err
	}
	t, fortran, raw, err := header(raw)
	if err != nil || t.Values == nil {
		return safetensors.Tensor{Name: name, Type: t.Type, Shape: t.Shape}, err
	}
	t.Name = name
	for i := range t.Values {
		if t.Type == "F32" {
			t.Values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		} else {
			t.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	}
	if fortran {
		t.Values = rowMajor(t.Values, t.Shape)
	}
	return t, nil
}

// described is what NumPy writes of an array of numbers.
var described = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}\s*$`)

// header returns type and shape, with values to be filled, whether the first side is that which runs fastest, and the bytes of the numbers. Numbers
// of other types have no values.
func header(raw []byte) (t safetensors.Tensor, fortran bool, numbers []byte, err error) {
	if len(raw) < 12 || string(raw[:6]) != magic {
		return t, false, nil, fmt.Errorf("must begin with %q and a version", magic)
	}
	length, begin := int(binary.LittleEndian.Uint16(raw[8:])), 10
	if raw[6] > 1 {
		length, begin = int(binary.LittleEndian.Uint32(raw[8:])), 12
	}
	if length > len(raw)-begin {
		return t, false, nil, fmt.Errorf("a header of %d bytes: must be within the file", length)
	}
	text := raw[begin : begin+length]
	parts := described.FindSubmatch(text)
	if parts == nil {
		return t, false, nil, fmt.Errorf("header %q: must be of one array of numbers, as NumPy writes it", bytes.TrimSpace(text))
	}
	count, wide := 1, 0
	for side := range strings.FieldsFuncSeq(string(parts[3]), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(side)
		if err != nil || n > 0 && count > mostRaw/n {
			return t, false, nil, fmt.Errorf("shape (%s): must hold at most %d numbers", parts[3], int64(mostRaw))
		}
		count *= n
		t.Shape = append(t.Shape, n)
	}
	switch t.Type = string(parts[1]); t.Type {
	case "<f4":
		t.Type, wide = "F32", 4
	case "<f8":
		t.Type, wide = "F64", 8
	default:
		return t, false, nil, nil
	}
	numbers = raw[begin+length:]
	if len(numbers) != wide*count {
		return t, false, nil, fmt.Errorf("%d bytes of numbers: must be %d, of shape (%s) and type %s", len(numbers), wide*count, parts[3], parts[1])
	}
	t.Values = make([]float64, count)
	return t, string(parts[2]) == "True", numbers, nil
}

// rowMajor returns values whose first side runs fastest in the order in which the last does.
func rowMajor(values []float64, shape []int) []float64 {
	out, at := make([]float64, len(values)), make([]int, len(shape))
	for i := range out {
		from, step := 0, 1
		for k, side := range shape {
			from += at[k] * step
			step *= side
		}
		out[i] = values[from]
		for k := len(shape) - 1; k >= 0; k-- { // the next index
			if at[k]++; at[k] < shape[k] {
				break
			}
			at[k] = 0
		}
	}
	return out
}

// Write writes a file: arrays in float32 where that holds them exactly, and else in float64, and the metadata as the archive's
// comment, in JSON. Equal files have equal bytes.
func Write(w io.Writer, f safetensors.File) error {
	archive := zip.NewWriter(w)
	for _, t := range f.Tensors {
		member, err := archive.CreateHeader(&zip.FileHeader{Name: t.Name + ".npy", Method: zip.Store})
		if err != nil {
			return fmt.Errorf("npz: %w", err)
		}
		if _, err := member.Write(npy(t)); err != nil {
			return fmt.Errorf("npz: %w", err)
		}
	}
	about, err := json.Marshal(f.Metadata)
	if err != nil {
		return fmt.Errorf("npz: %w", err)
	}
	if err := archive.SetComment(string(about)); err != nil {
		return fmt.Errorf("npz: metadata of %d bytes: %w", len(about), err)
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("npz: %w", err)
	}
	return nil
}

// npy returns an array as numpy.save does, its numbers at a multiple of 64 bytes.
func npy(t safetensors.Tensor) []byte {
	single := !slices.ContainsFunc(t.Values, func(v float64) bool { return float64(float32(v)) != v && !math.IsNaN(v) })
	kind, shape := "<f8", ""
	if single {
		kind = "<f4"
	}
	for _, side := range t.Shape {
		shape += fmt.Sprintf("%d, ", side)
	}
	if len(t.Shape) > 1 {
		shape = strings.TrimSuffix(shape, ", ")
	} else {
		shape = strings.TrimSuffix(shape, " ") // a list of one side is (3,)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	length := (10+len(text)+1+63)/64*64 - 10
	out := binary.LittleEndian.AppendUint16([]byte(magic+"\x01\x00"), uint16(length))
	out = append(out, text...)
	out = append(out, strings.Repeat(" ", length-len(text)-1)+"\n"...)
	for _, v := range t.Values {
		if single {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}
