package twin

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// text is an example of tokens on its way through layers over places. The layers of a network share
// it.
type text struct{ present []bool }

// pushTexts adds an embedding, layers over its places, and their mean or the last of them.
func (n *network) pushTexts(rng *rand.Rand) {
	places, width, s := n.input[0], 2+rng.IntN(3), &text{}
	n.push(s.embedding(n.tokens, places, width))
	for range rng.IntN(4) {
		in := n.at()
		switch rng.IntN(9) {
		case 0:
			n.push(s.attention(in, 1+(in[1]+1)%2*(in[1]/2-1), rng.IntN(2) == 0)) // one head, or heads of two numbers
		case 1:
			inner := dense(in[1:], 1+rng.IntN(5))
			n.push(perPlace(in, inner, activation(inner.out, rng)))
		case 2:
			n.push(perPlace(in, lora(in[1:], 1+rng.IntN(5), rng)))
		case 3:
			n.push(normalization(in, rng.IntN(2) == 0))
		case 4:
			n.push(positions(in))
		case 5:
			n.push(sinusoidalPositions(in))
		case 6:
			n.push(s.convolution(in, 1+rng.IntN(3), rng))
		case 7:
			n.push(s.lstm(in, 1+rng.IntN(3)))
		default:
			n.push(s.gru(in, 1+rng.IntN(3)))
		}
	}
	if in := n.at(); rng.IntN(3) == 0 {
		n.push(s.last(in))
	} else {
		n.push(s.mean(in))
	}
}

func (s *text) embedding(vocabulary, places, width int) layer {
	return layer{nn.Embedding(vocabulary, width), vocabulary * width, []int{places, width}, func(t *tape, w, x []number) []number {
		s.present = nil
		y := make([]number, 0, places*width)
		for _, token := range x {
			id := int(t.at(token))
			s.present = append(s.present, id >= 0)
			for k := range width {
				if id >= 0 {
					y = append(y, w[id*width+k])
				} else {
					y = append(y, t.constant(0))
				}
			}
		}
		return y
	}}
}

func (s *text) mean(in []int) layer {
	return layer{nn.MeanPlaces(), 0, in[1:], func(t *tape, _, x []number) []number {
		y := make([]number, in[1])
		for k := range y {
			var list []number
			for p, on := range s.present {
				if on {
					list = append(list, x[p*in[1]+k])
				}
			}
			y[k] = t.scale(t.sum(list), 1/float64(max(len(list), 1)))
		}
		return y
	}}
}

// last is nn.LastPlace.
func (s *text) last(in []int) layer {
	return layer{nn.LastPlace(), 0, in[1:], func(t *tape, _, x []number) []number {
		for p := len(s.present) - 1; p >= 0; p-- {
			if s.present[p] {
				return x[p*in[1] : (p+1)*in[1]]
			}
		}
		return slices.Repeat([]number{t.constant(0)}, in[1])
	}}
}

// affine is W x + b, with W and b at the start of w.
func affine(t *tape, w, x []number, outputs int) []number {
	y := make([]number, outputs)
	for o := range y {
		y[o] = w[outputs*len(x)+o]
		for i, v := range x {
			y[o] = t.add(y[o], t.mul(w[o*len(x)+i], v))
		}
	}
	return y
}

// perPlace is layers on each place.
func perPlace(in []int, layers ...layer) layer {
	c, width := chain(layers), in[1]
	return layer{nn.PerPlace(c.layers()...), c.size(), []int{in[0], layers[0].out[0]}, func(t *tape, w, x []number) []number {
		var y []number
		for p := range in[0] {
			y = append(y, c.of(t, w, x[p*width:(p+1)*width])...)
		}
		return y
	}}
}

// normalization is nn.LayerNorm, or nn.RMSNorm if it is not centered.
func normalization(in []int, centered bool) layer {
	width := in[1]
	l := layer{nn.RMSNorm(width), width, in, nil}
	if centered {
		l.Layer, l.size = nn.LayerNorm(width), 2*width
	}
	l.of = func(t *tape, w, x []number) []number {
		y := make([]number, len(x))
		for p := range in[0] {
			row, squares := x[p*width:(p+1)*width], make([]number, width)
			mean := t.constant(0)
			if centered {
				mean = t.mean(row)
			}
			for k, v := range row {
				squares[k] = t.mul(t.sub(v, mean), t.sub(v, mean))
			}
			variance := t.plus(t.mean(squares), 1e-5)
			root := math.Sqrt(t.at(variance))
			deviation := t.function(variance, root, 1/(2*root))
			for k, v := range row {
				if y[p*width+k] = t.mul(w[k], t.div(t.sub(v, mean), deviation)); centered {
					y[p*width+k] = t.add(y[p*width+k], w[width+k])
				}
			}
		}
		return y
	}
	return l
}

// sinusoidalPositions adds sines and cosines of t / 10000^(2i/width).
func sinusoidalPositions(in []int) layer {
	return layer{nn.SinusoidalPositions(), 0, in, func(t *tape, _, x []number) []number {
		y := make([]number, len(x))
		for i, v := range x {
			place, k := float64(i/in[1]), i%in[1]
			angle := place / math.Pow(10000, float64(k-k%2)/float64(in[1]))
			y[i] = t.plus(v, math.Sin(angle))
			if k%2 == 1 {
				y[i] = t.plus(v, math.Cos(angle))
			}
		}
		return y
	}}
}

// convolution is nn.Conv1D. Padding is left out of the sums. An output is padding unless the
// window, less the layer's own padding at both of its ends, has only places of the text. If nothing
// is left of the window, one place between its two ends is enough.
func (s *text) convolution(in []int, outputs int, rng *rand.Rand) layer {
	kernel, stride := 1+rng.IntN(min(3, in[0])), 1+rng.IntN(2)
	padding := rng.IntN(kernel)
	places := (in[0]+2*padding-kernel)/stride + 1
	return layer{nn.Conv1D(in[1], outputs, kernel, stride, padding), outputs * (kernel*in[1] + 1), []int{places, outputs}, func(t *tape, w, x []number) []number {
		isPresent := func(at int) bool { return at >= 0 && at < in[0] && s.present[at] }
		var y []number
		var present []bool
		for p := range places {
			first, last := p*stride, p*stride+kernel-1-2*padding
			all, some := true, false
			for at := min(first, last); at <= max(first, last); at++ {
				all, some = all && isPresent(at), some || isPresent(at)
			}
			present = append(present, all || some && last < first)
			for o := range outputs {
				sum := w[outputs*kernel*in[1]+o]
				for k := range kernel {
					for i := range in[1] {
						if at := p*stride + k - padding; isPresent(at) {
							sum = t.add(sum, t.mul(w[(o*kernel+k)*in[1]+i], x[at*in[1]+i]))
						}
					}
				}
				y = append(y, sum)
			}
		}
		s.present = present
		return y
	}}
}

func positions(in []int) layer {
	return layer{nn.Positions(in[0]+1, in[1]), (in[0] + 1) * in[1], in, func(t *tape, w, x []number) []number {
		y := make([]number, len(x))
		for i := range x {
			y[i] = t.add(x[i], w[i])
		}
		return y
	}}
}

func (s *text) attention(in []int, heads int, causal bool) layer {
	places, width := in[0], in[1]
	inner := 3 * width * (width + 1)
	return layer{nn.Attention(width, heads, causal), inner + width*(width+1), in, func(t *tape, w, x []number) []number {
		var qkv [][]number
		for p := range places {
			qkv = append(qkv, affine(t, w[:inner], x[p*width:(p+1)*width], 3*width))
		}
		var y []number
		each := width / heads
		for p := range places {
			var joined []number
			for h := range heads {
				var seen []int
				var shares []number
				for other := range places {
					if !s.present[other] || causal && other > p {
						continue
					}
					score := t.constant(0)
					for k := h * each; k < (h+1)*each; k++ {
						score = t.add(score, t.mul(qkv[p][k], qkv[other][width+k]))
					}
					score = t.scale(score, 1/math.Sqrt(float64(each)))
					seen, shares = append(seen, other), append(shares, score)
				}
				largest := math.Inf(-1)
				for _, score := range shares {
					largest = max(largest, t.at(score))
				}
				for i, score := range shares {
					e := math.Exp(t.at(score) - largest)
					shares[i] = t.function(score, e, e)
				}
				sum := t.sum(shares)
				for k := h * each; k < (h+1)*each; k++ {
					var list []number
					for i, other := range seen {
						list = append(list, t.mul(t.div(shares[i], sum), qkv[other][2*width+k]))
					}
					joined = append(joined, t.sum(list))
				}
			}
			y = append(y, affine(t, w[inner:], joined, width)...)
		}
		return y
	}}
}

func logistic(t *tape, x number) number {
	v := 1 / (1 + math.Exp(-t.at(x)))
	return t.function(x, v, v*(1-v))
}

func tanh(t *tape, x number) number {
	v := math.Tanh(t.at(x))
	return t.function(x, v, 1-v*v)
}

// recurrent runs a cell of so many gates and states over the places that are not padding. step
// takes the sums of the inputs and of the first state, and returns the next states.
func (s *text) recurrent(l nn.Layer, in []int, width, gates, states int, step func(t *tape, a, b []number, now [][]number) [][]number) layer {
	places, inputs := in[0], in[1]
	inner := gates * width * (inputs + 1)
	return layer{l, inner + gates*width*(width+1), []int{places, width}, func(t *tape, w, x []number) []number {
		var now [][]number
		for range states {
			now = append(now, t.constants(make([]float64, width)))
		}
		var y []number
		for p := range places {
			a, b := affine(t, w[:inner], x[p*inputs:(p+1)*inputs], gates*width), affine(t, w[inner:], now[0], gates*width)
			if next := step(t, a, b, now); s.present[p] {
				now = next
			}
			y = append(y, now[0]...)
		}
		return y
	}}
}

func (s *text) gru(in []int, width int) layer {
	return s.recurrent(nn.GRU(in[1], width), in, width, 3, 1, func(t *tape, a, b []number, now [][]number) [][]number {
		next := make([]number, width)
		for k, h := range now[0] {
			r, z := logistic(t, t.add(a[k], b[k])), logistic(t, t.add(a[width+k], b[width+k]))
			n := tanh(t, t.add(a[2*width+k], t.mul(r, b[2*width+k])))
			next[k] = t.add(n, t.mul(z, t.sub(h, n)))
		}
		return [][]number{next}
	})
}

func (s *text) lstm(in []int, width int) layer {
	return s.recurrent(nn.LSTM(in[1], width), in, width, 4, 2, func(t *tape, a, b []number, now [][]number) [][]number {
		h, c := make([]number, width), make([]number, width)
		for k := range h {
			sum := func(gate int) number { return t.add(a[gate*width+k], b[gate*width+k]) }
			c[k] = t.add(t.mul(logistic(t, sum(1)), now[1][k]), t.mul(logistic(t, sum(0)), tanh(t, sum(2))))
			h[k] = t.mul(logistic(t, sum(3)), tanh(t, c[k]))
		}
		return [][]number{h, c}
	})
}
