// Package arrays reads NumPy's .npz and .npy files into a [data.Dataset]. A [Schema] declares the
// names, the bounds and the number of classes beforehand.
//
//	digits := arrays.Schema{Shape: []int{28, 28, 1}, Classes: 10} // pixels of uint8 need no bounds
//	train, err := digits.Load("train.npz")          // of numpy.savez("train.npz", x=x, y=y)
//	train, err = digits.LoadPair("x.npy", "y.npy")  // of numpy.save
//
//	measured := arrays.Schema{Low: -4, High: 4, Classes: 2} // of float64: public bounds are required
//
// The array of features is [n, ...]: one row is one record, the unit that differential privacy
// protects. The array of labels is [n] or [n, 1]. It holds the numbers of classes, from 0 on.
//
// Nothing is computed from the records. The least and the largest number of an array, and the
// number of classes that occur, are facts about its people. A guarantee for the training does not
// cover such facts. Bounds that are too wide cost some accuracy, bounds that are too narrow clip;
// neither costs privacy.
//
// Read are float64, float32, float16, integers and bool, little-endian. Features in Fortran's
// order, as pandas saves a table, take twice their memory while they are read. No code runs: an
// array of Python's objects is an error. So is a number that is NaN or infinite. Errors name file,
// array, index and rule, and quote the number: do not publish them.
//
// Images are [n, rows, columns, channels] here. PyTorch's order has channels first:
// numpy.moveaxis(x, 1, -1) converts it. If each column has its own bounds, see package table.
package arrays

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/internal/bounds"
	"github.com/dplab/dplab/data/npy"
)

// Schema declares the arrays of a file, without having seen it.
type Schema struct {
	Name     string // of the data set; "" takes that of the file
	Features string // the name of the array in an .npz file; "" is "x"
	Labels   string // the same of the labels; "" is "y"

	// Low and High are public bounds of all features, Low < High. A number outside of them is moved
	// to the nearer one. They are scaled to [-1, 1], as in package table:
	//
	//	2 (x - Low)/(High - Low) - 1
	//
	// If both are 0, features must be of uint8 or bool. They are scaled by the range of that type, to
	// [0, 1].
	Low, High float64

	Shape   []int // of one example, for instance [28, 28, 1]; nil takes that of the array
	Classes int   // the number of classes, at least 2. Required.
}

// Validate returns every fault of the schema, joined.
func (s Schema) Validate() error {
	f := check.In("arrays: Schema.")
	rule := bounds.Rule(s.Low, s.High)
	f.That(s.unbounded() || rule == "", "Low", fmt.Sprintf("%g, High %g", s.Low, s.High), rule)
	for i, side := range s.Shape {
		f.Count(fmt.Sprintf("Shape[%d]", i), side, 1)
	}
	f.Count("Classes", s.Classes, 2)
	f.That(s.features() != s.labels(), "Features and Labels", fmt.Sprintf("%q", s.features()), "must be two arrays")
	return f.Err()
}

func (s Schema) unbounded() bool  { return s.Low == 0 && s.High == 0 }
func (s Schema) features() string { return cmp.Or(s.Features, "x") }
func (s Schema) labels() string   { return cmp.Or(s.Labels, "y") }

// Assumptions returns the assumptions of a guarantee for data that were read by the schema. Use
// them in dptune.Search.Assumptions.
func (s Schema) Assumptions() []string {
	return []string{"the bounds and the number of classes were chosen without looking at the data, and the shape of a record is public"}
}

// Load reads both arrays from a file of numpy.savez or numpy.savez_compressed. Other arrays of the
// file are not read.
func (s Schema) Load(path string) (data.Dataset, error) {
	if err := s.Validate(); err != nil {
		return data.Dataset{}, err
	}
	file, size, err := open(path)
	if err != nil {
		return data.Dataset{}, err
	}
	defer file.Close()
	name := filepath.Base(path)
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return data.Dataset{}, fmt.Errorf("arrays: %s: %w", name, notAnArchive(file, err))
	}
	x, err := member(archive, name, s.features())
	if err != nil {
		return data.Dataset{}, err
	}
	defer x.in.Close()
	y, err := member(archive, name, s.labels())
	if err != nil {
		return data.Dataset{}, err
	}
	defer y.in.Close()
	return s.read(name, x, y)
}

// LoadPair reads the two arrays from files of numpy.save.
func (s Schema) LoadPair(features, labels string) (data.Dataset, error) {
	if err := s.Validate(); err != nil {
		return data.Dataset{}, err
	}
	x, err := single(features)
	if err != nil {
		return data.Dataset{}, err
	}
	defer x.in.Close()
	y, err := single(labels)
	if err != nil {
		return data.Dataset{}, err
	}
	defer y.in.Close()
	return s.read(filepath.Base(features), x, y)
}

// source is one array before it is read.
type source struct {
	in   io.ReadCloser
	size int64  // in bytes, unpacked, as declared
	what string // as errors call it: file and array
	name string // as errors call one number of it
}

// open opens a regular file.
func open(path string) (*os.File, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("arrays: %w", err)
	}
	about, err := file.Stat()
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s: must be a file", path)
	}
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("arrays: %w", err)
	}
	return file, about.Size(), nil
}

// single opens an array in its own file.
func single(path string) (source, error) {
	file, size, err := open(path)
	if err != nil {
		return source{}, err
	}
	name := filepath.Base(path)
	return source{file, size, name, strings.TrimSuffix(name, ".npy")}, nil
}

// member opens an array of an archive.
func member(archive *zip.Reader, file, array string) (source, error) {
	found, err := npy.Member(archive, array, func(a, b string) bool { return a == b })
	if err != nil {
		return source{}, fmt.Errorf("arrays: %s: %w (Schema.Features and Schema.Labels have the names)", file, err)
	}
	in, err := found.Open()
	if err != nil {
		return source{}, fmt.Errorf("arrays: %s: array %q: %w", file, array, err)
	}
	return source{in, int64(found.UncompressedSize64), fmt.Sprintf("%s: array %q", file, array), array}, nil
}

// notAnArchive returns what is wrong with a file that is not a zip archive.
func notAnArchive(file io.ReaderAt, err error) error {
	start := make([]byte, 6)
	_, _ = file.ReadAt(start, 0) // a shorter file begins otherwise
	if bytes.Equal(start, []byte("\x93NUMPY")) {
		return errors.New("is one array (.npy): must be an .npz file of numpy.savez (or use LoadPair)")
	}
	return fmt.Errorf("must be an .npz file of numpy.savez: %w", err)
}
