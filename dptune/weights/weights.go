// Package weights keeps the weights of a model in a safetensors file, from which PyTorch and others take them, or in one of NumPy's arrays, and
// reads those of a public model that was trained elsewhere.
//
//	start, err := weights.Read("public.safetensors", model)
//	plan := config.Plan()
//	plan.Initial, plan.InitialFrom = &start, dpsgd.Provenance{Public: true} // or nn.Frozen, or candidate.DPSGD.Initial
//	...
//	err = weights.Write("tuned.safetensors", model, release.Output, map[string]string{"guarantee": release.Statement.String()})
//
// Tensors have the names of a torch.nn.Sequential of the same layers ("0.weight", "0.bias"), or those that are given, one for each of
// the model's tensors in their order. What differs between the two worlds is put right: kernels of convolutions, [outputs, rows,
// columns, inputs] here, are [outputs, inputs, rows, columns] in PyTorch, and a dense layer after an image has its columns in
// that order; dense layers are [outputs, inputs] in both. See nn.TorchTensor.
//
// A guarantee covers training alone: weights that training starts from must be public, or private with a price that is counted (see
// dpsgd.Provenance). Nobody can tell from a file.
package weights

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/weights/internal/npz"
	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// Read returns the weights of a model from a file of types F64, F32, F16 or BF16, in the format safetensors, or that of numpy.savez if its
// name ends in .npz (F64 and F32). Without names, it must have the tensors
// of a torch.nn.Sequential of the model's layers and no others; with names it may have more.
func Read(path string, m nn.Model, names ...string) (dpsgd.Parameters, error) {
	tensors, err := tensorsOf(m, names)
	if err != nil {
		return dpsgd.Parameters{}, err
	}
	in, err := os.Open(path)
	if err != nil {
		return dpsgd.Parameters{}, fmt.Errorf("weights: %w", err)
	}
	defer in.Close()
	p, err := read(in, isNumPy(path), m, tensors, len(names) > 0)
	if err != nil {
		return dpsgd.Parameters{}, fmt.Errorf("weights: %s: %w", path, err)
	}
	return p, nil
}

// tensorsOf returns where the model's tensors are in a file.
func tensorsOf(m nn.Model, names []string) ([]nn.TorchTensor, error) {
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	tensors := m.TorchTensors()
	if len(names) == 0 {
		return tensors, nil
	}
	if len(names) != len(tensors) {
		return nil, fmt.Errorf("weights: %d names: must be %d, one for each tensor of model %q", len(names), len(tensors), m.Name)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("weights: names[%d] %q: must stand there once", i, name)
		}
		tensors[i].Name = name
	}
	return tensors, nil
}

// isNumPy reports whether a file of that name has the format of numpy.savez.
func isNumPy(path string) bool { return filepath.Ext(path) == ".npz" }

// open reads a file of either format. Of a packed one only what fits the model is unpacked.
func open(in *os.File, numpy bool, tensors []nn.TorchTensor) (safetensors.File, error) {
	if !numpy {
		return safetensors.Read(in)
	}
	about, err := in.Stat()
	if err != nil {
		return safetensors.File{}, err
	}
	return npz.Read(in, about.Size(), func(name string, shape []int) bool {
		return slices.ContainsFunc(tensors, func(t nn.TorchTensor) bool { return t.Name == name && slices.Equal(t.Shape, shape) })
	})
}

func read(in *os.File, numpy bool, m nn.Model, tensors []nn.TorchTensor, more bool) (dpsgd.Parameters, error) {
	file, err := open(in, numpy, tensors)
	if err != nil {
		return dpsgd.Parameters{}, err
	}
	found := map[string]safetensors.Tensor{}
	for _, t := range file.Tensors {
		found[t.Name] = t
	}
	var errs []error
	var values []float64
	for i, want := range tensors {
		got, ok := found[want.Name]
		delete(found, want.Name)
		if err := fits(want, got, ok, file.Tensors); err != nil {
			errs = append(errs, fmt.Errorf("tensor %q, for %q: %w", want.Name, m.Tensors()[i].Name, err))
			continue
		}
		values = append(values, want.FromTorch(got.Values)...)
	}
	if len(found) > 0 && !more {
		errs = append(errs, fmt.Errorf("tensors %q: must be of the model (or the names that it has in the file must be given)", slices.Sorted(maps.Keys(found))))
	}
	if err := errors.Join(errs...); err != nil {
		return dpsgd.Parameters{}, err
	}
	return dpsgd.Parameters{Architecture: m.Architecture(), Tensors: m.Tensors(), Values: [][]float64{values}}, nil
}

// fits returns an error unless a tensor of a file is one of the model's, and finite.
func fits(want nn.TorchTensor, got safetensors.Tensor, ok bool, all []safetensors.Tensor) error {
	switch {
	case !ok:
		var names []string
		for _, t := range all {
			names = append(names, t.Name)
		}
		return fmt.Errorf("is not there: must be one of %q (or the names must be given)", names)
	case !slices.Equal(got.Shape, want.Shape):
		return fmt.Errorf("shape %v: must be %v", got.Shape, want.Shape)
	case got.Values == nil:
		return fmt.Errorf("type %s: must be F64, F32, F16 or BF16", got.Type)
	}
	return finite(got.Values)
}

func finite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %g: must be finite", i, v)
		}
	}
	return nil
}

// Write writes the weights of one model, in float32 where that holds them exactly, and else in float64, in the format safetensors, or that of
// numpy.savez if the name ends in .npz. about is written beside them (in an .npz file as the archive's comment), such as the statement of
// the release; nil is nothing. The file is whole or not there: it gets its name when it is.
func Write(path string, m nn.Model, p dpsgd.Parameters, about map[string]string, names ...string) error {
	tensors, err := tensorsOf(m, names)
	if err != nil {
		return err
	}
	file, err := fileOf(m, p, tensors)
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	maps.Copy(file.Metadata, about)
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".partial-")
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	defer os.Remove(out.Name()) // which has another name in the end
	write := safetensors.Write
	if isNumPy(path) {
		write = npz.Write
	}
	err = errors.Join(write(out, file), out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	return nil
}

// fileOf returns what is written of the weights of one model.
func fileOf(m nn.Model, p dpsgd.Parameters, tensors []nn.TorchTensor) (safetensors.File, error) {
	if len(p.Values) != 1 {
		return safetensors.File{}, fmt.Errorf("weights of %d models: must be of one (see Parameters.Replica)", len(p.Values))
	}
	if want := m.Architecture(); p.Architecture != "" && p.Architecture != want {
		return safetensors.File{}, fmt.Errorf("weights of %q: must be of %q", p.Architecture, want)
	}
	if len(p.Values[0]) != m.Size() {
		return safetensors.File{}, fmt.Errorf("%d weights: must be %d, as model %q has", len(p.Values[0]), m.Size(), m.Name)
	}
	if err := finite(p.Values[0]); err != nil {
		return safetensors.File{}, err
	}
	file := safetensors.File{Metadata: map[string]string{"format": "pt", "layers": m.Architecture()}}
	at := 0
	for i, t := range m.Tensors() {
		values := tensors[i].ToTorch(p.Values[0][at : at+t.Size()])
		file.Tensors = append(file.Tensors, safetensors.Tensor{Name: tensors[i].Name, Shape: tensors[i].Shape, Values: values})
		at += t.Size()
	}
	return file, nil
}
