package layercheck

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// drawnLayer is a layer that draws, as it trains, for the same checks as other layers. An example
// is its values and its coins. So a layer that uses the coins of another example mixes rows.
type drawnLayer struct {
	nn.Drawing
	input []int
}

// drawn returns the subject of a layer as it trains, if it takes coins.
func (s Subject) drawn() (trains Subject, draws bool) {
	l, is := s.Layer.(nn.Drawing)
	if !is || l.Coins(s.Input) < 1 {
		return s, false
	}
	d := drawnLayer{l, s.Input}
	s.Layer, s.Input = d, []int{d.values() + l.Coins(s.Input)}
	s.Where += "with coins: "
	return s, true
}

func (l drawnLayer) values() int { return kernel.SizeOf(l.input) }

func (l drawnLayer) OutputShape([]int) ([]int, error) { return l.Drawing.OutputShape(l.input) }

func (l drawnLayer) Weights([]int) []nn.Weight { return l.Drawing.Weights(l.input) }

// drawRow fills in random values, by a function, and random coins.
func (l drawnLayer) drawRow(rng *rand.Rand, values []float64, fill func([]float64)) {
	fill(values[:l.values()])
	for i := range values[l.values():] {
		values[l.values()+i] = float64(rng.IntN(1<<24)) / (1 << 24)
	}
}

func (l drawnLayer) Forward(weights []*graph.Node, in nn.Activations) (nn.Activations, nn.Backward) {
	x := in.Values
	d := x.Shape().Dimensions
	values := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, l.values()))
	coins := graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(l.values(), d[2]))
	out, backward := l.ForwardDrawn(weights, nn.Activations{Values: graph.Reshape(values, slices.Concat(d[:2], l.input)...)}, coins)
	return out, func(g *graph.Node, wantInput bool) (*graph.Node, nn.Gradients) {
		atInput, atWeights := backward(g, wantInput)
		if atInput == nil {
			return nil, atWeights
		}
		kernel.WantShape("the gradient at the inputs", atInput, slices.Concat([]int{g.Shape().Dim(0), d[1]}, l.input))
		none := graph.Zeros(x.Graph(), kernel.WithDims(x, g.Shape().Dim(0), d[1], d[2]-l.values()))
		return graph.Concatenate([]*graph.Node{kernel.FlatRows(atInput), none}, 2), atWeights
	}
}

func (l drawnLayer) String() string { return fmt.Sprint(l.Drawing) }
