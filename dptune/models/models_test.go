package models_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		widths []int
		size   int
		source string
	}{
		{[]int{784, 120, 120, 10}, 109930, "785·120 + 121·120 + 121·10"},
		{[]int{64, 64, 10}, 4810, "65·64 + 65·10"},
		{[]int{8, 6, 2}, 68, "9·6 + 7·2"},
	} {
		m, err := models.MLP(c.widths...)
		if err != nil {
			t.Fatal(err)
		}
		if m.Size() != c.size {
			t.Errorf("%v has %d weights, want %d = %s", m, m.Size(), c.size, c.source)
		}
	}
}

func TestErrors(t *testing.T) {
	_, one := models.MLP(7)
	_, zero := models.MLP(7, 0, 2)
	_, none := models.MLPWith(nil, 7, 2)
	_, fit := models.Sequential("net", []int{3}, nn.Dense(3, 4), nn.Dense(5, 2))
	_, empty := models.Sequential("net", []int{3})
	_, input := models.Sequential("net", nil, nn.Dense(1, 2))
	for want, err := range map[string]error{
		"at least two": one, "sizes must be >= 1": zero, "activation is nil": none,
		"layer 1: Dense(5, 2): input of shape [4]": fit, "Layers is empty": empty, "Input []": input,
	} {
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "models: ") {
			t.Errorf("error %v, want one from models that names %q", err, want)
		}
	}
}

func ExampleMLP() {
	m, err := models.MLP(64, 32, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	for _, tensor := range m.Tensors() {
		fmt.Println(tensor.Name, tensor.Shape)
	}
	// Output:
	// MLP-64-32-10: Dense(64, 32), Tanh, Dense(32, 10), softmax cross-entropy
	// 0 Dense(64, 32) weights [32 64]
	// 0 Dense(64, 32) bias [32]
	// 2 Dense(32, 10) weights [10 32]
	// 2 Dense(32, 10) bias [10]
}
