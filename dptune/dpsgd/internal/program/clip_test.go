package program

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Gradients of one model at two layers, of two weights and of one, for five examples; the fourth is padding.
const examples = 5

var (
	nan    = float32(math.NaN())
	first  = []float32{3, 0, 0.1, 0.2, nan, 1, 7, 7, -6, 8}
	second = []float32{4, 0.2, 0, 7, 0}
	mask   = []float32{1, 1, 1, 0, 1}
)

// clipped returns the sum of clipped gradients at clip norm 2, and how many examples were excluded.
func clipped(t *testing.T, rule *Rule) (sum []float32, excluded float64, err error) {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	exec, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
		layers := []nn.LayerGradients{{Gradients: nn.PerSample(in[0])}, {Gradients: nn.PerSample(in[1])}}
		sum, excluded := Step{Size: 3, Rule: rule}.clippedSum(layers, in[2], in[3])
		return []*graph.Node{sum, excluded}
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(first, 1, examples, 2), tensors.FromFlatDataAndDimensions(second, 1, examples, 1),
		tensors.FromFlatDataAndDimensions(mask, 1, examples), tensors.FromFlatDataAndDimensions([]float32{2}, 1, 1))
	if err != nil {
		return nil, 0, err
	}
	if err := tensors.ConstFlatData(out[0], func(flat []float32) { sum = slices.Clone(flat) }); err != nil {
		t.Fatal(err)
	}
	if err := tensors.ConstFlatData(out[1], func(flat []float64) { excluded = flat[0] }); err != nil {
		t.Fatal(err)
	}
	return sum, excluded, nil
}

// wanted is the sum by hand: each example with a finite gradient g, except padding, adds
// factor(‖g‖) g.
func wanted(factor func(norm float64) float64) []float64 {
	sum := make([]float64, 3)
	for b := range examples {
		g := []float64{float64(first[2*b]), float64(first[2*b+1]), float64(second[b])}
		norm := math.Hypot(math.Hypot(g[0], g[1]), g[2])
		if mask[b] == 0 || math.IsNaN(norm) {
			continue
		}
		for i, v := range g {
			sum[i] += factor(norm) * v
		}
	}
	return sum
}

// flat shrinks whole gradients: a rule that is proved, and not capped.
func flat() *Rule {
	return &Rule{Factors: func(squares []*graph.Node, root func(*graph.Node) *graph.Node, numbers []*graph.Node) []*graph.Node {
		factor := Shrink(numbers[0], root(Total(squares)))
		return []*graph.Node{factor, factor}
	}}
}

func constant(value float64) *Rule {
	return &Rule{Capped: true, Factors: func(squares []*graph.Node, _ func(*graph.Node) *graph.Node, _ []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.AddScalar(graph.ZerosLike(squares[0]), value), graph.AddScalar(graph.ZerosLike(squares[1]), value)}
	}}
}

// Examples are shrunk to the clip norm 2 and not stretched. Padding and a gradient that is not
// finite add zero. A rule that would let an example add more than the clip norm is capped: one that
// doubles gradients adds 2 g · min(1, 2/‖2g‖).
func TestClippedSum(t *testing.T) {
	for name, c := range map[string]struct {
		rule     *Rule
		factor   func(norm float64) float64
		excluded float64
	}{
		"flat":          {flat(), func(norm float64) float64 { return min(1, 2/norm) }, 1},
		"doubled":       {constant(2), func(norm float64) float64 { return min(2, 2/norm) }, 1},
		"turned around": {constant(-1), func(norm float64) float64 { return max(-1, -2/norm) }, 1},
		"left out":      {constant(math.Inf(1)), func(float64) float64 { return 0 }, 4}, // all factors are infinite
	} {
		sum, excluded, err := clipped(t, c.rule)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range wanted(c.factor) {
			// A factor is at most 40 roundings of 2^-24 smaller than it may be, and no gradient above 10 (cut to 2).
			if got := float64(sum[i]); !(math.Abs(got-want) <= 3*2*40*0x1p-24) {
				t.Errorf("%s: coordinate %d is %.7g, want %.7g", name, i, got, want)
			}
		}
		if excluded != c.excluded {
			t.Errorf("%s: %g examples excluded, want %g", name, excluded, c.excluded)
		}
	}
}

// A single example never adds more than the clip norm, to the last bit: its factors are rounded
// towards zero.
func TestOneExampleAddsAtMostTheClipNorm(t *testing.T) {
	saved := mask
	defer func() { mask = saved }()
	for b := range examples {
		mask = make([]float32, examples)
		mask[b] = 1
		for name, rule := range map[string]*Rule{"flat": flat(), "a thousand times": constant(1000)} {
			sum, _, err := clipped(t, rule)
			if err != nil {
				t.Fatal(err)
			}
			if norm := math.Hypot(math.Hypot(float64(sum[0]), float64(sum[1])), float64(sum[2])); norm > 2 {
				t.Errorf("%s: example %d adds a vector of norm %.9g, above 2", name, b, norm)
			}
		}
	}
}

// A rule that does not give a factor for every layer and example is refused by name.
func TestFactorsAreRefused(t *testing.T) {
	for want, change := range map[string]func([]*graph.Node) []*graph.Node{
		"Factors returns 1 arrays: must be 2":          func(f []*graph.Node) []*graph.Node { return f[:1] },
		"Factors returns for layer 1 is missing (nil)": func(f []*graph.Node) []*graph.Node { return []*graph.Node{f[0], nil} },
		"for layer 0 is of shape [5]: must be [1 5]":   func(f []*graph.Node) []*graph.Node { return []*graph.Node{graph.Squeeze(f[0], 0), f[1]} },
		"for layer 0 is of type Float64: must be that of": func(f []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.ConvertDType(f[0], dtypes.Float64), f[1]}
		},
	} {
		rule := constant(1)
		whole := rule.Factors
		rule.Factors = func(squares []*graph.Node, root func(*graph.Node) *graph.Node, numbers []*graph.Node) []*graph.Node {
			return change(whole(squares, root, numbers))
		}
		if _, _, err := clipped(t, rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
