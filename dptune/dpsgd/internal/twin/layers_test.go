package twin

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// layer is one of package nn, and what it computes of one example by weights w.
type layer struct {
	nn.Layer
	size int   // number of weights
	out  []int // shape of the outputs
	of   func(t *tape, w, x []number) []number
}

func dense(in []int, outputs int) layer {
	n := in[0]
	return layer{nn.Dense(n, outputs), n*outputs + outputs, []int{outputs}, func(t *tape, w, x []number) []number {
		y := make([]number, outputs)
		for o := range y {
			y[o] = w[n*outputs+o]
			for i := range n {
				y[o] = t.add(y[o], t.mul(w[o*n+i], x[i]))
			}
		}
		return y
	}}
}

// activations are ReLU, tanh, the sigmoid, a tempered one, SiLU and GELU: value and slope.
var activations = []struct {
	nn.Layer
	of func(x float64) (value, slope float64)
}{
	{nn.ReLU(), func(x float64) (float64, float64) {
		if x > 0 {
			return x, 1
		}
		return 0, 0
	}},
	{nn.Tanh(), func(x float64) (float64, float64) { y := math.Tanh(x); return y, 1 - y*y }},
	{nn.Sigmoid(), func(x float64) (float64, float64) { y := 1 / (1 + math.Exp(-x)); return y, y * (1 - y) }},
	{nn.TemperedSigmoid(1.7, 1.3, 0.6), func(x float64) (float64, float64) {
		s := 1.7 / (1 + math.Exp(-1.3*x))
		return s - 0.6, 1.3 * s * (1.7 - s) / 1.7
	}},
	{nn.SiLU(), func(x float64) (float64, float64) { y := 1 / (1 + math.Exp(-x)); return x * y, y + x*y*(1-y) }},
	{nn.GELU(), func(x float64) (float64, float64) {
		cdf := math.Erfc(-x/math.Sqrt2) / 2
		return x * cdf, cdf + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	}},
}

func activation(in []int, rng *rand.Rand) layer {
	kind := activations[rng.IntN(len(activations))]
	return layer{kind.Layer, 0, in, func(t *tape, _, x []number) []number {
		y := make([]number, len(x))
		for i := range x {
			value, slope := kind.of(t.at(x[i]))
			y[i] = t.function(x[i], value, slope)
		}
		return y
	}}
}

func flatten(in []int) layer {
	return layer{nn.Flatten(), 0, []int{volume(in)}, func(_ *tape, _, x []number) []number { return x }}
}

func embedding(vocabulary, width int) layer {
	return layer{nn.EmbeddingMean(vocabulary, width), vocabulary * width, []int{width}, func(t *tape, w, x []number) []number {
		y := make([]number, width)
		for k := range y {
			var list []number
			for _, token := range x {
				if id := int(t.at(token)); id >= 0 {
					list = append(list, w[id*width+k])
				}
			}
			y[k] = t.scale(t.sum(list), 1/float64(max(len(list), 1)))
		}
		return y
	}}
}

// lora is z = W a + b + scale/rank V U a, with fixed W and b.
func lora(in []int, outputs int, rng *rand.Rand) layer {
	inputs, rank, scale := in[0], 1+rng.IntN(3), oneOf(rng, 0.5, 3)
	values := normals(rng, outputs*(inputs+1), 0.5)
	return layer{nn.LoRA(inputs, outputs, rank, scale, values), rank * (inputs + outputs), []int{outputs}, func(t *tape, w, x []number) []number {
		y, inner := affine(t, t.constants(values), x, outputs), linear(t, w[:rank*inputs], x, rank)
		for o, z := range linear(t, w[rank*inputs:], inner, outputs) {
			y[o] = t.add(y[o], t.scale(z, scale/float64(rank)))
		}
		return y
	}}
}

// linear is W x.
func linear(t *tape, w, x []number, outputs int) []number {
	y := make([]number, outputs)
	for o := range y {
		y[o] = t.constant(0)
		for i, v := range x {
			y[o] = t.add(y[o], t.mul(w[o*len(x)+i], v))
		}
	}
	return y
}

// chain is layers one after the other.
type chain []layer

func (c chain) layers() (list []nn.Layer) {
	for _, l := range c {
		list = append(list, l.Layer)
	}
	return list
}

// sizes returns the numbers of weights of the layers that have some.
func (c chain) sizes() (list []int) {
	for _, l := range c {
		if l.size > 0 {
			list = append(list, l.size)
		}
	}
	return list
}

func (c chain) size() (sum int) {
	for _, size := range c.sizes() {
		sum += size
	}
	return sum
}

func (c chain) of(t *tape, w, x []number) []number {
	for _, l := range c {
		x, w = l.of(t, w[:l.size], x), w[l.size:]
	}
	return x
}

func residual(block, projection chain) layer {
	size := block.size()
	return layer{nn.Residual(block.layers(), projection.layers()...), size + projection.size(), block[len(block)-1].out, func(t *tape, w, x []number) []number {
		y, skip := block.of(t, w[:size], x), projection.of(t, w[size:], x)
		sums := make([]number, len(y))
		for i := range y {
			sums[i] = t.add(y[i], skip[i])
		}
		return sums
	}}
}

// frozen returns a layer with weights that do not train.
func frozen(l layer, rng *rand.Rand) layer {
	values := normals(rng, l.size, 0.5)
	return layer{nn.Frozen(l.Layer, values), 0, l.out, func(t *tape, _, x []number) []number { return l.of(t, t.constants(values), x) }}
}

// normals returns normal numbers that float32 holds.
func normals(rng *rand.Rand, n int, scale float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(float32(scale * rng.NormFloat64()))
	}
	return values
}

// volume returns the product of sides.
func volume(sides []int) int {
	product := 1
	for _, side := range sides {
		product *= side
	}
	return product
}
