package dpsgd

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// clippedSum returns Σ_b c_b g_b over the examples of the mask, [R, P], with the factors
// c_b of the plan's clipping, and the number of those whose norm was not finite and that
// count as zero, [R]. clip is [R, K], see Config.clipNumbers.
func (s graphs) clippedSum(layers []nn.LayerGradients, mask, clip *graph.Node) (sum, excluded *graph.Node) {
	if s.plan.Mode == Materialized {
		for i := range layers {
			layers[i].Gradients = nn.PerSample(layers[i].Each()...)
		}
	}
	factors, excluded := s.clipFactors(layers, mask, clip)
	factors = s.plantInFactors(layers, factors, mask, clip)
	var flat []*graph.Node
	for i, layer := range layers {
		for _, w := range layer.WeightedSum(factors[i]) {
			replicas := w.Shape().Dim(0)
			flat = append(flat, graph.Reshape(w, replicas, w.Shape().Size()/replicas))
		}
	}
	return graph.Concatenate(flat, 1), graph.ConvertDType(excluded, dtypes.Float64) // which counts beyond 2^24
}

// clipFactors returns the factors of each layer's gradients, each [R, B]: exactly 0 for
// padding and for examples without a finite norm, which it counts, [R].
func (s graphs) clipFactors(layers []nn.LayerGradients, mask, clip *graph.Node) (factors []*graph.Node, excluded *graph.Node) {
	config := s.plan.Replicas[0]
	if !config.clips() {
		for range layers {
			factors = append(factors, mask)
		}
		return factors, graph.Zeros(mask.Graph(), kernel.WithDims(mask, mask.Shape().Dim(0)))
	}
	rule, roundings := config.clipping(), factorRoundings
	if !ownCode(rule) {
		roundings = cappedRoundings
	}
	norms := Norms{root: s.root}
	for _, layer := range layers {
		norms.squares = append(norms.squares, layer.SquaredNormsUpper(len(layers)+roundings))
	}
	total, least := norms.total(), norms.squares[0]
	for _, square := range norms.squares[1:] {
		least = graph.Min(least, square)
	}
	// A negative square, which no layer of the package gives, is no norm.
	zeros := graph.ZerosLike(mask)
	good := graph.LogicalAnd(graph.IsFinite(total), graph.GreaterOrEqual(least, zeros))
	numbers := make([]*graph.Node, clip.Shape().Dim(1))
	for i := range numbers {
		numbers[i] = kernel.Column(clip, i)
	}
	if ownCode(rule) {
		factors = rule.Factors(norms, numbers)
	} else {
		factors, good = s.capped(rule, norms, numbers, good)
	}
	masked := map[*graph.Node]*graph.Node{} // one for all layers may be the same
	for i, factor := range factors {
		if masked[factor] == nil {
			masked[factor] = graph.Where(good, graph.Mul(factor, mask), zeros)
		}
		factors[i] = masked[factor]
	}
	excluded = kernel.SumLast(graph.InsertAxes(graph.Where(good, zeros, mask), 1))
	return factors, graph.Reshape(excluded, mask.Shape().Dim(0))
}

// capped returns the factors of a rule of the user's own, smaller where an example would add more than C,
// which is the first number. It takes those from the good ones that have a factor that is not finite.
func (s graphs) capped(rule Clipping, norms Norms, numbers []*graph.Node, good *graph.Node) (factors []*graph.Node, still *graph.Node) {
	factors = checkedFactors(rule, norms, numbers[1:])
	var total *graph.Node
	for l, factor := range factors {
		good = graph.LogicalAnd(good, graph.IsFinite(factor))
		square := graph.Square(graph.Mul(factor, norms.Layer(l)))
		if total == nil {
			total = square
		} else {
			total = graph.Add(total, square)
		}
	}
	most := shrink(numbers[0], s.root(total))
	for l := range factors {
		factors[l] = graph.Mul(factors[l], most)
	}
	return factors, good
}

// checkedFactors returns a rule's factors. It panics unless there is one for each layer, of the norms' shape and type.
func checkedFactors(rule Clipping, norms Norms, numbers []*graph.Node) []*graph.Node {
	like, list := norms.squares[0], rule.Factors(norms, numbers)
	if len(list) != norms.Layers() {
		panic(fmt.Errorf("Factors returns %d arrays: must be %d, one for each layer that has weights", len(list), norms.Layers()))
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

// How often a factor is rounded beside the sum over layers, K-L of sensitivity.go: by this package's rules, and by
// others, which the engine caps.
const factorRoundings, cappedRoundings = 18, 26

// root returns norms from raised squared ones, with what the squares of all weights may have lost.
func (s graphs) root(squared *graph.Node) *graph.Node {
	const raised = 2 // at most
	return graph.Sqrt(graph.AddScalar(squared, raised*kernel.LostSquares(squared.DType(), s.size)))
}

// shrink returns min(1, C/norm).
func shrink(clip, norm *graph.Node) *graph.Node {
	return graph.MinScalar(graph.Div(like(clip, norm), norm), 1)
}

// like repeats numbers [R, 1] along the rows of x [R, B].
func like(numbers, x *graph.Node) *graph.Node { return kernel.ExpandLike(numbers, x) }
