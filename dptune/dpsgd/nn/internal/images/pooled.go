package images

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn/internal/persample"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Pooled is a convolution with stride s followed by a max-pooling of p by p windows that do
// not overlap. The p² places within a pooling window are its phases. Each phase is one convolution
// with stride p·s, and all use the same rows, of a window larger by (p-1)·s in which each phase has
// its own place. There are p² times fewer rows with less overlap, and the maximum is taken over
// phases.
type Pooled struct {
	Convolution
	Pool Window
}

// phases returns the place of each phase's kernel in the larger window, row-major.
func (l Pooled) phases() [][2]int {
	var at [][2]int
	for y := range l.Pool.Kernel[0] {
		for x := range l.Pool.Kernel[1] {
			at = append(at, [2]int{y * l.Window.Stride[0], x * l.Window.Stride[1]})
		}
	}
	return at
}

// unfolding returns the unfolding by the larger window, filled up to a multiple of its stride. The
// added places have weights 0.
func (l Pooled) unfolding(input []int) unfolding {
	w := l.Window
	inner := w.Places(input)
	pooled := l.Pool.Places([]int{inner[0], inner[1], l.Outputs})
	for i, p := range l.Pool.Kernel {
		s := w.Stride[i]
		whole := w.Kernel[i] + (p-1)*s
		w.Stride[i] = p * s
		w.Kernel[i] = (whole + p*s - 1) / (p * s) * (p * s)
	}
	return unfolding{window: w, input: [3]int(input), places: pooled}
}

// spread returns the kernels of all phases, [R, phases·outputs, rows, columns, channels],
// from weights [R, outputs, ...].
func (l Pooled) spread(u unfolding, w *graph.Node) *graph.Node {
	var all []*graph.Node
	for _, at := range l.phases() {
		var axes [2]compute.PadAxis
		for i := range axes {
			axes[i] = compute.PadAxis{Start: at[i], End: u.window.Kernel[i] - l.Window.Kernel[i] - at[i]}
		}
		all = append(all, kernel.PadZeros(w, compute.PadAxis{}, compute.PadAxis{}, axes[0], axes[1], compute.PadAxis{}))
	}
	return graph.Concatenate(all, 1)
}

// gather is the adjoint of spread, for [n, phases·outputs, ...] with any n.
func (l Pooled) gather(g *graph.Node) *graph.Node {
	var sum *graph.Node
	for p, at := range l.phases() {
		axis := func(i int) graph.SliceAxisSpec { return graph.AxisRange(at[i], at[i]+l.Window.Kernel[i]) }
		part := graph.Slice(g, graph.AxisRange(), graph.AxisRange(p*l.Outputs, (p+1)*l.Outputs), axis(0), axis(1), graph.AxisRange())
		if sum == nil {
			sum = part
			continue
		}
		sum = graph.Add(sum, part)
	}
	return sum
}

// Forward returns the pooled convolution of images x, as Convolution.Forward does.
func (l Pooled) Forward(weights []*graph.Node, x *graph.Node, finite bool) (*graph.Node, persample.Backward) {
	blocks := l.unfolding(x.Shape().Dimensions[2:])
	u := blocks.forRows(x)
	replicas, batch := weights[0].Shape().Dim(0), x.Shape().Dim(1)
	places, phases := u.places[0]*u.places[1], len(l.phases())

	rows := kernel.RowsFor(u.rows(kernel.Images(x)), x.Shape().Dim(0), replicas) // [R or 1, B·places, width]
	w := l.spread(u, weights[0])                                                 // [R, phases·outputs, ...]
	z := kernel.ProductOfRows(rows, u.kernels(w, rows))                          // [R, B·places, phases·outputs]
	y, later := l.largest(z, phases)
	if l.Bias {
		y = graph.Add(y, kernel.ExpandLike(graph.InsertAxes(kernel.AfterKernel(z, weights[1]), 1), y))
	}
	y = graph.Reshape(y, replicas, batch, u.places[0], u.places[1], l.Outputs)
	backward := func(g *graph.Node, wantInput bool) (*graph.Node, persample.Gradients) {
		g = graph.Reshape(g, replicas, batch*places, l.Outputs)
		perPlace := graph.Reshape(rows, rows.Shape().Dim(0)*batch, places, rows.Shape().Dim(2))
		each := &convGradients{order: u, Products: persample.Products{
			Width: u.width(), Finite: finite, Rows: perPlace,
			G: graph.Reshape(l.toPhases(g, later), replicas, batch, places, phases*l.Outputs),
		}}
		var atInput *graph.Node
		if wantInput {
			inner := l.Convolution
			inner.Outputs *= phases
			atInput = inner.atInput(blocks, blocks.blockOrder(w), each.G)
		}
		return atInput, &pooledGradients{layer: l, phases: each, g: graph.Reshape(g, replicas, batch, places, l.Outputs)}
	}
	return y, backward
}

// largest returns the maximum over phases, [..., outputs], and whether each phase after the first
// is larger than all before it.
func (l Pooled) largest(z *graph.Node, phases int) (y *graph.Node, later []*graph.Node) {
	phase := func(i int) *graph.Node {
		return graph.Slice(z, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(i*l.Outputs, (i+1)*l.Outputs))
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
func (l Pooled) toPhases(g *graph.Node, later []*graph.Node) *graph.Node {
	parts := make([]*graph.Node, len(later)+1)
	for i := len(later); i > 0; i-- {
		parts[i] = kernel.OnlyWhere(later[i-1], g)
		g = graph.Sub(g, parts[i])
	}
	parts[0] = g
	return graph.Concatenate(parts, 2)
}

// pooledGradients are the sums over phases of the gradients at the weights.
type pooledGradients struct {
	layer  Pooled
	phases *convGradients
	g      *graph.Node // [R, B, places, outputs]

	each *graph.Node // once computed, [R, B, outputs, rows, columns, channels]
	sums *graph.Node // Σ_places g once computed, [R, B, outputs]
}

// biases returns Σ_places g, one node for norms and sums.
func (c *pooledGradients) biases() *graph.Node {
	if c.sums == nil {
		c.sums = persample.Biases(c.g)
	}
	return c.sums
}

// Roundings counts the larger of two sums of squares of the added values, except for a product with
// the factor. One sum adds the two.
func (c *pooledGradients) Roundings(persample.Count) int {
	return kernel.SquareRoundings(c.g, c.layer.Outputs*c.layer.Window.Kernel[0]*c.layer.Window.Kernel[1]*c.layer.Inputs) + kernel.SquareRoundings(c.g, c.layer.Outputs) + 2 + 1
}

func (c *pooledGradients) SquaredNorms() *graph.Node {
	each := c.Each()
	squared := kernel.SquaredNorms(each[0])
	if c.layer.Bias {
		squared = graph.Add(squared, kernel.SquaredNorms(each[1]))
	}
	return squared
}

func (c *pooledGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	replicas, _ := c.phases.Examples()
	var sums []*graph.Node
	if c.each == nil {
		sum := c.phases.WeightedProduct(factors)
		sums = append(sums, c.layer.gather(c.phases.order.pixelOrder(sum)))
	} else {
		sum := kernel.WeightedRows(factors, kernel.FlatRows(c.each))
		sums = append(sums, graph.Reshape(sum, append([]int{replicas}, c.each.Shape().Dimensions[2:]...)...))
	}
	if c.layer.Bias {
		sums = append(sums, kernel.WeightedRows(factors, c.biases()))
	}
	return sums
}

func (c *pooledGradients) OverPlaces(times int) persample.Gradients {
	d := c.g.Shape().Dimensions
	g := graph.Reshape(c.g, d[0], d[1]/times, times*d[2], d[3])
	return &pooledGradients{layer: c.layer, phases: c.phases.OverPlaces(times).(*convGradients), g: g}
}

func (c *pooledGradients) Each() []*graph.Node {
	if c.each == nil {
		replicas, batch := c.phases.Examples()
		g := c.layer.gather(c.phases.order.pixelOrder(c.phases.Product()))
		c.each = graph.Reshape(g, append([]int{replicas, batch}, g.Shape().Dimensions[1:]...)...)
	}
	if !c.layer.Bias {
		return []*graph.Node{c.each}
	}
	return []*graph.Node{c.each, c.biases()}
}
