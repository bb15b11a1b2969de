package engine_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// The tests of this file search for an example that adds more than C to the sum. Its sum is read
// from the engine and measured in float64, so no norm of the engine is trusted.

// alone is the most that one example may add, as a share of C. The rest is for totals.
const alone = 1 / (1 + dpsgd.SensitivityRounding)

// subject is a model and one example of it. A search may change both.
type subject struct {
	t       *testing.T
	trainer *engine.Replicas
	data    data.Dataset
	weights dpsgd.Parameters
	steered []float64 // those of the weights that climb changes
	tokens  bool      // features are not pixels: climb does not change them
	clip    float64
}

// newSubject returns one of a model on the first row of data.
func newSubject(t *testing.T, m dpsgd.Model, d data.Dataset, weights []float64, c dpsgd.Config, mode dpsgd.ClipMethod, in engine.Precision) *subject {
	t.Helper()
	plan := c.Plan()
	plan.ClipMethod = mode
	return &subject{
		t: t, trainer: trainer(t, m, d, plan, engine.Performance{Microbatch: 1, Precision: in}), data: d, steered: weights, clip: c.ClipNorm,
		weights: dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{weights}},
	}
}

// blank returns one row of zeros, of the second of two classes.
func blank(input []int) data.Dataset {
	return data.Dataset{Name: "one", Shape: input, Classes: 2, Features: make([]float32, sizeOf(input)), Labels: []int32{1}}
}

// steer returns a subject that is one layer whose weights are zero. The gradient at its outputs
// can be chosen: it is the weights of a layer that follows, whose own gradient is zero.
func steer(t *testing.T, layer nn.Layer, input []int, clip float64) *subject {
	t.Helper()
	out := must(layer.OutputShape(input))(t)
	n := sizeOf(out)
	times := nn.Auto("gradient", []nn.Weight{{Name: "w", Shape: []int{n}}},
		func([]int) ([]int, error) { return []int{1}, nil },
		func(w []*graph.Node, x *graph.Node) *graph.Node {
			product := graph.Mul(w[0], graph.Reshape(x, x.Shape().Dim(0), n))
			return graph.Reshape(graph.ReduceSum(product, 1), x.Shape().Dim(0), 1)
		})
	m := dpsgd.Model{Name: "steered", Input: input, Layers: []nn.Layer{layer, nn.Flatten(), times},
		Loss: patterned{nn.Hinge(), [][]float32{{1}, {1}}}}
	weights := make([]float64, m.Size())
	s := newSubject(t, m, blank(input), weights, clipOnly(clip), dpsgd.BookKeeping, engine.Float32)
	s.steered = weights[len(weights)-n:]
	return s
}

// added returns the norm of what the example adds, as a share of C.
func (s *subject) added() float64 {
	s.t.Helper()
	sum, _ := sumWith(s.t, s.trainer, s.weights, []int32{0})
	return length(sum) / s.clip
}

// climb changes pixels and the steered gradient, one or all at a time and by any order of
// magnitude, and keeps what adds more. It returns the largest norm seen.
func (s *subject) climb(rng *rand.Rand, tries int) float64 {
	best := s.added()
	pixels := make([]float32, len(s.data.Features))
	gradient := make([]float64, len(s.steered))
	for range tries {
		copy(pixels, s.data.Features)
		copy(gradient, s.steered)
		size := math.Pow(10, -6*rng.Float64())
		change := func(n int, at func(i int, factor float64)) {
			if one := rng.IntN(2) == 0; one && n > 0 {
				at(rng.IntN(n), 1+size*rng.NormFloat64())
				return
			}
			for i := range n {
				at(i, 1+size*rng.NormFloat64())
			}
		}
		if rng.IntN(2) == 0 && !s.tokens {
			change(len(pixels), func(i int, f float64) { s.data.Features[i] *= float32(f) })
		} else {
			change(len(gradient), func(i int, f float64) { s.steered[i] = float64(float32(s.steered[i] * f)) })
		}
		if now := s.added(); now > best {
			best = now
			continue
		}
		copy(s.data.Features, pixels)
		copy(s.steered, gradient)
	}
	return best
}

// cancelling fills the places of an image in turns with a pattern and one that is almost the
// same, and the gradient with almost opposite signs: the gradient at the weights is their small
// difference. shape is that of the outputs; inputs is the number of values of one place.
func (s *subject) cancelling(places, inputs int, pixel, gradient float64, base func(i int) float64) {
	outputs := len(s.steered) / places
	for i := range s.data.Features {
		v := base(i % inputs)
		if i/inputs%2 == 1 {
			v *= 1 + pixel
		}
		s.data.Features[i] = float32(v)
	}
	for i := range s.steered {
		s.steered[i] = 0
		if place := i / outputs; i%outputs == 0 && place < places/2*2 {
			s.steered[i] = float64(float32(float64(1-2*(place%2)) * (1 - gradient*float64(place%2))))
		}
	}
}

// everything is what CI asks for, on both backends.
var everything = flag.Bool("dpsgd.all", false, "try the largest patterns")

// No pattern that cancels over the places of an image adds more than C: neither those of a
// grid, nor what climbing finds from the best of them.
func TestNoPatternAddsMoreThanC(t *testing.T) {
	for _, c := range []struct {
		channels, outputs int
		sides             [2]int
		patterns, tries   int
		long              bool
	}{
		{4608, 128, [2]int{1, 2}, 30, 10, false},
		{576, 128, [2]int{1, 2}, 150, 60, false},
		{1152, 96, [2]int{2, 3}, 40, 40, false},
		{96, 200, [2]int{4, 8}, 40, 40, false},
		{700, 800, [2]int{16, 16}, 1, 0, false},
		{4608, 800, [2]int{16, 16}, 1, 0, true},
		{1152, 96, [2]int{1, 2}, 100, 100, true},
	} {
		if c.long && !*everything {
			continue
		}
		if testing.Short() {
			if c.channels == 4608 || c.channels == 700 { // the largest
				continue
			}
			c.patterns, c.tries = min(c.patterns, 4), min(c.tries, 2)
		}
		t.Run(fmt.Sprintf("%d channels, %v places", c.channels, c.sides), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, uint64(c.channels)))
			s := steer(t, nn.Conv2DNoBias(c.channels, c.outputs, nn.Square(1, 1, 0)), []int{c.sides[0], c.sides[1], c.channels}, 1e-3)
			places := c.sides[0] * c.sides[1]
			random := make([]float64, c.channels)
			for i := range random {
				random[i] = rng.NormFloat64()
			}
			bases := []func(int) float64{func(int) float64 { return 1 }, func(i int) float64 { return random[i] }}
			// Without a margin the first added 12.2 C with 576 channels and 128 maps, the second
			// 6.8 C with 4,608 on the go backend, and the third 31.8 C on another processor.
			tries := [][2]float64{{0.0006391970627611535, 0.00013061305966394869}, {-0.001852531628601615, 0.003088692790364961}, {0.00146, 0.0005}}
			small := func() float64 { return math.Copysign(math.Pow(10, -2-2*rng.Float64()), rng.Float64()-0.3) }
			for len(tries) < c.patterns {
				tries = append(tries, [2]float64{small(), small()})
			}
			worst, best := 0.0, func() {}
			for i, try := range tries[:c.patterns] {
				base := bases[max(0, i-2)%2]
				draw := func() { s.cancelling(places, c.channels, try[0], try[1], base) }
				draw()
				if n := s.added(); n > worst {
					worst, best = n, draw
				}
			}
			best()
			worst = max(worst, s.climb(rng, c.tries))
			t.Logf("at most %.4g C", worst)
			if !(worst <= alone) {
				t.Errorf("an example adds %.9g C", worst)
			}
		})
	}
}

// Nor do tokens with shared weights, whose norms are of Gram matrices or of products, nor those of
// an embedding, which are equal.
func TestNoTokensAddMoreThanC(t *testing.T) {
	const tokens = 2
	patterns, tries := 60, 60
	if testing.Short() || compilesSlowly() {
		patterns, tries = 10, 5
	}
	for _, width := range []int{64, 576, 4608} {
		rng := rand.New(rand.NewPCG(13, uint64(width)))
		s := steer(t, nn.PerPlace(nn.Dense(width, 128)), []int{tokens, width}, 1e-3)
		worst := 0.0
		for range patterns {
			little := func() float64 { return math.Copysign(math.Pow(10, -2.5-1.5*rng.Float64()), rng.Float64()-0.5) }
			s.cancelling(tokens, width, little(), little(), func(int) float64 { return 1 })
			worst = max(worst, s.added())
		}
		worst = max(worst, s.climb(rng, tries))
		t.Logf("width %d: at most %.4g C", width, worst)
		if !(worst <= alone) || worst < 0.01 {
			t.Errorf("width %d: an example adds %.9g C, want at most %.9g and not nothing", width, worst, alone)
		}
	}
	s := steer(t, nn.Embedding(3, 64), []int{7}, 1e-3)
	s.tokens = true
	rng := rand.New(rand.NewPCG(14, 1))
	worst := 0.0
	for range patterns {
		for i := range s.data.Features { // tokens 0 and 1, or padding
			s.data.Features[i] = float32(rng.IntN(3) - 1)
		}
		for i := range s.steered {
			s.steered[i] = float64(float32(float64(1-2*(i/64%2)) * (1 - math.Pow(10, -6*rng.Float64()))))
		}
		worst = max(worst, s.added(), s.climb(rng, 2))
	}
	t.Logf("embedding: at most %.9g C", worst)
	if !(worst <= alone) || worst < 0.9 {
		t.Errorf("an example of an embedding adds %.9g C, want at most %.9g and at least 0.9", worst, alone)
	}
}

// Nor does an image with the initial weights that a model draws: patches that cancel, as
// averaging over the image gives all places the same gradient.
func TestNoImageAddsMoreThanC(t *testing.T) {
	for _, c := range []struct{ side, kernel, channels int }{{14, 7, 3}, {16, 8, 3}, {28, 14, 1}, {32, 16, 3}} {
		places := c.side / c.kernel * (c.side / c.kernel)
		m := must(models.Sequential("patches", []int{c.side, c.side, c.channels},
			nn.Conv2D(c.channels, 64, nn.Square(c.kernel, c.kernel, 0)), nn.GlobalAvgPool(), nn.Dense(64, 2)))(t)
		rng := rand.New(rand.NewPCG(12, uint64(c.side)))
		s := newSubject(t, m, blank(m.Input), m.Init(rng), clipOnly(0.1), dpsgd.BookKeeping, engine.Float32)
		worst, images := 0.0, 150
		if testing.Short() {
			images = 30
		}
		for range images {
			scale, random := math.Pow(10, 4*rng.Float64()), rng.IntN(2) == 0
			shares := make([]float64, places)
			for i := range shares {
				shares[i] = scale * float64(1-2*(i%2)) * (1 - math.Pow(10, -2-3*rng.Float64()))
			}
			base := make([]float64, c.kernel*c.kernel*c.channels)
			for i := range base {
				if base[i] = 1; random {
					base[i] = rng.NormFloat64()
				}
			}
			for i := range s.data.Features {
				row, column, channel := i/c.channels/c.side, i/c.channels%c.side, i%c.channels
				place := row/c.kernel*(c.side/c.kernel) + column/c.kernel
				within := (row%c.kernel*c.kernel+column%c.kernel)*c.channels + channel
				s.data.Features[i] = float32(base[within] * shares[place])
			}
			worst = max(worst, s.added())
		}
		t.Logf("%+v: at most %.4g C", c, worst)
		if !(worst <= alone) || worst < 0.9 {
			t.Errorf("%+v: an example adds %.9g C, want at most 1 and at least 0.9", c, worst)
		}
	}
}

// The sums of neighbors are C apart, but for what is stated of the microbatch in which they
// differ, however large the batch is.
func TestNeighborsOfLargeBatches(t *testing.T) {
	const clip = 0.1
	m := must(models.Sequential("line", []int{1}, nn.Dense(1, 2)))(t)
	d := data.Dataset{Name: "alike", Shape: []int{1}, Classes: 2, Features: []float32{3}, Labels: []int32{1}}
	weights := dpsgd.Parameters{Tensors: m.Tensors(), Values: [][]float64{{0.3, -0.2, 0.1, 0.7}}}
	for _, c := range []struct{ examples, microbatch int }{{60_000, 64}, {300_000, 256}, {4_000, 1}} {
		if testing.Short() {
			c.examples /= 10
		}
		tr := trainer(t, m, d, clipOnly(clip).Plan(), engine.Performance{Microbatch: c.microbatch})
		batch := make([]int32, c.examples+1)
		with, _ := sumWith(t, tr, weights, batch)
		without, _ := sumWith(t, tr, weights, batch[1:])
		moved := distance(with, without) / clip
		t.Logf("%+v: %.3g C above C", c, moved-1)
		inMicrobatch := 0.0
		if c.microbatch > 1 {
			inMicrobatch = 2 * gamma32(c.microbatch+1) * float64(c.microbatch)
		}
		if !(moved <= 1+dpsgd.SensitivityRounding+inMicrobatch) {
			t.Errorf("%+v: neighbors are %.9g C apart, more than is stated", c, moved)
		}
		const raised = 1e-5 // norms, and so the example is shorter than C
		if !(moved >= 1-raised-inMicrobatch) {
			t.Errorf("%+v: neighbors are only %.9g C apart: digits are lost", c, moved)
		}
	}
}

// Nothing that climbing finds in any layer, by any rule, in both modes and types, adds more than C.
func TestNoLayerAddsMoreThanC(t *testing.T) {
	const tries = 12
	modes := []dpsgd.ClipMethod{dpsgd.BookKeeping, dpsgd.Materialized}
	rules := []dpsgd.Clipping{dpsgd.FlatClipping{}, dpsgd.AutomaticClipping{}, dpsgd.PerLayerClipping{}, unbounded{}}
	most := map[engine.Precision]float64{engine.Float32: alone, engine.Float64: 1 + 1e-14} // the last digits are of the test's own sum
	if testing.Short() || compilesSlowly() {
		rules = rules[:1]
	}
	if compilesSlowly() {
		modes = modes[:1]
		delete(most, engine.Float64)
	}
	for name, m := range someChains(t) {
		try := func(mode dpsgd.ClipMethod, rule dpsgd.Clipping, in engine.Precision) {
			d, w := examplesFor(m, 1)
			config := clipOnly(1e-3)
			config.Clipping = rule
			s := newSubject(t, m, d, w.Values[0], config, mode, in)
			s.tokens = strings.Contains(name, "embedding")
			worst := s.climb(rand.New(rand.NewPCG(15, uint64(len(name)))), tries)
			if !(worst <= most[in]) || worst < 0.05 {
				t.Errorf("%s, mode %d, %v, precision %d: an example adds %.16g C, want at most %.16g, and not nothing", name, mode, rule, in, worst, most[in])
			}
		}
		for _, mode := range modes {
			for _, rule := range rules {
				for in := range most {
					try(mode, rule, in)
				}
			}
		}
	}
}

// With one example in a microbatch, examples are added to each other in float64 only, and none
// changes another's bits. Neighbors differ by what the single example adds, for each example.
func TestSingleExamplesDoNotTouchEachOther(t *testing.T) {
	const examples, clip = 9, 0.5
	for name, m := range someChains(t) {
		d, w := examplesFor(m, examples)
		tr := trainer(t, m, d, clipOnly(clip).Plan(), engine.Performance{Microbatch: 1})
		all := rangeOf(examples)
		with, _ := sumWith(t, tr, w, all)
		for i := range all {
			without, _ := sumWith(t, tr, w, append(rangeOf(i), all[i+1:]...))
			single, _ := sumWith(t, tr, w, all[i:i+1])
			moved := make([]float64, len(with))
			for k := range moved {
				moved[k] = with[k] - without[k]
			}
			if off := distance(moved, single); !(off <= 2*examples*examples*0x1p-53*clip) {
				t.Errorf("%s: example %d moves the sum by %.3g C more than it adds alone", name, i, off/clip)
			}
		}
	}
}

// What sensitivity.go bounds but does not prove away: examples of one microbatch are added to each
// other in float32, and where one leaves, the last takes its place. Climbing over the examples
// finds far less than the bound.
func TestNeighborsInMicrobatches(t *testing.T) {
	const examples, clip = 96, 0.05
	for _, c := range []struct{ microbatch, tries int }{{8, 60}, {32, 60}, {96, 60}} {
		m := must(models.MLP(6, 5, 3))(t)
		rng := rand.New(rand.NewPCG(16, uint64(c.microbatch)))
		d := blobs(examples, 6, 3)
		for i := range d.Features { // nearly equal, so all roundings can have one sign
			d.Features[i], d.Labels[i/6] = d.Features[i%6]*float32(1+1e-3*rng.NormFloat64()), 0
		}
		tr, w := trainer(t, m, d, clipOnly(clip).Plan(), engine.Performance{Microbatch: c.microbatch}), randomWeights(m, 0.5)
		others := rangeOf(examples - 1)
		others[0] = examples - 1
		moved := func() float64 {
			with, _ := sumWith(t, tr, w, rangeOf(examples))
			without, _ := sumWith(t, tr, w, others)
			return distance(with, without) / clip
		}
		worst := moved()
		for range c.tries {
			i := rng.IntN(len(d.Features))
			before := d.Features[i]
			d.Features[i] *= float32(1 + math.Pow(10, -5*rng.Float64())*rng.NormFloat64())
			if now := moved(); now > worst {
				worst = now
				continue
			}
			d.Features[i] = before
		}
		bound := 2 * gamma32(c.microbatch+1) * float64(min(2*c.microbatch, examples))
		t.Logf("microbatches of %d: %.2g C above C, where the bound is %.2g", c.microbatch, worst-1, bound)
		if !(worst <= 1+bound) || worst < 0.999 {
			t.Errorf("microbatches of %d: neighbors are %.9g C apart, want at most 1 + %.2g and at least 0.999", c.microbatch, worst, bound)
		}
	}
}

// someChains are the layerChains, or where programs compile slowly four of them.
func someChains(t *testing.T) map[string]dpsgd.Model {
	chains := layerChains(t)
	for name := range chains {
		if compilesSlowly() && !slices.Contains([]string{"wide kernel", "group norm", "automatic", "embedding"}, name) {
			delete(chains, name)
		}
	}
	return chains
}

// gamma32 is n u/(1-n u) of float32.
func gamma32(n int) float64 { return float64(n) * 0x1p-24 / (1 - float64(n)*0x1p-24) }
