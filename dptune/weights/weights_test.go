package weights_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/weights"
	"github.com/dplab/dplab/dptune/weights/safetensors"
)

// network is that of testdata/make_network.py: every layer with another order in PyTorch.
func network() nn.Model {
	return nn.Model{
		Name: "network", Input: []int{6, 4, 2}, Loss: nn.SoftmaxCrossEntropy(),
		Layers: []nn.Layer{
			nn.Conv2D(2, 3, nn.Window{Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}, Padding: [2]int{1, 1}}),
			nn.ReLU(),
			nn.Residual([]nn.Layer{nn.Conv2D(3, 4, nn.Square(1, 1, 0)), nn.Tanh()}, nn.Conv2DNoBias(3, 4, nn.Square(3, 1, 1))),
			nn.GroupNorm(2, 4),
			nn.Flatten(),
			nn.Tanh(),
			nn.Dense(60, 5),
			nn.ReLU(),
			nn.Dense(5, 3),
		},
	}
}

func readFile(t *testing.T, path string) map[string]safetensors.Tensor {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	file, err := safetensors.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	tensors := map[string]safetensors.Tensor{}
	for _, tensor := range file.Tensors {
		tensors[tensor.Name] = tensor
	}
	return tensors
}

const networkFile = "testdata/network.safetensors"

func read(t *testing.T, path string, m nn.Model, names ...string) dpsgd.Parameters {
	t.Helper()
	p, err := weights.Read(path, m, names...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// With weights that PyTorch wrote, a network makes of images what PyTorch said that it makes of
// them.
func TestNetworkOfPyTorch(t *testing.T) {
	want := readFile(t, "testdata/outputs.safetensors")
	images := data.Dataset{Name: "images", Shape: []int{6, 4, 2}, Labels: make([]int32, 4), Classes: 3}
	for _, v := range want["images"].Values {
		images.Features = append(images.Features, float32(v))
	}
	m := network()
	got, err := engine.Outputs(context.Background(), m, read(t, networkFile, m), images, engine.Performance{Precision: engine.Float64})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want["outputs"].Values {
		if math.Abs(got[0][i]-w) > 2e-6*(1+math.Abs(w)) { // PyTorch computes in float32
			t.Errorf("output %d is %g, want %g", i, got[0][i], w)
		}
	}
}

// What is written of the weights that were read holds the numbers of PyTorch's file, to the bit, in
// its shapes.
func TestWrittenIsPyTorchs(t *testing.T) {
	path, m := filepath.Join(t.TempDir(), "again.safetensors"), network()
	if err := weights.Write(path, m, read(t, networkFile, m), map[string]string{"guarantee": "none"}); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, path), readFile(t, networkFile); !reflect.DeepEqual(got, want) {
		t.Errorf("wrote %v, want %v", got, want)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, error %v, want the file alone", files, err)
	}
}

// Python's safetensors takes what is written here, with its text.
func TestPythonReadsIt(t *testing.T) {
	python := os.Getenv("DPLAB_PYTHON")
	if python == "" {
		t.Skip("DPLAB_PYTHON is not set: must be a Python that has numpy and safetensors (0.8.0 was tried)")
	}
	path, m := filepath.Join(t.TempDir(), "ours.safetensors"), network()
	p := read(t, networkFile, m)
	if err := weights.Write(path, m, p, map[string]string{"guarantee": "ε ≤ 1"}); err != nil {
		t.Fatal(err)
	}
	script := `
import sys, numpy, safetensors
ours, theirs = (safetensors.safe_open(path, "numpy") for path in sys.argv[1:])
assert sorted(ours.keys()) == sorted(theirs.keys()), ours.keys()
for name in theirs.keys():
    assert numpy.array_equal(ours.get_tensor(name), theirs.get_tensor(name)), name
assert ours.metadata()["guarantee"] == "ε ≤ 1" and ours.metadata()["format"] == "pt", ours.metadata()
print("read", len(ours.keys()))`
	out, err := exec.CommandContext(t.Context(), python, "-c", script, path, networkFile).CombinedOutput()
	if want := fmt.Sprintf("read %d\n", len(m.Tensors())); err != nil || string(out) != want {
		t.Errorf("Python says %q, error %v, want %q", out, err, want)
	}
}

// A file of NumPy's arrays holds the same weights, to the bit, under the same names.
func TestNumPy(t *testing.T) {
	path, m := filepath.Join(t.TempDir(), "network.npz"), network()
	want := read(t, networkFile, m)
	if err := weights.Write(path, m, want, map[string]string{"guarantee": "none"}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path, m); !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	last := nn.Model{Name: "last", Input: []int{5}, Layers: []nn.Layer{nn.Dense(5, 3)}, Loss: nn.SoftmaxCrossEntropy()}
	if got, all := read(t, path, last, "8.weight", "8.bias"), want.Values[0]; !reflect.DeepEqual(got.Values[0], all[len(all)-18:]) {
		t.Errorf("last layer %v", got)
	}
	if _, err := weights.Read(path, last); err == nil || !strings.Contains(err.Error(), `"8.weight"]: must be in the model`) {
		t.Errorf("another model: error %v", err)
	}
	copied := filepath.Join(t.TempDir(), "copied.npz")
	whole, err := os.ReadFile(networkFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.Read(copied, m); err == nil || !strings.Contains(err.Error(), "copied.npz: npz: zip: not a valid zip file") {
		t.Errorf("safetensors under another name: error %v", err)
	}
}

// A part of a public network, by names: its last layer, from a file with all layers.
func TestNames(t *testing.T) {
	last := nn.Model{Name: "last", Input: []int{5}, Layers: []nn.Layer{nn.Dense(5, 3)}, Loss: nn.SoftmaxCrossEntropy()}
	p := read(t, networkFile, last, "8.weight", "8.bias")
	whole := read(t, networkFile, network()).Values[0]
	if want := whole[len(whole)-18:]; !reflect.DeepEqual(p.Values[0], want) {
		t.Errorf("weights %v, want %v", p.Values[0], want)
	}
	path := filepath.Join(t.TempDir(), "last.safetensors")
	if err := weights.Write(path, last, p, nil, "fc.weight", "fc.bias"); err != nil {
		t.Fatal(err)
	}
	if tensors := readFile(t, path); !reflect.DeepEqual(tensors["fc.bias"].Values, p.Tensor(0, 1)) {
		t.Errorf("wrote %v", tensors)
	}
	thirds := p
	thirds.Values = [][]float64{make([]float64, 18)}
	thirds.Values[0][0] = 1. / 3 // which needs float64
	if err := weights.Write(path, last, thirds, nil); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path, last); !reflect.DeepEqual(got.Values, thirds.Values) {
		t.Errorf("read %v, want %v", got.Values, thirds.Values)
	}
}

// A file with other names of tensors gets one line that shows the difference. Its advice reads the
// file.
func TestPrefix(t *testing.T) {
	m, path := network(), filepath.Join(t.TempDir(), "net.npz")
	want := read(t, networkFile, m)
	if err := weights.Write(path, m, want, nil, weights.Names(m, "net.")...); err != nil {
		t.Fatal(err)
	}
	_, err := weights.Read(path, m)
	if says := `the file has "net.0.weight" where the model has "0.weight", and likewise for all 11 tensors: must be read with names weights.Names(model, "net.")`; err == nil || !strings.HasSuffix(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line, %s", err, says)
	}
	if got := read(t, path, m, weights.Names(m, "net.")...); !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	mlp := nn.Model{Name: "mlp", Input: []int{5}, Layers: []nn.Layer{nn.Dense(5, 3), nn.Tanh(), nn.Dense(3, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	_, err = weights.Read(path, mlp)
	if says := `tensor "0.weight", for "0 Dense(5, 3) weights", and 3 others: missing: must be one of ["net.0.bias" "net.0.weight"`; err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line, %s", err, says)
	}
}

// A file of torch.save is not a safetensors file, under any name: the error shows how to save one.
// An archive of numpy.savez needs its own name.
func TestTorchSave(t *testing.T) {
	m := network()
	archive := filepath.Join(t.TempDir(), "weights.npz")
	if err := weights.Write(archive, m, read(t, networkFile, m), nil); err != nil {
		t.Fatal(err)
	}
	zipped, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"model.pt": zipped, "old.pth": []byte("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."), "weights.safetensors": zipped} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := weights.Read(path, m); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "safetensors.torch.save_file(model.state_dict(), ") {
			t.Errorf("error %v, want one that names %s and says how to save", err, name)
		}
	}
}

// A safetensors file that ends early is not taken for a pickle, though a header of 384 bytes has a
// length that begins as one, 0x80 0x01.
func TestReadOfHalfAFile(t *testing.T) {
	header := append([]byte("\x80\x01\x00\x00\x00\x00\x00\x00"), fmt.Sprintf("%-384s", `{"8.weight":{"dtype":"F32","shape":[3,5],"data_offsets":[0,60]}}`)...)
	path := filepath.Join(t.TempDir(), "half.safetensors")
	if err := os.WriteFile(path, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.Read(path, network()); err == nil || !strings.Contains(err.Error(), "ends after 0 bytes of values: must have 60") {
		t.Errorf("error %v, want one that says where the file ends", err)
	}
}

func TestReadRefuses(t *testing.T) {
	last := nn.Model{Name: "last", Input: []int{5}, Layers: []nn.Layer{nn.Dense(5, 3)}, Loss: nn.SoftmaxCrossEntropy()}
	for want, read := range map[string]func() (dpsgd.Parameters, error){
		`tensor "0.weight", for "0 Dense(5, 3) weights": shape [3 2 3 2]: must be [3 5]`: func() (dpsgd.Parameters, error) { return weights.Read(networkFile, last) },
		`"8.weight"]: must be in the model (or give names`:                               func() (dpsgd.Parameters, error) { return weights.Read(networkFile, last) },
		`tensor "x", for "0 Dense(5, 3) weights": missing: must be one of ["`:            func() (dpsgd.Parameters, error) { return weights.Read(networkFile, last, "x", "8.bias") },
		`1 names: must be 2, one for each tensor of model "last"`:                        func() (dpsgd.Parameters, error) { return weights.Read(networkFile, last, "x") },
		`names[1] "x": must occur once`:                                                  func() (dpsgd.Parameters, error) { return weights.Read(networkFile, last, "x", "x") },
		`no such file`:                                                                   func() (dpsgd.Parameters, error) { return weights.Read("testdata/none", last) },
		`testdata/make_network.py: safetensors: length of the header`:                    func() (dpsgd.Parameters, error) { return weights.Read("testdata/make_network.py", last) },
		`Layers is empty`: func() (dpsgd.Parameters, error) { return weights.Read(networkFile, nn.Model{}) },
		`type I64: must be F64, F32, F16 or BF16`: func() (dpsgd.Parameters, error) {
			one := nn.Model{Name: "one", Input: []int{1}, Layers: []nn.Layer{scalar{}}, Loss: nn.SoftmaxCrossEntropy()}
			return weights.Read("testdata/halves.safetensors", one, "count")
		},
		`dtype <i8: must be <f8, <f4 or <f2, for instance by array.astype("<f4")`: func() (dpsgd.Parameters, error) {
			three := nn.Model{Name: "three", Input: []int{1}, Layers: []nn.Layer{scalar{3}}, Loss: nn.SoftmaxCrossEntropy()}
			return weights.Read("internal/npz/testdata/arrays.npz", three, "integers")
		},
		`dtype >f4: must be <f8, <f4 or <f2`: func() (dpsgd.Parameters, error) {
			three := nn.Model{Name: "three", Input: []int{1}, Layers: []nn.Layer{scalar{3}}, Loss: nn.SoftmaxCrossEntropy()}
			return weights.Read("internal/npz/testdata/packed.npz", three, "big")
		},
		`value 8 is +Inf: must be finite`: func() (dpsgd.Parameters, error) {
			ten := nn.Model{Name: "ten", Input: []int{1}, Layers: []nn.Layer{scalar{10}}, Loss: nn.SoftmaxCrossEntropy()}
			return weights.Read("testdata/halves.safetensors", ten, "half")
		},
	} {
		if _, err := read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// A safetensors file of an empty dict, and an empty zip archive, are valid files without tensors.
func TestNoTensors(t *testing.T) {
	for name, content := range map[string]string{"empty.safetensors": "\x02\x00\x00\x00\x00\x00\x00\x00{}", "empty.npz": "PK\x05\x06" + strings.Repeat("\x00", 18)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := weights.Read(path, network()); err == nil || !strings.Contains(err.Error(), `the file has no tensors: must have `) || strings.Contains(err.Error(), "[]") {
			t.Errorf("%s: error %v, want one that says that there are no tensors", name, err)
		}
	}
}

// scalar is a layer with a tensor of some shape, for the files that have one.
type scalar []int

func (s scalar) String() string                      { return "scalar" }
func (s scalar) OutputShape(in []int) ([]int, error) { return in, nil }
func (s scalar) Weights([]int) []nn.Weight {
	return []nn.Weight{{Name: "weights", Shape: append([]int{}, s...)}}
}
func (s scalar) Forward(_ []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	return in, nil
}

func TestWriteRefuses(t *testing.T) {
	m := network()
	good := read(t, networkFile, m)
	for want, change := range map[string]func(*dpsgd.Parameters){
		"weights of 0 models: must be of one": func(p *dpsgd.Parameters) { p.Values = nil },
		"weights of 2 models: must be of one": func(p *dpsgd.Parameters) { p.Values = append(p.Values[:1:1], p.Values[0]) },
		`weights of "another": must be of`:    func(p *dpsgd.Parameters) { p.Architecture = "another" },
		"1 weights: must be":                  func(p *dpsgd.Parameters) { p.Values = [][]float64{{1}} },
		"value 3 is NaN: must be finite": func(p *dpsgd.Parameters) {
			p.Values = [][]float64{append([]float64{1, 2, 3, math.NaN()}, p.Values[0][4:]...)}
		},
	} {
		bad := good
		change(&bad)
		path := filepath.Join(t.TempDir(), "bad.safetensors")
		if err := weights.Write(path, m, bad, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: there is a file, error %v", want, err)
		}
	}
	if err := weights.Write(filepath.Join(t.TempDir(), "no", "x.npz"), m, good, nil); err == nil {
		t.Error("a file in no folder was written")
	}
	for _, name := range []string{"model.pt", "model.pth", "model.bin", "model", "model.safetensors.txt"} { // names of other formats, or of none
		path := filepath.Join(t.TempDir(), name)
		if err := weights.Write(path, m, good, nil); err == nil || !strings.Contains(err.Error(), path+": must end in .safetensors or .npz") {
			t.Errorf("%s: error %v, want the way out", name, err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: there is a file, error %v", name, err)
		}
	}
}
