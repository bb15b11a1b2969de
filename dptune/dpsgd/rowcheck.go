package dpsgd

import (
	"fmt"

	"github.com/dplab/dplab/data"
)

// rowValidator is a layer that takes examples of a kind only, such as lists of token ids.
// It must be the first.
type rowValidator interface {
	// validateRow returns an error for an example that the layer cannot take, with its column.
	validateRow(row []float32) (column int, err error)
}

// validateRows returns an error with row and column for the first example that the first
// layer does not take.
func (m Model) validateRows(d data.Dataset) error {
	v, ok := rowValidatorOf(m.Layers[0])
	if !ok {
		return nil
	}
	for i := range d.Len() {
		if column, err := v.validateRow(d.Row(i)); err != nil {
			return fmt.Errorf("dpsgd: model %q: data set %q, row %d, column %d: %w", m.Name, d.Name, i, column, err)
		}
	}
	return nil
}

// validateFirst returns an error if a layer that takes examples as they are is not the first.
func validateFirst(layer Layer, at int) error {
	if _, ok := rowValidatorOf(layer); ok && at > 0 {
		return fmt.Errorf("%v: must be the first layer: it takes examples as they are", layer)
	}
	return nil
}

func rowValidatorOf(layer Layer) (rowValidator, bool) {
	if f, ok := layer.(frozen); ok {
		return rowValidatorOf(f.layer)
	}
	v, ok := layer.(rowValidator)
	return v, ok
}
