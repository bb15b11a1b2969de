package layercheck

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// batch has the inputs of one call of a tester's program, by rows: replica after replica.
type batch struct {
	x, g    [][]float64       // [R·B], but x is [B] if all replicas share it
	factors []float64         // [R·B]
	weights []*tensors.Tensor // each [R, shape...]
}

// draw returns a batch of examples of all kinds. Examples poisonFirst and poisonSecond have
// factor 0. It has no weights.
func (t *tester[T]) draw(rng *rand.Rand, shared bool) batch {
	all := t.replicas * batchRows
	b := batch{x: make([][]float64, all), g: make([][]float64, all), factors: make([]float64, all)}
	if shared {
		b.x = b.x[:batchRows]
	}
	for i := range b.x {
		b.x[i] = t.drawInput(rng, i)
	}
	for i := range b.g {
		b.g[i] = drawValues(rng, kernel.SizeOf(t.output), i/2)
		if i%batchRows != poisonFirst && i%batchRows != poisonSecond {
			b.factors[i] = 0.5 + rng.Float64()
		}
	}
	return b
}

// Two examples of a batch that are made NaN, or that overflow.
const poisonFirst, poisonSecond = 1, 4

// clone returns a copy with rows that may be replaced.
func (b batch) clone() batch {
	return batch{slices.Clone(b.x), slices.Clone(b.g), slices.Clone(b.factors), b.weights}
}

// only returns the batch with factor 1 for one example of each replica and 0 for the others.
func (b batch) only(example int) batch {
	b = b.clone()
	for i := range b.factors {
		b.factors[i] = 0
		if i%batchRows == example {
			b.factors[i] = 1
		}
	}
	return b
}

// reversed returns the batch with each replica's examples in the opposite order.
func (b batch) reversed() batch {
	b = b.clone()
	b.x, b.g, b.factors = reversed(b.x), reversed(b.g), reversed(b.factors)
	return b
}

func reversed[V any](rows []V) []V {
	rows = slices.Clone(rows)
	for part := range slices.Chunk(rows, batchRows) {
		slices.Reverse(part)
	}
	return rows
}

// drawWeights returns the weights of all replicas: their initial weights plus random moves. Those
// of the last replica come from another stream.
func (t *tester[T]) drawWeights(stream, last uint64, moveBy float64) []*tensors.Tensor {
	list := make([]*tensors.Tensor, len(t.weights))
	for i, w := range t.weights {
		size := kernel.SizeOf(w.Shape)
		values := make([]float64, t.replicas*size)
		for r := range t.replicas {
			from := stream
			if r > 0 && r == t.replicas-1 {
				from = last
			}
			rng := rand.New(rand.NewPCG(from, uint64(r)<<32|uint64(i)))
			own := values[r*size : (r+1)*size : (r+1)*size]
			if w.Init != nil {
				w.Init(rng, own)
			}
			for i := range own {
				own[i] += moveBy * rng.NormFloat64()
			}
		}
		list[i] = arrays.Converted[T](values, append([]int{t.replicas}, w.Shape...)...)
	}
	return list
}

// drawInput returns an example of a kind.
func (t *tester[T]) drawInput(rng *rand.Rand, kind int) []float64 {
	values := make([]float64, kernel.SizeOf(t.Input))
	fill := func(values []float64) { copy(values, drawValues(rng, len(values), kind)) }
	if l, ok := nn.AsInputLayer(t.layer()); ok {
		fill = func(values []float64) {
			row := make([]float32, len(values))
			l.DrawRow(rng, row)
			for i, v := range row {
				values[i] = float64(v)
			}
		}
	}
	if l, ok := t.Layer.(drawnLayer); ok {
		l.drawRow(rng, values, fill)
		return values
	}
	fill(values)
	if l, ok := t.Layer.(lossLayer); ok {
		l.draw(rng, values[l.outputs():])
	}
	return values
}

// layer returns the layer that is checked, without its coins.
func (t *tester[T]) layer() nn.Layer {
	if l, ok := t.Layer.(drawnLayer); ok {
		return l.Drawing
	}
	return t.Layer
}

// drawValues returns numbers of a kind: normal, in (0, 1), small, large, mostly zeros. A term that
// is hidden in one kind, such as a bias, dominates another.
func drawValues(rng *rand.Rand, size, kind int) []float64 {
	values := make([]float64, size)
	for i := range values {
		switch kind % 5 {
		case 0:
			values[i] = rng.NormFloat64()
		case 1:
			values[i] = rng.Float64()
		case 2:
			values[i] = rng.NormFloat64() / 32
		case 3:
			values[i] = 8 * rng.NormFloat64()
		default:
			if rng.IntN(4) == 0 {
				values[i] = rng.NormFloat64()
			}
		}
	}
	return values
}

// poison replaces an example of all replicas by values that are NaN or overflow. Labels, targets
// and coins stay. Of examples that are checked beforehand, only the gradients are replaced.
func (t *tester[T]) poison(b batch, example int, value float64) {
	for i := example; i < len(b.g); i += batchRows {
		b.g[i] = slices.Repeat([]float64{value}, len(b.g[i]))
	}
	_, checked := nn.AsInputLayer(t.layer())
	kept := len(b.x[0]) // from where on values stay: the label and targets of a loss, and coins
	switch l := t.Layer.(type) {
	case lossLayer:
		kept = l.outputs()
	case drawnLayer:
		kept = l.values()
	}
	for i := example; i < len(b.x) && !checked; i += batchRows {
		poisoned := slices.Repeat([]float64{value}, len(b.x[i]))
		copy(poisoned[kept:], b.x[i][kept:])
		b.x[i] = poisoned
	}
}
