// Package weights keeps the weights of a model in a safetensors file, which PyTorch and others
// read, or in a file of NumPy's arrays. It also reads the weights of a public model that was
// trained elsewhere.
//
//	start, err := weights.Read("public.safetensors", model)
//	plan := config.Plan()
//	// or nn.Frozen, or candidate.DPSGD.Initial:
//	plan.Initial, plan.InitialFrom = &start, dpsgd.Provenance{Public: true}
//	...
//	about := map[string]string{"guarantee": release.Statement.Full()}
//	err = weights.Write("tuned.safetensors", model, release.Output, about)
//
// Tensors have the names of a torch.nn.Sequential of the same layers ("0.weight", "0.bias").
// Otherwise give names, one for each of the model's tensors in their order. Differences of layout
// are converted. Kernels of convolutions are [outputs, rows, columns, inputs] here and [outputs,
// inputs, rows, columns] in PyTorch. A dense layer after an image has its columns in that order.
// Dense layers are [outputs, inputs] in both. See nn.TorchTensor.
//
// The files of torch.save (.pt, .pth, .bin) are programs in Python's own format, and are neither
// read nor written. In Python:
//
//	safetensors.torch.save_file(model.state_dict(), "public.safetensors")
//
// A guarantee covers only training. Weights that training starts from must be public, or private
// with a price that is counted (see dpsgd.Provenance). A file cannot show which they are.
package weights

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/weights/internal/npz"
	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// Read returns the weights of a model from a file in the format safetensors, of types F64, F32, F16
// or BF16. If its name ends in .npz it is in the format of numpy.savez, of types float64, float32
// or float16. Without names, it must have the tensors of a torch.nn.Sequential of the model's
// layers and no others. With names, such as those of [Names], it may have more.
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
			return nil, fmt.Errorf("weights: names[%d] %q: must occur once", i, name)
		}
		tensors[i].Name = name
	}
	return tensors, nil
}

// Names returns the names that the model's tensors have in a torch.nn.Sequential that is a part of
// a larger module, for Read and Write. The prefix "net." gives "net.0.weight".
func Names(m nn.Model, prefix string) []string {
	var names []string
	for _, t := range m.TorchTensors() {
		names = append(names, prefix+t.Name)
	}
	return names
}

// isNumPy reports whether a file of that name has the format of numpy.savez.
func isNumPy(path string) bool { return filepath.Ext(path) == ".npz" }

// open reads a file of either format. Of a packed file it unpacks only what fits the model.
func open(in *os.File, numpy bool, tensors []nn.TorchTensor) (safetensors.File, error) {
	if !numpy {
		file, err := safetensors.Read(in)
		if err != nil && ofTorch(in) {
			return file, errors.New("is a zip archive or a pickle, as of torch.save: must be saved by safetensors.torch.save_file(model.state_dict(), \"model.safetensors\") (a file of numpy.savez must be named .npz)")
		}
		return file, err
	}
	about, err := in.Stat()
	if err != nil {
		return safetensors.File{}, err
	}
	return npz.Read(in, about.Size(), func(name string, shape []int) bool {
		return slices.ContainsFunc(tensors, func(t nn.TorchTensor) bool { return t.Name == name && slices.Equal(t.Shape, shape) })
	})
}

// ofTorch reports whether a file begins as a zip archive or a pickle. The length that a safetensors
// file begins with may look like a pickle's version, but a header in braces follows it.
func ofTorch(in *os.File) bool {
	start := make([]byte, 9)
	if _, err := in.ReadAt(start, 0); err != nil {
		return false
	}
	return string(start[:4]) == "PK\x03\x04" || start[0] == 0x80 && start[1] <= 5 && start[8] != '{'
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
	if err := missing(m, tensors, found); err != nil {
		errs, more = append(errs, err), true // it lists the tensors in the file
	}
	var values []float64
	for i, want := range tensors {
		got, ok := found[want.Name]
		if !ok {
			continue
		}
		delete(found, want.Name)
		if err := fits(want, got, numpy); err != nil {
			errs = append(errs, fmt.Errorf("tensor %q, for %q: %w", want.Name, m.Tensors()[i].Name, err))
			continue
		}
		values = append(values, want.FromTorch(got.Values)...)
	}
	if len(found) > 0 && !more {
		errs = append(errs, fmt.Errorf("tensors %q: must be in the model (or give names)", slices.Sorted(maps.Keys(found))))
	}
	if err := errors.Join(errs...); err != nil {
		return dpsgd.Parameters{}, err
	}
	return dpsgd.ParametersOf(m, values), nil
}

// missing returns one error if a file lacks tensors: it names the first, and what the file has.
func missing(m nn.Model, tensors []nn.TorchTensor, found map[string]safetensors.Tensor) error {
	first, n := -1, 0
	for i, want := range tensors {
		if _, ok := found[want.Name]; !ok {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n == 0 {
		return nil
	}
	if len(found) == 0 && len(tensors) > 0 {
		return fmt.Errorf("the file has no tensors: must have %d, the first of them %q for %q", len(tensors), tensors[0].Name, m.Tensors()[0].Name)
	}
	names := slices.Sorted(maps.Keys(found))
	usual := m.TorchTensors()
	for _, name := range names {
		prefix, is := strings.CutSuffix(name, usual[first].Name)
		lacks := func(t nn.TorchTensor) bool {
			named, has := found[prefix+t.Name]
			return !has || !slices.Equal(named.Shape, t.Shape)
		}
		if is && prefix != "" && !slices.ContainsFunc(usual, lacks) {
			return fmt.Errorf("the file has %q where the model has %q, and likewise for all %d tensors: must be read with names weights.Names(model, %q)", name, usual[first].Name, len(usual), prefix)
		}
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(", and %d others", n-1)
	}
	const most = 12
	there := fmt.Sprintf("%q", names[:min(len(names), most)])
	if len(names) > most {
		there += fmt.Sprintf(" and %d others", len(names)-most)
	}
	return fmt.Errorf("tensor %q, for %q%s: missing: must be one of %s (or give names)", tensors[first].Name, m.Tensors()[first].Name, more, there)
}

// fits returns an error unless a tensor of a file has the shape and a known type, and is finite.
func fits(want nn.TorchTensor, got safetensors.Tensor, numpy bool) error {
	switch {
	case !slices.Equal(got.Shape, want.Shape):
		return fmt.Errorf("shape %v: must be %v", got.Shape, want.Shape)
	case got.Values == nil && numpy:
		return fmt.Errorf("dtype %s: must be %s, for instance by array.astype(\"<f4\")", got.Type, npz.Types)
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

// Write writes the weights of one model, in float32 if that holds them exactly, and else in
// float64. The format is safetensors if the file's name ends in .safetensors, and that of
// numpy.savez if it ends in .npz. about is written with the weights, in an .npz file as the
// archive's comment. It may be the statement of the release, or nil. A partial file never has the
// final name.
func Write(path string, m nn.Model, p dpsgd.Parameters, about map[string]string, names ...string) error {
	if ext := filepath.Ext(path); ext != ".safetensors" && !isNumPy(path) {
		return fmt.Errorf("weights: %s: must end in .safetensors or .npz, which selects the format", path)
	}
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
	defer os.Remove(out.Name()) // does nothing after the renaming
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

// fileOf returns the file of the weights of one model.
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
