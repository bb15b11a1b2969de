// Package npy reads one array as numpy.save writes it.
//
// An array is a header of text (its type, the order of its numbers, its shape) and the numbers.
// Numbers are little-endian. No code runs: an array of Python's objects has no numbers to read.
//
// Package data/arrays makes data sets of such files, and dptune/weights reads weights from them.
// It promises nothing to other modules.
//
// Reference: NumPy 2.4, numpy.lib.format, versions 1.0 to 3.0.
package npy

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const (
	magic      = "\x93NUMPY"
	most       = 1 << 32 // numbers of one array
	mostHeader = 10_000  // bytes of one header, as NumPy reads: unpacked it may be a thousand times as long
	mostSides  = 64      // of one array, as in NumPy
)

// Header precedes the numbers.
type Header struct {
	Type    string // in NumPy's notation, such as "<f4"
	Shape   []int
	Fortran bool // whether the first side runs fastest
	Count   int  // of the numbers, the product of Shape
	Bytes   int  // of the header

	sides string // the shape as written
}

// decoders read one number of each type, from as many bytes as the type's name ends with.
var decoders = map[string]func(raw []byte) float64{
	"|b1": func(raw []byte) float64 { return float64(raw[0]) },
	"|u1": func(raw []byte) float64 { return float64(raw[0]) },
	"|i1": func(raw []byte) float64 { return float64(int8(raw[0])) },
	"<u2": func(raw []byte) float64 { return float64(binary.LittleEndian.Uint16(raw)) },
	"<i2": func(raw []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(raw))) },
	"<f2": func(raw []byte) float64 { return Half(binary.LittleEndian.Uint16(raw)) },
	"<u4": func(raw []byte) float64 { return float64(binary.LittleEndian.Uint32(raw)) },
	"<i4": func(raw []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(raw))) },
	"<f4": func(raw []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))) },
	"<u8": func(raw []byte) float64 { return float64(binary.LittleEndian.Uint64(raw)) },
	"<i8": func(raw []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(raw))) },
	"<f8": func(raw []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(raw)) },
}

// Half returns the value of a binary16 number: 1 bit of sign, 5 of exponent, 10 of fraction (IEEE
// 754-2008, Section 3.6).
func Half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction > 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// width returns the bytes of one number, or 0 for a type that is not read.
func (h Header) width() int {
	if !h.Readable() {
		return 0
	}
	return int(h.Type[2] - '0')
}

// Readable reports whether the numbers can be read: floats, integers and bool, little-endian.
func (h Header) Readable() bool { return decoders[h.Type] != nil }

// CheckSize returns an error unless as many bytes as the numbers need follow the header.
func (h Header) CheckSize(bytes int64) error {
	if want := int64(h.width()) * int64(h.Count); bytes != want {
		return fmt.Errorf("%d bytes of numbers: must be %d, of shape (%s) and type %s", bytes, want, h.sides, h.Type)
	}
	return nil
}

// Numbers calls visit with each number, in the order of the file, until visit returns an error. The
// file must end after the last number. Integers beyond 2^53 are rounded. The type must be
// [Header.Readable].
func (h Header) Numbers(in io.Reader, visit func(i int, x float64) error) error {
	const together = 8192
	decode, width := decoders[h.Type], h.width()
	raw := make([]byte, width*min(together, h.Count))
	for i := 0; i < h.Count; {
		part := raw[:width*min(together, h.Count-i)]
		n, readErr := io.ReadFull(in, part)
		for ; n >= width; i, n, part = i+1, n-width, part[width:] {
			if err := visit(i, decode(part)); err != nil {
				return err
			}
		}
		if readErr != nil {
			return fmt.Errorf("number %d: %w", i, readErr)
		}
	}
	var one [1]byte
	switch n, err := io.ReadFull(in, one[:]); { // of an archive's member, this compares the checksum
	case n > 0:
		return errors.New("after the numbers: more bytes than the shape declares")
	case err != io.EOF:
		return fmt.Errorf("after the numbers: %w", err)
	}
	return nil
}

// entry is one of the description, a dict of Python: NumPy sorts and spaces them in one way, and
// "readers must not depend on this" (numpy.lib.format, "Format Version 1.0").
var entry = regexp.MustCompile(`^\s*u?['"](?:(descr)['"]\s*:\s*u?['"]([^'"]+)['"]|(fortran_order)['"]\s*:\s*(True|False)|(shape)['"]\s*:\s*\(([0-9L,\s]*)\))\s*(?:,\s*|$)`)

// entries reads a description: the value of each of its three names.
func entries(text string) (map[string]string, bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), "{")
	text, ends := strings.CutSuffix(text, "}")
	values := map[string]string{}
	for range 3 {
		if m := entry.FindStringSubmatch(text); m != nil {
			text, values[m[1]+m[3]+m[5]] = text[len(m[0]):], m[2]+m[4]+m[6]
		}
	}
	return values, begins && ends && text == "" && len(values) == 3
}

// names are other names of types than their letter and bytes.
var names = map[string]string{
	"?": "b1", "bool": "b1", "b": "i1", "int8": "i1", "B": "u1", "uint8": "u1", "h": "i2", "int16": "i2", "H": "u2", "uint16": "u2",
	"i": "i4", "int32": "i4", "I": "u4", "uint32": "u4", "q": "i8", "int64": "i8", "Q": "u8", "uint64": "u8",
	"e": "f2", "float16": "f2", "f": "f4", "float32": "f4", "d": "f8", "float64": "f8",
}

// usual returns the spelling of a type that numpy.save writes, if it is one of [Header.Readable].
func usual(descr string) string {
	name := strings.TrimLeft(descr, "<>=|")
	name = cmp.Or(names[name], name)
	switch {
	case decoders["|"+name] != nil: // one byte has no order
		return "|" + name
	case decoders["<"+name] != nil && descr[0] != '>':
		return "<" + name
	}
	return descr
}

// Member returns the file of an array in an archive of numpy.savez. equal compares names.
func Member(archive *zip.Reader, name string, equal func(a, b string) bool) (*zip.File, error) {
	var there []string
	var found []*zip.File
	for _, f := range archive.File {
		array := strings.TrimSuffix(f.Name, ".npy")
		if there = append(there, array); equal(array, name) {
			found = append(found, f)
		}
	}
	const most = 12
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("has no array %q: must be one of %q", name, there[:min(len(there), most)])
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("array %q is there %d times: must be once", name, len(found))
}

// Begin reads the header of an array of size bytes, unpacked, and returns what has the numbers. The
// type is [Header.Readable], and as many bytes as it needs are declared.
func Begin(in io.Reader, size int64) (Header, io.Reader, error) {
	rest := bufio.NewReader(in)
	h, err := ReadHeader(rest)
	switch {
	case err != nil:
	case h.Type == "|O":
		err = errors.New(`is of Python's objects: must be of numbers, for instance by array.astype("float32")`)
	case strings.HasPrefix(h.Type, ">"):
		err = fmt.Errorf("dtype %s is big-endian: must be little-endian, by array.astype(%q)", h.Type, "<"+h.Type[1:])
	case !h.Readable():
		err = fmt.Errorf("dtype %s: must be float64, float32, float16, an integer or bool, for instance by array.astype(\"float32\")", h.Type)
	default:
		err = h.CheckSize(size - int64(h.Bytes))
	}
	return h, rest, err
}

// Values reads the numbers into C's order. Memory follows what is read: an archive's header may
// declare more than there is.
func (h Header) Values(in io.Reader) ([]float64, error) {
	const atOnce = 1 << 22
	values := make([]float64, 0, min(h.Count, atOnce))
	err := h.Numbers(in, func(_ int, x float64) error {
		values = append(values, x)
		return nil
	})
	if h.Fortran && err == nil {
		values = RowMajor(values, h.Shape)
	}
	return values, err
}

// ReadHeader reads the header of an array, and nothing after it. in then has the numbers.
func ReadHeader(in io.Reader) (h Header, err error) {
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
	values, ok := entries(string(text))
	if !ok {
		return h, fmt.Errorf("header %.200q: must be of one array of numbers, as NumPy writes it", bytes.TrimSpace(text))
	}
	h = Header{Type: usual(values["descr"]), sides: values["shape"], Count: 1, Fortran: values["fortran_order"] == "True", Bytes: begin + len(text)}
	return h, h.readShape()
}

// readShape reads the sides as Python writes a tuple: "", "3,", "2, 3".
func (h *Header) readShape() error {
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
		side = strings.TrimSuffix(strings.TrimSpace(side), "L") // as Python 2 wrote long
		n, err := strconv.Atoi(side)
		if errors.Is(err, strconv.ErrRange) || err == nil && n > 0 && h.Count > most/n {
			return fmt.Errorf("shape (%s): must hold at most %d numbers", h.sides, int64(most))
		}
		if err != nil || strconv.Itoa(n) != side {
			return fmt.Errorf("shape (%s): %q must be a whole number", h.sides, side)
		}
		h.Count *= n
		h.Shape = append(h.Shape, n)
	}
	return nil
}

// RowMajor reorders values of a shape from first side fastest ([Header.Fortran]) to last side
// fastest.
func RowMajor[T any](values []T, shape []int) []T {
	out, at := make([]T, len(values)), make([]int, len(shape))
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

// AppendHeader appends the header of an array as numpy.save writes it, in C's order. It has a
// multiple of 64 bytes.
func AppendHeader(out []byte, kind string, shape []int) []byte {
	sides := ""
	for _, side := range shape {
		sides += fmt.Sprintf("%d, ", side)
	}
	if len(shape) > 1 {
		sides = strings.TrimSuffix(sides, ", ")
	} else {
		sides = strings.TrimSuffix(sides, " ") // a list of one side is (3,)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sides)
	length := (10+len(text)+1+63)/64*64 - 10
	out = append(out, magic+"\x01\x00"...)
	out = binary.LittleEndian.AppendUint16(out, uint16(length))
	return append(out, text+strings.Repeat(" ", length-len(text)-1)+"\n"...)
}
