package nn

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// convGradients are the products gᵀ P of each example.
type convGradients struct {
	unfolding
	bias, finite bool
	rows         *graph.Node // P [R·B, places, width], then columns of zeros; [B, ...] if all replicas share it
	g            *graph.Node // [R, B, places, outputs]

	products *graph.Node // gᵀ P once computed, [R·B, outputs, columns of P]
	sums     *graph.Node // Σ_places g once computed, [R, B, outputs]
}

// small reports whether gᵀ P is computed instead of P Pᵀ and g gᵀ. For the latter the go backend
// transposes P value by value. So gᵀ P is not slower there unless it is much larger than P.
func (c *convGradients) small() bool {
	const larger = 3
	places, outputs := c.g.Shape().Dim(2), c.g.Shape().Dim(3)
	return outputs*c.width() <= 8*places*places || kernel.IsGo(c.g) && outputs <= larger*places || !c.gramRounding().valid()
}

func (c *convGradients) examples() (replicas, batch int) {
	return c.g.Shape().Dim(0), c.g.Shape().Dim(1)
}

// columns is the number of columns of P.
func (c *convGradients) columns() int { return c.rows.Shape().Dim(2) }

// each returns gᵀ P of each example, [R·B, outputs, columns].
func (c *convGradients) each() *graph.Node {
	switch replicas, batch := c.examples(); {
	case c.products != nil:
	case c.rows.Shape().Dim(0) == replicas*batch:
		c.products = kernel.PerSampleProduct(kernel.Transposed(kernel.Images(c.g)), c.rows, replicas)
	default: // one product for each example, of all replicas
		wide := graph.DotGeneral(c.g, []int{2}, []int{1}, c.rows, []int{1}, []int{0}) // [B, R, outputs, columns]
		wide = graph.TransposeAllAxes(wide, 1, 0, 2, 3)
		c.products = graph.Reshape(wide, replicas*batch, wide.Shape().Dim(2), wide.Shape().Dim(3))
	}
	return c.products
}

// allRows returns P of each replica.
func (c *convGradients) allRows() *graph.Node {
	replicas, batch := c.examples()
	if c.rows.Shape().Dim(0) == replicas*batch {
		return c.rows
	}
	return kernel.Images(kernel.RepeatShared(graph.InsertAxes(c.rows, 0), replicas))
}

// biases returns Σ_places g of each example, [R, B, outputs], from g [R, B, places, outputs].
func biases(g *graph.Node) *graph.Node {
	d := g.Shape().Dimensions
	return graph.Reshape(kernel.SumMiddle(kernel.Images(g)), d[0], d[1], d[3])
}

// biases returns Σ_places g, one node for norms and sums.
func (c *convGradients) biases() *graph.Node {
	if c.sums == nil {
		c.sums = biases(c.g)
	}
	return c.sums
}

func (c *convGradients) SquaredNorms() *graph.Node {
	replicas, batch := c.examples()
	places := c.g.Shape().Dim(2)
	var squared *graph.Node
	if c.small() {
		squared = kernel.SquaredNorms(graph.Reshape(c.each(), replicas, batch, c.g.Shape().Dim(3)*c.columns()))
	} else {
		g := kernel.Images(c.g)
		square := func(x *graph.Node) *graph.Node { return graph.Reshape(x, replicas, batch, places*places) }
		inputs := square(kernel.PerSampleProduct(c.allRows(), kernel.Transposed(c.allRows()), replicas))
		outputs := square(kernel.PerSampleProduct(g, kernel.Transposed(g), replicas))
		sum := graph.ReduceSum(graph.Mul(inputs, outputs), 2)
		squared = graph.Add(sum, c.gramRounding().margin(inputs, outputs))
	}
	if c.bias {
		squared = graph.Add(squared, kernel.SquaredNorms(c.biases()))
	}
	return squared
}

// gramRounding returns the rounding of Σ (P Pᵀ) ∘ (g gᵀ).
func (c *convGradients) gramRounding() gramRounding {
	return gramRounding{dtype: c.g.DType(), columns: c.columns(), outputs: c.g.Shape().Dim(3), places: c.g.Shape().Dim(2)}
}

// roundings counts the sum over the weights, or the roundings of the Gram matrices, and the sum
// over the bias. Each norm is that of the added values, except for a product with the factor. One
// sum adds the two.
func (c *convGradients) roundings(int) int {
	outputs := c.g.Shape().Dim(3)
	weights := gramRoundings(c.g.DType())
	if c.small() {
		weights = kernel.SquareRoundings(c.g, outputs*c.columns())
	}
	return max(weights, kernel.SquareRoundings(c.g, outputs)) + 2 + 1
}

func (c *convGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	replicas, batch := c.examples()
	outputs := c.g.Shape().Dim(3)
	var sum *graph.Node
	if c.products == nil {
		sum = c.weightedProduct(factors)
	} else {
		sum = kernel.WeightedRows(factors, graph.Reshape(c.products, replicas, batch, outputs*c.columns()))
	}
	sums := []*graph.Node{c.pixelOrder(graph.Reshape(sum, replicas, outputs, c.columns()))}
	if c.bias {
		sums = append(sums, kernel.WeightedRows(factors, c.biases()))
	}
	return sums
}

// weightedProduct returns Σ_b factors[r, b] gᵀ P, [R, outputs, columns], as one product.
func (c *convGradients) weightedProduct(factors *graph.Node) *graph.Node {
	replicas, batch := c.examples()
	places, outputs := c.g.Shape().Dim(2), c.g.Shape().Dim(3)
	rows := graph.Reshape(c.allRows(), replicas, batch, places, c.columns())
	if !c.finite {
		rows = kernel.ZeroWhere(factors, rows)
	}
	g := graph.Reshape(kernel.Weighted(factors, c.g), replicas, batch*places, outputs)
	return kernel.BatchedProduct(kernel.Transposed(g), graph.Reshape(rows, replicas, batch*places, c.columns()))
}

func (c *convGradients) Each() []*graph.Node {
	replicas, batch := c.examples()
	g := c.pixelOrder(c.each())
	each := []*graph.Node{graph.Reshape(g, append([]int{replicas, batch}, g.Shape().Dimensions[1:]...)...)}
	if c.bias {
		each = append(each, c.biases())
	}
	return each
}

// gramRounding describes the rounding of Σ (P Pᵀ) ∘ (g gᵀ) for P [places, columns] and g [places,
// outputs].
type gramRounding struct {
	dtype                    dtypes.DType
	columns, outputs, places int
}

// share is θ of the proof.
func share(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 0x1p-42
	}
	return 0x1p-20
}

// gramRoundings returns the factor 1+θ and one sum as a number of roundings.
func gramRoundings(dtype dtypes.DType) int { return int(share(dtype)/kernel.UnitRoundoff(dtype)) + 2 }

// factor returns κ of the proof in sensitivity.go.
func (r gramRounding) factor() float64 {
	places, sides := float64(r.places), float64(r.columns+r.outputs)
	ofNorm := kernel.Gamma(r.dtype, sides+places*places+1)
	ofSum := kernel.Gamma(r.dtype, places+8)
	return (ofNorm + ofSum*ofSum*(1+1/share(r.dtype))) * (1 + kernel.Gamma(r.dtype, sides+2*places+10))
}

// valid reports whether the sum has any correct digits.
func (r gramRounding) valid() bool { return r.factor() < 0.25 }

// margin returns a bound on how much too small the sum may be, from P Pᵀ and g gᵀ, [R, B, places²].
func (r gramRounding) margin(inputs, outputs *graph.Node) *graph.Node {
	tiny := kernel.Smallest(r.dtype)
	lengths := func(x *graph.Node) *graph.Node { // squared norms of the rows: the diagonal
		x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, r.places*r.places).Stride(r.places+1))
		return graph.AddScalar(x, 2*tiny/kernel.UnitRoundoff(r.dtype))
	}
	sum := graph.ReduceSum(graph.Sqrt(graph.Mul(lengths(inputs), lengths(outputs))), 2)
	margin := graph.Square(graph.MulScalar(sum, math.Sqrt(r.factor())))
	return graph.AddScalar(margin, float64(2*r.places*r.places+3)*tiny)
}
