package dpsgd

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
)

// Clipping is the rule that bounds one example's gradient g by C, the ClipNorm of its config. It is
// [FlatClipping], [AutomaticClipping], [PerLayerClipping] or your own rule.
//
// Under every rule an example adds a vector of L2 norm at most C to the sum of a step. So adding or
// removing one example moves the sum by at most C, its sensitivity, and the event of a config does
// not depend on the rule. This is proved for the rules of this package (sensitivity.go). Your own
// rule needs no proof. If its factors f_l for the layers let an example add more, the engine
// multiplies them by
//
//	min(1, C/√(Σ (f_l ‖g_l‖)²))
//
// This assumes that rows do not mix, as for layers. NewTrainer tests it, and statements list it as
// an assumption. An example whose gradient or factor is not finite adds zero.
//
// The replicas of a plan have rules of one type and run as one program. So Factors must depend on
// its arguments only, not on the fields of the rule. Your own code has no hash, as with an
// [Optimizer].
type Clipping interface {
	// String returns the name of the rule and all of its numbers. Checkpoints distinguish runs by
	// it.
	String() string
	// Validate returns every fault of its numbers, joined. layers is the number of the model's
	// layers with weights, 0 if it is not known. An error begins with the name of the field.
	Validate(clipNorm float64, layers int) error
	// Coefficients returns the numbers of a replica that Factors needs, equally many for every
	// replica.
	Coefficients(clipNorm float64, layers int) []float64
	// Factors returns a factor [R, B] for each layer, which multiplies its gradients. Each
	// coefficient is [R, 1]; graph.Div and similar functions repeat it along rows. Rows and
	// replicas must not mix.
	Factors(norms Norms, coefficients []*graph.Node) []*graph.Node
}

// Norms are the norms of the gradients of a microbatch, [R, B], one for each example. They are
// raised by the most that rounding may have taken away.
type Norms struct {
	squares []*graph.Node
	root    func(squared *graph.Node) *graph.Node
}

// NewNorms returns the norms with the given squares, one entry for each layer with weights. root
// takes the square root.
func NewNorms(squares []*graph.Node, root func(squared *graph.Node) *graph.Node) Norms {
	return Norms{squares, root}
}

// Layers returns the number of the model's layers that have weights. A residual block is one layer.
func (n Norms) Layers() int { return len(n.squares) }

// Layer returns the norms of the gradients of one layer.
func (n Norms) Layer(i int) *graph.Node { return n.root(n.squares[i]) }

// Total returns the norms of whole gradients.
func (n Norms) Total() *graph.Node { return n.root(program.Total(n.squares)) }

// same returns one factor for all layers.
func (n Norms) same(factor *graph.Node) []*graph.Node {
	list := make([]*graph.Node, n.Layers())
	for i := range list {
		list[i] = factor
	}
	return list
}

// FlatClipping adds g · min(1, C/‖g‖), the default. The norm of that is min(‖g‖, C).
//
// Reference: Abadi et al. (2016), arXiv:1607.00133v2, Algorithm 1.
type FlatClipping struct{}

// String returns the name of the rule.
func (FlatClipping) String() string { return "FlatClipping" }

// Validate returns nil.
func (FlatClipping) Validate(float64, int) error { return nil }

// Coefficients returns C.
func (FlatClipping) Coefficients(clipNorm float64, _ int) []float64 { return []float64{clipNorm} }

// Factors returns the factors of the rule.
func (FlatClipping) Factors(norms Norms, coefficients []*graph.Node) []*graph.Node {
	return norms.same(program.Shrink(coefficients[0], norms.Total()))
}

// AutomaticClipping adds g · C/(‖g‖ + γ): nearly all examples add a vector of nearly the
// same length, and C only scales the learning rate. The norm is C ‖g‖/(‖g‖ + γ) < C.
//
// Reference: Bu et al. (2022), arXiv:2206.07136, AUTO-S, times C.
type AutomaticClipping struct {
	Stability float64 // γ > 0, in gradient units. 0 is 0.01, as in the paper.
}

// String names the rule with γ.
func (c AutomaticClipping) String() string {
	return fmt.Sprintf("AutomaticClipping(γ %v)", c.stability())
}

func (c AutomaticClipping) stability() float64 { return cmp.Or(c.Stability, 0.01) }

// Validate returns an error if γ is negative, or a float32 would not hold its square.
func (c AutomaticClipping) Validate(float64, int) error {
	f := check.In("AutomaticClipping.")
	f.That(c.Stability == 0 || representable(c.Stability), "Stability", c.Stability, "must be 0 (for 0.01) or in [1e-18, 1e18]")
	return f.Err()
}

// Coefficients returns C and γ.
func (c AutomaticClipping) Coefficients(clipNorm float64, _ int) []float64 {
	return []float64{clipNorm, c.stability()}
}

// Factors returns the factors of the rule.
func (AutomaticClipping) Factors(norms Norms, coefficients []*graph.Node) []*graph.Node {
	total := norms.Total()
	return norms.same(graph.Div(program.Like(coefficients[0], total), graph.Add(total, program.Like(coefficients[1], total))))
}

// PerLayerClipping adds g_l · min(1, C_l/‖g_l‖) to each layer's part of the sum. The parts are
// orthogonal, so the norm is at most √(Σ C_l²) <= C.
//
// Reference: McMahan et al. (2018), arXiv:1710.06963v3, Section 2.2.
type PerLayerClipping struct {
	// Norms are C_l > 0, one for each layer of the model that has weights, in their order (a residual
	// block is one layer). The root of their sum of squares must be at most ClipNorm, and should be it:
	// less is more noise than needed. Nil is ClipNorm/√L for each of the L layers.
	Norms []float64
}

// String names the rule with its norms.
func (c PerLayerClipping) String() string {
	if c.Norms == nil {
		return "PerLayerClipping(C/√L each)"
	}
	return fmt.Sprintf("PerLayerClipping(%v)", c.Norms)
}

// Validate returns every fault of the norms, joined.
func (c PerLayerClipping) Validate(clipNorm float64, layers int) error {
	f := check.In("PerLayerClipping.")
	for i, bound := range c.Norms {
		f.That(representable(bound), fmt.Sprintf("Norms[%d]", i), bound, "must be in [1e-18, 1e18]")
	}
	const rounding = 1e-9 // relative
	if total := norm(c.Norms); !(total <= clipNorm*(1+rounding)) && c.Norms != nil {
		f.That(false, "Norms", c.Norms, fmt.Sprintf("root of the sum of squares %.6g: must be at most ClipNorm %g", total, clipNorm))
	}
	if c.Norms != nil && layers > 0 {
		f.That(len(c.Norms) == layers, "Norms", fmt.Sprintf("has length %d", len(c.Norms)), fmt.Sprintf("must be %d, the number of layers with weights", layers))
	}
	return f.Err()
}

// Coefficients returns C_1, ..., C_L.
func (c PerLayerClipping) Coefficients(clipNorm float64, layers int) []float64 {
	if c.Norms != nil {
		return c.Norms
	}
	norms := make([]float64, layers)
	for l := range norms {
		norms[l] = clipNorm / math.Sqrt(float64(layers))
	}
	return norms
}

// Factors returns the factors of the rule.
func (PerLayerClipping) Factors(norms Norms, coefficients []*graph.Node) []*graph.Node {
	factors := make([]*graph.Node, norms.Layers())
	for l := range factors {
		factors[l] = program.Shrink(coefficients[l], norms.Layer(l))
	}
	return factors
}

// representable reports whether x and x² are normal float32 numbers with room to spare.
func representable(x float64) bool { return x >= 1e-18 && x <= 1e18 }
