package dpsgd

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/internal/kernel"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// clippedSum returns Σ_b c_b g_b over the examples of the mask, [R, P], with the factors
// c_b of the plan's clipping, and the number of those whose norm was not finite and that
// count as zero, [R]. clip is [R, K], see Clipping.numbers.
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
	factors = make([]*graph.Node, len(layers))
	config := s.plan.Replicas[0]
	if !config.clips() {
		for i := range factors {
			factors[i] = mask
		}
		return factors, graph.Zeros(mask.Graph(), kernel.WithDims(mask, mask.Shape().Dim(0)))
	}
	squared := make([]*graph.Node, len(layers))
	for i, layer := range layers {
		squared[i] = layer.SquaredNormsUpper(len(layers) + factorRoundings)
	}
	total, least := squared[0], squared[0]
	for _, square := range squared[1:] {
		total, least = graph.Add(total, square), graph.Min(least, square)
	}
	// A negative square, which no layer of the package gives, is no norm.
	zeros := graph.ZerosLike(mask)
	good := graph.LogicalAnd(graph.IsFinite(total), graph.GreaterOrEqual(least, zeros))
	excluded = kernel.SumLast(graph.InsertAxes(graph.Where(good, zeros, mask), 1))
	excluded = graph.Reshape(excluded, mask.Shape().Dim(0))
	masked := func(factor *graph.Node) *graph.Node {
		return graph.Where(good, graph.Mul(factor, mask), zeros)
	}
	switch config.Clipping.Rule {
	case PerLayerClipping:
		for i := range factors {
			factors[i] = masked(shrink(kernel.Column(clip, i), s.root(squared[i])))
		}
		return factors, excluded
	case AutomaticClipping:
		factors[0] = masked(graph.Div(kernel.ExpandLike(kernel.Column(clip, 0), total), graph.Add(s.root(total), kernel.ExpandLike(kernel.Column(clip, 1), total))))
	default:
		factors[0] = masked(shrink(kernel.Column(clip, 0), s.root(total)))
	}
	for i := range factors {
		factors[i] = factors[0]
	}
	return factors, excluded
}

// factorRoundings is K-L of sensitivity.go: how often a factor is rounded beside the sum over layers.
const factorRoundings = 18

// root returns norms from raised squared ones, with what the squares of all weights may have lost.
func (s graphs) root(squared *graph.Node) *graph.Node {
	const raised = 2 // at most
	return graph.Sqrt(graph.AddScalar(squared, raised*kernel.LostSquares(squared.DType(), s.size)))
}

// shrink returns min(1, C/norm).
func shrink(clip, norm *graph.Node) *graph.Node {
	return graph.MinScalar(graph.Div(kernel.ExpandLike(clip, norm), norm), 1)
}
