package engine_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// clippings are all rules, for a model with two layers that have weights and C = 0.5.
var clippings = []dpsgd.Clipping{
	dpsgd.FlatClipping{},
	dpsgd.AutomaticClipping{},
	dpsgd.AutomaticClipping{Stability: 2},
	dpsgd.PerLayerClipping{},
	dpsgd.PerLayerClipping{Norms: []float64{0.4, 0.3}},
	unbounded{},
	normalized{Scale: 0.5},
}

// unbounded is a rule that asks for no clipping at all: the engine does all of it.
type unbounded struct{}

func (unbounded) String() string                      { return "unbounded" }
func (unbounded) Validate(float64, int) error         { return nil }
func (unbounded) Coefficients(float64, int) []float64 { return nil }
func (unbounded) Factors(n dpsgd.Norms, _ []*graph.Node) []*graph.Node {
	factors := make([]*graph.Node, n.Layers())
	for l := range factors {
		factors[l] = graph.OnesLike(n.Layer(l))
	}
	return factors
}

// clip writes out each rule for one gradient, cut into parts, one for each layer.
func clip(rule dpsgd.Clipping, c float64, parts [][]float64) []float64 {
	var all, out []float64
	for _, part := range parts {
		all = append(all, part...)
	}
	each := func(factor func(l int) float64) []float64 {
		for l, part := range parts {
			out = append(out, scaled(factor(l), part)...)
		}
		return out
	}
	switch n := length(all); rule := rule.(type) {
	case dpsgd.AutomaticClipping:
		gamma := rule.Stability
		if gamma == 0 {
			gamma = 0.01
		}
		return scaled(c/(n+gamma), all)
	case dpsgd.PerLayerClipping:
		return each(func(l int) float64 {
			bound := c / math.Sqrt2
			if rule.Norms != nil {
				bound = rule.Norms[l]
			}
			return min(1, bound/length(parts[l]))
		})
	case normalized:
		each(func(l int) float64 { return rule.Scale / (length(parts[l]) + 0.01) })
		return scaled(min(1, c/length(out)), out)
	default:
		return scaled(min(1, c/n), all)
	}
}

// Every rule, in both modes and precisions, equals the rule applied to one example at a time.
func TestClippingEqualsOneByOne(t *testing.T) {
	widths, clipNorm := []int{13, 9, 4}, 0.5
	m, d := mlp(t, widths...), blobs(40, 13, 4)
	cut := 13*9 + 9
	for _, rule := range clippings {
		for name, p := range precisions {
			for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
				c := clipOnly(clipNorm)
				c.Clipping = rule
				plan := c.Plan()
				plan.ClipMethod, p.perf.Microbatch = mode, 16
				tr := trainer(t, m, d, plan, p.perf)
				for _, scale := range []float64{0.02, 0.4} { // gradients below the clip norms, and above
					w := randomWeights(m, scale)
					want := make([]float64, m.Size())
					for i := range d.Len() {
						g := twin{widths}.gradient(w.Values[0], d.Row(i), int(d.Labels[i]))
						for j, v := range clip(rule, clipNorm, [][]float64{g[:cut], g[cut:]}) {
							want[j] += v
						}
					}
					got, _ := sumWith(t, tr, w, rangeOf(40))
					checkClose(t, fmt.Sprintf("%+v, %s, mode %d, scale %g", rule, name, mode, scale), got, want, 2*p.relative) // norms are raised by 160 roundings
				}
			}
		}
	}
}

// Replicas may differ in the numbers of one rule.
func TestReplicasHaveTheirOwnClipping(t *testing.T) {
	m, d := mlp(t, 13, 9, 4), blobs(40, 13, 4)
	w := randomWeights(m, 0.4)
	for _, rule := range clippings {
		a, b := clipOnly(0.5), clipOnly(0.7)
		a.Clipping, b.Clipping = rule, reflect.Zero(reflect.TypeOf(rule)).Interface().(dpsgd.Clipping)
		both := dpsgd.Parameters{Values: [][]float64{w.Values[0], w.Values[0]}}
		tr := trainer(t, m, d, dpsgd.Plan{Replicas: []dpsgd.Config{a, b}}, engine.Performance{ReplicasPerCall: 2})
		got, _, err := tr.ClippedSums(t.Context(), both, [][]int32{rangeOf(40), rangeOf(40)})
		if err != nil {
			t.Fatal(err)
		}
		for r, c := range []dpsgd.Config{a, b} {
			want, _ := clippedSum(t, m, d, c.Plan(), engine.Performance{}, w, rangeOf(40))
			checkClose(t, fmt.Sprintf("%+v, replica %d", rule, r), got[r], want, 1e-6)
		}
	}
}

// adversary is a loss with a gradient of the size in the label.
type adversary struct{ nn.Loss }

// sizes of the gradient at the outputs, one for each label.
var sizes = []float64{1, 1e-30, 0, 1e6, 1e15, 1e30, math.Inf(1), math.NaN()}

func (adversary) Gradient(outputs, labels *graph.Node) *graph.Node {
	direction := graph.AddScalar(graph.Sin(outputs), 0.1)
	g := graph.ZerosLike(outputs)
	for label, size := range sizes {
		same := graph.Equal(labels, graph.Scalar(labels.Graph(), labels.DType(), label))
		chosen := graph.BroadcastToShape(graph.InsertAxes(same, -1), keepShape(same, outputs))
		g = graph.Where(chosen, graph.MulScalar(direction, size), g)
	}
	return g
}

// Whatever gradient one more example has, zero, tiny, huge, infinite or NaN, it moves the
// sum by at most C, and by nearly C if its gradient is long: the sensitivity that the event
// is priced for.
func TestSensitivityOfEveryRule(t *testing.T) {
	const clipNorm, rounding = 0.5, 1e-6
	m, d := mlp(t, 6, 5, len(sizes)), blobs(40, 6, len(sizes))
	m.Loss = adversary{m.Loss}
	w := randomWeights(m, 0.5)
	others := []int32{0, 8, 16} // of label 0
	for _, rule := range clippings {
		for _, mode := range []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized} {
			c := clipOnly(clipNorm)
			c.Clipping = rule
			plan := c.Plan()
			plan.ClipMethod = mode
			tr := trainer(t, m, d, plan, engine.Performance{Microbatch: 4})
			without, _ := sumWith(t, tr, w, others)
			if length(without) == 0 {
				t.Fatal("the others sum to zero: the test says nothing")
			}
			for label, size := range sizes {
				what := fmt.Sprintf("%+v, mode %d, gradient of size %g", rule, mode, size)
				with, excluded := sumWith(t, tr, w, append(others[:3:3], int32(label+24)))
				moved := distance(with, without)
				if !(moved <= clipNorm*(1+rounding)) {
					t.Errorf("%s: moved by %g, more than %g", what, moved, clipNorm)
				}
				finite := size < 1e18 // the square of the norm is a float32
				if (excluded == 0) != finite {
					t.Errorf("%s: %d counted as not finite", what, excluded)
				}
				switch {
				case !finite || size == 0:
					if moved != 0 {
						t.Errorf("%s: moved by %g, want 0", what, moved)
					}
				case size >= 1e6 && moved < 0.99*clipNorm:
					t.Errorf("%s: moved by %g, want nearly %g", what, moved, clipNorm)
				}
			}
		}
	}
}

func TestClippingIsValidated(t *testing.T) {
	m, d := mlp(t, 3, 4, 2), blobs(10, 3, 2)
	per := func(norms ...float64) dpsgd.Clipping {
		return dpsgd.PerLayerClipping{Norms: append([]float64{}, norms...)}
	}
	for _, c := range []struct {
		clipping dpsgd.Clipping
		want     []string
	}{
		{dpsgd.AutomaticClipping{Stability: -1}, []string{"dpsgd: Plan.Replicas[0].Clipping: AutomaticClipping.Stability -1"}},
		{dpsgd.AutomaticClipping{Stability: math.NaN()}, []string{"AutomaticClipping.Stability NaN"}},
		{per(0.3, 0.4), nil},
		{per(0.1, 0.1), nil},
		{per(0.3, 0.41), []string{"root of the sum of squares 0.508", "at most ClipNorm 0.5"}},
		{per(0.3, math.NaN()), []string{"PerLayerClipping.Norms[1] NaN"}},
		{per(0.3, 0), []string{"Norms[1] 0"}},
		{per(0.3), []string{"Plan.Replicas[0].Clipping", "Norms has length 1: must be 2"}},
		{per(), []string{"Norms has length 0: must be 2"}},
		{normalized{Scale: -1}, []string{"dpsgd: Plan.Replicas[0].Clipping: normalized.Scale -1"}},
		{wrongFactors{numbers: []float64{math.NaN()}}, []string{"Plan.Replicas[0].Clipping wrong: Coefficients are [NaN]: must be 1 finite numbers"}},
	} {
		config := private()
		config.Clipping = c.clipping
		_, err := engine.NewTrainer(m, d, config)
		checkError(t, err, c.want)
	}
	config := clipOnly(0)
	config.Clipping = dpsgd.AutomaticClipping{}
	checkError(t, config.Validate(), []string{"Clipping AutomaticClipping(γ 0.01): must be nil or FlatClipping when ClipNorm is 0"})
	plan := dpsgd.Plan{Replicas: []dpsgd.Config{private(), private()}}
	plan.Replicas[1].Clipping = dpsgd.AutomaticClipping{}
	checkError(t, plan.Validate(m.Size()), []string{"Plan.Replicas[1].Clipping dpsgd.AutomaticClipping: must be dpsgd.FlatClipping"})
}

func keepShape(same, outputs *graph.Node) shapes.Shape {
	return shapes.Make(same.DType(), outputs.Shape().Dimensions...)
}
