package program

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// The check of the norm does not trust factors: it refuses vectors that are longer than B by one
// unit in one entry, NaN and infinity, and accepts those of norm B. B is 2^16 and C is 1.
func TestGridChecksNorms(t *testing.T) {
	const units = 1 << 16
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		first  []float32 // two entries
		second float32
		factor float32
		want   []float32 // in units; nil if the example adds nothing
	}{
		"zero":                {[]float32{0, 0}, 0, 1, []float32{0, 0, 0}},
		"toward zero":         {[]float32{1.9 / units, -1.9 / units}, -0.9 / units, 1, []float32{1, -1, 0}},
		"of norm B":           {[]float32{0, -1}, 0, 1, []float32{0, -units, 0}},
		"one unit longer":     {[]float32{1. / units, -1}, 0, 1, nil},
		"in another layer":    {[]float32{0, 1}, 1. / units, 1, nil},
		"3, 4 and 5 of B":     {[]float32{0.6, 0.8}, 0, 1, []float32{39321, 52428, 0}},
		"a factor too large":  {[]float32{0.6, 0.8}, 0, 1.001, nil},
		"a huge factor":       {[]float32{0.6, 0.8}, 0, 1e30, nil},
		"a negative factor":   {[]float32{0.5, 0}, 0.25, -1, []float32{-units / 2, 0, -units / 4}},
		"NaN":                 {[]float32{nan, 0}, 0, 1, nil},
		"infinity":            {[]float32{0, 0}, -inf, 1, nil},
		"NaN with a factor 0": {[]float32{nan, inf}, nan, 0, []float32{0, 0, 0}},
	} {
		backend, err := gobackend.New("ops_sequential")
		if err != nil {
			t.Fatal(err)
		}
		exec, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
			layers := []nn.LayerGradients{{Gradients: nn.PerSample(in[0])}, {Gradients: nn.PerSample(in[1])}}
			sum, failed := gridSum(layers, []*graph.Node{in[2], in[2]}, in[3])
			return []*graph.Node{sum, failed}
		})
		if err != nil {
			t.Fatal(err)
		}
		// A second example adds (1, 2, 3) units always.
		first, second := append(slices.Clone(c.first), 1./units, 2./units), []float32{c.second, 3. / units}
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(first, 1, 2, 2), tensors.FromFlatDataAndDimensions(second, 1, 2, 1),
			tensors.FromFlatDataAndDimensions([]float32{c.factor, 1}, 1, 2), tensors.FromFlatDataAndDimensions([]float32{7, units, units}, 1, 3))
		if err != nil {
			t.Fatal(err)
		}
		want, wantFailed := []float32{1, 2, 3}, 1.0
		if c.want != nil {
			wantFailed = 0
			for i, v := range c.want {
				want[i] += v
			}
		}
		err = tensors.ConstFlatData(out[0], func(sum []float32) {
			if !slices.Equal(sum, want) {
				t.Errorf("%s: sum %v, want %v", name, sum, want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		err = tensors.ConstFlatData(out[1], func(failed []float64) {
			if failed[0] != wantFailed {
				t.Errorf("%s: %g examples failed, want %g", name, failed[0], wantFailed)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
