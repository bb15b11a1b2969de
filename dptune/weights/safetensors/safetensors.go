// Package safetensors reads and writes files of named arrays in the format of that name. PyTorch
// and others exchange weights in it.
//
// A file is the length of a header (8 bytes, little-endian), the header, and the bytes, row-major
// and little-endian. The header is JSON. For each tensor it has the type, the shape, and where its
// bytes begin and end. The bytes of tensors follow each other without gaps and without sharing any.
// A file that differs is an error, as is a header of more than 100 MB. A type that is not known has
// no size to compare, and no values.
//
// Reading runs no code. Memory follows from the content, never from a size in the header. It is up
// to twice the bytes while they are read, and eight more for each value, four times its size in the
// file for F16 and BF16. The header takes a multiple of its size.
//
// Reference: https://github.com/huggingface/safetensors, README, "Format" (2023).
//
// It promises nothing to other modules.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dplab/dplab/data/npy"
)

// File is the content of a file.
type File struct {
	Tensors  []Tensor          // in the order of their bytes
	Metadata map[string]string // the writer's notes on the whole
}

// Tensor is a named array.
type Tensor struct {
	Name   string
	Type   string    // as in the file. Written: F64, F32, or "" (F32 if exact, otherwise F64).
	Shape  []int     // sides >= 0; none is a single number
	Values []float64 // row-major; nil for types other than those four
}

// maxHeader is the longest header that the format allows, in bytes.
const maxHeader = 100_000_000

// sizes are those of one value of a type, in bits.
var sizes = map[string]int64{
	"F64": 64, "F32": 32, "F16": 16, "BF16": 16,
	"I64": 64, "U64": 64, "I32": 32, "U32": 32, "I16": 16, "U16": 16, "I8": 8, "U8": 8, "BOOL": 8,
	"F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"F6_E2M3": 6, "F6_E3M2": 6, "F4": 4, "C64": 64,
}

// metadata is the header's name for its one entry that is not a tensor.
const metadata = "__metadata__"

// entry is the header's description of a tensor.
type entry struct {
	Type    string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"` // where its bytes begin and end
}

// Read reads a whole file.
func Read(r io.Reader) (File, error) {
	header, err := readHeader(r)
	if err != nil {
		return File{}, fmt.Errorf("safetensors: %w", err)
	}
	file, entries, err := parse(header)
	if err != nil {
		return File{}, fmt.Errorf("safetensors: header: %w", err)
	}
	size := int64(0)
	if n := len(entries); n > 0 {
		size = entries[n-1].Offsets[1]
	}
	content, err := io.ReadAll(io.LimitReader(r, size+1))
	switch {
	case err != nil:
		return File{}, fmt.Errorf("safetensors: %w", err)
	case int64(len(content)) < size:
		return File{}, fmt.Errorf("safetensors: ends after %d bytes of values: must have %d, as in the header", len(content), size)
	case int64(len(content)) > size:
		return File{}, fmt.Errorf("safetensors: has bytes after the values of the last tensor: must end there, after %d", size)
	}
	for i, e := range entries {
		file.Tensors[i].Values = decoded(e.Type, content[e.Offsets[0]:e.Offsets[1]])
	}
	return file, nil
}

// readHeader reads the length of the header and the header.
func readHeader(r io.Reader) ([]byte, error) {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return nil, fmt.Errorf("the length of the header, 8 bytes: %w", err)
	}
	if length < 2 || length > maxHeader {
		return nil, fmt.Errorf("length of the header %d: must be in [2, %d]; this may be another kind of file", length, maxHeader)
	}
	header, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err != nil {
		return nil, err
	}
	if uint64(len(header)) < length {
		return nil, fmt.Errorf("ends after %d bytes of the header: must have %d", len(header), length)
	}
	return header, nil
}

// parse reads the header. Entries are in the order of their bytes.
func parse(header []byte) (file File, entries []entry, err error) {
	if header[0] != '{' || !utf8.Valid(header) {
		return file, nil, errors.New("must be a JSON object, in UTF-8, from its first byte on")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	d.UseNumber()
	err = members(d, func(name string) error {
		if name == metadata {
			file.Metadata = map[string]string{}
			if err := members(d, func(key string) (err error) { file.Metadata[key], err = text(d); return err }); err != nil {
				return fmt.Errorf("%q: must be an object of texts: %w", name, err)
			}
			return nil
		}
		var e entry
		err := members(d, func(field string) error { return e.read(d, field) })
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		tensor, err := e.tensor(name)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		file.Tensors, entries = append(file.Tensors, tensor), append(entries, e)
		return nil
	})
	if err != nil {
		return file, nil, err
	}
	if rest := bytes.Trim(header[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return file, nil, fmt.Errorf("%d bytes after the object: must be white space of JSON", len(rest))
	}
	return inOrder(file, entries)
}

// members reads an object and calls member with each name; the value is next in the decoder. A name
// must not occur twice.
func members(d *json.Decoder, member func(name string) error) error {
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return cmp.Or(err, errors.New("must be an object"))
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string) // the decoder accepts no other names
		if seen[name] {
			return fmt.Errorf("%q: must occur once", name)
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// text reads a string.
func text(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	value, ok := token.(string)
	if !ok {
		return "", errors.New("must be a text")
	}
	return value, nil
}

// read reads one field of an entry. Package encoding/json would take its name in any case, and null
// for a number.
func (e *entry) read(d *json.Decoder, field string) (err error) {
	switch field {
	case "dtype":
		e.Type, err = text(d)
	case "shape":
		e.Shape, err = whole(d)
	case "data_offsets":
		e.Offsets, err = whole(d)
	default:
		return fmt.Errorf("%q: must be dtype, shape or data_offsets", field)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

// whole reads a list of whole numbers.
func whole(d *json.Decoder) ([]int64, error) {
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return nil, cmp.Or(err, errors.New("must be a list of numbers"))
	}
	list := []int64{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		number, _ := token.(json.Number) // "" if it is none
		n, err := strconv.ParseInt(number.String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("number %d: must be whole and below 2^63, is %.40v", len(list), token)
		}
		list = append(list, n)
	}
	_, err := d.Token()
	return list, err
}

// tensor returns the tensor of an entry, without values.
func (e entry) tensor(name string) (Tensor, error) {
	bits, known := sizes[e.Type]
	if e.Type == "" {
		return Tensor{}, errors.New("dtype is missing: must be a type, such as F32")
	}
	if e.Shape == nil {
		return Tensor{}, errors.New("shape is missing: must be a list of sides")
	}
	if len(e.Offsets) != 2 {
		return Tensor{}, fmt.Errorf("data_offsets %v: must be two numbers", e.Offsets)
	}
	shape := make([]int, len(e.Shape))
	for i, side := range e.Shape {
		if side < 0 || side > math.MaxInt32 {
			return Tensor{}, fmt.Errorf("shape %v: must have sides in [0, %d]", e.Shape, math.MaxInt32)
		}
		if side > 0 && bits > math.MaxInt64/side {
			return Tensor{}, fmt.Errorf("shape %v: must have fewer values", e.Shape)
		}
		bits *= side
		shape[i] = int(side)
	}
	if known && bits%8 != 0 {
		return Tensor{}, fmt.Errorf("%d bits, of %s of shape %v: must be whole bytes", bits, e.Type, e.Shape)
	}
	if bytes := e.Offsets[1] - e.Offsets[0]; e.Offsets[0] < 0 || bytes < 0 || known && bytes != bits/8 {
		return Tensor{}, fmt.Errorf("data_offsets %v: must be %d bytes, of %s of shape %v", e.Offsets, bits/8, e.Type, e.Shape)
	}
	return Tensor{Name: name, Type: e.Type, Shape: shape}, nil
}

// inOrder brings tensors in the order of their bytes, which must follow each other.
func inOrder(file File, entries []entry) (File, []entry, error) {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := entries[i].Offsets, entries[j].Offsets
		return slices.Compare(a, b)
	})
	tensors, sorted, end := make([]Tensor, len(order)), make([]entry, len(order)), int64(0)
	for k, i := range order {
		tensors[k], sorted[k] = file.Tensors[i], entries[i]
		if begin := entries[i].Offsets[0]; begin != end {
			return file, nil, fmt.Errorf("tensor %q: data_offsets %v: must begin at %d, where those before it end", tensors[k].Name, entries[i].Offsets, end)
		}
		end = entries[i].Offsets[1]
	}
	file.Tensors = tensors
	return file, sorted, nil
}

// decoded returns the values of bytes if float64 holds them exactly. It returns nil for types that
// it might not.
func decoded(kind string, content []byte) []float64 {
	var size int
	var value func([]byte) float64
	switch kind {
	case "F64":
		size, value = 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	case "F32":
		size, value = 4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case "BF16": // the upper half of a float32
		size, value = 2, func(b []byte) float64 {
			return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
		}
	case "F16":
		size, value = 2, func(b []byte) float64 { return Half(binary.LittleEndian.Uint16(b)) }
	default:
		return nil
	}
	values := make([]float64, len(content)/size)
	for i := range values {
		values[i] = value(content[i*size:])
	}
	return values
}

// Half returns the value of a binary16 number: 1 bit of sign, 5 of exponent, 10 of fraction (IEEE
// 754-2008, Section 3.6).
func Half(bits uint16) float64 { return npy.Half(bits) }
