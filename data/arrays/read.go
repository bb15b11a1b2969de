package arrays

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/internal/bounds"
	"github.com/dplab/dplab/data/npy"
)

// maxNumbers is the number of features that a data set may have: they take 8 GiB of memory.
const maxNumbers = 1 << 31

// read reads a data set. It compares both headers with the schema and with each other before it
// reads a number.
func (s Schema) read(file string, features, labels source) (data.Dataset, error) {
	x, xIn, err := features.header()
	if err != nil {
		return data.Dataset{}, err
	}
	y, yIn, err := labels.header()
	if err != nil {
		return data.Dataset{}, err
	}
	shape, err := s.shapes(features, labels, x, y)
	if err != nil {
		return data.Dataset{}, err
	}
	d := data.Dataset{Name: cmp.Or(s.Name, file), Shape: shape, Classes: s.Classes}
	// An archive's header may declare more than there is. Memory follows what was unpacked.
	const atOnce = 1 << 22
	d.Labels = make([]int32, 0, min(y.Count, atOnce))
	err = y.Numbers(yIn, func(i int, label float64) error {
		if !(label >= 0 && label < float64(s.Classes)) || label != math.Trunc(label) {
			return fmt.Errorf("%s%s is %g: must be a whole number in [0, %d), a class", labels.name, at(i, y), label, s.Classes)
		}
		d.Labels = append(d.Labels, int32(label))
		return nil
	})
	if err != nil {
		return data.Dataset{}, fmt.Errorf("arrays: %s: %w", labels.what, err)
	}
	scale := s.scale(x.Type)
	d.Features = make([]float32, 0, min(x.Count, atOnce))
	err = x.Numbers(xIn, func(i int, v float64) error {
		if !bounds.Finite(v) {
			return fmt.Errorf("%s%s is %g: must be finite", features.name, at(i, x), v)
		}
		d.Features = append(d.Features, scale(v))
		return nil
	})
	if err != nil {
		return data.Dataset{}, fmt.Errorf("arrays: %s: %w", features.what, err)
	}
	if x.Fortran {
		d.Features = npy.RowMajor(d.Features, x.Shape)
	}
	return d, d.Validate()
}

// header reads the header of an array, and compares it with the size of the file.
func (s source) header() (npy.Header, io.Reader, error) {
	h, in, err := npy.Begin(s.in, s.size)
	if err != nil {
		return h, in, fmt.Errorf("arrays: %s: %w", s.what, err)
	}
	return h, in, nil
}

// shapes returns the shape of one example, if the arrays have the same number of them.
func (s Schema) shapes(features, labels source, x, y npy.Header) ([]int, error) {
	wrong := func(of source, format string, values ...any) ([]int, error) {
		return nil, fmt.Errorf("arrays: %s: %w", of.what, fmt.Errorf(format, values...))
	}
	switch {
	case len(x.Shape) == 0 || x.Count == 0:
		return wrong(features, "shape %v: must be [n, ...], with at least one record and one number in each", x.Shape)
	case len(y.Shape) != 1 && !(len(y.Shape) == 2 && y.Shape[1] == 1):
		return wrong(labels, "shape %v: must be [n] or [n, 1], the class of each record", y.Shape)
	case y.Shape[0] != x.Shape[0]:
		return wrong(labels, "%d labels: must be %d, one for each record of %s", y.Shape[0], x.Shape[0], features.what)
	case x.Count > maxNumbers:
		return wrong(features, "shape %v: must hold at most %d numbers", x.Shape, maxNumbers)
	case s.unbounded() && x.Type != "|u1" && x.Type != "|b1":
		return wrong(features, "dtype %s without Schema.Low and High: %s", x.Type, bounds.WhyPublic)
	}
	shape, width := slices.Clone(s.Shape), 1
	for _, side := range shape {
		width *= side
	}
	one := x.Shape[1:]
	if len(shape) == 0 {
		if shape = slices.Clone(one); len(shape) == 0 {
			shape = []int{1}
		}
	} else if width != x.Count/x.Shape[0] {
		return wrong(features, "one record has shape %v: must have the %d numbers of Schema.Shape %v", one, width, s.Shape)
	}
	return shape, nil
}

// scale returns the feature of a number of a type.
func (s Schema) scale(kind string) func(x float64) float32 {
	switch {
	case !s.unbounded():
		return func(x float64) float32 { return float32(bounds.Scaled(x, s.Low, s.High)) }
	case kind == "|u1":
		return func(x float64) float32 { return float32(x) / 255 }
	}
	return func(x float64) float32 { return float32(min(x, 1)) }
}

// at returns the index of number i of a file, as Python writes it.
func at(i int, h npy.Header) string {
	index := make([]string, len(h.Shape))
	for k := range h.Shape {
		if !h.Fortran {
			k = len(h.Shape) - 1 - k
		}
		index[k] = fmt.Sprint(i % h.Shape[k])
		i /= h.Shape[k]
	}
	return "[" + strings.Join(index, ", ") + "]"
}
