package engine_test

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// larger is a layer of somebody else's that multiplies by 100. It hands on what it was given
// with other values in it, as is natural to write.
type larger struct{ nn.Layer }

func (larger) String() string { return "Larger" }

func (l larger) Forward(w []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	out, backward := l.Layer.Forward(w, in)
	out.Values = graph.MulScalar(out.Values, 100)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, nn.Gradients) {
		return backward(graph.MulScalar(g, 100), wantInput)
	}
}

// Facts about the inputs, their norms and that they are finite, are not used for the outputs of a
// layer, at any place. So an example adds at most C. With the norms of the inputs it would add up
// to 97.7 C.
func TestNormsAreNotBelievedOfOtherValues(t *testing.T) {
	const clip, rounding = 0.5, 1e-5
	ours := larger{nn.Flatten()}
	for name, layers := range map[string][]nn.Layer{
		"first":           {ours, nn.Dense(5, 3)},
		"after ours":      {nn.Flatten(), ours, nn.Flatten(), nn.Dense(5, 3)},
		"in a frozen":     {nn.Frozen(ours, nil), nn.Dense(5, 3)},
		"in a residual":   {nn.Residual([]nn.Layer{ours, nn.Dense(5, 5)}, ours), nn.Dense(5, 3)},
		"in a wrapper":    {larger{larger{nn.Flatten()}}, nn.Flatten(), nn.Dense(5, 3)},
		"around a frozen": {larger{nn.Frozen(nn.Flatten(), nil)}, nn.Dense(5, 3)},
	} {
		m := must(models.Sequential(name, []int{5}, layers...))(t)
		d, w := blobs(9, 5, 3), randomWeights(m, 0.6)
		tr := trainer(t, m, d, clipOnly(clip).Plan(), engine.Performance{})
		for i := range d.Labels {
			if sum, _ := sumWith(t, tr, w, []int32{int32(i)}); length(sum) > clip*(1+rounding) {
				t.Errorf("%s: example %d adds %.3g C", name, i, length(sum)/clip)
			}
		}
	}
}

// A value that a layer makes infinite is not believed to be finite because the inputs were: an
// example that overflows adds zero.
func TestFiniteIsNotBelievedOfOtherValues(t *testing.T) {
	overflow := larger{larger{larger{nn.Flatten()}}}
	m := must(models.Sequential("overflow", []int{5}, overflow, nn.Dense(5, 3)))(t)
	d, w := blobs(6, 5, 3), randomWeights(m, 0.6)
	for i := range d.Row(2) {
		d.Row(2)[i] = 3e38
	}
	sum, excluded := clippedSum(t, m, d, clipOnly(0.5).Plan(), engine.Performance{Microbatch: 8}, w, rangeOf(6))
	if excluded != 1 || !(length(sum) <= 5*0.5*(1+1e-5)) {
		t.Errorf("%d examples excluded, sum of norm %g: want 1, and at most 5 times the clip norm", excluded, length(sum))
	}
}
