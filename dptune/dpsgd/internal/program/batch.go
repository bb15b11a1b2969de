package program

import "github.com/gomlx/gomlx/core/graph"

// microbatch is a microbatch in a graph. R is 1 if all replicas share it.
type microbatch struct {
	rows   *graph.Node // [R, B, F]
	norms  *graph.Node // [R, B], squared norms of the rows
	labels *graph.Node // [R, B], int32
	mask   *graph.Node // [R, B], 1 for an example, 0 for padding
}

// BatchInputs returns the number of inputs of a microbatch.
func (p Step) BatchInputs() int {
	switch {
	case !p.OnDevice:
		return 4
	case p.SharesExample:
		return 6
	}
	return 5
}

// microbatch returns the microbatch in a program's inputs. These are rows, norms, labels and mask;
// or entries, mask, whether replicas have the crafted example [R] if there is one, and the table.
func (p Step) microbatch(in []*graph.Node) microbatch {
	if !p.OnDevice {
		return microbatch{in[0], in[1], in[2], in[3]}
	}
	entries, mask, table := graph.InsertAxes(in[0], -1), in[1], in[len(in)-3:]
	if len(in) > 5 {
		mask = p.ownMask(in[0], mask, in[2])
	}
	return microbatch{
		rows:   graph.Gather(table[0], entries),
		norms:  graph.Gather(table[1], entries),
		labels: graph.Gather(table[2], entries),
		mask:   mask,
	}
}

// ownMask returns the mask [R, B] of entries [1, B] that replicas share. Only replicas that join,
// [R], have the crafted example.
func (p Step) ownMask(entries, mask, joins *graph.Node) *graph.Node {
	crafted := graph.Equal(entries, graph.Const(entries.Graph(), int32(p.Examples)))
	own := graph.ConvertDType(crafted, mask.DType())
	return graph.Add(graph.Mul(mask, graph.OneMinus(own)), graph.Mul(graph.InsertAxes(joins, -1), own)) // factors 0 and 1
}
