package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// modelsToTry have all kinds of layers with weights, single and stacked.
func modelsToTry() []nn.Model {
	softmax := nn.SoftmaxCrossEntropy()
	return []nn.Model{
		{Name: "dense", Input: []int{5}, Layers: []nn.Layer{nn.Dense(5, 4), nn.Tanh(), nn.Dense(4, 3)}, Loss: softmax},
		{Name: "convolutions", Input: []int{6, 6, 1}, Loss: softmax, Layers: []nn.Layer{
			nn.Conv2D(1, 2, nn.Square(3, 1, 1)), nn.MaxPool(nn.Square(2, 2, 0)), nn.Tanh(), nn.Conv2DNoBias(2, 3, nn.Square(2, 1, 0)), nn.Flatten(), nn.Dense(12, 3)}},
		{Name: "wide convolution, whose norms are of Gram matrices", Input: []int{4, 4, 6}, Loss: softmax, Layers: []nn.Layer{
			nn.Conv2D(6, 16, nn.Square(3, 1, 0)), nn.ReLU(), nn.Flatten(), nn.Dense(64, 3)}},
		{Name: "tokens", Input: []int{4}, Layers: []nn.Layer{nn.EmbeddingMean(5, 3), nn.Tanh(), nn.Dense(3, 3)}, Loss: softmax},
		{Name: "residual", Input: []int{4, 4, 2}, Loss: softmax, Layers: []nn.Layer{
			nn.Residual([]nn.Layer{nn.Conv2D(2, 2, nn.Square(3, 1, 1)), nn.GroupNorm(1, 2), nn.Tanh()}), nn.GlobalAvgPool(), nn.Dense(2, 3)}},
		{Name: "places", Input: []int{3, 4}, Loss: softmax, Layers: []nn.Layer{
			nn.PerPlace(nn.Dense(4, 5), nn.GELU(), nn.LayerNorm(5), nn.Dense(5, 2), nn.SiLU()), nn.LayerNorm(2), nn.RMSNorm(2), nn.Dense(6, 3)}},
		{Name: "few wide places, whose norms are of Gram matrices", Input: []int{2, 9}, Loss: softmax, Layers: []nn.Layer{
			nn.PerPlace(nn.Dense(9, 40), nn.Tanh()), nn.MeanPlaces(), nn.Dense(40, 3)}},
		{Name: "views", Input: []int{2, 6, 6, 1}, Loss: softmax, Layers: []nn.Layer{
			nn.PerPlace(nn.Conv2D(1, 2, nn.Square(3, 1, 1)), nn.MaxPool(nn.Square(2, 2, 0)), nn.Tanh(), nn.GroupNorm(1, 2),
				nn.Residual([]nn.Layer{nn.Conv2D(2, 2, nn.Square(3, 1, 1)), nn.Tanh()}), nn.Flatten(), nn.Residual([]nn.Layer{nn.Tanh(), nn.Dense(18, 18)}),
				nn.Frozen(nn.Dense(18, 3), make([]float64, 57)), nn.Residual([]nn.Layer{nn.Dense(3, 3)})),
			nn.MeanPlaces()}},
		{Name: "places of places", Input: []int{2, 3, 4}, Loss: softmax, Layers: []nn.Layer{
			nn.PerPlace(nn.PerPlace(nn.Dense(4, 2), nn.Tanh()), nn.Positions(5, 2), nn.LastPlace()), nn.Dense(4, 3)}},
		{Name: "transformer", Input: []int{5}, Loss: softmax, Layers: []nn.Layer{
			nn.Embedding(4, 6), nn.Positions(7, 6), nn.SinusoidalPositions(),
			nn.Residual([]nn.Layer{nn.LayerNorm(6), nn.Attention(6, 2, false)}),
			nn.Residual([]nn.Layer{nn.LayerNorm(6), nn.PerPlace(nn.Dense(6, 8), nn.GELU(), nn.Dense(8, 6))}),
			nn.Attention(6, 3, true), nn.LayerNorm(6), nn.MeanPlaces(), nn.Dense(6, 3)}},
		{Name: "attention first", Input: []int{3, 4}, Loss: softmax, Layers: []nn.Layer{nn.Attention(4, 2, true), nn.LastPlace(), nn.Dense(4, 3)}},
		{Name: "recurrent", Input: []int{4}, Loss: softmax, Layers: []nn.Layer{
			nn.Embedding(4, 3), nn.GRU(3, 5), nn.Conv1D(5, 4, 3, 1, 1), nn.LSTM(4, 3), nn.LastPlace(), nn.Dense(3, 3)}},
		{Name: "recurrent first", Input: []int{3, 2}, Loss: softmax, Layers: []nn.Layer{nn.GRU(2, 3), nn.Flatten(), nn.Dense(9, 3)}},
		{Name: "memory first", Input: []int{3, 2}, Loss: softmax, Layers: []nn.Layer{nn.LSTM(2, 3), nn.Flatten(), nn.Dense(9, 3)}},
		{Name: "low rank", Input: []int{2, 4}, Loss: softmax, Layers: []nn.Layer{
			nn.PerPlace(nn.LoRA(4, 5, 2, 3, normals(25)), nn.Tanh()), nn.LoRA(10, 4, 3, 1.5, normals(44)), nn.Tanh(), nn.Dense(4, 3)}},
		{Name: "convolution of places", Input: []int{7, 2}, Loss: softmax, Layers: []nn.Layer{
			nn.Conv1D(2, 4, 2, 2, 1), nn.Tanh(), nn.Conv1D(4, 3, 3, 1, 0), nn.MeanPlaces()}},
		{Name: "standardized", Input: []int{5, 5, 2}, Loss: softmax, Layers: []nn.Layer{
			nn.WeightStandardized(2, 3, nn.Square(3, 1, 1)), nn.Tanh(), nn.WeightStandardized(3, 3, nn.Square(2, 2, 0)), nn.GlobalAvgPool()}},
		{Name: "regression", Input: []int{3}, Layers: []nn.Layer{nn.Dense(3, 2), nn.Sigmoid(), nn.Dense(2, 1)}, Loss: nn.SquaredError(-1, 0.5, 2)},
	}
}

// normals returns numbers that are nowhere special.
func normals(n int) []float64 {
	rng, values := rand.New(rand.NewPCG(7, uint64(n))), make([]float64, n)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}

// Gradients in float64 of 2 replicas and 3 examples. Backpropagated ones equal differences of the
// loss. Their norms and weighted sums by the layers' algebra equal those of single gradients, and
// the norms for clipping are not below.
func TestBackpropagation(t *testing.T) {
	const replicas, examples = 2, 3
	for _, m := range modelsToTry() {
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		size, width := m.Size(), 1
		for _, side := range m.Input {
			width *= side
		}
		normals := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			return x
		}
		weights, rows, labels := normals(replicas*size), make([]float64, examples*width), []int32{0, 1, 2}
		row := make([]float32, width)
		for b := range examples {
			m.DrawRow(rng, row)
			for i, v := range row {
				rows[b*width+i] = float64(v)
			}
		}
		factors := []float64{1, 0.5, 0, 0.25, 2, -3}
		out := compute(t, func(in []*graph.Node) []*graph.Node {
			var lists [4][]*graph.Node // of each layer: gradients [R, B, p], squared norms, and those from above, [R, B], weighted sums [R, p]
			for _, l := range m.Backpropagate(in[0], nn.Batch{Rows: in[1], Labels: in[2]}) {
				for _, g := range l.Each() {
					lists[0] = append(lists[0], graph.Reshape(g, replicas, examples, g.Shape().Size()/replicas/examples))
				}
				lists[1], lists[2] = append(lists[1], l.SquaredNorms()), append(lists[2], l.SquaredNormsUpper(0))
				for _, w := range l.WeightedSum(in[3]) {
					lists[3] = append(lists[3], graph.Reshape(w, replicas, w.Shape().Size()/replicas))
				}
			}
			return []*graph.Node{graph.Concatenate(lists[0], -1), sum(lists[1]), sum(lists[2]), graph.Concatenate(lists[3], -1)}
		}, tensors.FromFlatDataAndDimensions(weights, replicas, size), tensors.FromFlatDataAndDimensions(rows, 1, examples, width),
			tensors.FromFlatDataAndDimensions(labels, 1, examples), tensors.FromFlatDataAndDimensions(factors, replicas, examples))
		gradients, squares, upper, weighted := out[0], out[1], out[2], out[3]

		losses := func(weights []float64) []float64 {
			return compute(t, func(in []*graph.Node) []*graph.Node {
				outputs := m.Outputs(in[0], in[1])
				return []*graph.Node{m.Loss.Values(outputs, graph.BroadcastToDims(in[2], replicas, examples))}
			}, tensors.FromFlatDataAndDimensions(weights, replicas, size), tensors.FromFlatDataAndDimensions(rows, 1, examples, width),
				tensors.FromFlatDataAndDimensions(labels, 1, examples))[0]
		}
		const h = 1e-5 // central differences are right to some h², and rounding to 1e-16/h
		for _, at := range []int{0, size / 2, size - 1} {
			up, down := append([]float64{}, weights...), append([]float64{}, weights...)
			for r := range replicas {
				up[r*size+at] += h
				down[r*size+at] -= h
			}
			high, low := losses(up), losses(down)
			for k := range high {
				got, want := gradients[k*size+at], (high[k]-low[k])/(2*h)
				if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("%s: weight %d, example %d: gradient %.9g, by differences %.9g", m.Name, at, k, got, want)
				}
			}
		}
		want := make([]float64, replicas*size)
		for k := range replicas * examples {
			square := 0.0
			for i, g := range gradients[k*size : (k+1)*size] {
				square += g * g
				want[k/examples*size+i] += factors[k] * g
			}
			if math.Abs(squares[k]-square) > 1e-12*square || upper[k] < square {
				t.Errorf("%s: example %d: squared norm %.17g, from above %.17g, want %.17g", m.Name, k, squares[k], upper[k], square)
			}
		}
		for i, got := range weighted {
			if math.Abs(got-want[i]) > 1e-12*(1+math.Abs(want[i])) {
				t.Errorf("%s: weighted sum %d is %.15g, want %.15g", m.Name, i, got, want[i])
			}
		}
	}
}

func sum(list []*graph.Node) *graph.Node {
	total := list[0]
	for _, x := range list[1:] {
		total = graph.Add(total, x)
	}
	return total
}

// compute runs a graph function in float64 on the go backend.
func compute(t *testing.T, f func([]*graph.Node) []*graph.Node, in ...*tensors.Tensor) [][]float64 {
	t.Helper()
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	exec, err := graph.NewExec(backend, f)
	if err != nil {
		t.Fatal(err)
	}
	args := make([]any, len(in))
	for i, x := range in {
		args[i] = x
	}
	out, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		if err := tensors.ConstFlatData(x, func(flat []float64) { values[i] = append(values[i], flat...) }); err != nil {
			t.Fatal(err)
		}
	}
	return values
}
