package safetensors

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Write writes a file. Equal files have equal bytes.
func Write(w io.Writer, f File) error {
	header, err := f.header()
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	out := bufio.NewWriter(w)
	_ = binary.Write(out, binary.LittleEndian, uint64(len(header))) // Flush returns the first error
	_, _ = out.Write(header)
	var word [8]byte
	for _, t := range f.Tensors {
		single := t.written() == "F32"
		for _, v := range t.Values {
			if single {
				binary.LittleEndian.PutUint32(word[:], math.Float32bits(float32(v)))
				_, _ = out.Write(word[:4])
				continue
			}
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			_, _ = out.Write(word[:])
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// header returns the JSON, filled up with spaces. The values then begin at a multiple of 8 bytes.
func (f File) header() ([]byte, error) {
	text, end, seen := []byte{'{'}, int64(0), map[string]bool{metadata: true}
	add := func(name string, value any) error {
		if len(text) > 1 {
			text = append(text, ',')
		}
		for _, part := range []any{name, value} {
			encoded, err := json.Marshal(part)
			if err != nil {
				return err
			}
			text = append(append(text, encoded...), ':')
		}
		text = text[:len(text)-1]
		return nil
	}
	if f.Metadata != nil {
		if err := add(metadata, f.Metadata); err != nil {
			return nil, err
		}
	}
	for i, t := range f.Tensors {
		if t.Name == "" || seen[t.Name] || !utf8.ValidString(t.Name) {
			return nil, fmt.Errorf("Tensors[%d].Name %q: must be UTF-8, occur once, and not be empty or %s", i, t.Name, metadata)
		}
		seen[t.Name] = true
		e, err := t.entry(end)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if err := add(t.Name, e); err != nil {
			return nil, err
		}
		end = e.Offsets[1]
	}
	text = append(text, '}')
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("header of %d bytes: must be at most %d", len(text), maxHeader)
	}
	return text, nil
}

// entry returns the header's description of a tensor whose bytes begin at begin.
func (t Tensor) entry(begin int64) (entry, error) {
	kind := t.written()
	if kind != "F32" && kind != "F64" {
		return entry{}, fmt.Errorf("Type %q: must be F32, F64 or empty", t.Type)
	}
	e, count := entry{Type: kind, Shape: make([]int64, len(t.Shape))}, 1
	for i, side := range t.Shape {
		if side < 0 {
			return entry{}, fmt.Errorf("Shape %v: must have sides >= 0", t.Shape)
		}
		e.Shape[i] = int64(side)
		count *= side
	}
	if len(t.Values) != count {
		return entry{}, fmt.Errorf("%d values: must be %d, of shape %v", len(t.Values), count, t.Shape)
	}
	e.Offsets = []int64{begin, begin + int64(count)*sizes[kind]/8}
	return e, nil
}

// written returns the type that a tensor is written in.
func (t Tensor) written() string {
	if t.Type != "" {
		return t.Type
	}
	for _, v := range t.Values {
		if float64(float32(v)) != v && !math.IsNaN(v) {
			return "F64"
		}
	}
	return "F32"
}
