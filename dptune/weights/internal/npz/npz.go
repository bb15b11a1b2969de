// Package npz reads and writes files of named arrays as numpy.savez does: a zip archive with a file
// NAME.npy for each array.
//
// An array is a line of text (its type, the order of its numbers, its shape) and the numbers.
// Arrays of float64, float32 and float16, little-endian ([Types]), are read, packed or not, in C's
// order or Fortran's. No code runs: arrays of Python's objects are an error.
//
// Reference: NumPy 2.4, numpy.lib.format, versions 1.0 to 3.0.
package npz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// Types are the types that are read, in NumPy's notation.
const Types = "<f8, <f4 or <f2"

const (
	magic      = "\x93NUMPY"
	most       = 1 << 32 // numbers of one array
	mostHeader = 10_000  // bytes of one header, as NumPy reads: unpacked it may be a thousand times as long
	mostSides  = 64      // of one array, as in NumPy
)

// Read reads a file of size bytes. Its metadata are those of the archive's comment, if there is
// one. wanted selects by name and shape the arrays to unpack. The numbers of other arrays, and of
// types other than [Types], are nil. A nil wanted selects all.
//
// Unpacking takes as much memory as the archive declares: a file of 200 kB can take 400 MB. Pass
// nil only for trusted files.
func Read(r io.ReaderAt, size int64, wanted func(name string, shape []int) bool) (safetensors.File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return safetensors.File{}, fmt.Errorf("npz: %w", err)
	}
	var file safetensors.File
	_ = json.Unmarshal([]byte(archive.Comment), &file.Metadata) // other programs may write something else there
	seen := map[string]bool{}
	for _, member := range archive.File {
		t, err := array(member, wanted)
		if err != nil {
			return safetensors.File{}, fmt.Errorf("npz: %s: %w", member.Name, err)
		}
		if seen[t.Name] {
			return safetensors.File{}, fmt.Errorf("npz: %s: must occur once", member.Name)
		}
		seen[t.Name] = true
		file.Tensors = append(file.Tensors, t)
	}
	return file, nil
}

func array(member *zip.File, wanted func(string, []int) bool) (t safetensors.Tensor, err error) {
	name, ok := strings.CutSuffix(member.Name, ".npy")
	if !ok {
		return t, fmt.Errorf("must be an array, with a name that ends in .npy")
	}
	unpacked, err := member.Open()
	if err != nil {
		return t, err
	}
	defer unpacked.Close()
	in := bufio.NewReader(unpacked)
	head, err := readHeader(in)
	if err != nil {
		return t, err
	}
	t = safetensors.Tensor{Name: name, Type: head.kind, Shape: head.shape}
	if head.wide == 0 {
		return t, nil
	}
	if have, want := int64(member.UncompressedSize64)-int64(head.bytes), int64(head.wide)*int64(head.count); have != want {
		return t, fmt.Errorf("%d bytes of numbers: must be %d, of shape (%s) and type %s", have, want, head.sides, head.descr)
	}
	if wanted != nil && !wanted(name, t.Shape) {
		return t, nil
	}
	t.Values = make([]float64, head.count)
	raw := make([]byte, head.wide)
	for i := range t.Values {
		if _, err := io.ReadFull(in, raw); err != nil {
			return t, fmt.Errorf("number %d: %w", i, err)
		}
		switch head.wide {
		case 2:
			t.Values[i] = safetensors.Half(binary.LittleEndian.Uint16(raw))
		case 4:
			t.Values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		default:
			t.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw))
		}
	}
	if _, err := in.ReadByte(); err != io.EOF { // this compares the archive's checksum
		return t, fmt.Errorf("after the numbers: %w", cmp.Or(err, errors.New("more bytes than the archive declares")))
	}
	if head.fortran {
		t.Values = rowMajor(t.Values, t.Shape)
	}
	return t, nil
}

// described is NumPy's description of an array of numbers.
var described = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}\s*$`)

// header precedes the numbers.
type header struct {
	descr, sides string // as written
	kind         string
	wide, count  int // bytes of one number, 0 for types that are not read, and the count of numbers
	shape        []int
	fortran      bool // whether the first side runs fastest
	bytes        int  // of the header
}

func readHeader(in io.Reader) (h header, err error) {
	start := make([]byte, 12)
	if _, err := io.ReadFull(in, start[:10]); err != nil || string(start[:6]) != magic {
		return h, fmt.Errorf("must begin with %q and a version", magic)
	}
	if start[6] < 1 || start[6] > 3 || start[7] != 0 {
		return h, fmt.Errorf("version %d.%d of the format: must be 1.0, 2.0 or 3.0", start[6], start[7])
	}
	length, begin := int64(binary.LittleEndian.Uint16(start[8:])), 10
	if start[6] > 1 {
		if _, err := io.ReadFull(in, start[10:]); err != nil {
			return h, fmt.Errorf("must begin with %q and a version", magic)
		}
		length, begin = int64(binary.LittleEndian.Uint32(start[8:])), 12
	}
	if length > mostHeader {
		return h, fmt.Errorf("a header of %d bytes: must be at most %d", length, mostHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(in, text); err != nil {
		return h, fmt.Errorf("a header of %d bytes: must be within the file", length)
	}
	parts := described.FindSubmatch(text)
	if parts == nil {
		return h, fmt.Errorf("header %.200q: must be of one array of numbers, as NumPy writes it", bytes.TrimSpace(text))
	}
	h = header{descr: string(parts[1]), sides: string(parts[3]), kind: string(parts[1]), count: 1, fortran: string(parts[2]) == "True", bytes: begin + len(text)}
	if err := h.readShape(); err != nil {
		return h, err
	}
	switch h.descr {
	case "<f2":
		h.kind, h.wide = "F16", 2
	case "<f4":
		h.kind, h.wide = "F32", 4
	case "<f8":
		h.kind, h.wide = "F64", 8
	}
	return h, nil
}

// readShape reads the sides as Python writes a tuple: "", "3,", "2, 3".
func (h *header) readShape() error {
	sides := strings.Split(h.sides, ",")
	if last := len(sides) - 1; strings.TrimSpace(sides[last]) == "" {
		sides = sides[:last]
	} else if last == 0 {
		return fmt.Errorf("shape (%s): must be a tuple, such as (%s,)", h.sides, h.sides)
	}
	if len(sides) > mostSides {
		return fmt.Errorf("shape of %d sides: must have at most %d", len(sides), mostSides)
	}
	for _, side := range sides {
		side = strings.TrimSpace(side)
		n, err := strconv.Atoi(side)
		if errors.Is(err, strconv.ErrRange) || err == nil && n > 0 && h.count > most/n {
			return fmt.Errorf("shape (%s): must hold at most %d numbers", h.sides, int64(most))
		}
		if err != nil || strconv.Itoa(n) != side {
			return fmt.Errorf("shape (%s): %q must be a whole number", h.sides, side)
		}
		h.count *= n
		h.shape = append(h.shape, n)
	}
	return nil
}

// rowMajor reorders values from first side fastest to last side fastest.
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

// Write writes a file: arrays in float32 where that holds them exactly, and else in float64, and
// the metadata as the archive's comment, in JSON. Equal files have equal bytes.
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
