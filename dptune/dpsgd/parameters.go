package dpsgd

import (
	"fmt"
	"math"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Parameters are the weights of R models of one shape. Values are float64, which holds
// those of either precision exactly.
type Parameters struct {
	// Architecture is the [Model.Architecture] of the model with these weights, and Tensors are
	// that model's tensors. ValidateFor compares both with a model, unless they are empty.
	Architecture string      `json:",omitempty"`
	Tensors      []nn.Tensor // in the order in which Values holds them
	Values       [][]float64 // [R][P]: each model's tensors one after the other, row-major
}

// ParametersOf returns the parameters of models of one shape, sharing their values, for instance
// those that Plan.Weights gets:
//
//	plan.Weights = func(step, replica int, weights []float64) {
//		accuracy, err := engine.Accuracy(ctx, model, dpsgd.ParametersOf(model, weights), public)
//	}
func ParametersOf(m Model, values ...[]float64) Parameters {
	return Parameters{Architecture: m.Architecture(), Tensors: m.Tensors(), Values: values}
}

// Replica returns the parameters of model r only, sharing its values. It panics if r is out of
// range.
func (p Parameters) Replica(r int) Parameters {
	p.Values = p.Values[r : r+1 : r+1]
	return p
}

// Tensor returns the values of tensor i of model r, a view into Values. It panics if r or
// i is out of range.
func (p Parameters) Tensor(r, i int) []float64 {
	start := 0
	for _, t := range p.Tensors[:i] {
		start += t.Size()
	}
	end := start + p.Tensors[i].Size()
	return p.Values[r][start:end:end]
}

// ValidateFor returns an error unless there is at least one set of weights, and each has the
// model's architecture, its size and finite values.
func (p Parameters) ValidateFor(m Model) error {
	if len(p.Values) == 0 {
		return fmt.Errorf("dpsgd: Parameters.Values is empty: must hold the weights of at least one model")
	}
	if err := p.validateArchitecture("Parameters", m); err != nil {
		return err
	}
	for r, values := range p.Values {
		if err := validateVector(fmt.Sprintf("Parameters.Values[%d]", r), values, m.Size()); err != nil {
			return err
		}
	}
	return nil
}

// validateArchitecture returns an error if Architecture or Tensors belong to another model.
func (p Parameters) validateArchitecture(name string, m Model) error {
	if want := m.Architecture(); p.Architecture != "" && p.Architecture != want {
		return fmt.Errorf("dpsgd: %s.Architecture %q: must be %q, as model %q has, or empty for no check", name, p.Architecture, want, m.Name)
	}
	want := m.Tensors()
	for i, tensor := range p.Tensors {
		if i >= len(want) || tensor.Name != want[i].Name || !slices.Equal(tensor.Shape, want[i].Shape) {
			return fmt.Errorf("dpsgd: %s.Tensors[%d] is %q of shape %v: must be as in model %q, %v", name, i, tensor.Name, tensor.Shape, m.Name, want)
		}
	}
	if n := len(p.Tensors); n > 0 && n != len(want) {
		return fmt.Errorf("dpsgd: %s.Tensors has %d entries: must have %d, as in model %q", name, n, len(want), m.Name)
	}
	return nil
}

func validateVector(name string, values []float64, size int) error {
	if len(values) != size {
		return fmt.Errorf("dpsgd: %s has length %d: must be %d, the number of parameters", name, len(values), size)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("dpsgd: %s[%d] is %g: must be finite", name, i, v)
		}
	}
	return nil
}

func norm(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}
