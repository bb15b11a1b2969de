// Package npz reads and writes files of named arrays as numpy.savez does: a zip archive with a file
// NAME.npy for each array.
//
// Arrays of float64, float32 and float16, little-endian ([Types]), are read, packed or not, in C's
// order or Fortran's. Package npy reads one array. No code runs: arrays of Python's objects are an
// error.
package npz

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/data/npy"
	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// Types are the types that are read, in NumPy's notation.
const Types = "<f8, <f4 or <f2"

// kinds are those types, in the notation of safetensors.
var kinds = map[string]string{"<f2": "F16", "<f4": "F32", "<f8": "F64"}

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
	head, err := npy.ReadHeader(unpacked)
	if err != nil {
		return t, err
	}
	kind, known := kinds[head.Type]
	t = safetensors.Tensor{Name: name, Type: cmp.Or(kind, head.Type), Shape: head.Shape}
	if !known {
		return t, nil
	}
	if err := head.CheckSize(int64(member.UncompressedSize64) - int64(head.Bytes)); err != nil {
		return t, err
	}
	if wanted != nil && !wanted(name, t.Shape) {
		return t, nil
	}
	t.Values, err = head.Values(unpacked)
	return t, err
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
		if _, err := member.Write(encoded(t)); err != nil {
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

// encoded returns an array as numpy.save writes it.
func encoded(t safetensors.Tensor) []byte {
	single := !slices.ContainsFunc(t.Values, func(v float64) bool { return float64(float32(v)) != v && !math.IsNaN(v) })
	kind := "<f8"
	if single {
		kind = "<f4"
	}
	out := npy.AppendHeader(nil, kind, t.Shape)
	for _, v := range t.Values {
		if single {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}
