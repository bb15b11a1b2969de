package kernel

import (
	"github.com/gomlx/gomlx/core/graph"
)

// Expand repeats x along its axes of side 1 until it has the given sides. The rank does not change.
//
// The go backend visits repeated values one by one, which takes about ten times as long as copying
// blocks. So Expand copies blocks there.
func Expand(x *graph.Node, sides ...int) *graph.Node {
	if !IsGo(x) {
		return graph.BroadcastToDims(x, sides...)
	}
	for axis := len(sides) - 1; axis >= 0; axis-- {
		if x.Shape().Dim(axis) != sides[axis] {
			x = repeat(x, axis, sides[axis])
		}
	}
	return x
}

// ExpandLike is Expand to the sides of another node.
func ExpandLike(x, other *graph.Node) *graph.Node { return Expand(x, other.Shape().Dimensions...) }

// repeat concatenates copies of x along an axis. It doubles blocks while they are short.
func repeat(x *graph.Node, axis, copies int) *graph.Node {
	const long = 1024 // values
	block := SizeOf(x.Shape().Dimensions[axis:])
	var parts []*graph.Node
	for copies > 0 {
		if block >= long {
			for range copies {
				parts = append(parts, x)
			}
			break
		}
		if copies%2 == 1 {
			parts = append(parts, x)
		}
		if copies /= 2; copies > 0 {
			x, block = graph.Concatenate([]*graph.Node{x, x}, axis), 2*block
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return graph.Concatenate(parts, axis)
}

// ones returns ones of the given sides, in the type of x.
func ones(x *graph.Node, sides ...int) *graph.Node {
	one := graph.ScalarOne(x.Graph(), x.DType())
	unit := make([]int, len(sides))
	for i := range unit {
		unit[i] = 1
	}
	return Expand(graph.Reshape(one, unit...), sides...)
}

// RowsFor is perReplica on the go backend. On other backends, shared rows are not repeated, because
// patches are several times as large as the images.
func RowsFor(x *graph.Node, have, replicas int) *graph.Node {
	if !IsGo(x) {
		replicas = have
	}
	return perReplica(x, have, replicas)
}

// perReplica turns [have·B, m, n] into [R, B·m, n], and repeats rows that all replicas share.
func perReplica(x *graph.Node, have, replicas int) *graph.Node {
	m, n := x.Shape().Dim(1), x.Shape().Dim(2)
	x = graph.Reshape(x, have, x.Shape().Dim(0)/have*m, n)
	return RepeatShared(x, replicas)
}

// RepeatShared returns x [1, ...] repeated for each replica, or x [R, ...] itself.
func RepeatShared(x *graph.Node, replicas int) *graph.Node {
	if x.Shape().Dim(0) == replicas {
		return x
	}
	copies := make([]*graph.Node, replicas)
	for r := range copies {
		copies[r] = x
	}
	return graph.Concatenate(copies, 0)
}
