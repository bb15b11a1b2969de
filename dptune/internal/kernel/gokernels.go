package kernel

import (
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
)

// This file has facts about the go backend (compute v0.1.4) that graphs are adapted to.

// IsGo reports whether the graph of x runs on the go backend.
func IsGo(x *graph.Node) bool { return x.Graph().Backend().String() == gobackend.BackendName }

// VectorKernels reports whether x's products run on the go backend's vector kernels.
func VectorKernels(x *graph.Node) bool { return SIMD && IsGo(x) }

// The rounding of a product depends on the kernel that the backend uses. The kernel depends on the
// size: m·k·n, or R·m·k·n if kernels count replicas. R replicas give the bits of R single runs if a
// product is cut into groups that all use the kernel of a single one.
//
// Without vector kernels there is one for less than 2^22 multiplications and one for more. The
// first adds four products at a time in the last m mod 3 rows, and the second sums blocks of 512.

const kernelThreshold = 1 << 22

// sameKernel returns how many replicas, each with the given number of pairs, one product [R·each,
// m, k] by [R·each, k, n] may have.
func sameKernel(each int, lhs, rhs *graph.Node) int {
	m, k, n := lhs.Shape().Dim(1), lhs.Shape().Dim(2), rhs.Shape().Dim(2)
	if !SIMD && (k < 4 || k <= 512 && m%3 == 0) {
		return lhs.Shape().Dim(0) // the two agree
	}
	return sameSide(lhs, each*m*k*n)
}

// sameWideKernel returns how many replicas one product [R·m, k] by [k, n] may have, on vector
// kernels that do not count replicas. The kernel for large products sums blocks of 128 values, 64
// in double precision, and adds the sums. The other one sums in order.
func sameWideKernel(lhs, rhs *graph.Node) int {
	r, m, k, n := lhs.Shape().Dim(0), lhs.Shape().Dim(1), lhs.Shape().Dim(2), rhs.Shape().Dim(2)
	if size := m * k * n; k > 64 && size < kernelThreshold {
		return (kernelThreshold - 1) / size
	}
	return r
}

// sameInnerKernel is sameKernel for [R, m, k] by [R, n, k].
func sameInnerKernel(lhs, rhs *graph.Node) int {
	return sameSide(lhs, lhs.Shape().Dim(1)*lhs.Shape().Dim(2)*rhs.Shape().Dim(1))
}

// sameSide returns how many products of a size stay on the same side of the threshold as one.
func sameSide(lhs *graph.Node, size int) int {
	if !IsGo(lhs) || !kernelsCountReplicas || size >= kernelThreshold {
		return lhs.Shape().Dim(0)
	}
	return (kernelThreshold - 1) / size
}

// padRows pads the rows of [R, m, k] with zeros to a multiple of the kernels' block of rows, if
// that is faster.
func padRows(x *graph.Node) *graph.Node {
	r, m, k := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	over := m % rowBlock
	// Compares the time of a row outside a block with the time of copying the result.
	if over == 0 || over*(rowStart+k) < 3*m || !IsGo(x) {
		return x
	}
	return graph.Concatenate([]*graph.Node{x, graph.Zeros(x.Graph(), WithDims(x, r, rowBlock-over, k))}, 1)
}

// corner returns the first rows and columns of [R, m, n].
func corner(x *graph.Node, rows, columns int) *graph.Node {
	if x.Shape().Dim(1) == rows && x.Shape().Dim(2) == columns {
		return x
	}
	return graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, rows), graph.AxisRange(0, columns))
}

// VectorLane is the number of columns that the vector kernels process at once.
const VectorLane = 8

// padColumns pads the columns of [R, k, n] with zeros to a multiple of VectorLane, if that is
// faster.
func padColumns(x *graph.Node) *graph.Node {
	const least = 256
	r, k, n := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	if n%VectorLane == 0 || k*n < least || !VectorKernels(x) {
		return x
	}
	return graph.Concatenate([]*graph.Node{x, graph.Zeros(x.Graph(), WithDims(x, r, k, VectorLane-n%VectorLane))}, 2)
}

// AfterKernel returns b [R, n] unchanged, but computed after product [R, B, m]. The vector kernels
// leave the upper halves of the processor's registers in use, which makes Exp and Tanh fifty times
// slower. Copying a block of 256 to 2048 bytes clears them. This function puts such a copy between
// a product and the value that is added to it.
func AfterKernel(product, b *graph.Node) *graph.Node {
	const block = 128 // values
	rows, columns := product.Shape().Dim(1), product.Shape().Dim(2)
	if !VectorKernels(product) || rows*columns < block {
		return b
	}
	few := graph.Slice(product, graph.AxisElem(0), graph.AxisRange(0, (block+columns-1)/columns))
	few = graph.Slice(graph.Reshape(few, few.Shape().Size()), graph.AxisRange(0, block))
	joint := graph.Concatenate([]*graph.Node{few, graph.Reshape(b, b.Shape().Size())}, 0)
	return graph.Reshape(graph.Slice(joint, graph.AxisRange(block)), b.Shape().Dimensions...)
}

// Kept returns x, and makes XLA on the processor compute it only once. Without it, XLA repeats work
// that it takes for cheap at each use. For example, it computes a pooled maximum again for each
// view that the next convolution takes of it.
func Kept(x *graph.Node) *graph.Node {
	if !SharesMemory(x) {
		return x
	}
	// go-xla v0.4.3 drops the barrier of a single value on the processor.
	return graph.OptimizationBarriers(x, graph.ScalarZero(x.Graph(), x.DType()))[0]
}

// SharesMemory reports whether x is computed by XLA in the memory of the host: on the processor.
func SharesMemory(x *graph.Node) bool { return !IsGo(x) && x.Graph().Backend().HasSharedBuffers() }
