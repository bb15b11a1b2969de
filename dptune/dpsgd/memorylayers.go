package dpsgd

// scratch returns how many values a layer holds for one example beside its outputs, their
// slopes and the gradient at them, given the shape of one input. A layer of another
// package counts as having none.
func scratch(layer Layer, input []int) int {
	switch l := layer.(type) {
	case conv2D:
		return windowScratch(l.window, input, l.outputs)
	case convMaxPool:
		u := l.unfolding(input)
		return windowScratch(u.window, input, l.outputs*len(l.phases())) + 3*u.places[0]*u.places[1]*l.outputs*len(l.phases())
	case embeddingMean:
		return 2*sizeOf(input)*l.width + sizeOf(input)*sizeOf(input)
	case residual:
		return sequenceValues(l.block, input) + sequenceValues(l.projection, input)
	case frozen:
		return scratch(l.layer, input)
	case auto: // one copy of the weights for each example, and its gradient
		total := 0
		for _, w := range l.weights {
			total += 2 * sizeOf(w.Shape)
		}
		return total
	}
	return 0
}

// windowScratch counts the patches that a window sees, and the products of one example that
// norms are made from: per-sample gradients, or pairs of places.
func windowScratch(w Window, input []int, outputs int) int {
	at := w.places(input)
	places, width := at[0]*at[1], w.Kernel[0]*w.Kernel[1]*input[2]
	products := outputs * width
	if products > 8*places*places {
		products = 3 * places * places
	}
	return places*width + products
}

// sequenceValues returns the values of layers one after the other, their scratch included.
func sequenceValues(layers []Layer, input []int) int {
	total := 0
	for _, layer := range fused(layers) {
		output, err := layer.OutputShape(input)
		if err != nil {
			return total // found elsewhere
		}
		total += 3*sizeOf(output) + scratch(layer, input)
		input = output
	}
	return total
}
