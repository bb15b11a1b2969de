package nn_test

import (
	"bytes"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// constant is somebody else's layer or loss with a constant that its name leaves out.
type constant struct {
	nn.Layer
	c byte
}

func (constant) String() string { return "Constant" }

func (l constant) Fingerprint() []byte { return []byte{l.c} }

type constantLoss struct {
	nn.Loss
	c byte
}

func (constantLoss) String() string { return "constant" }

func (l constantLoss) Fingerprint() []byte { return []byte{l.c} }

// The fingerprint of the caller's code distinguishes models, at any place. It never makes the model
// the package's own: runs from a secret root must not rest on it.
func TestFingerprintsTellModelsApart(t *testing.T) {
	model := func(loss nn.Loss, l nn.Layer) nn.Model {
		return nn.Model{Name: "m", Input: []int{2}, Layers: []nn.Layer{l, nn.Dense(2, 1)}, Loss: loss}
	}
	layer := func(c byte) nn.Layer { return constant{nn.Tanh(), c} }
	for name, make := range map[string]func(c byte) nn.Model{
		"layer":       func(c byte) nn.Model { return model(nn.Hinge(), layer(c)) },
		"in residual": func(c byte) nn.Model { return model(nn.Hinge(), nn.Residual([]nn.Layer{nn.Tanh(), layer(c)})) },
		"in frozen":   func(c byte) nn.Model { return model(nn.Hinge(), nn.Frozen(layer(c), nil)) },
		"loss":        func(c byte) nn.Model { return model(constantLoss{nn.Hinge(), c}, nn.Tanh()) },
	} {
		first, own := make(1).Identity()
		same, _ := make(1).Identity()
		other, _ := make(2).Identity()
		if own {
			t.Errorf("%s: is taken for the package's own", name)
		}
		if first == nil || !bytes.Equal(first, same) || bytes.Equal(first, other) {
			t.Errorf("%s: identities %x, %x of the same and %x of another", name, first, same, other)
		}
	}
}

// heavy is a layer that declares a number of values for each example.
type heavy struct {
	nn.Layer
	values int
}

func (l heavy) Scratch([]int) int { return l.values }

// Gradients that are formed for each example count: those of Auto, and of a layer that nothing is
// known of.
func TestPerSampleWeights(t *testing.T) {
	own := nn.Auto("twelve", []nn.Weight{{Name: "w", Shape: []int{3, 4}}}, func(in []int) ([]int, error) { return in, nil },
		func(_ []*graph.Node, x *graph.Node) *graph.Node { return x })
	foreign := struct{ nn.Layer }{nn.Dense(4, 4)}
	for name, c := range map[string]struct {
		layer nn.Layer
		want  int64
	}{
		"ours":                  {nn.Dense(4, 4), 0},
		"auto":                  {own, 12},
		"foreign":               {foreign, 20},
		"foreign, with its own": {heavy{nn.Dense(4, 4), 7}, 0},
		"in residual":           {nn.Residual([]nn.Layer{own, nn.Tanh()}, foreign), 32},
		"in frozen":             {nn.Frozen(own, make([]float64, 12)), 12}, // copies
		"foreign in frozen":     {nn.Frozen(foreign, make([]float64, 20)), 0},
	} {
		m := nn.Model{Name: "m", Input: []int{4}, Layers: []nn.Layer{c.layer}, Loss: nn.Hinge()}
		if got := m.PerSampleWeights(); got != c.want {
			t.Errorf("%s: %d weights, want %d", name, got, c.want)
		}
	}
}

// A layer's own memory counts once, also inside other layers, in addition to outputs, slopes and
// gradients.
func TestScratchCounts(t *testing.T) {
	for name, c := range map[string]struct {
		layer nn.Layer
		want  int64 // of layers of four outputs, 3·4 for each
	}{
		"none":        {nn.Tanh(), 12},
		"layer":       {heavy{nn.Tanh(), 1000}, 1012},
		"in frozen":   {nn.Frozen(heavy{nn.Tanh(), 1000}, nil), 1024},
		"in residual": {nn.Residual([]nn.Layer{heavy{nn.Tanh(), 1000}}, nn.Tanh()), 1036},
	} {
		m := nn.Model{Name: "m", Input: []int{4}, Layers: []nn.Layer{c.layer}, Loss: nn.Hinge()}
		if got := m.ValuesPerExample(); got != c.want {
			t.Errorf("%s: %d values, want %d", name, got, c.want)
		}
	}
}
