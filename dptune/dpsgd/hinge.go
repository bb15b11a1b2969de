package dpsgd

import (
	"github.com/gomlx/gomlx/core/graph"
)

// Hinge returns the loss max(0, 1 - s z) of one output z for two classes, s = 1 for label
// 1 and -1 for label 0, with gradient -s where s z < 1 and 0 elsewhere: that of a support
// vector machine. Class 1 is predicted where z > 0.
func Hinge() Loss { return hinge{} }

type hinge struct{}

func (hinge) String() string { return "hinge" }

func (hinge) Outputs(int) int { return 1 }

func (l hinge) validateClasses(classes int) error { return twoClasses(l, classes) }

func (hinge) Values(z, labels *graph.Node) *graph.Node {
	return graph.MaxScalar(graph.OneMinus(graph.Mul(signs(z, labels), firstOutput(z))), 0)
}

func (hinge) Gradient(z, labels *graph.Node) *graph.Node {
	s := graph.InsertAxes(signs(z, labels), -1)
	margin := graph.Mul(s, z)
	beyond := graph.GreaterOrEqual(margin, graph.ScalarOne(z.Graph(), z.DType()))
	return graph.Where(beyond, graph.ZerosLike(z), graph.Neg(s))
}

func (hinge) Classes(z *graph.Node) *graph.Node { return positiveClass(z) }
