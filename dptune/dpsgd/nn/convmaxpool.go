package nn

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// fused returns the layers that run in place of a model's. A convolution and a max-pooling with
// windows that do not overlap become one layer, and a layer that does nothing replaces the pooling.
func fused(layers []Layer) []Layer {
	out := slices.Clone(layers)
	for i := range len(layers) - 1 {
		conv, isConv := layers[i].(conv2D)
		pool, isPool := layers[i+1].(maxPool)
		if isConv && isPool && pool.window.Kernel == pool.window.Stride && pool.window.Kernel != [2]int{1, 1} {
			out[i], out[i+1] = convMaxPool{conv, pool}, passed{pool}
		}
	}
	return out
}

// passed replaces a layer that was fused into another one.
type passed struct{ Layer }

func (passed) Forward(_ []*graph.Node, in Activations) (Activations, Backward) {
	return in, func(g *graph.Node, _ bool) (*graph.Node, Gradients) { return g, nil }
}

// convMaxPool is a convolution with stride s followed by a max-pooling of p by p windows that do
// not overlap. The p² places within a pooling window are its phases. Each phase is one convolution
// with stride p·s, and all use the same rows, of a window larger by (p-1)·s in which each phase has
// its own place. There are p² times fewer rows with less overlap, and the maximum is taken over
// phases.
type convMaxPool struct {
	conv2D
	pool maxPool
}

// phases returns the place of each phase's kernel in the larger window, row-major.
func (l convMaxPool) phases() [][2]int {
	var at [][2]int
	for y := range l.pool.window.Kernel[0] {
		for x := range l.pool.window.Kernel[1] {
			at = append(at, [2]int{y * l.window.Stride[0], x * l.window.Stride[1]})
		}
	}
	return at
}

// unfolding returns the unfolding by the larger window, filled up to a multiple of its stride. The
// added places have weights 0.
func (l convMaxPool) unfolding(input []int) unfolding {
	w := l.window
	inner := w.places(input)
	pooled := l.pool.window.places([]int{inner[0], inner[1], l.outputs})
	for i, p := range l.pool.window.Kernel {
		s := w.Stride[i]
		whole := w.Kernel[i] + (p-1)*s
		w.Stride[i] = p * s
		w.Kernel[i] = (whole + p*s - 1) / (p * s) * (p * s)
	}
	return unfolding{window: w, input: [3]int(input), places: pooled}
}

// spread returns the kernels of all phases, [R, phases·outputs, rows, columns, channels],
// from weights [R, outputs, ...].
func (l convMaxPool) spread(u unfolding, w *graph.Node) *graph.Node {
	var all []*graph.Node
	for _, at := range l.phases() {
		var axes [2]compute.PadAxis
		for i := range axes {
			axes[i] = compute.PadAxis{Start: at[i], End: u.window.Kernel[i] - l.window.Kernel[i] - at[i]}
		}
		all = append(all, padZeros(w, compute.PadAxis{}, compute.PadAxis{}, axes[0], axes[1], compute.PadAxis{}))
	}
	return graph.Concatenate(all, 1)
}

// gather is the adjoint of spread, for [n, phases·outputs, ...] with any n.
func (l convMaxPool) gather(g *graph.Node) *graph.Node {
	var sum *graph.Node
	for p, at := range l.phases() {
		axis := func(i int) graph.SliceAxisSpec { return graph.AxisRange(at[i], at[i]+l.window.Kernel[i]) }
		part := graph.Slice(g, graph.AxisRange(), graph.AxisRange(p*l.outputs, (p+1)*l.outputs), axis(0), axis(1), graph.AxisRange())
		if sum == nil {
			sum = part
			continue
		}
		sum = graph.Add(sum, part)
	}
	return sum
}

func (l convMaxPool) Forward(weights []*graph.Node, in Activations) (Activations, Backward) {
	blocks := l.unfolding(in.Values.Shape().Dimensions[2:])
	u := blocks.forRows(in.Values)
	replicas, batch := weights[0].Shape().Dim(0), in.Values.Shape().Dim(1)
	places, phases := u.places[0]*u.places[1], len(l.phases())

	rows := kernel.RowsFor(u.rows(kernel.Images(in.Values)), in.Values.Shape().Dim(0), replicas) // [R or 1, B·places, width]
	w := l.spread(u, weights[0])                                                                 // [R, phases·outputs, ...]
	z := kernel.ProductOfRows(rows, u.kernels(w, rows))                                          // [R, B·places, phases·outputs]
	y, later := l.largest(z, phases)
	if l.bias {
		y = graph.Add(y, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, weights[1]), 1), y))
	}
	y = graph.Reshape(y, replicas, batch, u.places[0], u.places[1], l.outputs)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, Gradients) {
		g = graph.Reshape(g, replicas, batch*places, l.outputs)
		each := &convGradients{order: u, productGradients: productGradients{
			width: u.width(), finite: in.known().finite,
			rows: graph.Reshape(rows, rows.Shape().Dim(0)*batch, places, rows.Shape().Dim(2)),
			g:    graph.Reshape(l.toPhases(g, later), replicas, batch, places, phases*l.outputs),
		}}
		var atInput *graph.Node
		if wantInput {
			inner := l.conv2D
			inner.outputs *= phases
			atInput = inner.atInput(blocks, blocks.blockOrder(w), each.g)
		}
		return atInput, &convMaxPoolGradients{layer: l, phases: each, g: graph.Reshape(g, replicas, batch, places, l.outputs)}
	}
	return Activations{Values: y}, backward
}

// largest returns the maximum over phases, [..., outputs], and whether each phase after the first
// is larger than all before it.
func (l convMaxPool) largest(z *graph.Node, phases int) (y *graph.Node, later []*graph.Node) {
	phase := func(i int) *graph.Node {
		return graph.Slice(z, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(i*l.outputs, (i+1)*l.outputs))
	}
	y = phase(0)
	for i := 1; i < phases; i++ {
		next := phase(i)
		later = append(later, graph.GreaterThan(next, y))
		y = graph.Max(y, next)
	}
	return y, later
}

// toPhases assigns the gradient at a maximum to the phase of that maximum.
func (l convMaxPool) toPhases(g *graph.Node, later []*graph.Node) *graph.Node {
	parts := make([]*graph.Node, len(later)+1)
	for i := len(later); i > 0; i-- {
		parts[i] = kernel.OnlyWhere(later[i-1], g)
		g = graph.Sub(g, parts[i])
	}
	parts[0] = g
	return graph.Concatenate(parts, 2)
}

// convMaxPoolGradients are the sums over phases of the gradients at the weights.
type convMaxPoolGradients struct {
	layer  convMaxPool
	phases *convGradients
	g      *graph.Node // [R, B, places, outputs]

	each *graph.Node // once computed, [R, B, outputs, rows, columns, channels]
	sums *graph.Node // Σ_places g once computed, [R, B, outputs]
}

// biases returns Σ_places g, one node for norms and sums.
func (c *convMaxPoolGradients) biases() *graph.Node {
	if c.sums == nil {
		c.sums = biases(c.g)
	}
	return c.sums
}

// roundings counts the larger of two sums of squares of the added values, except for a product with
// the factor. One sum adds the two.
func (c *convMaxPoolGradients) roundings(int) int {
	return kernel.SquareRoundings(c.g, c.layer.outputs*c.layer.window.Kernel[0]*c.layer.window.Kernel[1]*c.layer.inputs) + kernel.SquareRoundings(c.g, c.layer.outputs) + 2 + 1
}

func (c *convMaxPoolGradients) SquaredNorms() *graph.Node {
	each := c.Each()
	squared := kernel.SquaredNorms(each[0])
	if c.layer.bias {
		squared = graph.Add(squared, kernel.SquaredNorms(each[1]))
	}
	return squared
}

func (c *convMaxPoolGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	replicas, _ := c.phases.examples()
	var sums []*graph.Node
	if c.each == nil {
		sum := c.phases.weightedProduct(factors)
		sums = append(sums, c.layer.gather(c.phases.order.pixelOrder(sum)))
	} else {
		sum := kernel.WeightedRows(factors, kernel.FlatRows(c.each))
		sums = append(sums, graph.Reshape(sum, append([]int{replicas}, c.each.Shape().Dimensions[2:]...)...))
	}
	if c.layer.bias {
		sums = append(sums, kernel.WeightedRows(factors, c.biases()))
	}
	return sums
}

func (c *convMaxPoolGradients) overPlaces(times int) Gradients {
	d := c.g.Shape().Dimensions
	g := graph.Reshape(c.g, d[0], d[1]/times, times*d[2], d[3])
	return &convMaxPoolGradients{layer: c.layer, phases: c.phases.overPlaces(times).(*convGradients), g: g}
}

func (c *convMaxPoolGradients) Each() []*graph.Node {
	if c.each == nil {
		replicas, batch := c.phases.examples()
		g := c.layer.gather(c.phases.order.pixelOrder(c.phases.each()))
		c.each = graph.Reshape(g, append([]int{replicas, batch}, g.Shape().Dimensions[1:]...)...)
	}
	if !c.layer.bias {
		return []*graph.Node{c.each}
	}
	return []*graph.Node{c.each, c.biases()}
}
