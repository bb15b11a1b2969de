package twin

import (
	"math"
	"math/rand/v2"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// text is an example of tokens on its way through layers over places. The layers of a network share
// it.
type text struct{ present []bool }

// pushTexts adds an embedding, layers over its places, and their mean.
func (n *network) pushTexts(rng *rand.Rand) {
	places, width, s := n.input[0], 2+rng.IntN(3), &text{}
	n.push(s.embedding(n.tokens, places, width))
	for range rng.IntN(4) {
		in := n.at()
		switch rng.IntN(5) {
		case 0:
			n.push(s.attention(in, 1+(in[1]+1)%2*(in[1]/2-1), rng.IntN(2) == 0)) // one head, or heads of two numbers
		case 1:
			n.push(perPlace(in, 1+rng.IntN(5)))
		case 2:
			n.push(layerNorm(in))
		case 3:
			n.push(positions(in))
		default:
			n.push(s.gru(in, 1+rng.IntN(3)))
		}
	}
	n.push(s.mean(n.at()))
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

func perPlace(in []int, outputs int) layer {
	width := in[1]
	return layer{nn.PerPlace(nn.Dense(width, outputs), nn.GELU()), outputs * (width + 1), []int{in[0], outputs}, func(t *tape, w, x []number) []number {
		var y []number
		for p := range in[0] {
			for _, v := range affine(t, w, x[p*width:(p+1)*width], outputs) {
				z := t.at(v)
				cdf := math.Erfc(-z/math.Sqrt2) / 2
				y = append(y, t.function(v, z*cdf, cdf+z*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)))
			}
		}
		return y
	}}
}

func layerNorm(in []int) layer {
	width := in[1]
	return layer{nn.LayerNorm(width), 2 * width, in, func(t *tape, w, x []number) []number {
		y := make([]number, len(x))
		for p := range in[0] {
			row := x[p*width : (p+1)*width]
			mean, squares := t.mean(row), make([]number, width)
			for k, v := range row {
				squares[k] = t.mul(t.sub(v, mean), t.sub(v, mean))
			}
			variance := t.plus(t.mean(squares), 1e-5)
			root := math.Sqrt(t.at(variance))
			deviation := t.function(variance, root, 1/(2*root))
			for k, v := range row {
				y[p*width+k] = t.add(t.mul(w[k], t.div(t.sub(v, mean), deviation)), w[width+k])
			}
		}
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

func (s *text) gru(in []int, width int) layer {
	places, inputs := in[0], in[1]
	inner := 3 * width * (inputs + 1)
	logistic := func(t *tape, x number) number {
		v := 1 / (1 + math.Exp(-t.at(x)))
		return t.function(x, v, v*(1-v))
	}
	return layer{nn.GRU(inputs, width), inner + 3*width*(width+1), []int{places, width}, func(t *tape, w, x []number) []number {
		h := make([]number, width)
		for k := range h {
			h[k] = t.constant(0)
		}
		var y []number
		for p := range places {
			a, b := affine(t, w[:inner], x[p*inputs:(p+1)*inputs], 3*width), affine(t, w[inner:], h, 3*width)
			next := make([]number, width)
			for k := range next {
				r, z := logistic(t, t.add(a[k], b[k])), logistic(t, t.add(a[width+k], b[width+k]))
				sum := t.add(a[2*width+k], t.mul(r, b[2*width+k]))
				v := math.Tanh(t.at(sum))
				n := t.function(sum, v, 1-v*v)
				next[k] = t.add(n, t.mul(z, t.sub(h[k], n)))
			}
			if s.present[p] {
				h = next
			}
			y = append(y, h...)
		}
		return y
	}}
}
