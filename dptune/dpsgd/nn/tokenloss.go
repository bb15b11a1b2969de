package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// TokenCrossEntropy returns the mean cross-entropy over the places of an example, from outputs
// [tokens, vocabulary] and target ids [tokens],
//
//	-1/n Σ_{t counts} log softmax(z_t)[target_t]
//
// with gradient (softmax(z_t) - onehot(target_t))/n at the places that count. A place with target
// TokenPadding does not count, and n is the number of the others. An example without any has loss
// 0 and gradient 0. Targets are in [0, vocabulary) or TokenPadding.
//
// Accuracy is the mean over examples of the share of places where the largest output is right. The
// share is 0 if no place counts. No class is predicted for the whole example.
func TokenCrossEntropy(tokens, vocabulary int) Loss {
	return tokenCrossEntropy{tokens: tokens, vocabulary: vocabulary}
}

type tokenCrossEntropy struct {
	needsTargets
	tokens, vocabulary int
}

func (l tokenCrossEntropy) String() string {
	return fmt.Sprintf("cross-entropy of %d tokens of %d", l.tokens, l.vocabulary)
}

func (l tokenCrossEntropy) Outputs(int) int { return l.tokens * l.vocabulary }

func (l tokenCrossEntropy) ValidateClasses(int) error {
	if l.tokens < 1 || l.vocabulary < 1 || l.vocabulary > maxTokens {
		return fmt.Errorf("%v: tokens must be >= 1 and vocabulary in [1, %d]", l, maxTokens)
	}
	return nil
}

func (l tokenCrossEntropy) TargetShape(int) []int { return []int{l.tokens} }

func (l tokenCrossEntropy) ValidateTarget(target []float32) (int, error) {
	for i, id := range target {
		v := float64(id)
		if v != math.Trunc(v) || v < TokenPadding || v >= float64(l.vocabulary) {
			return i, fmt.Errorf("token %g: must be an integer in [0, %d), or %d for none", v, l.vocabulary, TokenPadding)
		}
	}
	return 0, nil
}

func (l tokenCrossEntropy) DrawTarget(rng *rand.Rand, target []float32) {
	for i := range target {
		target[i] = float32(rng.IntN(l.vocabulary+1) - 1)
	}
}

// logits returns outputs [R, B, K] as [R, B, tokens, vocabulary].
func (l tokenCrossEntropy) logits(z *graph.Node) *graph.Node {
	return graph.Reshape(z, z.Shape().Dim(0), z.Shape().Dim(1), l.tokens, l.vocabulary)
}

// counted returns the ids [R, B, tokens], which places count, and the share 1/n of those.
func (tokenCrossEntropy) counted(targets *graph.Node) (ids, counts, share *graph.Node) {
	counts = graph.GreaterOrEqual(targets, graph.ScalarZero(targets.Graph(), targets.DType()))
	share = graph.ConvertDType(counts, targets.DType())
	n := graph.MaxScalar(graph.ReduceAndKeep(share, graph.ReduceSum, -1), 1)
	return graph.ConvertDType(graph.MaxScalar(targets, 0), dtypes.Int32), counts, graph.Div(share, n)
}

func (l tokenCrossEntropy) ValuesOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	return graph.ReduceSum(graph.Mul(softmaxCrossEntropy{}.Values(l.logits(z), ids), share), -1)
}

func (l tokenCrossEntropy) GradientOf(z, _, targets *graph.Node) *graph.Node {
	ids, _, share := l.counted(targets)
	g := graph.Mul(softmaxCrossEntropy{}.Gradient(l.logits(z), ids), graph.InsertAxes(share, -1))
	return graph.Reshape(g, z.Shape().Dimensions...)
}

func (tokenCrossEntropy) Classes(*graph.Node) *graph.Node { return nil }

func (l tokenCrossEntropy) Right(z, _, targets *graph.Node) *graph.Node {
	ids, counts, share := l.counted(targets)
	right := graph.LogicalAnd(counts, graph.Equal(graph.ArgMax(l.logits(z), -1, dtypes.Int32), ids))
	return graph.ReduceSum(graph.Mul(graph.ConvertDType(right, z.DType()), share), -1)
}
