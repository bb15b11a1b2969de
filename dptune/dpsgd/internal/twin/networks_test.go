package twin

import (
	"math/rand/v2"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// network is a model, and what it computes of one example.
type network struct {
	chain
	loss   loss
	input  []int
	tokens int // of its vocabulary; 0 if features are numbers
}

func (n network) model() dpsgd.Model {
	return dpsgd.Model{Name: "random", Input: n.input, Layers: n.layers(), Loss: n.loss.Loss}
}

// gradient returns that of one example's loss at weights w.
func (n network) gradient(w []float64, row []float32, label int) []float64 {
	t := &tape{}
	weights, x := t.constants(w), make([]number, len(row))
	for i, v := range row {
		x[i] = t.constant(float64(v))
	}
	return t.gradient(n.loss.of(t, n.of(t, weights, x), label), len(w))
}

// push adds a layer.
func (n *network) push(l layer) { n.chain = append(n.chain, l) }

// at returns the shape of the outputs so far.
func (n *network) at() []int {
	if len(n.chain) == 0 {
		return n.input
	}
	return n.chain[len(n.chain)-1].out
}

func randomNetwork(rng *rand.Rand) network {
	n := network{loss: randomLoss(rng)}
	switch rng.IntN(6) {
	case 4, 5:
		n.input, n.tokens = []int{1 + rng.IntN(6)}, 2+rng.IntN(6)
		n.pushTexts(rng)
	case 0:
		n.input = []int{1 + rng.IntN(5)}
		n.pushVectors(rng)
	case 1:
		n.input, n.tokens = []int{1 + rng.IntN(6)}, 2+rng.IntN(6)
		n.push(embedding(n.tokens, 1+rng.IntN(4)))
		n.pushVectors(rng)
	default:
		n.input = []int{3 + rng.IntN(5), 3 + rng.IntN(5), 1 + rng.IntN(3)}
		for range 1 + rng.IntN(3) {
			n.pushImage(rng)
		}
		if rng.IntN(2) == 0 {
			n.push(globalPooling(n.at()))
		} else {
			n.push(flatten(n.at()))
		}
	}
	n.push(dense(n.at(), n.loss.outputs))
	return n
}

func (n *network) pushVectors(rng *rand.Rand) {
	if rng.IntN(4) == 0 && n.tokens == 0 {
		n.push(frozen(dense(n.at(), 1+rng.IntN(5)), rng))
	}
	for range rng.IntN(3) {
		if rng.IntN(3) == 0 {
			n.push(lora(n.at(), 1+rng.IntN(5), rng))
		} else {
			n.push(dense(n.at(), 1+rng.IntN(5)))
		}
		n.push(activation(n.at(), rng))
		if rng.IntN(3) == 0 {
			width := 1 + rng.IntN(3)
			n.push(residual(chain{dense(n.at(), width), activation([]int{width}, rng), dense([]int{width}, n.at()[0])}, nil))
		}
	}
}

func (n *network) pushImage(rng *rand.Rand) {
	at := n.at()
	switch rng.IntN(8) {
	case 4:
		n.push(standardized(at, 1+rng.IntN(3), randomWindow(rng, at, true)))
	case 0:
		n.push(pooling(at, randomWindow(rng, at, false), rng.IntN(2) == 0))
	case 1:
		groups := 1
		if at[2]%2 == 0 {
			groups += rng.IntN(2)
		}
		n.push(groupNorm(at, groups))
	case 2:
		first := convolution(at, 2, nn.Square(3, 1, 1), false)
		n.push(residual(chain{first, activation(first.out, rng), convolution(first.out, at[2], nn.Square(3, 1, 1), true)}, nil))
	case 3:
		first := convolution(at, 2, nn.Square(3, 2, 1), true)
		n.push(residual(chain{first, activation(first.out, rng)}, chain{convolution(at, 2, nn.Square(1, 2, 0), rng.IntN(2) == 0)}))
	default:
		l := convolution(at, 1+rng.IntN(4), randomWindow(rng, at, true), rng.IntN(2) == 0)
		if rng.IntN(6) == 0 {
			l = frozen(l, rng)
		}
		n.push(l)
		n.push(activation(n.at(), rng))
		if rng.IntN(2) == 0 {
			n.push(pooling(n.at(), randomWindow(rng, n.at(), false), rng.IntN(2) == 0))
		}
	}
}

func randomWindow(rng *rand.Rand, in []int, padded bool) (w nn.Window) {
	for axis := range 2 {
		w.Kernel[axis] = 1 + rng.IntN(min(3, in[axis]))
		w.Stride[axis] = 1 + rng.IntN(3)
		if padded {
			w.Padding[axis] = rng.IntN(w.Kernel[axis])
		}
	}
	return w
}

// example returns one that the network takes, of numbers of a scale.
func (n network) example(rng *rand.Rand, scale float64) dpsgd.Example {
	x := dpsgd.Example{Features: make([]float32, volume(n.input)), Label: int32(rng.IntN(n.loss.classes))}
	for i := range x.Features {
		if x.Features[i] = float32(scale * rng.NormFloat64()); n.tokens > 0 {
			x.Features[i] = float32(rng.IntN(n.tokens+1) - 1)
		}
	}
	return x
}

func (n network) examples(rng *rand.Rand) data.Dataset {
	d := data.Dataset{Name: "random", Shape: n.input, Classes: n.loss.classes}
	for range 1 + rng.IntN(24) {
		x := n.example(rng, oneOf(rng, 0, 0.01, 1, 1, 1, 10))
		d.Features, d.Labels = append(d.Features, x.Features...), append(d.Labels, x.Label)
	}
	return d
}

func oneOf[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }
