package nn

import "github.com/gomlx/gomlx/core/graph"

// convGradients are the products of a convolution, whose weights are in another order.
type convGradients struct {
	productGradients
	order unfolding
}

func (c *convGradients) WeightedSum(factors *graph.Node) []*graph.Node {
	sums := c.productGradients.sumsOf(factors)
	sums[0] = c.order.pixelOrder(sums[0])
	return sums
}

func (c *convGradients) Each() []*graph.Node {
	each := []*graph.Node{c.order.pixelOrder(c.each())}
	each[0] = graph.Reshape(each[0], append([]int{c.g.Shape().Dim(0), c.g.Shape().Dim(1)}, each[0].Shape().Dimensions[1:]...)...)
	if c.bias {
		each = append(each, c.biases())
	}
	return each
}

func (c *convGradients) overPlaces(times int) Gradients {
	return &convGradients{*c.productGradients.overPlaces(times).(*productGradients), c.order}
}
