package program

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Rule is a clipping rule.
type Rule struct {
	// Factors returns the factors of each layer's gradients, [R, B] each. squares are the squared
	// norms of each layer's part, and root takes their square roots. Each number is [R, 1].
	Factors func(squares []*graph.Node, root func(squared *graph.Node) *graph.Node, numbers []*graph.Node) []*graph.Node

	// Capped marks a rule that is not proved to add at most C. Its factors are reduced if it would
	// add more. C is then the first clip number, and Factors does not get it.
	Capped bool
}

// Total returns the sum of squared norms.
func Total(squares []*graph.Node) *graph.Node {
	total := squares[0]
	for _, square := range squares[1:] {
		total = graph.Add(total, square)
	}
	return total
}

// clippedSum returns Σ_b c_b g_b over the examples of the mask, [R, P], with the factors c_b of the
// rule. It also returns the number of examples that were excluded, because their norm is not
// finite, [R]. clip [R, K] has the numbers of the rule.
func (p Step) clippedSum(layers []nn.LayerGradients, mask, clip *graph.Node) (sum, excluded *graph.Node) {
	if p.Materialized {
		for i := range layers {
			layers[i].Gradients = nn.PerSample(layers[i].Each()...)
		}
	}
	rule := clip
	if p.Grid {
		rule = withoutGrid(clip)
	}
	factors, excluded := p.clipFactors(layers, mask, rule)
	if p.Grid {
		sum, more := gridSum(layers, factors, clip)
		return sum, graph.Add(graph.ConvertDType(excluded, dtypes.Float64), more)
	}
	var flat []*graph.Node
	for i, layer := range layers {
		for _, w := range layer.WeightedSum(factors[i]) {
			replicas := w.Shape().Dim(0)
			flat = append(flat, graph.Reshape(w, replicas, w.Shape().Size()/replicas))
		}
	}
	return graph.Concatenate(flat, 1), graph.ConvertDType(excluded, dtypes.Float64) // float64 counts beyond 2^24
}

// fewArrays is a number of arrays of weights. With more, XLA on the processor computes each factor
// once. Otherwise it may add the parts of a norm again for each value that a factor multiplies.
const fewArrays = 12

// clipFactors returns the factors of each layer's gradients, each [R, B]. They are exactly 0 for
// padding and for examples without a finite norm. excluded is the number of the latter, [R].
func (p Step) clipFactors(layers []nn.LayerGradients, mask, clip *graph.Node) (factors []*graph.Node, excluded *graph.Node) {
	if p.Rule == nil {
		for range layers {
			factors = append(factors, mask)
		}
		return factors, graph.Zeros(mask.Graph(), kernel.WithDims(mask, mask.Shape().Dim(0)))
	}
	roundings := factorRoundings
	if p.Rule.Capped {
		roundings = cappedRoundings
	}
	var squares []*graph.Node
	for _, layer := range layers {
		squares = append(squares, layer.SquaredNormsUpper(len(layers)+roundings))
	}
	total, least := Total(squares), squares[0]
	for _, square := range squares[1:] {
		least = graph.Min(least, square)
	}
	// A negative square is not a norm. No layer of package nn returns one.
	zeros := graph.ZerosLike(mask)
	good := graph.LogicalAnd(graph.IsFinite(total), graph.GreaterOrEqual(least, zeros))
	numbers := make([]*graph.Node, clip.Shape().Dim(1))
	for i := range numbers {
		numbers[i] = kernel.Column(clip, i)
	}
	if p.Rule.Capped {
		factors, good = p.Capped(*p.Rule, squares, numbers, good)
	} else {
		factors = p.Rule.Factors(squares, p.Root, numbers)
	}
	many := len(p.Model.Tensors()) > fewArrays
	masked := map[*graph.Node]*graph.Node{} // all layers may have the same node
	for i, factor := range factors {
		if masked[factor] == nil {
			masked[factor] = graph.Where(good, graph.Mul(factor, mask), zeros)
			if many {
				masked[factor] = kernel.Kept(masked[factor])
			}
		}
		factors[i] = masked[factor]
	}
	excluded = kernel.SumLast(graph.InsertAxes(graph.Where(good, zeros, mask), 1))
	return factors, graph.Reshape(excluded, mask.Shape().Dim(0))
}

// Capped returns the factors of a rule that is not proved. They are reduced if an example would add
// more than C, the first number. still is good without the examples that have a factor that is not
// finite.
func (p Step) Capped(rule Rule, squares, numbers []*graph.Node, good *graph.Node) (factors []*graph.Node, still *graph.Node) {
	factors = p.checkedFactors(rule, squares, numbers[1:])
	var total *graph.Node
	for l, factor := range factors {
		good = graph.LogicalAnd(good, graph.IsFinite(factor))
		square := graph.Square(graph.Mul(factor, p.Root(squares[l])))
		if total == nil {
			total = square
		} else {
			total = graph.Add(total, square)
		}
	}
	most := Shrink(numbers[0], p.Root(total))
	for l := range factors {
		factors[l] = graph.Mul(factors[l], most)
	}
	return factors, good
}

// checkedFactors returns a rule's factors. It panics unless there is one for each layer, with the
// shape and type of the norms.
func (p Step) checkedFactors(rule Rule, squares, numbers []*graph.Node) []*graph.Node {
	like, list := squares[0], rule.Factors(squares, p.Root, numbers)
	if len(list) != len(squares) {
		panic(fmt.Errorf("Factors returns %d arrays: must be %d, one for each layer that has weights", len(list), len(squares)))
	}
	factors := make([]*graph.Node, len(list))
	for l, factor := range list {
		what := fmt.Sprintf("what Factors returns for layer %d", l)
		kernel.WantShape(what, factor, like.Shape().Dimensions)
		if factor.DType() != like.DType() {
			panic(fmt.Errorf("%s is of type %v: must be that of the norms, %v", what, factor.DType(), like.DType()))
		}
		factors[l] = factor
	}
	return factors
}

// The number of roundings of a factor, without the sum over layers: K-L of dpsgd/sensitivity.go.
// The first is for proved rules, the second for others, which are capped.
const factorRoundings, cappedRoundings = 18, 26

// Root returns norms from raised squared norms, plus what the squares of all weights may have lost.
func (p Step) Root(squared *graph.Node) *graph.Node {
	const raised = 2 // at most
	return graph.Sqrt(graph.AddScalar(squared, raised*kernel.LostSquares(squared.DType(), p.Size)))
}

// Shrink returns min(1, C/norm).
func Shrink(clip, norm *graph.Node) *graph.Node {
	return graph.MinScalar(graph.Div(Like(clip, norm), norm), 1)
}

// Like repeats numbers [R, 1] along the rows of x [R, B].
func Like(numbers, x *graph.Node) *graph.Node { return kernel.ExpandLike(numbers, x) }
