package persample

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/internal/kernel"
)

// NewProducts returns the gradients Σ_t g_t a_tᵀ of each example, from a [R or 1, B, T, inputs] and
// g [R, B, T, outputs]. It panics, as graph functions do, unless they have such shapes.
func NewProducts(a, g *graph.Node) *Products {
	for _, x := range []struct {
		name string
		node *graph.Node
	}{{"a", a}, {"g", g}} {
		switch {
		case x.node == nil:
			panic(fmt.Errorf("Products: %s is nil: must be [R, B, T, values]", x.name))
		case x.node.Rank() != 4:
			panic(fmt.Errorf("Products: %s is of shape %v: must be [R, B, T, values]", x.name, x.node.Shape().Dimensions))
		}
	}
	d, e := a.Shape().Dimensions, g.Shape().Dimensions
	if d[0] != e[0] && d[0] != 1 || d[1] != e[1] || d[2] != e[2] || a.DType() != g.DType() {
		panic(fmt.Errorf("Products: a is %v and g %v: must agree in type, replicas, examples and places (only a may have 1 replica)", a.Shape(), g.Shape()))
	}
	if kernel.IsGo(a) { // otherwise the rounding would depend on the number of replicas
		a = kernel.RepeatShared(a, e[0])
	}
	return &Products{Width: d[3], Rows: kernel.Images(a), G: g}
}

// Products are the products gᵀ P of each example, and Σ_places g if there is a bias.
type Products struct {
	Width        int         // of P, without the columns of zeros
	Bias, Finite bool        // whether there is a bias; whether no value of P is NaN or infinite
	Rows         *graph.Node // P [R·B, places, width], then columns of zeros; [B, ...] if all replicas share it
	G            *graph.Node // [R, B, places, outputs]

	products *graph.Node // gᵀ P once computed, [R·B, outputs, columns of P]
	sums     *graph.Node // Σ_places g once computed, [R, B, outputs]
}

// larger is how many times as many outputs as places gᵀ P may have on the go backend, see small.
const larger = 3

// small reports whether gᵀ P is computed instead of P Pᵀ and g gᵀ. For the latter the go backend
// transposes P value by value. So gᵀ P is not slower there unless it is much larger than P.
func (c *Products) small() bool {
	places, outputs := c.G.Shape().Dim(2), c.G.Shape().Dim(3)
	return outputs*c.Width <= 8*places*places || kernel.IsGo(c.G) && outputs <= larger*places || !c.gramRounding().valid()
}

// ProductScratch counts what norms of products hold for an example: gᵀ P where some backend may
// form it, otherwise P Pᵀ, g gᵀ and their product.
func ProductScratch(places, inputs, outputs int) int {
	if outputs*inputs <= 8*places*places || outputs <= larger*places {
		return outputs * inputs
	}
	return 3 * places * places
}

// Examples returns the number of replicas, and that of examples of each.
func (c *Products) Examples() (replicas, batch int) {
	return c.G.Shape().Dim(0), c.G.Shape().Dim(1)
}

// Columns is the number of columns of P.
func (c *Products) Columns() int { return c.Rows.Shape().Dim(2) }

// Product returns gᵀ P of each example, [R·B, outputs, columns].
func (c *Products) Product() *graph.Node {
	switch replicas, batch := c.Examples(); {
	case c.products != nil:
	case c.Rows.Shape().Dim(0) == replicas*batch:
		c.products = kernel.PerSampleProduct(kernel.Transposed(kernel.Images(c.G)), c.Rows, replicas)
	default: // one product for each example, of all replicas
		wide := graph.DotGeneral(c.G, []int{2}, []int{1}, c.Rows, []int{1}, []int{0}) // [B, R, outputs, columns]
		wide = graph.TransposeAllAxes(wide, 1, 0, 2, 3)
		c.products = graph.Reshape(wide, replicas*batch, wide.Shape().Dim(2), wide.Shape().Dim(3))
	}
	return c.products
}

// allRows returns P of each replica.
func (c *Products) allRows() *graph.Node {
	replicas, batch := c.Examples()
	if c.Rows.Shape().Dim(0) == replicas*batch {
		return c.Rows
	}
	return kernel.Images(kernel.RepeatShared(graph.InsertAxes(c.Rows, 0), replicas))
}

// Biases returns Σ_places g of each example, [R, B, outputs], from g [R, B, places, outputs].
func Biases(g *graph.Node) *graph.Node {
	d := g.Shape().Dimensions
	return graph.Reshape(kernel.SumMiddle(kernel.Images(g)), d[0], d[1], d[3])
}

// Biases returns Σ_places g, one node for norms and sums.
func (c *Products) Biases() *graph.Node {
	if c.sums == nil {
		c.sums = Biases(c.G)
	}
	return c.sums
}

func (c *Products) SquaredNorms() *graph.Node {
	replicas, batch := c.Examples()
	places := c.G.Shape().Dim(2)
	var squared *graph.Node
	if c.small() {
		squared = kernel.SquaredNorms(graph.Reshape(c.Product(), replicas, batch, c.G.Shape().Dim(3)*c.Columns()))
	} else {
		g := kernel.Images(c.G)
		square := func(x *graph.Node) *graph.Node { return graph.Reshape(x, replicas, batch, places*places) }
		inputs := square(kernel.PerSampleProduct(c.allRows(), kernel.Transposed(c.allRows()), replicas))
		outputs := square(kernel.PerSampleProduct(g, kernel.Transposed(g), replicas))
		sum := graph.ReduceSum(graph.Mul(inputs, outputs), 2)
		squared = graph.Add(sum, c.gramRounding().margin(inputs, outputs))
	}
	if c.Bias {
		squared = graph.Add(squared, kernel.SquaredNorms(c.Biases()))
	}
	return squared
}

// gramRounding returns the rounding of Σ (P Pᵀ) ∘ (g gᵀ).
func (c *Products) gramRounding() gramRounding {
	return gramRounding{dtype: c.G.DType(), columns: c.Columns(), outputs: c.G.Shape().Dim(3), places: c.G.Shape().Dim(2)}
}

// Roundings counts the sum over the weights, or the roundings of the Gram matrices, and the sum
// over the bias. Each norm is that of the added values, except for a product with the factor. One
// sum adds the two.
func (c *Products) Roundings(Count) int {
	outputs := c.G.Shape().Dim(3)
	weights := gramRoundings(c.G.DType())
	if c.small() {
		weights = kernel.SquareRoundings(c.G, outputs*c.Columns())
	}
	return max(weights, kernel.SquareRoundings(c.G, outputs)) + 2 + 1
}

func (c *Products) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := c.Sums(factors)
	sums[0] = kernel.FirstColumns(sums[0], c.Width)
	return sums
}

// Sums is WeightedSum with the columns of zeros.
func (c *Products) Sums(factors *graph.Node) []*graph.Node {
	replicas, batch := c.Examples()
	outputs := c.G.Shape().Dim(3)
	var sum *graph.Node
	if c.products == nil {
		sum = c.WeightedProduct(factors)
	} else {
		sum = kernel.WeightedRows(factors, graph.Reshape(c.products, replicas, batch, outputs*c.Columns()))
	}
	sums := []*graph.Node{graph.Reshape(sum, replicas, outputs, c.Columns())}
	if c.Bias {
		sums = append(sums, kernel.WeightedRows(factors, c.Biases()))
	}
	return sums
}

// WeightedProduct returns Σ_b factors[r, b] gᵀ P, [R, outputs, columns], as one product.
func (c *Products) WeightedProduct(factors *graph.Node) *graph.Node {
	replicas, batch := c.Examples()
	places, outputs := c.G.Shape().Dim(2), c.G.Shape().Dim(3)
	rows := graph.Reshape(c.allRows(), replicas, batch, places, c.Columns())
	if !c.Finite {
		rows = kernel.ZeroWhere(factors, rows)
	}
	g := graph.Reshape(kernel.Weighted(factors, c.G), replicas, batch*places, outputs)
	return kernel.BatchedProduct(kernel.Transposed(g), graph.Reshape(rows, replicas, batch*places, c.Columns()))
}

func (c *Products) Each() []*graph.Node {
	replicas, batch := c.Examples()
	each := []*graph.Node{graph.Reshape(kernel.FirstColumns(c.Product(), c.Width), replicas, batch, c.G.Shape().Dim(3), c.Width)}
	if c.Bias {
		each = append(each, c.Biases())
	}
	return each
}

// OverPlaces makes examples of the places of several ones.
func (c *Products) OverPlaces(times int) Gradients {
	joint := *c
	d, rows := c.G.Shape().Dimensions, c.Rows.Shape().Dimensions
	joint.G = graph.Reshape(c.G, d[0], d[1]/times, times*d[2], d[3])
	joint.Rows = graph.Reshape(c.Rows, rows[0]/times, times*rows[1], rows[2])
	joint.products, joint.sums = nil, nil
	return &joint
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
