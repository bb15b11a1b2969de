package dpsgd_test

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/models"
)

// larger is a layer of somebody else's that multiplies by 100. It hands on what it was given
// with other values in it, as is natural to write.
type larger struct{ dpsgd.Layer }

func (larger) String() string { return "Larger" }

func (l larger) Forward(w []*graph.Node, in dpsgd.Activations) (dpsgd.Activations, dpsgd.Backward) {
	out, backward := l.Layer.Forward(w, in)
	out.Values = graph.MulScalar(out.Values, 100)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, dpsgd.Gradients) {
		return backward(graph.MulScalar(g, 100), wantInput)
	}
}

// What is known of the inputs, their norms and that they are finite, is not believed of what a
// layer makes of them, wherever that layer stands: an example adds at most C. With the norms of
// the inputs it would add up to 97.7 C.
func TestNormsAreNotBelievedOfOtherValues(t *testing.T) {
	const clip, rounding = 0.5, 1e-5
	ours := larger{dpsgd.Flatten()}
	for name, layers := range map[string][]dpsgd.Layer{
		"first":           {ours, dpsgd.Dense(5, 3)},
		"after ours":      {dpsgd.Flatten(), ours, dpsgd.Flatten(), dpsgd.Dense(5, 3)},
		"in a frozen":     {dpsgd.Frozen(ours, nil), dpsgd.Dense(5, 3)},
		"in a residual":   {dpsgd.Residual([]dpsgd.Layer{ours, dpsgd.Dense(5, 5)}, ours), dpsgd.Dense(5, 3)},
		"in a wrapper":    {larger{larger{dpsgd.Flatten()}}, dpsgd.Flatten(), dpsgd.Dense(5, 3)},
		"around a frozen": {larger{dpsgd.Frozen(dpsgd.Flatten(), nil)}, dpsgd.Dense(5, 3)},
	} {
		m := must(models.Sequential(name, []int{5}, layers...))(t)
		d, w := blobs(9, 5, 3), randomWeights(m, 0.6)
		tr := trainer(t, m, d, clipOnly(clip).Plan(), dpsgd.Performance{})
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
	overflow := larger{larger{larger{dpsgd.Flatten()}}}
	m := must(models.Sequential("overflow", []int{5}, overflow, dpsgd.Dense(5, 3)))(t)
	d, w := blobs(6, 5, 3), randomWeights(m, 0.6)
	for i := range d.Row(2) {
		d.Row(2)[i] = 3e38
	}
	sum, excluded := clippedSum(t, m, d, clipOnly(0.5).Plan(), dpsgd.Performance{Microbatch: 8}, w, rangeOf(6))
	if excluded != 1 || !(length(sum) <= 5*0.5*(1+1e-5)) {
		t.Errorf("%d examples excluded, sum of norm %g: want 1, and at most 5 times the clip norm", excluded, length(sum))
	}
}
