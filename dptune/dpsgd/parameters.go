package dpsgd

import (
	"fmt"
	"math"
)

// Tensor names one array of parameters of a model.
type Tensor struct {
	Name  string // layer and role, for instance "0 Dense(784, 120) weights"
	Shape []int
}

// Size returns the number of values, the product of Shape.
func (t Tensor) Size() int {
	size := 1
	for _, side := range t.Shape {
		size *= side
	}
	return size
}

// Parameters are the weights of R models of one shape. Values are float64, which holds
// those of either precision exactly.
type Parameters struct {
	Tensors []Tensor    // in the order in which Values holds them
	Values  [][]float64 // [R][P]: each model's tensors one after the other, row-major
}

// Replica returns the parameters of model r alone, sharing its values. It panics if r is
// out of range.
func (p Parameters) Replica(r int) Parameters {
	return Parameters{Tensors: p.Tensors, Values: p.Values[r : r+1 : r+1]}
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

// validateFor returns an error unless there is a model and every one has the model's size
// and finite values.
func (p Parameters) validateFor(m Model) error {
	if len(p.Values) == 0 {
		return fmt.Errorf("dpsgd: parameters of no model: must be of at least one")
	}
	for r, values := range p.Values {
		if err := validateVector(fmt.Sprintf("Parameters.Values[%d]", r), values, m.Size()); err != nil {
			return err
		}
	}
	return nil
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
