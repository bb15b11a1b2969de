package dpsgd_test

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
)

// normalized gives the part of each layer nearly the same length: g_l · s/(‖g_l‖ + 0.01).
type normalized struct {
	Scale float64 // s >= 0
}

func (c normalized) String() string { return fmt.Sprintf("normalized(%v)", c.Scale) }

func (c normalized) Validate(clipNorm float64, layers int) error {
	if !(c.Scale >= 0) {
		return fmt.Errorf("normalized.Scale %g: must be >= 0", c.Scale)
	}
	return nil
}

func (c normalized) Coefficients(clipNorm float64, layers int) []float64 { return []float64{c.Scale} }

func (normalized) Factors(norms dpsgd.Norms, coefficients []*graph.Node) []*graph.Node {
	factors := make([]*graph.Node, norms.Layers())
	for l := range factors {
		factors[l] = graph.Div(coefficients[0], graph.AddScalar(norms.Layer(l), 0.01))
	}
	return factors
}

// Your own clipping. For any factors, an example adds at most ClipNorm, and the event is that of
// any rule.
func ExampleClipping() {
	config := dpsgd.Config{
		ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40, ExpectedBatchSize: 120, LearningRate: 1,
		Clipping: normalized{Scale: 0.7},
	}
	fmt.Println(config.Validate(), config.Event())
	// Output:
	// <nil> 40 x PoissonSampled(q=0.2, ClippedSum(σ=1.5))
}

// The rules of this package, and a fault of one.
func ExamplePerLayerClipping() {
	config := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1.5, Sampling: dpsgd.Poisson{Rate: 0.2}, Steps: 40, ExpectedBatchSize: 120, LearningRate: 1}
	for _, rule := range []dpsgd.Clipping{
		dpsgd.FlatClipping{}, dpsgd.AutomaticClipping{Stability: 0.1}, dpsgd.PerLayerClipping{}, dpsgd.PerLayerClipping{Norms: []float64{0.9, 0.9}},
	} {
		config.Clipping = rule
		fmt.Printf("%v: %v\n", rule, config.Validate())
	}
	// Output:
	// FlatClipping: <nil>
	// AutomaticClipping(γ 0.1): <nil>
	// PerLayerClipping(C/√L each): <nil>
	// PerLayerClipping([0.9 0.9]): dpsgd: Config.Clipping: PerLayerClipping.Norms [0.9 0.9]: root of the sum of squares 1.27279: must be at most ClipNorm 1
}
