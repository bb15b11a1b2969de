package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// convGradients are the products gᵀ P of each example.
type convGradients struct {
	unfolding
	bias, finite bool
	rows         *graph.Node // P, [R·B, places, width], and columns of zeros; [B, ...] if all replicas share it
	g            *graph.Node // [R, B, places, outputs]

	products *graph.Node // gᵀ P once computed, [R·B, outputs, columns of P]
}

// small reports whether gᵀ P is taken rather than P Pᵀ and g gᵀ. The go backend transposes P
// for the latter, one value after the other, and needs no longer for gᵀ P as long as it is
// not much larger than P.
func (c *convGradients) small() bool {
	const larger = 3
	places, outputs := c.g.Shape().Dim(2), c.g.Shape().Dim(3)
	return outputs*c.width() <= 8*places*places || isGo(c.g) && outputs <= larger*places
}

func (c *convGradients) examples() (replicas, batch int) {
	return c.g.Shape().Dim(0), c.g.Shape().Dim(1)
}

// columns is the number of those of P.
func (c *convGradients) columns() int { return c.rows.Shape().Dim(2) }

// each returns gᵀ P of each example, [R·B, outputs, columns].
func (c *convGradients) each() *graph.Node {
	switch replicas, batch := c.examples(); {
	case c.products != nil:
	case c.rows.Shape().Dim(0) == replicas*batch:
		c.products = perSampleProduct(transposed(images(c.g)), c.rows, replicas)
	default: // one product for each example, of all replicas
		wide := graph.DotGeneral(c.g, []int{2}, []int{1}, c.rows, []int{1}, []int{0}) // [B, R, outputs, columns]
		wide = graph.TransposeAllDims(wide, 1, 0, 2, 3)
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
	return images(repeatShared(graph.InsertAxes(c.rows, 0), replicas))
}

// biases returns Σ_places g of each example, [R, B, outputs], from g [R, B, places, outputs].
func biases(g *graph.Node) *graph.Node {
	d := g.Shape().Dimensions
	return graph.Reshape(sumMiddle(images(g)), d[0], d[1], d[3])
}

func (c *convGradients) SquaredNorms() *graph.Node {
	replicas, batch := c.examples()
	places := c.g.Shape().Dim(2)
	var squared *graph.Node
	if c.small() {
		squared = squaredNorms(graph.Reshape(c.each(), replicas, batch, c.g.Shape().Dim(3)*c.columns()))
	} else {
		g := images(c.g)
		inputs := perSampleProduct(c.allRows(), transposed(c.allRows()), replicas)
		outputs := perSampleProduct(g, transposed(g), replicas)
		products := graph.Reshape(graph.Mul(inputs, outputs), replicas, batch, places*places)
		squared = graph.Add(graph.ReduceSum(products, 2), c.rounding())
	}
	if c.bias {
		squared = graph.Add(squared, squaredNorms(biases(c.g)))
	}
	return squared
}

// rounding returns what Σ (P Pᵀ) ∘ (g gᵀ) may be off by: a few units of the last place of
// ‖P‖² ‖g‖², of which its terms may cancel most, and what is lost where products of values of
// one are too small for a number, and the other is large. Added to a squared norm, it keeps
// the norm from coming out too small.
func (c *convGradients) rounding() *graph.Node {
	replicas, batch := c.examples()
	unit := 0x1p-22
	if c.g.DType() == dtypes.Float64 {
		unit = 0x1p-51
	}
	// u (‖P‖² + a/u) (‖g‖² + b/u) >= u ‖P‖² ‖g‖² + a ‖g‖² + b ‖P‖². An entry of g gᵀ lacks
	// lostSquares of the outputs at most, which P Pᵀ multiplies by (Σ_s ‖P_s‖)² <= places ‖P‖².
	safe := func(x *graph.Node) *graph.Node {
		x = graph.Reshape(x, replicas, batch, x.Shape().Size()/(replicas*batch))
		return graph.AddScalar(squaredNorms(x), lostSquares(x.DType(), x.Shape().Dim(2))/unit)
	}
	return graph.MulScalar(graph.Mul(safe(c.allRows()), safe(c.g)), unit)
}

func (c *convGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	replicas, batch := c.examples()
	outputs := c.g.Shape().Dim(3)
	var sum *graph.Node
	if c.products == nil {
		sum = c.weightedProduct(factors)
	} else {
		sum = weightedRows(factors, graph.Reshape(c.products, replicas, batch, outputs*c.columns()))
	}
	sums := []*graph.Node{c.pixelOrder(graph.Reshape(sum, replicas, outputs, c.columns()))}
	if c.bias {
		sums = append(sums, weightedRows(factors, biases(c.g)))
	}
	return sums
}

// weightedProduct returns Σ_b factors[r, b] gᵀ P, [R, outputs, columns], as one product.
func (c *convGradients) weightedProduct(factors *graph.Node) *graph.Node {
	replicas, batch := c.examples()
	places, outputs := c.g.Shape().Dim(2), c.g.Shape().Dim(3)
	rows := graph.Reshape(c.allRows(), replicas, batch, places, c.columns())
	if !c.finite {
		rows = zeroWhere(factors, rows)
	}
	g := graph.Reshape(weighted(factors, c.g), replicas, batch*places, outputs)
	return batchedProduct(transposed(g), graph.Reshape(rows, replicas, batch*places, c.columns()))
}

func (c *convGradients) Each() []*graph.Node {
	replicas, batch := c.examples()
	g := c.pixelOrder(c.each())
	each := []*graph.Node{graph.Reshape(g, append([]int{replicas, batch}, g.Shape().Dimensions[1:]...)...)}
	if c.bias {
		each = append(each, biases(c.g))
	}
	return each
}

// weightedRows returns Σ_b factors[r, b] x[r, b, i], [R, n]. Rows of factor 0 add exactly
// zero, even if they hold NaN.
func weightedRows(factors, x *graph.Node) *graph.Node {
	row := graph.InsertAxes(factors, 1) // [R, 1, B]
	return graph.Reshape(batchedProduct(row, zeroWhere(factors, x)), x.Shape().Dim(0), x.Shape().Dim(2))
}

// perSampleProduct multiplies each example's matrices, [R·B, m, k] by [R·B, k, n], so that
// the rounding does not depend on R.
func perSampleProduct(lhs, rhs *graph.Node, replicas int) *graph.Node {
	product := plainProducts(lhs.Shape().Dim(0)/replicas, lhs, padColumns(rhs))
	return firstColumns(product, rhs.Shape().Dim(2))
}

func firstColumns(x *graph.Node, columns int) *graph.Node {
	if x.Shape().Dim(2) == columns {
		return x
	}
	return graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, columns))
}
