package nn

import (
	"fmt"
	"math/rand/v2"

	"github.com/dplab/dplab/data"
)

// InputLayer is a [Layer] that takes only some kind of examples, such as lists of token ids. It
// must be the first of a model. It must also take rows of zeros, which are padding.
type InputLayer interface {
	Layer
	// ValidateRow returns an error and the column for an example that the layer cannot take.
	ValidateRow(row []float32) (column int, err error)
	// DrawRow fills in a random example that the layer can take, for tests of the layer.
	DrawRow(rng *rand.Rand, row []float32)
}

// DrawRow fills in a random example that the model takes, for tests: normal numbers, or what an
// [InputLayer] draws. It reports whether the model takes any other numbers as well. The model must
// be valid.
func (m Model) DrawRow(rng *rand.Rand, row []float32) (anyOther bool) {
	if l, ok := AsInputLayer(m.Layers[0]); ok {
		l.DrawRow(rng, row)
		return false
	}
	for i := range row {
		row[i] = float32(rng.NormFloat64())
	}
	return true
}

// ValidateRows returns an error with row and column for the first example that the first
// layer does not take, or whose targets the loss does not take.
func (m Model) ValidateRows(d data.Dataset) error {
	if err := m.validateTargets(d); err != nil {
		return err
	}
	l, ok := AsInputLayer(m.Layers[0])
	if !ok {
		return nil
	}
	for i := range d.Len() {
		if column, err := l.ValidateRow(d.Row(i)); err != nil {
			return fmt.Errorf("nn: model %q: data set %q, row %d, column %d: %w", m.Name, d.Name, i, column, err)
		}
	}
	return nil
}

// validateFirst returns an error if an [InputLayer] is not the first layer.
func validateFirst(layer Layer, at int) error {
	if _, ok := AsInputLayer(layer); ok && at > 0 {
		return fmt.Errorf("%v: must be the first layer: it takes examples as they are", layer)
	}
	return nil
}

// AsInputLayer returns a layer, or the one inside a frozen layer, as an [InputLayer], and whether
// it is one.
func AsInputLayer(layer Layer) (InputLayer, bool) {
	if f, ok := layer.(frozen); ok {
		return AsInputLayer(f.layer)
	}
	l, ok := layer.(InputLayer)
	return l, ok
}
