package kernel

import "github.com/gomlx/gomlx/core/graph"

// Kept returns x, which XLA on the processor computes once and keeps. Without it, what it takes for cheap is computed anew wherever it is used:
// a pooled maximum for each of the views that the next convolution takes of it.
func Kept(x *graph.Node) *graph.Node {
	if !SharesMemory(x) {
		return x
	}
	return graph.OptimizationBarriers(x, graph.ScalarZero(x.Graph(), x.DType()))[0] // of one alone go-xla v0.4.2 makes nothing on the processor
}

// SharesMemory reports whether x is computed by XLA in the memory of the host: on the processor.
func SharesMemory(x *graph.Node) bool { return !IsGo(x) && x.Graph().Backend().HasSharedBuffers() }
