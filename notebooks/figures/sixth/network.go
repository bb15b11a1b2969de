package sixth

import (
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/models"
)

// Network is a wide residual network with group normalization and standardized weights. Blocks of
// two convolutions follow each other in three stages, and each stage halves the image and doubles
// the channels. With 16 channels it is WRN-D-W of Zagoruyko and Komodakis (2016), where D is
// 6·Blocks + 4 and W is Width.
type Network struct {
	Channels int // of the first convolution
	Width    int // W, the channels of the first stage over Channels
	Blocks   int // of each stage
	Groups   int // of each normalization, a divisor of Channels
	Pool     int // side of the squares of pixels that are averaged first; 1 keeps the pixels
	Padding  int // of the random crops, in pixels
	Flip     bool
}

// model returns the network on images of a shape, with K views of each.
func (n Network) model(shape []int, classes, views int) (dpsgd.Model, error) {
	conv := func(in, out, kernel, stride int) nn.Layer {
		return nn.WeightStandardized(in, out, nn.Square(kernel, stride, kernel/2))
	}
	layers := []nn.Layer{nn.Crops(n.Padding, n.Flip)}
	if n.Pool > 1 {
		layers = append(layers, nn.AvgPool(nn.Square(n.Pool, n.Pool, 0)))
	}
	layers = append(layers, conv(shape[2], n.Channels, 3, 1))
	in := n.Channels
	for stage := range 3 {
		out := n.Channels * n.Width << stage
		for block := range n.Blocks {
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			var projection []nn.Layer
			if in != out {
				projection = []nn.Layer{conv(in, out, 1, stride)}
			}
			layers = append(layers, nn.Residual([]nn.Layer{
				nn.GroupNorm(n.Groups, in), nn.ReLU(), conv(in, out, 3, stride),
				nn.GroupNorm(n.Groups, out), nn.ReLU(), conv(out, out, 3, 1),
			}, projection...))
			in = out
		}
	}
	layers = append(layers, nn.GroupNorm(n.Groups, in), nn.ReLU(), nn.GlobalAvgPool(), nn.Dense(in, classes))
	model, err := models.Sequential("wide residual network", shape, layers...)
	model.Views = views
	return model, err
}
